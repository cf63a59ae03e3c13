"""What becomes of sessions that do not simply work: one wave in which each goes wrong in its own way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.names import BRANCHES
from tests.waves.processes import processes_of
from tests.waves.sample import PROJECT, QUICK, Waves, part, plan, session, step

PLAYS = {
    "1": ["honest"], "2": ["half", "honest"], "3": ["limit", "honest"], "4": ["hang"], "5": ["outside"],
    "6": ["fail"], "7": ["money"], "8": ["lie"], "9": ["killed", "mess"], "10": ["login"],
}  # fmt: skip


def wave_of_trouble() -> str:
    """Return a plan with two waves: ten sessions of two steps each, and one that never starts."""
    steps = [
        step(number, verify=f"test -f {part(number)}" if number in (11, 12) else "true")
        for number in range(1, 23)
    ]
    sessions = [
        session(number, f"{2 * number - 1}-{2 * number}", 1, [part(2 * number - 1), part(2 * number)])
        for number in range(1, 11)
    ]
    last = session(11, "21-22", 2, [part(21), part(22)], "Session 1")
    return plan(*steps, strategy="\n".join([*sessions, last]))


@pytest.fixture
def trouble(tmp_path: Path, bundle: Path, python: Path) -> Iterator[Waves]:
    """Return a repository after a wave in which almost everything went wrong."""
    repo = Waves(tmp_path / "repo", bundle, python).create(wave_of_trouble(), QUICK)
    repo.play(PLAYS)
    repo.end = repo.waves("--jobs 10 --session-minutes 0.2")
    yield repo
    assert processes_of(repo) == []


def of(repo: Waves, number: int) -> dict[str, Any]:
    """Return the row of a session in the summary."""
    rows: list[dict[str, Any]] = repo.end["ultraexecute_summary"]["sessions"]
    return next(row for row in rows if row["session"] == number)


def one_that_passes_keeps_its_branch_and_is_not_merged(trouble: Waves) -> None:
    assert of(trouble, 1)["state"] == "passed"
    assert f"{BRANCHES}/2026-01-31-greet/session-1" in trouble.branches()
    assert not trouble.has(part(1))


def what_a_session_lacks_is_recovered(trouble: Waves) -> None:
    row = of(trouble, 2)
    assert (row["state"], row["attempts"], row["recovery"]) == ("passed", 2, 1)
    assert trouble.end["ultraexecute_summary"]["recovery_dispatched"] is True
    spec = f"{PROJECT}/sessions/session-2-recovery-1.md"
    assert any(spec in call["argv"][1] for call in trouble.seen() if call["session"] == "2")


def a_rate_limit_is_waited_out(trouble: Waves) -> None:
    row = of(trouble, 3)
    assert (row["state"], row["attempts"], row.get("recovery")) == ("passed", 2, None)
    ends = [one for one in trouble.journal() if one["act"] == "end" and one["session"] == 3]
    begins = [one for one in trouble.journal() if one["act"] == "lease" and one["session"] == 3]
    assert ends[0]["how"] == "rate limit"
    assert begins[1]["at"] >= ends[0]["at"]


def a_client_that_is_killed_costs_no_recovery(trouble: Waves) -> None:
    row = of(trouble, 9)
    assert (row["attempts"], row["recovery"]) == (4, 2)
    ends = [one for one in trouble.journal() if one["act"] == "end" and one["session"] == 9]
    assert (ends[0]["how"], ends[0]["why"]) == ("lost", "its process was killed by signal 9")


WRONG = (
    (4, "failed", "time limit: it was still running at its time limit"),
    (5, "failed", "changes only within Touch; found changed: stray.txt"),
    (6, "failed", "its run is failed; step 11: "),
    (7, "failed", "budget: it had used its share of the budget"),
    (8, "partial", "it still lacks steps 15 and 16 after 2 recoveries: step 15: step: expected step 15 completed"),
    (9, "partial", "it still lacks steps 17 and 18 after 2 recoveries"),
    (10, "failed", "the client ended with status 1: Invalid API key"),
)  # fmt: skip


def what_went_wrong_is_said(trouble: Waves) -> None:
    for number, state, words in WRONG:
        row = of(trouble, number)
        assert row["state"] == state, row
        assert words in row["why"]
        assert any(why.startswith(f"session {number}: ") for why in trouble.end["why"])


def nothing_reaches_the_users_tree_and_no_later_wave_starts(trouble: Waves) -> None:
    assert trouble.end["result"] == "failed"
    assert of(trouble, 11)["attempts"] == 0
    assert trouble.git("log", "-1", "--format=%s").startswith("chore: track the plan")
    assert trouble.git("status", "--porcelain") == ""
    assert trouble.trees() == []
    assert not (trouble.folder / ".claude/worktrees").exists()


def what_was_not_committed_is_saved_under_a_ref(trouble: Waves) -> None:
    ref = of(trouble, 9)["rescued"][0]
    assert ref.startswith("refs/ultra/rescue/2026-01-31-greet/session-9/attempt-")
    assert trouble.git("show", f"{ref}:scribble.txt") == "not committed"


def commits_that_are_not_merged_are_saved_under_a_ref(trouble: Waves) -> None:
    ref = of(trouble, 5)["rescued"][0]
    assert trouble.git("show", f"{ref}:stray.txt") == "stray"


def a_session_has_what_is_private_to_it(trouble: Waves) -> None:
    calls = {call["session"]: call for call in trouble.seen()}
    assert len({call["TMPDIR"] for call in calls.values()}) == 10
    assert len({call["ULTRA_SESSION"] for call in calls.values()}) == 10
    assert all(call["cwd"] == str(trouble.folder / f".claude/worktrees/2026-01-31-greet/session-{number}")
               for number, call in calls.items())  # fmt: skip
    # Session 4 hangs: whoever starts once and meanwhile runs beside it. A block that is free again may be taken again.
    acts = [(one["act"], one["session"]) for one in trouble.journal() if one["act"] in ("lease", "end")]
    meanwhile = acts[acts.index(("lease", 4)) : acts.index(("end", 4))]
    beside = [
        number
        for number in range(5, 11)
        if ("lease", number) in meanwhile and acts.count(("lease", number)) == 1
    ]
    assert beside
    ports = {number: calls[str(number)]["ULTRA_PORT_BASE"] for number in (4, *beside)}
    assert all(ports[number] != ports[4] for number in beside), ports
    assert not any(Path(call["TMPDIR"]).exists() for call in calls.values())


def what_was_used_is_summed_and_the_ceiling_holds(trouble: Waves) -> None:
    summary = trouble.end["ultraexecute_summary"]
    results = [one for one in trouble.journal() if one["act"] == "end"]
    assert sum(one["dollars"] for one in summary["sessions"]) == pytest.approx(
        sum(one["dollars"] for one in results)
    )
    assert of(trouble, 2)["dollars"] == 0.5
    spent, reserved = 0.0, dict[int, float]()
    for row in trouble.journal():
        if row["act"] == "lease":
            reserved[row["session"]] = row["dollars"]
            assert row["dollars"] > 0
        elif row["act"] == "end":
            del reserved[row["session"]]
            spent += row["dollars"]
        assert spent + sum(reserved.values()) <= 110.01, row


def the_report_has_a_row_for_each_session(trouble: Waves) -> None:
    report = trouble.read(trouble.end["report"])
    assert report.count("| partial |") == 2
    assert "Waves failed: 0 of 11 sessions merged" in report
    assert "`ultra waves resume" in report


def test_each_goes_wrong_in_its_own_way(trouble: Waves) -> None:
    """One test, so that the wave is run once whatever process runs the tests."""
    for check in (
        one_that_passes_keeps_its_branch_and_is_not_merged,
        what_a_session_lacks_is_recovered,
        a_rate_limit_is_waited_out,
        a_client_that_is_killed_costs_no_recovery,
        what_went_wrong_is_said,
        nothing_reaches_the_users_tree_and_no_later_wave_starts,
        what_was_not_committed_is_saved_under_a_ref,
        commits_that_are_not_merged_are_saved_under_a_ref,
        a_session_has_what_is_private_to_it,
        what_was_used_is_summed_and_the_ceiling_holds,
        the_report_has_a_row_for_each_session,
    ):
        check(trouble)
