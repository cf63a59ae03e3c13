"""The gate of a plan: its counts start again with a new draft, and its notes come before the steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultra_runtime.files.atomic import Folder
from ultra_runtime.files.project import Project
from ultra_runtime.planning import gate


def test_only_a_new_draft_starts_the_counts_again(tmp_path: Path) -> None:
    project = Project(str(tmp_path), "2026-01-31-x")
    Path(project.folder).mkdir(parents=True)
    none = {gate.CHECKS: 0, gate.FAILED: 0, gate.ROUNDS: 0}
    with Folder(project.folder) as folder:
        assert gate.write_draft(project, folder, b"one") is True
        assert gate.read_counts(project) == none
        gate.count_check(project, passed=False)
        gate.count_check(project, passed=False)
        counted = gate.count_round(project)
        assert counted == {gate.CHECKS: 2, gate.FAILED: 2, gate.ROUNDS: 1}
        assert gate.write_draft(project, folder, b"two") is False
        assert gate.read_counts(project) == counted
        assert gate.count_check(project, passed=True) == {gate.CHECKS: 3, gate.FAILED: 0, gate.ROUNDS: 1}
        Path(project.folder, "plan.md.draft").unlink()
        assert gate.write_draft(project, folder, b"three") is True
        assert gate.read_counts(project) == none
    assert gate.read_draft(project) == b"three"


@pytest.mark.parametrize("value", ["x", -1, 1.5, True, None])
def test_a_count_that_is_none_is_zero(tmp_path: Path, value: object) -> None:
    project = Project(str(tmp_path), "2026-01-31-x")
    Path(project.folder).mkdir(parents=True)
    gate._keep(project, {gate.CHECKS: value, gate.FAILED: 4})  # type: ignore[dict-item]
    assert gate.read_counts(project) == {gate.CHECKS: 0, gate.FAILED: 4, gate.ROUNDS: 0}


ENDS = st.sampled_from(["\n", "\r\n"])


@given(
    above=ENDS, heading=ENDS, below=ENDS, notes=st.lists(st.sampled_from(["One.", "Zwei, ä."]), max_size=3)
)
def test_notes_are_paragraphs_before_the_steps_with_the_line_ends_of_their_heading(
    above: str, heading: str, below: str, notes: list[str]
) -> None:
    before = f"---{above}a: b{above}---{above}# Plan{above}{above}"
    after = f"## {gate.STEPS_SECTION}{heading}{below}### Step 1: x{below}"
    found = gate.with_notes((before + after).encode(), notes).decode()
    assert found == before + "".join(f"{note}{heading}{heading}" for note in notes) + after
