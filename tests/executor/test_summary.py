"""The summary and the report of a run, as functions of what its steps came to: all tables of three steps."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ultra_runtime.tables.limits import ATTEMPTS, TOKENS_RUN, TOKENS_STEP

from tests.executor.sample import PLAN, PROJECT, plan, step
from tests.kit.repository import make_repository
from ultra_runtime.contract.model import current_version
from ultra_runtime.files.project import Project
from ultra_runtime.proof.drift import CLEAN, Drift
from ultra_runtime.run.life.audit import Audit
from ultra_runtime.run.life.exits import Exits
from ultra_runtime.run.life.report import failures, summarise, used, write_report
from ultra_runtime.run.state.assignment import Assignment, check_plan
from ultra_runtime.run.state.live import Live
from ultra_runtime.run.state.progress import BackwardsError, Progress, read_progress
from ultra_runtime.run.state.repair import new_progress
from ultra_runtime.run.state.run_place import RunPlace
from ultra_runtime.run.tree.workspace import find_workspace

STATUSES = ("pending", "in_progress", "completed", "failed", "skipped", "blocked", "deferred")
WORDS = {"completed": "pass", "failed": "FAIL", "blocked": "BLOCKED", "in_progress": "in progress", "pending": "not reached"}  # fmt: skip


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Live:
    """Return a run of three steps before its first one."""
    text = plan(step(1), step(2, on_failure="skip"), step(3))
    root = make_repository(tmp_path_factory.mktemp("summary") / "repo", {PLAN: text})
    workspace = find_workspace(str(root))
    project = Project(workspace.root, PROJECT.rpartition("/")[2])
    live = Live(workspace, RunPlace(workspace.root, f"{workspace.root}/{PLAN}", project, None), {})
    live.assignment = Assignment(check_plan(text.encode(), PLAN)[0])
    return live


def took(live: Live, statuses: tuple[str, ...], attempts: int = 1) -> Live:
    """Let the steps be like this."""
    live.progress = new_progress(live.place, live.assignment, "0" * 64, "execute", "1" * 40, False)
    for number, status in enumerate(statuses, 1):
        values: dict[str, Any] = {
            "status": status,
            "attempts": attempts,
            "error": f"why {number}",
            "start_commit": "2" * 40,
        }
        live.progress.change_step(
            number, {**values, **({"commit": "3" * 40} if status == "completed" else {})}
        )
    return live


@pytest.mark.parametrize("result", ["completed", "partial", "failed"])
def test_the_summary_counts_every_step_once_and_the_report_names_what_is_left(
    live: Live, result: str
) -> None:
    exits, found = Exits("pass"), Audit("git refs", [Drift("scope", "a", "b", 1)], [1])
    for statuses in itertools.product(STATUSES, repeat=3):
        summary = summarise(took(live, statuses), result, exits, found, CLEAN)
        counts, table = Counter(statuses), dict(enumerate(statuses, 1))
        bad = [number for number, status in table.items() if status in ("failed", "blocked")]
        told = {name: summary[name] for name in ("steps_total", "steps_passed", "steps_failed", "steps_skipped", "steps_blocked", "steps_not_reached", "failed_at_step", "result", "manifest_audit", "proof")}  # fmt: skip
        assert told == {
            "steps_total": 3, "steps_passed": counts["completed"], "steps_failed": counts["failed"],
            "steps_skipped": counts["skipped"], "steps_blocked": counts["blocked"],
            "steps_not_reached": counts["pending"] + counts["in_progress"] + counts["deferred"],
            "failed_at_step": bad[0] if bad else None, "result": result, "manifest_audit": "drift", "proof": CLEAN,
        }  # fmt: skip
        report = write_report(live, summary, exits, found, [])
        rows = [
            [cell.strip() for cell in row.split("|")[1:-1]]
            for row in report.splitlines()
            if row.startswith("| ")
        ][1:]
        commits = {number: "3" * 10 if status == "completed" else "none" for number, status in table.items()}
        assert rows == [
            [str(number), f"Make part {number}", WORDS.get(status, status), "1", commits[number], "n/a"]
            for number, status in table.items()
        ]
        named = [number for number, status in table.items() if status in ("failed", "blocked", "skipped")]
        assert [row.partition(" (")[0] for row in failures(live)] == [f"Step {number}" for number in named]
        remains = report.partition("### What remains\n")[2]
        left = [number for number, status in table.items() if status not in ("completed", "skipped")]
        assert bool(remains) == (result != "completed")
        if remains:
            assert [number for number in table if f"- Step {number}: " in remains] == left
            assert ("First fix what differs" in remains) == (result == "partial" and not left)


@pytest.mark.parametrize("attempts", range(ATTEMPTS + 1))
def test_what_a_run_took_is_at_least_one_attempt(
    live: Live, monkeypatch: pytest.MonkeyPatch, attempts: int
) -> None:
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    took(live, ("completed", "pending", "pending"), attempts)
    tokens = TOKENS_RUN + TOKENS_STEP * max(3 * attempts, 1)
    said = used(live).replace(",", "")
    assert any(f"about {tokens // 100 * 100 + more} tokens" in said for more in (0, 100))


def test_progress_only_moves_forwards_and_says_its_version(live: Live, tmp_path: Path) -> None:
    for before, after in itertools.product(STATUSES, repeat=2):
        progress = took(live, (before, "pending", "pending")).progress
        if before == "completed" != after:
            with pytest.raises(BackwardsError):
                progress.change_step(1, {"status": after})
            progress.change_step(1, {"note": "a note"})
        else:
            progress.change_step(1, {"status": after, "error": None, "attempts": 0})
            assert (progress.state(1), "error" in progress.step(1), progress.attempts(1)) == (after, False, 0)
    values = {**progress.values, "schema_version": "0", "theirs": ["kept"]}
    saved = Progress(str(tmp_path / "progress.json"), values)
    saved.save()
    again, _ = read_progress(saved.path)
    assert again
    assert (again.values["schema_version"], again.values["theirs"]) == (current_version("progress"), ["kept"])
    for number, attempts in (("3", 0), (None, 0), (2, 2)):
        again.steps["1"]["attempts"] = number
        assert again.attempts(1) == attempts
