"""Make plans of any size from their parts."""

from __future__ import annotations

from collections.abc import Sequence

FILLER = "Each request takes a token from the bucket of its client, and an empty bucket refuses it. "


def manifest(
    paths: Sequence[str] = ("src/a.py",),
    pattern: str = "^feat: ",
    forbidden: Sequence[str] = (),
    contains: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the item Manifest with its block; patterns stand in single quotes."""
    lines = [
        f"expected_paths: [{', '.join(paths)}]",
        f"min_file_count: {len(paths)}",
        f"commit_message_pattern: {single(pattern)}",
        "bash_syntax_check: []",
        f"forbidden_paths: [{', '.join(forbidden)}]",
        "must_contain:" if contains else "must_contain: []",
    ]
    lines += [f"  - {{path: {path}, pattern: {single(one)}}}" for path, one in contains]
    body = "".join(f"    {line}\n" for line in lines)
    return f"- **Manifest:**\n\n  ```yaml\n  manifest:\n{body}  ```\n"


def single(text: str) -> str:
    """Return text in the single quotes of YAML."""
    return "'" + text.replace("'", "''") + "'"


def step(number: int, path: str = "", block: str | None = None, changes: str = "Write it.") -> str:
    """Return a step that has everything."""
    path = path or f"src/part{number}.py"
    return (
        f"### Step {number}: Make part {number}\n\n"
        f"- **Files:** `{path}`\n"
        f"- **Changes:** {changes}\n"
        f"- **Verify:** `pytest -q` → expected: `passed`\n"
        f"- **On failure:** revert\n"
        f'- **Checkpoint:** `git commit -m "feat: part {number}"`\n'
        f"{manifest([path]) if block is None else block}\n"
    )


def plan(*steps: str, version: str = "1.7", after: str = "") -> str:
    """Return a plan of these steps."""
    marker = f"---\nplan_version: {version}\n---\n" if version else ""
    return f"{marker}# A plan\n\n## Implementation Plan\n\n{''.join(steps)}{after}"


def session(number: int, steps: str, wave: int = 1, depends: str = "none", touch: str = "") -> str:
    """Return a session of the Execution Strategy."""
    fence = f"- Scope fence:\n  - Touch: {touch}\n" if touch else ""
    head = f"### Session {number}: Part {number}\n\n"
    return f"{head}- Steps: {steps}\n- Wave: {wave}\n- Depends on: {depends}\n{fence}\n"


def strategy(*sessions: str) -> str:
    """Return an Execution Strategy of these sessions."""
    return "## Execution Strategy\n\n" + "".join(sessions)


def large(count: int) -> str:
    """Return a plan of that many steps of about a kilobyte each, in sessions of ten."""
    steps = [step(number, changes=FILLER * 6) for number in range(1, count + 1)]
    sessions = [
        session(place, f"{first}-{min(first + 9, count)}", wave=1)
        for place, first in enumerate(range(1, count + 1, 10), 1)
    ]
    return plan(*steps, after=strategy(*sessions))
