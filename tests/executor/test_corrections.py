"""A progress file is corrected to what git has, for all statuses and refs: nothing counts that git does not have."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

from ultra_runtime.run.state.progress import Progress
from ultra_runtime.run.state.repair import _correct_start, _correct_status, _correct_step

STATES = ("pending", "in_progress", "completed", "skipped", "failed")


def live_with(values: dict[str, Any], record: int | None = None, over: bool = True) -> Any:
    """Return as much of a live run as a correction asks for."""
    found: list[str] = []
    read = None if record is None else SimpleNamespace(number=record)
    return SimpleNamespace(
        progress=Progress("progress.json", values), notes=[], findings=found, found=found.append,
        records=SimpleNamespace(read=lambda: read), all_over=lambda: over,
        place=SimpleNamespace(show=lambda path: "progress.json", progress="progress.json"),
    )  # fmt: skip


def test_a_step_is_what_git_has_of_it() -> None:
    for state, done, skipped, forwards, record in itertools.product(
        STATES, (None, "commit", "begin"), (None, "here"), (False, True), (None, 1, 2)
    ):
        given = {"status": state, "attempts": 1, "error": "e", "commit": "forged", "completed_at": "then"}
        live = live_with({"steps": {"1": {**given}, "2": {**given}}}, record)
        refs = {"step-1": done, "skip-1": skipped, "begin-1": "begin"}
        _correct_step(live, 1, {name: value for name, value in refs.items() if value}, forwards)
        step, case = live.progress.step(1), (state, done, skipped, forwards, record)
        assert live.progress.step(2) == given, "another step is nobody's business"
        wrong = (state == "completed" and not done) or (state == "skipped" and not skipped and not done)
        if done and state != "completed":
            assert (step["status"], step["start_commit"]) == ("completed", "begin"), case
            assert step.get("commit") == (None if done == "begin" else done), case
            assert (step["completed_at"] != "then", "error" in step, len(live.notes)) == (True, False, 1), (
                case
            )
            assert step["manifest_audit"] == "pass"
        elif skipped and state not in ("skipped", "completed"):
            assert (step["status"], live.findings) == ("skipped", []), case
        elif wrong and not forwards:
            expected = "skipped" if skipped else "in_progress" if record == 1 else "pending"
            assert step == {"status": expected, "attempts": 1, "error": "e"}, case
            assert f"said that step 1 is {state}, but git has no record of that" in live.findings[0]
        else:
            assert (step, live.findings, live.notes) == (given, [], []), case


def test_a_completed_run_has_its_end_and_all_its_steps() -> None:
    for status, over, end in itertools.product((*STATES, "partial"), (False, True), (False, True)):
        given = {"status": status, "completed_at": "then", "summary": {}, "steps": {}}
        live = live_with({**given}, over=over)
        _correct_status(live, {"start": "x", **({"end": "y"} if end else {})})
        if status == "completed" and not (over and end):
            assert live.progress.values == {"status": "in_progress", "steps": {}}
            assert "`ultra run finish` did not set that" in live.findings[0]
        else:
            assert (live.progress.values, live.findings) == (given, [])


def test_the_start_of_a_run_is_the_one_that_git_has() -> None:
    for named, has in itertools.product(("a", "b", None), ("a", None)):
        live = live_with({"session_start_sha": named, "steps": {}})
        _correct_start(live, {"start": has} if has else {})
        assert live.progress.values["session_start_sha"] == (has or named)
        assert bool(live.findings) == (has is not None and named != has)
