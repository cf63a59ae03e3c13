"""What people see of waves: lines, the status, the page, the report and the summary, with few sessions and with many."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.waves.sample import PLAN, QUICK, TWO_WAVES, Waves
from ultra_runtime.run.life.wave_lines import head_line, stand_lines
from ultra_runtime.run.state.wave_state import folded
from ultra_runtime.status.board import Board

Make = Callable[..., Waves]
KEYS = {
    "plan", "plan_type", "plan_version", "result", "steps_total", "steps_passed", "steps_failed", "steps_skipped",
    "steps_not_reached", "steps_blocked", "failed_at_step", "exit_condition", "manifest_audit", "drift_details",
    "recovery_dispatched", "recovery_depth", "legacy_plan", "sessions", "waves",
}  # fmt: skip


@pytest.mark.soak
def test_a_wave_is_seen_while_it_runs_and_after_it_failed(make: Make, tmp_path: Path) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    repo.play({"1": ["gate"], "2": ["login"]})
    repo.ok(f"waves start {PLAN} --jobs 2")
    repo.eventually(lambda: repo.states()[2] == "failed" and "step 1/1" in str(standing(repo)["lines"]))
    head, first, second, third = standing(repo)["lines"]
    assert head == "Waves in progress: 0 of 3 sessions merged, wave 1 of 2"
    assert first.startswith("session 1  running  step 1/1  attempt 1  ")
    assert second.startswith("session 2  failed   attempt 1  ")
    assert "Invalid API key" in second
    assert third == "session 3  waiting"
    assert repo.ok("status")["waves"] == "in progress, 0 of 3 sessions merged"
    cards = page(repo, tmp_path)
    assert (
        cards.index(">Wave 1<") < cards.index(">running<") < cards.index(">failed<") < cards.index(">Wave 2<")
    )
    assert cards.index(">Wave 2<") < cards.index(">waiting<")
    assert cards.count("attempt 1, ") == 2
    assert "0 of 3 sessions" in (tmp_path / "page.html").read_text().partition("<h2>Waves</h2>")[0]
    assert "the client ended with status 1: Invalid API key" in cards
    assert all(words in board(repo) for words in (">Wave 1<", ">running<", ">failed<"))
    repo.play_file.with_name("gate").write_text("open\n")
    end = repo.wait()
    summary = end["ultraexecute_summary"]
    assert set(summary) == KEYS
    assert [
        summary[name] for name in ("steps_total", "steps_passed", "steps_not_reached", "manifest_audit")
    ] == [3, 0, 2, "drift"]
    assert summary["drift_details"] == end["why"]
    assert summary["waves"][0] == {"wave": 1, "sessions": 2, **sums(summary["sessions"][:2])}
    assert "- Wave 1: 2 sessions, " in repo.read(end["report"])
    assert ">passed<" in page(repo, tmp_path)
    assert repo.ok("continue")["command"].endswith("--resume")
    amended_waves_start_over(repo)


def amended_waves_start_over(repo: Waves) -> None:
    """Change the plan after its waves have failed: nothing offers or allows to resume those of the earlier plan."""
    repo.write({PLAN: TWO_WAVES.replace("test -f src/part3.py", "test -s src/part3.py")})
    shown = repo.ok("status")
    assert shown["next"] == repo.ok("continue")["command"]
    assert "--resume" not in shown["next"]
    assert shown["reason"].endswith("the plan was changed since they started, so they must start over")
    said = repo.refused(f"waves resume {PLAN}")
    assert f"{PLAN} was changed since its waves started" in said
    assert f"ultra waves start {PLAN}" in said
    repo.play({})
    assert repo.waves("--jobs 2")["result"] == "completed"


def standing(repo: Waves) -> dict[str, list[str]]:
    """Return where the sessions stand now."""
    return repo.ok("waves wait --seconds 0.1")


def page(repo: Waves, folder: Path) -> str:
    """Return the page of the project from its waves on."""
    told = repo.say("status", "--html", str(folder / "page.html"))
    assert told.status == 0, told.err
    return (folder / "page.html").read_text().partition("<h2>Waves</h2>")[2]


def board(repo: Waves) -> str:
    """Return what the board shows."""
    served = Board(str(repo.folder), 0)
    served.server.server_close()
    found = served.answer(f"/{served.token}/")
    assert found
    return found[1].decode().partition("<h2>Waves</h2>")[2]


def sums(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return what sessions have used together."""
    return {name: sum(row[name] for row in rows) for name in ("seconds", "tokens", "dollars")}


def test_of_many_sessions_only_those_are_listed_that_somebody_waits_for() -> None:
    parts = [
        {"number": number, "title": "", "wave": (number + 9) // 10, "steps": [number]}
        for number in range(1, 21)
    ]
    rows: list[dict[str, object]] = [
        {"act": "begin", "parts": [{**one, "done": "c" if number < 8 else ""} for number, one in enumerate(parts)],
         "project": None, "plan": "plan.md"},
    ]  # fmt: skip
    for number in (9, 10):
        rows.append(
            {
                "act": "lease",
                "session": number,
                "attempt": 1,
                "depth": 0,
                "tree": "/nonexistent",
                "at": "2026-01-31T12:00:00Z",
            }
        )
    rows.append({"act": "end", "session": 9, "how": "done", "dollars": 1.5, "seconds": 600})
    rows.append({"act": "audit", "session": 9, "state": "failed", "why": "its run is failed"})
    state = folded(rows)
    assert head_line(state, "") == "Waves in progress: 8 of 20 sessions merged, wave 1 of 2, $1.50 used"
    failed, runs, others = stand_lines(state)
    assert failed == "session  9  failed   attempt 1  10 min  $1.50  its run is failed"
    assert runs.startswith("session 10  running  attempt 1  ")
    assert others == "8 merged and 10 waiting"
    state = folded([{**rows[0], "parts": parts[:8]}])
    assert stand_lines(state) == [f"session {number}  waiting" for number in range(1, 9)]
