"""The list of works, written by the runtime alone: a work keeps the day on which it was made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kit.repository import make_repository
from ultra_runtime.files.root import PROJECTS
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.text.timestamp import now
from ultra_runtime.works.work_place import WorkOrder
from ultra_runtime.works.written import COMPLETED, IN_PROGRESS, LISTED, is_completed, list_work, read_list

LONG_AGO = "2020-01-31"


@pytest.mark.parametrize("status", [IN_PROGRESS, COMPLETED])
@pytest.mark.parametrize("made", ["", LONG_AGO])
def test_a_work_keeps_the_day_on_which_it_was_made(tmp_path: Path, status: str, made: str) -> None:
    work = WorkOrder(find_workspace(str(make_repository(tmp_path / "repo"))), "WORK-01")
    Path(work.folder).mkdir(parents=True)
    state: dict[str, Any] = {LISTED: ["old", IN_PROGRESS, made, ""]} if made else {}
    today = {now()[:10]}
    list_work(work, state, "A title | of one line", status)
    today.add(now()[:10])
    name, _, told, created, completed = read_list(work.workspace)[0]
    assert (name, told, is_completed(state)) == ("WORK-01", status, status == COMPLETED)
    assert created in ({made} if made else today)
    assert completed in (today if status == COMPLETED else {""})
    assert work.read_state()[LISTED] == state[LISTED]
    assert "WORK-01" in (tmp_path / "repo" / PROJECTS / "WORK-LIST.md").read_text()
