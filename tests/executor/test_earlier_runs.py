"""What an earlier run or an earlier record leaves is recognised: edits of an aborted step, records put back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.executor.sample import PLAN, PROJECT, SLUG, Repo, plan, step

Make = Callable[..., Repo]
STEP = f".git/ultra/{SLUG}/step.json"
OTHER = ".claude/projects/2026-02-01-other/plan.md"


@pytest.mark.soak
def test_edits_that_an_aborted_run_left_are_named_when_another_plan_starts(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.write({"README.md": "# Mine before both\n", OTHER: plan(step(1, ["src/other.py"]))})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "half\n", "src/hello.py": "print('changed')\n"})
    repo.ok("run abort")
    left = f"step 1 of the unfinished run {SLUG} left src/hello.py, src/part1.py uncommitted"
    notes = repo.ok(f"run start {OTHER}")["notes"]
    assert notes == [f"{left}; this run counts that as the user's"]
    repo.ok("run abort")
    repo.git("checkout", "-q", "src/hello.py")
    (repo.folder / "src/part1.py").unlink()
    assert "left" not in " ".join(repo.ok(f"run start {OTHER} --restart")["notes"])


@pytest.mark.soak
def test_changes_of_the_user_that_an_aborted_run_took_are_named_and_come_back(make: Make) -> None:
    repo = make(plan(step(1)))
    mine = {"README.md": "# Mine before both\n", "notes.txt": "mine\n"}
    repo.write({**mine, "committed.txt": "mine\n", OTHER: plan(step(1, ["src/other.py"]))})
    repo.start()
    repo.ok("step begin 1")
    repo.git("checkout", "-q", "README.md")
    (repo.folder / "notes.txt").unlink()
    repo.ok("run abort")
    repo.git("add", "committed.txt")
    repo.git("commit", "-qm", "mine")
    gone = (
        f"uncommitted changes from before step 1 of the unfinished run {SLUG} are gone: README.md, notes.txt"
    )
    assert repo.ok(f"run start {OTHER}")["notes"] == [f"{gone}; a resume of that run restores them"]
    repo.do_step(1, {"src/other.py": "other\n"})
    assert any(gone in one for one in repo.ok("run finish")["findings"])
    repo.start("--mode", "resume")
    repo.ok("step restore 1 README.md notes.txt")
    assert {path: repo.read(path) for path in mine} == mine


@pytest.mark.soak
def test_a_record_put_back_is_not_the_record(make: Make) -> None:
    repo = make(plan(step(1, verify="grep -q right src/part1.py")))
    repo.start()
    repo.ok("step begin 1")
    fresh = repo.read(STEP)
    repo.write({"src/part1.py": "wrong\n"})
    repo.ok("step verify 1")
    repo.write({STEP: fresh})
    assert "step 1 has not begun" in repo.refused("step verify 1")
    repo.ok("step begin 1")
    assert repo.ok("step verify 1")["attempt"] == 2
    repo.write({"src/part1.py": "right\n"})
    repo.ok("step verify 1")
    last = repo.read(STEP)
    repo.ok("step commit 1")
    repo.write({STEP: last})
    findings = repo.ok("run finish")["findings"]
    assert (
        findings.count("the record of the step in progress was not written by the runtime and is ignored")
        == 1
    )


@pytest.mark.soak
def test_a_record_counts_when_its_number_was_not_written_any_more(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    turns = f".git/ultra/{SLUG}/turns.json"
    before = repo.read(turns)
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.write({turns: before})  # as a call leaves it that is killed in between
    repo.ok("step commit 1")
    assert repo.ok("run finish")["result"] == "completed"


@pytest.mark.soak
def test_no_proof_is_said_wherever_the_result_is(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.write({".claude/ultra.yaml": "proof: off\n"})
    assert repo.start()["notes"] == ["the result will not be proved: proof is off in .claude/ultra.yaml"]
    repo.do_step(1, {"src/part1.py": "one\n"})
    off = "off: the settings of the project say so"
    answer = repo.ok("run finish")
    assert (answer["result"], answer["proof"]) == ("completed", off)
    assert repo.ok(f"status --project {PROJECT}")["run"]["proof"] == off
    audited = repo.say("audit", PLAN).out
    assert audited.startswith("pass without a proof: 1 completed step, ")


@pytest.mark.soak
def test_settings_edited_during_the_run_are_named_and_have_no_effect(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({".claude/ultra.yaml": "proof: off\n"})
    answer = repo.ok("run finish")
    edited = ".claude/ultra.yaml was edited during the run, which used it as it was at the start"
    assert (answer["result"], answer["findings"], "proof" in answer) == ("completed", [edited], False)
    assert repo.ultra(f"audit {PLAN}")["proof"] == "clean checkout"
