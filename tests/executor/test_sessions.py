"""A session is one run, whichever name it is given by, and sessions together are the run of their plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.executor.sample import PLAN, PROGRESS, PROJECT, STATE, Repo, plan, step
from tests.executor.test_modes import SESSIONS, TWO_SESSIONS
from tests.kit.names import COMMANDS

Make = Callable[..., Repo]
EXECUTE = COMMANDS["execute"]
REVIEW = COMMANDS["review"]
SPEC = f"{PROJECT}/sessions/session-{{}}.md"


@pytest.fixture
def spec(make: Make) -> Repo:
    """Return a repository with the specs of two sessions."""
    repo = make(TWO_SESSIONS)
    repo.ok(f"sessions write {PLAN}")
    return repo


def verb_of(command: str) -> str:
    """Return the call that the command's text makes of a command with --resume and --session."""
    words = command.split()
    assert words[:3] == [EXECUTE, "--project", PROJECT], command
    options = " ".join(words[3:]).replace("--resume", "--mode resume")
    return f"run start {PLAN} {options}"


def do_session(repo: Repo, number: int, *, zero: bool = False) -> dict[str, Any]:
    if zero:
        repo.ok("step begin 0")
        repo.ok("step verify 0")
        repo.ok("step commit 0")
    repo.do_step(number, {f"src/part{number}.py": f"{number}\n"})
    return repo.ok("run finish")


def fail_session(repo: Repo, number: int) -> dict[str, Any]:
    """Fail the step of a session for good and return the answer of its finish."""
    repo.ok(f"step begin {number}")
    for _ in range(3):
        repo.ok(f"step verify {number}")
    return repo.ok("run finish")


# Result -> On failure and Verify of the only step, and what is committed beside it.
ENDS = {
    "completed": ("revert", "true", ""),
    "failed": ("revert", "false", ""),
    "stopped": ("escalate", "false", ""),
    "partial": ("revert", "true", "stray.txt"),
}


@pytest.mark.soak
@pytest.mark.parametrize("result", sorted(ENDS))
def test_the_session_state_follows_every_end(make: Make, result: str) -> None:
    on_failure, verify, stray = ENDS[result]
    repo = make(plan(step(1, verify=verify, on_failure=on_failure)))
    repo.start()
    assert json.loads(repo.read(STATE))["status"] == "in_progress"
    if verify == "true":
        repo.do_step(1, {"src/part1.py": "1\n"})
        if stray:
            repo.write({stray: "x\n"})
            repo.git("add", stray)
            repo.git("commit", "--quiet", "--message=mine")
        assert repo.ok("run finish")["result"] == result
    else:
        repo.ok("step begin 1")
        for _ in range(3 if on_failure == "revert" else 1):
            repo.ok("step verify 1")
        assert repo.ok("run finish")["result"] == result
    assert (json.loads(repo.read(STATE))["status"], repo.progress()["status"]) == (result, result)


@pytest.mark.soak
def test_a_session_is_run_from_its_spec_when_there_is_one(spec: Repo) -> None:
    assert spec.start("--session", "1")["first"] == 0
    assert json.loads(spec.read(f"{PROJECT}/progress-session-1.json"))["plan"] == SPEC.format(1)
    summary = do_session(spec, 1, zero=True)["ultraexecute_summary"]
    assert (summary["result"], summary["exit_condition"]) == ("completed", "pass")
    assert spec.ultra(f"audit {PLAN} --session 1")["status"] == "pass"


