"""Specs made from random plans: they are valid, say what the plan says, and are stale once that changes."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.quick import examples
from tests.plan.texts import plan, single, strategy
from ultra_runtime.plan.inline import spans
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.spec_text import _code, kept_sections, spec_text
from ultra_runtime.plan.standing import is_stale
from ultra_runtime.plan.values import Plan

PATH = ".claude/projects/x/plan.md"
FILES = ["src/a.py", "src/it's.py", "bin/run.sh", "docs/[id].md"]
VERIFIES = [
    ("`pytest -q` → expected: `1 passed`", "pytest -q", "1 passed", True),
    ("`pytest -q`", "pytest -q", "", False),
    ("`` echo `date` `` → expected: a day", "echo `date`", "a day", False),
    ("\n  ```sh\n  set -e\n  make\n  ```\n  → expected: `ok`", "set -e\nmake", "ok", True),
]
ITEMS = st.lists(st.sampled_from(FILES), min_size=1, max_size=2, unique=True)


class Made:
    """A step and its text."""

    def __init__(self, files: list[str], forbidden: list[str], contains: bool, verify: int) -> None:
        self.files, self.forbidden, self.verify = files, forbidden, VERIFIES[verify]
        self.scripts = [one for one in files if one.endswith(".sh")]
        self.contains = [{"path": files[0], "pattern": r"^it's \"\d\" # é"}] if contains else []

    def text(self, number: int, is_legacy: bool) -> str:
        listed = ", ".join(f"`{one}`" for one in self.files)
        fields = (
            f"### Step {number}: Make part {number}\n\n- **Files:** {listed}\n- **Changes:** Write it.\n"
            f"- **Verify:** {self.verify[0]}\n- **On failure:** revert\n"
            f'- **Checkpoint:** `git commit -m "feat(a): part {number} of all"`\n'
        )
        if is_legacy:
            return f"{fields}\n"
        lines = [
            f"expected_paths: [{', '.join(map(single, self.files))}]",
            f"min_file_count: {len(self.files)}",
            f"commit_message_pattern: '^feat: {number}'",
            f"bash_syntax_check: [{', '.join(self.scripts)}]",
            f"forbidden_paths: [{', '.join(map(single, self.forbidden))}]",
            "must_contain:" if self.contains else "must_contain: []",
            *(
                f"  - {{path: {single(one['path'])}, pattern: {single(one['pattern'])}}}"
                for one in self.contains
            ),
        ]
        body = "".join(f"    {line}\n" for line in lines)
        return f"{fields}- **Manifest:**\n\n  ```yaml\n  manifest:\n{body}  ```\n\n"

    def pattern(self, number: int, is_legacy: bool) -> str:
        return rf"feat\(a\): part {number}" if is_legacy else f"^feat: {number}"


STEPS = st.builds(
    Made, ITEMS, st.lists(st.sampled_from([*FILES, "secret/"]), max_size=2, unique=True), st.booleans(),
    st.integers(0, len(VERIFIES) - 1),
)  # fmt: skip


def sessions_of(count: int, cut: int, touch: str, title: str = "Part") -> str:
    """Return two sessions, the second after the first; the last steps are in the second."""
    fence = f"- Scope fence:\n  - Touch: {touch}\n  - Never touch: `docs/`\n" if touch else ""
    texts = []
    for number, steps in ((1, range(1, cut + 1)), (2, range(cut + 1, count + 1))):
        head = f"### Session {number}: {title} {number}\n\n- Steps: {', '.join(map(str, steps))}\n- Wave: {number}\n"
        texts.append(f"{head}- Depends on: {'Session 1' if number > 1 else 'none'}\n{fence}\n")
    return strategy(*texts)


def once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def manifest_of(spec: Plan) -> dict[str, Any]:
    section = spec.document.section("Session Manifest")
    assert section is not None
    found: dict[str, Any] = yaml.safe_load("\n".join(section.blocks[0].lines))["session_manifest"]
    return found


@settings(max_examples=examples(150))
@given(st.lists(STEPS, min_size=2, max_size=7), st.data())
def test_a_made_spec_says_what_the_plan_says(made: list[Made], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(made) - 1))
    is_legacy, has_fence = data.draw(st.booleans()), data.draw(st.booleans())
    version, touch = "" if is_legacy else "1.7", ["src/", "bin/run.sh"] if has_fence else []
    texts = [one.text(number, is_legacy) for number, one in enumerate(made, 1)]
    after = sessions_of(len(made), cut, ", ".join(f"`{one}`" for one in touch))
    whole = read(plan(*texts, version=version, after=after).encode())
    assert [one.code for one in whole.problems] == ["VERSION_MISMATCH"] * is_legacy
    for session in whole.sessions:
        own = {number: made[number - 1] for number in session.steps}
        text = spec_text(whole, session, PATH, {})
        spec = read(text.encode())
        assert (spec.kind, spec.problems) == ("session-spec", [])
        assert [one.number for one in spec.steps] == [0, *own]
        for step in spec.steps[1:]:
            assert texts[step.number - 1].strip() in text
            (original,) = (one for one in whole.steps if one.number == step.number)
            assert step.manifest
            assert original.manifest
            assert step.manifest.as_data() == original.manifest.as_data()
        files = once([file for one in own.values() for file in one.files])
        forbidden = [file for one in own.values() for file in one.forbidden if not is_legacy]
        may_touch = touch or files
        never = ["docs/"] if has_fence else []
        assert manifest_of(spec) == {
            "plan_version": "1.7",
            "legacy_synthesis": is_legacy,
            "expected_paths": files,
            "commit_count": len(own),
            "commit_message_patterns": [one.pattern(number, is_legacy) for number, one in own.items()],
            "bash_syntax_check": once([file for one in own.values() for file in one.scripts]),
            "scope_touch": may_touch,
            "scope_forbidden": once([file for file in [*never, *forbidden] if file not in may_touch]),
        }
        assert (list(spec.fence.touch), list(spec.fence.never_touch)) == (may_touch, never)
        assert spec.entry_condition
        assert spec.entry_condition.sessions == ((1,) if session.number == 2 else ())
        conditions = [(one.command, one.expected, one.literal) for one in spec.exit_conditions]
        assert conditions == [*dict.fromkeys(one.verify[1:] for one in own.values()), (None, "", False)]
        size = "low" if len(own) < 3 else "high" if len(own) > 5 else "medium"
        assert f"- **Complexity:** {size}\n- **Model:** {'opus' if size == 'high' else 'sonnet'} - " in text
        assert spec_text(whole, session, PATH, kept_sections(spec)) == text


@settings(max_examples=examples(60))
@given(st.lists(STEPS, min_size=2, max_size=4), st.data())
def test_a_spec_is_stale_once_its_part_of_the_plan_changes(made: list[Made], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(made) - 1))

    def read_plan(changed: int = 0, title: str = "Part", more: str = "") -> Plan:
        texts = [one.text(number, False) for number, one in enumerate(made, 1)]
        if changed:
            texts[changed - 1] = texts[changed - 1].replace("Write it.", "Write it well.")
        return read(plan(*texts, after=sessions_of(len(made), cut, "", title) + more).encode())

    whole, changed = read_plan(), data.draw(st.integers(1, len(made)))
    for at, session in enumerate(whole.sessions):
        spec = read(spec_text(whole, session, PATH, {}).encode())
        assert not is_stale(whole, spec, session, PATH)
        other = read_plan(changed)
        assert is_stale(other, spec, other.sessions[at], PATH) == (changed in session.steps)
        other = read_plan(more="\nA word behind the plan.\n")
        assert other.digest != whole.digest
        assert not is_stale(other, spec, other.sessions[at], PATH)
        other = read_plan(title="Piece")
        assert is_stale(other, spec, other.sessions[at], PATH)
        own = read(spec_text(whole, session, PATH, {"Context": "Why.\n\nMore."}).encode())
        assert "Why.\n\nMore.\n" in "\n".join(own.document.lines)
        assert not is_stale(read_plan(more="\nA word.\n"), own, session, PATH)


@given(st.text("ab` ", min_size=1, max_size=9).filter(lambda text: text.strip()))
def test_text_in_backticks_is_read_back(text: str) -> None:
    (found,) = spans(_code(text))
    assert found.text.strip() == text.strip()
    assert (found.start, found.end) == (0, len(_code(text)))
