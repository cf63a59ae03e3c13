"""What a resume takes back, what it keeps, and what it refuses; and what the end of a run says of it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.sample import PLAN, PROJECT, Repo, plan, step
from tests.executor.test_modes import SESSIONS
from ultra_runtime.proof.drift import EXIT_FAILS, Drift
from ultra_runtime.run.life.audit import Audit
from ultra_runtime.run.life.exits import FAIL, NO_COMMAND, PASS, SKIPPED, Exits
from ultra_runtime.run.life.finish import _differences, _result, _undone

Make = Callable[..., Repo]
SETTINGS = ".claude/ultra.yaml"


@pytest.mark.soak
def test_a_resume_takes_back_every_word_about_the_end_and_keeps_the_findings(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start("--step", "1")
    of_the_end = {"completed_at", "session_end_sha", "manifest_audit", "summary"}
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({"left.txt": "x\n"})
    (found,) = repo.ok("run finish")["findings"]
    assert set(repo.progress()) & of_the_end == of_the_end - {"completed_at"}
    repo.start("--mode", "resume")
    values = repo.progress()
    assert set(values) & of_the_end == set()
    assert (values["mode"], values["status"], values["steps"]["2"]["status"]) == (
        "resume",
        "in_progress",
        "pending",
    )
    repo.ok("step begin 2 --mine left.txt")
    repo.write({"src/part2.py": "two\n"})
    repo.ok("step verify 2")
    repo.ok("step commit 2")
    answer = repo.ok("run finish")
    assert answer["result"] == "completed"
    assert found in answer["findings"]
    assert "left.txt" in found
    assert list((repo.folder / ".git/ultra/found").iterdir()) == []


@pytest.mark.soak
def test_one_step_of_a_changed_plan_is_no_new_run(make: Make) -> None:
    """Only a completed run of another plan is dropped, and only where neither a step nor a resume is asked for."""
    one = plan(step(1))
    repo = make(one)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"
    repo.write({PLAN: plan(step(1), step(2))})
    for flags in ("--step 2", "--mode resume"):
        assert "was edited since the run started" in repo.refused(f"run start {PLAN} {flags}")
    assert repo.start()["run"] == "started"


def test_a_plan_may_lose_steps_that_are_not_over_but_no_step_that_was_skipped_changes(make: Make) -> None:
    skipped = step(1, verify="false", on_failure="skip")
    repo = make(plan(skipped, step(2), step(3, verify="false", on_failure="escalate")))
    repo.start()
    repo.ok("step begin 1")
    repo.ok("step verify 1")
    repo.do_step(2, {"src/part2.py": "two\n"})
    repo.ok("step begin 3")
    repo.ok("step verify 3")
    repo.ok("run finish")
    accept = f"run start {PLAN} --mode resume --accept-plan-change"
    repo.write({PLAN: plan(skipped.replace("`false`", "`true`"), step(2))})
    assert "the edit changes step 1, which is over" in repo.refused(accept)
    repo.write({PLAN: plan(skipped, step(2))})
    repo.ok(accept)
    values = repo.progress()
    assert (values["total_steps"], values["current_step"], sorted(values["steps"])) == (2, 2, ["1", "2"])
    repo.ok("run abort")
    assert repo.ultra(f"validate progress {PROJECT}/progress.json")["errors"] == []


@pytest.mark.soak
def test_what_passed_before_the_attempts_were_used_up_is_verified_again(make: Make) -> None:
    repo = make(plan(step(1, on_failure="escalate")))
    repo.start()
    repo.ok("step begin 1")
    for attempt in (1, 2, 3):
        repo.write({"src/part1.py": f"{attempt}\n"})
        assert repo.ok("step verify 1")["passed"]
    repo.write({"src/part1.py": "4\n"})
    assert repo.ok("step verify 1")["next"] == "escalate"
    repo.start("--mode", "resume")
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "3\n"})
    assert "step 1 has not passed" in repo.refused("step commit 1")
    assert repo.ok("step verify 1")["attempt"] == 1


@pytest.mark.soak
def test_edits_after_a_claim_of_completion_that_no_finish_made_have_no_owner(make: Make) -> None:
    """A restart takes the tree as the user's only after an end that git has on record."""
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({"README.md": "# Sneaked in\n"})
    repo.ok("run abort")
    progress = f"{PROJECT}/progress.json"
    repo.write({progress: repo.read(progress).replace('"stopped"', '"completed"')})
    repo.start("--restart")
    assert "changed outside any step: README.md" in repo.refused("step begin 1")