@pytest.mark.soak
@pytest.mark.parametrize(("begun", "resumed", "end"), [
    (SPEC.format(1), f"{PLAN} --session 1", "failed"),
    (f"{PLAN} --session 1", SPEC.format(1), "stopped"),
    (SPEC.format(1), PLAN, "stopped"),
    (f"{PLAN} --session 1", f"{PLAN} --session 1", "killed"),
    (SPEC.format(1), SPEC.format(1), "killed"),
])  # fmt: skip
def test_a_session_is_resumed_by_either_name(spec: Repo, begun: str, resumed: str, end: str) -> None:
    spec.ok(f"run start {begun}")
    for call in ("step begin 0", "step verify 0", "step commit 0"):
        spec.ok(call)
    if end == "failed":
        finished = fail_session(spec, 1)
        assert spec.ok("continue")["command"] in str(finished["next"])
    else:
        spec.ok("step begin 1")
    if end == "stopped":
        told = spec.ok("run abort")["next"]
        assert spec.ok("continue")["command"] in told
    if end == "killed":
        spec.end_session()
    command = spec.ok("continue")["command"]
    assert command == f"{EXECUTE} --project {PROJECT} --resume --session 1"
    for call in (f"run start {resumed} --mode resume", verb_of(command)):
        answer = spec.ok(call)
        assert (answer["run"], answer["first"]) == ("resumed", 1)
    assert do_session(spec, 1)["result"] == "completed"
    assert not spec.has(PROGRESS)


def test_a_session_goes_on_with_the_plan_although_specs_were_written_since(make: Make) -> None:
    repo = make(TWO_SESSIONS)
    repo.start("--session", "1")
    repo.ok("run abort")
    repo.ok(f"sessions write {PLAN}")
    for call in (f"run start {SPEC.format(1)} --mode resume", verb_of(repo.ok("continue")["command"])):
        assert repo.ok(call)["first"] == 1
    assert do_session(repo, 1)["result"] == "completed"
    assert "is completed" in repo.refused(f"run start {PLAN} --session 1")


def test_a_spec_is_not_run_under_the_number_of_another(spec: Repo) -> None:
    assert "is the spec of session 1, not of session 2" in spec.refused(
        f"run start {SPEC.format(1)} --session 2"
    )


def test_continue_names_the_session_that_was_left_last(make: Make) -> None:
    repo = make(
        plan(step(1), step(2), strategy=SESSIONS.replace("Depends on:** Session 1", "Depends on:** none"))
    )
    for number in ("1", "2"):
        repo.start("--session", number)
        repo.ok("step begin " + number)
        progress = f"{PROJECT}/progress-session-{number}.json"
        repo.ok("run abort")
        moment = json.loads(repo.read(progress))["updated_at"]
        repo.write({progress: repo.read(progress).replace(moment, f"2026-01-0{number}T00:00:00Z")})
    command = repo.ok("continue")["command"]
    assert command.endswith("--resume --session 2")
    assert repo.ok(verb_of(command))["first"] == 2


@pytest.mark.soak
def test_a_plan_is_not_begun_again_while_sessions_have_done_some_of_it(spec: Repo) -> None:
    spec.start("--session", "1")
    spec.ok("step begin 0")
    spec.ok("run abort")
    said = spec.refused(f"run start {PLAN}")
    assert "session 1 is stopped" in said
    assert f"`ultra run start {PLAN} --session 1 --mode resume` continues with session 1" in said
    spec.start("--mode", "resume")
    do_session(spec, 1, zero=True)
    for mode in ("", " --mode resume", " --mode fg"):
        said = spec.refused(f"run start {PLAN}{mode}")
        assert "session 1 is completed" in said
        assert f"`ultra run start {PLAN} --session 2` continues with session 2" in said
    assert "session 1 is completed" in spec.refused(f"run start {PLAN} --step 1")
    spec.start("--session", "2")
    do_session(spec, 2, zero=True)
    assert "review the work" in spec.refused(f"run start {PLAN}")
    assert spec.subjects() == ["first", "feat: part 1", "feat: part 2"]
    assert spec.start("--restart")["first"] == 1


@pytest.mark.soak
def test_another_plan_is_not_held_up_by_sessions_of_the_one_before(spec: Repo) -> None:
    spec.start("--session", "1")
    do_session(spec, 1, zero=True)
    other = plan(
        step(1, ["src/other.py"]), step(2), strategy=SESSIONS.replace("src/part1.py", "src/other.py")
    )
    spec.write({PLAN: other})
    assert spec.start()["strategy"] == "sequential"
    assert spec.start("--mode", "fg")["first"] == 1


