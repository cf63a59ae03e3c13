"""A repository, a plan and the real `bin/ultra`, made of text that a test shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.kit.calls import Ultra
from tests.kit.files import write_tree
from tests.kit.repository import git, make_repository

PROJECT = ".claude/projects/2026-01-31-greet"
PLAN = f"{PROJECT}/plan.md"
PROGRESS = f"{PROJECT}/progress.json"
STATE = f"{PROJECT}/.session-state.local.json"
SLUG = "2026-01-31-greet"
# The prompt forbids these to the model; an answer in the middle of a run may name them as the user's to decide.
NOT_THE_MODELS = re.compile(
    r"`git (add|checkout|commit|reset|restore|sparse-checkout|stash|switch|update-index)\b"
)
FILES: Mapping[str, str] = {"README.md": "# Greet\n", "src/hello.py": "print('hello')\n"}


def step(
    number: int,
    files: Sequence[str] = (),
    verify: str | None = "true",
    on_failure: str = "revert",
    message: str | None = None,
    **manifest: Any,
) -> str:
    """Return one step of a plan; keywords of the manifest replace those that follow from its files."""
    own = list(files) or [f"src/part{number}.py"]
    values: dict[str, Any] = {
        "expected_paths": own,
        "min_file_count": len(manifest.get("expected_paths", own)),
        "commit_message_pattern": f"^feat: part {number}",
        "bash_syntax_check": [],
        "forbidden_paths": [],
        "must_contain": [],
        **manifest,
    }
    rows = "\n".join(f"    {name}: {json.dumps(value)}" for name, value in values.items())
    named = ", ".join(f"`{name}`" for name in own)
    test_first = f"- **Test first:** {values.pop('test_first')}\n" if "test_first" in values else ""
    rows = "\n".join(f"    {name}: {json.dumps(value)}" for name, value in values.items())
    checkpoint = f'`git commit -m "{message or f"feat: part {number}"}"`'
    lines = [
        f"### Step {number}: Make part {number}",
        "",
        f"- **Files:** {named if own else 'none'}",
        f"- **Changes:** Write part {number}.",
        test_first.rstrip(),
        f"- **Verify:** {verify}"
        if verify and verify.startswith("`")
        else f"- **Verify:** `{verify}`"
        if verify
        else "",
        f"- **On failure:** {on_failure}" if on_failure else "",
        f"- **Checkpoint:** {checkpoint}",
        "- **Manifest:**",
        "",
        "  ```yaml",
        "  manifest:",
        rows,
        "  ```",
    ]
    return "\n".join(line for at, line in enumerate(lines) if line or lines[at - 1] != "" or at < 2) + "\n"


def plan(*steps: str, verification: str = "", strategy: str = "", version: str = "1.7") -> str:
    """Return a plan of these steps."""
    head = f'---\nplan_version: "{version}"\n---\n\n# Plan\n\n## Implementation Plan\n\n'
    parts = [head + "\n".join(steps)]
    if strategy:
        parts.append(f"## Execution Strategy\n\n{strategy}")
    if verification:
        parts.append(f"## Verification\n\n- `{verification}`\n")
    return "\n".join(parts)


class Repo(Ultra):
    """A repository with a plan, and the runtime standing in it."""

    def __init__(self, folder: Path, bundle: Path, python: Path) -> None:
        super().__init__(bundle, folder, python)
        self.answers: list[tuple[tuple[str, ...], str]] = []
        self.env |= {
            "HOME": str(folder.parent),
            "BESIDE": str(folder.parent),  # a place outside that no reader of a command knows
            "GIT_CONFIG_NOSYSTEM": "1",
            "CLAUDE_CODE_SESSION_ID": "session-a",
            "CLAUDE_PID": str(os.getpid()),
        }

    def create(self, text: str, files: Mapping[str, str] = FILES) -> Repo:
        """Make the repository with one commit, and put the plan where a project has it, uncommitted."""
        make_repository(self.folder, files, "first", self.env)
        self.write({PLAN: text})
        return self

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files from path to text."""
        write_tree(self.folder, files)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()

    def has(self, name: str) -> bool:
        return (self.folder / name).exists()

    def git(self, *words: str, check: bool = True, env: Mapping[str, str] | None = None) -> str:
        return git(self.folder, *words, check=check, env={**self.env, **(env or {})})

    def ultra(self, line: str, **options: Any) -> dict[str, Any]:
        """Answer for a program, to a line such as `step begin 1`."""
        told = self(*line.split(), **options)
        self.answers.append((tuple(line.split()), told.out))
        answer = told.data
        refused = answer.get("ok") is False or (line.startswith("audit") and answer["status"] != "pass")
        assert told.status == (1 if refused else 0), (told.status, answer)
        if line.startswith("step "):
            words = [str(answer.get(key, "")) for key in ("error", "next", "do", "why")]
            assert "the user" in " ".join(words) or not any(map(NOT_THE_MODELS.search, words)), answer
        return answer

    def ok(self, line: str, **options: Any) -> dict[str, Any]:
        """Answer that has to be no refusal."""
        answer = self.ultra(line, **options)
        assert answer["ok"], answer
        return answer

    def refused(self, line: str, **options: Any) -> str:
        """Return the words of a refusal, which always says what to do instead."""
        answer = self.ultra(line, **options)
        assert answer["ok"] is False, answer
        assert set(answer) == {"ok", "error", "next"}
        assert answer["next"]
        return f"{answer['error']} | {answer['next']}"

    def start(self, *flags: str) -> dict[str, Any]:
        return self.ok(" ".join(["run", "start", PLAN, *flags]))

    def end_session(self, session: str = "session-z", **more: str) -> None:
        """Let the run belong to a session whose process is gone, in words that the runtime takes for its own."""
        from ultra_runtime.files.seal import sealed  # the benchmarks use this file without the runtime

        path, process = self.folder / ".git/ultra/run.json", subprocess.Popen(["true"])
        process.wait()
        lock = json.loads(path.read_text())
        lock["owner"].update(session=session, pid=process.pid, started="1", **more)
        path.write_text(json.dumps(sealed(str(self.folder / ".git"), lock)))

    def do_step(self, number: int, files: Mapping[str, str]) -> dict[str, Any]:
        """Do a step as an honest model does."""
        self.ok(f"step begin {number}")
        self.write(files)
        answer = self.ok(f"step verify {number}")
        assert answer["next"] == "commit", answer
        return self.ok(f"step commit {number}")

    def progress(self) -> dict[str, Any]:
        values = json.loads(self.read(PROGRESS))
        assert isinstance(values, dict)
        return values

    def subjects(self) -> list[str]:
        """Return the subjects of the branch, the oldest first."""
        return self.git("log", "--format=%s", "--reverse").split("\n")

    def refs(self) -> dict[str, str]:
        rows = self.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/ultra").splitlines()
        return {row.split(" ")[0][len("refs/ultra/") :]: row.split(" ")[1] for row in rows}

    def tree(self) -> dict[str, tuple[int, bytes]]:
        """Return every file of the working tree but the runtime's own, with its mode."""
        own = {PROGRESS, STATE, f"{PROJECT}/.gitignore"}
        return {
            name: (path.lstat().st_mode, os.readlink(path).encode() if path.is_symlink() else path.read_bytes())
            for path in sorted(self.folder.rglob("*"))
            if (path.is_file() or path.is_symlink()) and (name := path.relative_to(self.folder).as_posix()) not in own
            and not name.startswith((".git/", f"{PROJECT}/logs/"))
        }  # fmt: skip

    def staged(self) -> str:
        """Return exactly what is staged."""
        return self.git("diff", "--cached", "--no-renames", "--binary")


Stand = Callable[[Callable[[Repo], object], str], Repo]
"""Gives a repository with a plan in which something was done."""