def test_what_was_claimed_at_the_end_is_what_later_edits_are_compared_with(make: Make) -> None:
    repo = make(plan(step(1), verification="test -e done"))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    was = repo.read("README.md")
    repo.write({"README.md": "# Mine\n"})
    repo.git("commit", "-qam", "mine")
    repo.ok("run finish --mine")
    repo.start("--mode", "resume")
    repo.write({"README.md": was})
    assert "changed outside any step, not committed: README.md" in repo.ok("run finish")["findings"]


def test_settings_edited_during_a_run_are_named_even_if_nobody_can_read_them(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({SETTINGS: "no settings: ["})
    assert f"{SETTINGS} was edited during the run" in str(repo.ok("run finish")["findings"])


@pytest.mark.soak
def test_each_failure_of_an_exit_condition_is_told_once(make: Make) -> None:
    """With and without a difference beside it; a condition that equals the Verify of a step is that step's."""
    repo = make(plan(step(1), verification="test -e src/part1.py -a -e $BESIDE/go"))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    why = repo.ok("run finish")["why"]
    assert [("$BESIDE/go" in row) for row in why] == [True], why


def test_a_session_and_its_plan_may_expect_different_texts_of_one_command(make: Make) -> None:
    verification = "cat src/part2.py` -> expected: `whole"
    repo = make(plan(step(1), step(2), strategy=SESSIONS, verification=verification))
    repo.ok(f"sessions write {PLAN}")
    spec = f"{PROJECT}/sessions/session-2.md"
    text = repo.read(spec)
    clean = "- [ ] No uncommitted changes remain."
    repo.write({spec: text.replace(clean, f"- [ ] `cat src/part2.py` -> expected: `part`\n{clean}")})
    for number in (1, 2):
        repo.start("--session", str(number))
        repo.do_step(0, {})
        repo.do_step(number, {f"src/part{number}.py": "part\n"})
        answer = repo.ok("run finish")
    assert answer["result"] == "partial"
    assert any("whole" in row for row in answer["why"]), answer


def test_no_difference_is_lost_and_none_is_told_twice() -> None:
    """A failed exit condition is a row of the conditions or a difference of the proof, whatever their result is."""
    drifts = [Drift(EXIT_FAILS, "`a` passes", "it was not run"), Drift("scope", "nothing", "x.txt")]
    for status in (PASS, FAIL, SKIPPED, NO_COMMAND):
        rows = ["`a` was not run"] if status == FAIL else []
        told = _differences(Exits(status, rows), Audit("git", drifts))
        assert [("`a`" in row, "x.txt" in row) for row in told] == [(True, False), (False, True)], status


def test_a_run_is_completed_only_if_nothing_speaks_against_it() -> None:
    """Every mix of what can: then it says why, and a run that a step has ended stays as it ended."""
    drift = Drift("scope", "nothing", "x.txt")
    for ended, over, drifts, missing, completed in itertools.product((False, True), repeat=5):
        for status in (PASS, FAIL, SKIPPED, NO_COMMAND):
            progress = SimpleNamespace(status="stopped", state=lambda number: "skipped")
            live: Any = SimpleNamespace(ended=ended, all_over=lambda over=over: over, progress=progress)
            found = Audit("git", [drift] * drifts, [1] * completed, [2] * missing)
            exits = Exits(status, ["`a` failed"] * (status == FAIL))
            is_good = over and completed and not (drifts or missing or status == FAIL)
            case = (ended, over, drifts, missing, completed, status)
            assert _result(live, exits, found) == (
                "stopped" if ended else "completed" if is_good else "partial"
            ), case
            why = [*_differences(exits, found), *_undone(live, found)]
            assert ended or not over or bool(why) is not is_good, case
            assert ("step 2 is skipped, and its On failure is not skip" in why) is (
                missing and completed and over and not ended
            ), case


@pytest.mark.soak
@pytest.mark.parametrize("damage", ["lost", "broken"])
def test_a_progress_file_rebuilt_from_git_says_what_the_lost_one_said(make: Make, damage: str) -> None:
    """Of a committed step, one without a change, a skipped one, one in progress, and one that is to come."""
    repo = make(
        plan(
            step(1),
            step(2, ["README.md"]),
            step(3, verify="false", on_failure="skip"),
            step(4, verify="false"),
            step(5),
        )
    )
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.do_step(2, {})
    for number in (3, 4):
        repo.ok(f"step begin {number}")
        repo.ok(f"step verify {number}")
    before = repo.progress()
    path = repo.folder / PROJECT / "progress.json"
    path.unlink() if damage == "lost" else path.write_text("{")
    repo.ok("run abort")  # which writes nothing of a step itself
    after = repo.progress()
    assert [one["status"] for one in after["steps"].values()] == [
        "completed", "completed", "skipped", "in_progress", "pending",
    ]  # fmt: skip
    for number, was in before["steps"].items():
        now = after["steps"][number]
        same = ("status", "commit", "start_commit") if number != "3" else ("status",)
        assert [now.get(name) for name in same] == [was.get(name) for name in same], number
        assert now["status"] != "completed" or (now["manifest_audit"] == "pass" and now["completed_at"])
    assert (before["steps"]["2"].get("commit"), after["steps"]["4"]["attempts"]) == (None, 1)
    for name in ("current_step", "total_steps", "session_start_sha", "plan_digest", "mode"):
        assert after[name] == before[name], name
    kept = [one.name for one in path.parent.iterdir() if one.name.startswith("progress.json.")]
    assert len(kept) == (damage == "broken")
    assert not kept or (path.parent / kept[0]).read_text() == "{"


@pytest.mark.soak
def test_what_git_has_is_not_taken_back_and_what_it_has_not_is(make: Make) -> None:
    """Each state that a file can claim of each step: git decides, and only a correction is named."""
    repo = make(plan(step(1), step(2, verify="false", on_failure="skip"), step(3), step(4)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    repo.ok("step verify 2")
    repo.ok("step begin 3")
    true = repo.progress()
    truth = {number: one["status"] for number, one in true["steps"].items()}
    assert list(truth.values()) == ["completed", "skipped", "in_progress", "pending"]
    for claim in ("completed", "skipped", "pending"):
        values = json.loads(json.dumps(true))
        for one in values["steps"].values():
            one["status"] = claim
        values["session_start_sha"] = repo.git("rev-parse", "HEAD")
        repo.write({f"{PROJECT}/progress.json": json.dumps(values)})
        repo.ok("step begin 3")
        after = repo.progress()
        assert {number: one["status"] for number, one in after["steps"].items()} == truth, claim
        assert after["steps"]["1"]["commit"] == true["steps"]["1"]["commit"]
        assert after["session_start_sha"] == true["session_start_sha"]
    found = json.loads(repo.read(".git/ultra/run.json"))["findings"]
    assert any("named another start of the run than git has" in one for one in found)
    named = {(number, claim) for number in truth for claim in ("completed", "skipped", "pending")
             if any(f"said that step {number} is {claim}," in one for one in found)}  # fmt: skip
    assert named == {
        ("2", "completed"),
        ("3", "completed"),
        ("4", "completed"),
        ("3", "skipped"),
        ("4", "skipped"),
    }


@pytest.mark.soak
def test_a_step_that_was_escalated_counts_its_attempts_from_the_resume_on(make: Make) -> None:
    repo = make(plan(step(1, verify="grep -qx one src/part1.py", on_failure="escalate")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "none\n"})
    assert repo.ok("step verify 1")["next"] == "escalate"
    repo.ok("run finish")
    repo.start("--mode", "resume")
    repo.ok("step begin 1")
    assert repo.progress()["steps"]["1"]["attempts"] == 0
    repo.write({"src/part1.py": "one\n"})
    assert repo.ok("step verify 1")["passed"]
    assert repo.progress()["steps"]["1"]["attempts"] == 1