@pytest.mark.soak
def test_the_next_session_is_the_first_that_is_not_completed(make: Make) -> None:
    repo = make(
        plan(step(1), step(2), strategy=SESSIONS.replace("Depends on:** Session 1", "Depends on:** none"))
    )
    repo.start("--session", "2")
    do_session(repo, 2)
    assert json.loads(repo.read(STATE))["next_session_label"] == "Session 1: Ground"
    repo.start("--session", "1")
    do_session(repo, 1)
    assert json.loads(repo.read(STATE))["next_session_label"] == "Complete"


CHECKED = plan(step(1), step(2), strategy=SESSIONS, verification="grep -q whole src/part2.py")


@pytest.mark.parametrize("specs", [True, False])
def test_the_last_session_runs_the_verification_of_the_plan(make: Make, specs: bool) -> None:
    repo = make(CHECKED)
    if specs:
        repo.ok(f"sessions write {PLAN}")
    repo.start("--session", "1")
    first = do_session(repo, 1, zero=specs)
    assert f"to continue: {EXECUTE} --project {PROJECT} --session 2" in str(first["next"])
    assert not any("whole" in path.read_text() for path in (repo.folder / PROJECT / "logs").rglob("proof*"))
    repo.start("--session", "2")
    last = do_session(repo, 2, zero=specs)
    assert last["result"] == "partial"
    assert any("`grep -q whole src/part2.py` failed with exit status 1" in why for why in last["why"])
    repo.write({"src/part2.py": "whole\n"})
    repo.git("commit", "-qam", "fix: make it whole")
    assert repo.start("--session", "2", "--mode", "resume")["next"] == "ultra run finish"
    last = repo.ok("run finish")
    assert (last["result"], last["ultraexecute_summary"]["exit_condition"]) == ("completed", "pass")
    assert last["next"] == f"tell the user; to continue: {REVIEW} --project {PROJECT}"


def test_the_verification_of_a_plan_that_was_edited_meanwhile_counts_once_it_is_accepted(make: Make) -> None:
    repo = make(CHECKED)
    repo.ok(f"sessions write {PLAN}")
    repo.start("--session", "1")
    do_session(repo, 1, zero=True)
    repo.start("--session", "2")
    repo.write({PLAN: CHECKED.replace("grep -q whole", "test -f")})
    repo.do_step(0, {})
    repo.do_step(2, {"src/part2.py": "2\n"})
    last = repo.ok("run finish")
    assert last["result"] == "partial"
    assert "`grep -q whole src/part2.py` failed" in str(last["why"])
    assert "plan: expected the Verification of the pinned plan.md; found an edited one" in str(last["why"])
    again = f"run start {PLAN} --session 2 --mode resume"
    assert "the Verification of plan.md was edited since the run started" in repo.refused(again)
    assert "edited" in str(repo.ultra(f"audit {PLAN} --session 2")["drift_details"])
    repo.ok(f"{again} --accept-plan-change")
    last = repo.ok("run finish")
    assert last["result"] == "completed"
    assert "accepted change of the plan" in str(last["findings"])


@pytest.mark.soak
def test_logs_and_reports_of_sessions_lie_apart(spec: Repo) -> None:
    reports = []
    for number in (1, 2):
        spec.start("--session", str(number))
        reports.append(do_session(spec, number, zero=True)["report"])
    said = spec.refused(f"audit {PLAN}")
    assert "was run by sessions (1 and 2): there is no run of the whole plan" in said
    assert f"`ultra audit {PLAN} --session N`" in said
    assert spec.say("audit", PLAN, "--session", "1").out.startswith("pass: 1 completed step, ")
    assert reports == [f"{PROJECT}/logs/session-{number}/report.md" for number in (1, 2)]
    for number in (1, 2):
        assert spec.has(f"{PROJECT}/logs/session-{number}/step-0-verify-1.log")
    assert spec.git("status", "--short", "--", f"{PROJECT}/logs") == ""
