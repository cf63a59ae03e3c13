"""Which session of a plan is left, comes next, or keeps the plan from being done: all combinations."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.sample import PLAN, PROJECT, plan, step
from tests.executor.test_modes import SESSIONS
from tests.kit.names import SOURCES
from ultra_runtime.answer import RefusedError
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.project import Project
from ultra_runtime.plan.reading import read
from ultra_runtime.run.life.sessions import (
    begun_with,
    place_to_resume,
    plan_done_with,
    refuse_done_by_sessions,
    session_after,
    session_status,
)
from ultra_runtime.run.state.run_place import RunPlace

TEXT = plan(step(1), step(2), strategy=SESSIONS)
VALID = json.loads((SOURCES / "contracts/fixtures/progress/valid.json").read_text())
STATUSES = ("", "in_progress", "failed", "completed")


class Refs:
    """The refs of runs: slug -> name -> object; an object is an ancestor of `end` if its name says so."""

    def __init__(self) -> None:
        self.of: dict[str, dict[str, str]] = {}
        self.blobs = {
            "this plan": TEXT.encode(),
            "another": plan(step(1, ["x.py"]), step(2, ["y.py"])).encode(),
        }

    def refs(self, slug: str) -> dict[str, str]:
        return self.of.get(slug, {})

    def blob(self, name: str) -> bytes:
        return self.blobs[name]

    def is_ancestor(self, older: str, newer: str) -> bool:
        return newer == "end" and older.endswith("in end")


@pytest.fixture
def whole(tmp_path: Path) -> RunPlace:
    """Return the place of a plan of two sessions with their specs."""
    for name in (PLAN, *(f"{PROJECT}/sessions/session-{number}.md" for number in (1, 2))):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(TEXT)
    return RunPlace(
        str(tmp_path), str(tmp_path / PLAN), Project(str(tmp_path), PROJECT.rpartition("/")[2]), None
    )


def write(place: RunPlace, status: str, **changes: Any) -> None:
    """Write the progress file of a run; without a status there is none."""
    Path(place.progress).unlink(missing_ok=True)
    if status:
        Path(place.progress).write_text(json.dumps({**VALID, "status": status, **changes}))


def test_a_session_goes_on_with_the_file_that_it_began_with(whole: RunPlace) -> None:
    git: Any = Refs()
    one = whole.of_session(1)
    spec, own_plan = (str(Path(path).relative_to(whole.root)) for path in (one.spec(), whole.plan))
    steps = {
        "begun": VALID["steps"],
        "fresh": {number: {"status": "pending", "attempts": 0} for number in "12"},
    }
    for named, begun, started, status, same, resuming, restart in itertools.product(
        (spec, own_plan, "elsewhere.md"),
        steps,
        (False, True),
        ("in_progress", "completed"),
        *[(False, True)] * 3,
    ):
        digest = sha256(TEXT.encode()) if same else VALID["plan_digest"]
        write(one, status, plan=named, steps=steps[begun], plan_digest=digest)
        git.of = {one.slug: {"start": "x"}} if started else {}
        kept = (started or begun == "begun") and not restart and named != "elsewhere.md"
        replaced = status == "completed" and not same
        expected = named if kept and (resuming or not replaced) else spec
        found = begun_with(git, one, resuming, restart)
        assert (found.shown, found.session) == (expected, 1), (
            named,
            begun,
            started,
            status,
            same,
            resuming,
            restart,
        )
    write(one, "")
    assert begun_with(git, one, True).shown == spec
    assert begun_with(git, whole, True) is whole
    alone = RunPlace(whole.root, str(Path(whole.root) / "docs/plan.md"), None, 1)
    assert begun_with(git, alone, True) is alone
    Path(one.spec()).unlink()
    assert begun_with(git, one, False).shown == own_plan


def test_a_resume_takes_up_the_one_session_that_is_left(whole: RunPlace) -> None:
    found = read(TEXT.encode())
    for first, second, of_whole in itertools.product(STATUSES, STATUSES, ("", "in_progress")):
        sessions = {1: first, 2: second}
        for number, status in sessions.items():
            write(whole.of_session(number), status)
        write(whole, of_whole)
        left = [number for number, status in sessions.items() if status not in ("", "completed")]
        if len(left) > 1 and not of_whole:
            with pytest.raises(RefusedError, match="sessions 1 and 2 of this plan are unfinished"):
                place_to_resume(whole, found)
        else:
            assert place_to_resume(whole, found).session == (left[0] if left and not of_whole else None)
        assert place_to_resume(whole.of_session(2), found).session == 2


def arrange(git: Refs, whole: RunPlace, sessions: dict[int, str], pinned: str) -> None:
    for number, status in sessions.items():
        one = whole.of_session(number)
        write(one, status)
        git.of[one.slug] = {"plan": pinned} if pinned else {}


@pytest.mark.soak
def test_a_whole_plan_is_not_run_beside_its_sessions(whole: RunPlace) -> None:
    git: Any = Refs()
    found = read(TEXT.encode())
    for first, second, pinned in itertools.product(STATUSES, STATUSES, ("this plan", "another", "")):
        git.of = {}
        sessions = {1: first, 2: second}
        arrange(git, whole, sessions, pinned)
        standing = {number: status if pinned == "this plan" else "" for number, status in sessions.items()}
        assert {number: session_status(git, whole, found, number) for number in (1, 2)} == standing
        for at, asked_step in itertools.product((None, 1), (None, 1, 2)):
            asked: Any = SimpleNamespace(restart=False, step=asked_step)
            begun = [number for number, status in standing.items() if status]
            if asked_step:
                begun = [
                    number for number in begun if standing[number] == "completed" and number == asked_step
                ]
            place = whole if at is None else whole.of_session(at)
            if not begun or at is not None:
                refuse_done_by_sessions(git, place, found, asked)
                continue
            with pytest.raises(RefusedError) as refused:
                refuse_done_by_sessions(git, place, found, asked)
            for number, status in standing.items():
                assert (f"session {number} is {status}" in refused.value.error) == (number in begun)
            left = next((number for number in (1, 2) if standing[number] != "completed"), None)
            assert refused.value.next_step.startswith("review the work; ") == (left is None)
            if left:
                resumed = " --mode resume" if standing[left] else ""
                assert f"--session {left}{resumed}` continues with session {left}" in refused.value.next_step
            again: Any = SimpleNamespace(restart=True, step=asked_step)
            refuse_done_by_sessions(git, place, found, again)
            git.of[whole.slug] = {"start": "x"}
            refuse_done_by_sessions(git, place, found, asked)
            del git.of[whole.slug]


def test_the_next_session_is_the_first_that_is_not_completed(whole: RunPlace) -> None:
    git: Any = Refs()
    for first, second in itertools.product(STATUSES, STATUSES):
        sessions = {1: first, 2: second}
        arrange(git, whole, sessions, "this plan")
        for number, other in ((1, 2), (2, 1)):
            after = session_after(git, whole.of_session(number))
            assert (after and after.number) == (other if sessions[other] != "completed" else None)
        assert session_after(git, whole) is None
    assert session_after(git, whole.of_session(3)) is None


def test_a_plan_is_done_when_the_end_has_every_step_of_every_other_session(whole: RunPlace) -> None:
    git: Any = Refs()
    for status, name, commit in itertools.product(
        STATUSES, ("step-2", "skip-2", "step-1"), ("in end", "lost", "")
    ):
        arrange(git, whole, {1: "", 2: status}, "this plan")
        git.of[whole.slug_of(2)][name] = commit
        done = plan_done_with(git, whole.of_session(1), "end")
        expected = status == "completed" and name != "step-1" and commit == "in end"
        assert (done is not None) == expected, (status, name, commit)
        assert done is None or len(done.sessions) == 2
    assert plan_done_with(git, whole, "end") is None
