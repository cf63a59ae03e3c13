"""A run ends as its clean checkout says, however long that takes; the audit gives the same answer at any later time."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.checkout.source import ends
from tests.executor.sample import PLAN, PROJECT, SLUG, Repo, plan, step

Make = Callable[..., Repo]
SETTINGS = ".claude/ultra.yaml"
REPORT = f"{PROJECT}/logs/report.md"
RENAMING = plan(
    step(1, ["src/a.py"], verify="echo one >> $BESIDE/ran; test -f src/a.py"),
    step(2, ["src/a.py", "src/b.py"], verify="echo two >> $BESIDE/ran; test -f src/b.py", expected_paths=["src/b.py"], min_file_count=1),
    verification="echo two >> $BESIDE/ran; test -f src/b.py",
)  # fmt: skip
LOCAL = plan(step(1, verify="test -f local.cfg"))
SLOW = plan(
    step(1, verify="echo quick >> $BESIDE/ran"),
    verification="echo slow >> $BESIDE/ran; while [ ! -e $BESIDE/go ]; do sleep 0.02; done",
)


@pytest.fixture(autouse=True)
def no_copy_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have copies made in a folder of the test, which is empty afterwards."""
    (tmp_path / "tmp").mkdir()
    yield
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.fixture
def run(make: Make, tmp_path: Path) -> Callable[..., Repo]:
    """Return a function that starts the run of a plan."""

    def started(text: str, **files: str) -> Repo:
        repo = make(text)
        repo.env["TMPDIR"] = str(tmp_path / "tmp")
        repo.write({name.replace("__", "/"): content for name, content in files.items()})
        repo.start()
        return repo

    return started


def ran(repo: Repo) -> list[str]:
    """Return what the commands noted."""
    return (repo.folder.parent / "ran").read_text().split()


def test_a_step_that_renames_what_an_earlier_one_made_is_completed(run: Callable[..., Repo]) -> None:
    repo = run(RENAMING)
    repo.do_step(1, {"src/a.py": "a\n"})
    repo.ok("step begin 2")
    repo.git("mv", "src/a.py", "src/b.py")
    assert repo.ok("step verify 2")["passed"]
    repo.ok("step commit 2")
    answer = repo.ok("run finish")
    assert (answer["result"], answer["ultraexecute_summary"]["proof"]) == ("completed", "clean checkout")
    report = repo.read(REPORT)
    assert "- Proof: clean checkout" in report
    assert "note: expected_paths of step 1: step 2 changed src/a.py" in report
    assert "note: Verify of step 1 failed with exit status 1" in report
    # Equal commands run once in the proof; that of step 1 fails there, and runs again in the commit of its step.
    assert ran(repo) == ["one", "two", "one", "one", "two"]
    assert repo.ultra(f"audit {PLAN}")["status"] == "pass"
    assert ran(repo)[5:] == ["one", "one", "two"]


def test_what_is_not_committed_does_not_count(run: Callable[..., Repo]) -> None:
    repo = run(LOCAL)
    repo.write({".git/info/exclude": "local.cfg\n", "local.cfg": "x\n"})
    repo.do_step(1, {"src/part1.py": "one\n"})
    answer = repo.ok("run finish")
    assert answer["result"] == "partial"
    (drift,) = answer["ultraexecute_summary"]["drift_details"]
    assert (drift["check"], drift["step"]) == ("verify", 1)
    assert drift["actual"].endswith(
        "it passes in the working tree, so what it needs is not committed: "
        "commit it, or name it in `.worktreeinclude`, or give a setup command"
    )
    assert repo.ok(f"status --project {PROJECT}")["run"]["drift_details"] == [drift]
    assert repo.ultra(f"audit {PLAN}")["status"] == "drift"
    repo.write({".worktreeinclude": "local.cfg\n"})
    said = repo.refused(f"run start {PLAN} --mode resume")
    assert ".worktreeinclude was edited since the run started" in said
    assert "ask the user; undo the edit, or add --accept-settings-change" in said
    accepted = repo.start("--mode", "resume", "--accept-settings-change")
    assert accepted["next"] == "ultra run finish"
    assert repo.ultra(f"audit {PLAN}")["status"] == "unfinished", "it has no end any more"
    assert repo.ok("run finish")["result"] == "completed"


@pytest.mark.parametrize(
    ("settings", "result", "proof"),
    [
        ("proof: off\n", "completed", "off: the settings of the project say so"),
        ("setup: test -e $BESIDE/no\n", "partial", "the setup command failed with exit status 1"),
        ("setup: mkdir $BESIDE/once\nproof: require\n", "partial", "the setup command failed with exit status 1"),
        ("setup: touch local.cfg\nproof: require\n", "completed", "clean checkout"),
    ],
)  # fmt: skip
def test_the_settings_decide_whether_the_proof_is_made(
    run: Callable[..., Repo], settings: str, result: str, proof: str
) -> None:
    repo = run(LOCAL, **{".claude__ultra.yaml": settings})
    repo.write({".git/info/exclude": "local.cfg\n", "local.cfg": "x\n"})
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({SETTINGS: "proof: off\n"})  # too late: the run is pinned to what they were
    answer = repo.ok("run finish")
    summary = answer["ultraexecute_summary"]
    assert (summary["result"], summary["proof"].startswith(proof)) == (result, True), summary
    checks = [one["check"] for one in answer["ultraexecute_summary"]["drift_details"]]
    assert checks == (["proof"] if result == "partial" else [])


def test_without_a_checkout_the_exit_conditions_still_decide(run: Callable[..., Repo]) -> None:
    repo = run(plan(step(1), verification="test -f never"), **{".claude__ultra.yaml": "proof: off\n"})
    repo.do_step(1, {"src/part1.py": "one\n"})
    answer = repo.ok("run finish")
    assert (answer["result"], answer["ultraexecute_summary"]["exit_condition"]) == ("partial", "fail")
    assert [one["check"] for one in answer["ultraexecute_summary"]["drift_details"]] == ["exit_condition"]


# A proof that takes longer than a call


def state_of(repo: Repo, name: str) -> dict[str, Any]:
    values = json.loads(repo.read(f".git/ultra/{SLUG}/proof/{name}.json"))
    assert isinstance(values, dict)
    return values


def wait_for(repo: Repo, words: list[str]) -> None:
    """Wait until the commands have noted these words."""
    for _ in range(500):
        if (repo.folder.parent / "ran").is_file() and ran(repo) == words:
            return
        time.sleep(0.02)
    raise AssertionError(ran(repo))


def test_a_long_proof_goes_on_between_the_calls(run: Callable[..., Repo]) -> None:
    repo = run(SLOW)
    repo.do_step(1, {"src/part1.py": "one\n"})
    asked = repo.ok("run finish --wait 0.01")
    assert set(asked) == {"ok", "proof", "next"}
    assert asked["next"].startswith("call `ultra run finish` again")
    wait_for(repo, ["quick", "quick", "slow"])
    assert repo.ok("run finish --wait 0.01")["proof"] == "1 of 2 commands have run"
    assert repo.progress()["status"] == "in_progress"
    assert repo.ultra(f"audit {PLAN}")["status"] == "unfinished"
    (repo.folder.parent / "go").touch()
    assert repo.ok("run finish")["result"] == "completed"
    assert ran(repo) == ["quick", "quick", "slow"]
    assert not repo.has(f".git/ultra/{SLUG}")
    (repo.folder.parent / "go").unlink()
    told = repo("audit", PLAN, "--wait", "0.01")
    assert (told.status, told.data["status"]) == (1, "proving")
    (repo.folder.parent / "go").touch()
    assert repo.ultra(f"audit {PLAN}")["status"] == "pass"


def test_a_killed_proof_is_started_again_for_the_rest(run: Callable[..., Repo]) -> None:
    repo = run(SLOW)
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run finish --wait 0.01")
    wait_for(repo, ["quick", "quick", "slow"])
    pid = state_of(repo, "process")["pid"]
    os.kill(pid, signal.SIGKILL)
    assert ends(str(pid))
    repo.ok("run finish --wait 0.01")
    wait_for(repo, ["quick", "quick", "slow", "slow"])
    assert state_of(repo, "process")["pid"] != pid
    (repo.folder.parent / "go").touch()
    assert repo.ok("run finish")["result"] == "completed"
    assert ran(repo) == ["quick", "quick", "slow", "slow"]


def test_a_proof_that_dies_again_and_again_is_given_up(run: Callable[..., Repo]) -> None:
    repo = run(plan(step(1), verification="kill -9 $PPID"))
    repo.do_step(1, {"src/part1.py": "one\n"})
    answer = repo.ok("run finish")
    assert (answer["result"], answer["ultraexecute_summary"]["drift_details"][0]["check"]) == (
        "partial",
        "proof",
    )
    assert "its process ended 3 times without an answer" in repo.read(REPORT)


def test_another_end_needs_another_proof(run: Callable[..., Repo]) -> None:
    repo = run(SLOW)
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run finish --wait 0.01")
    wait_for(repo, ["quick", "quick", "slow"])
    pid = state_of(repo, "process")["pid"]
    repo.write({"src/part1.py": "two\n"})
    repo.git("commit", "-qam", "feat: part 1 again")
    repo.ok("run finish --wait 0.01")
    assert ends(str(pid))
    wait_for(repo, ["quick", "quick", "slow", "quick", "slow"])
    assert state_of(repo, "job")["end"] == repo.git("rev-parse", "HEAD")
    child = state_of(repo, "process")["pid"]
    repo.ok("run abort")
    assert ends(str(child))
    assert repo.ultra(f"audit {PLAN}")["status"] == "unfinished"


def test_a_killed_caller_leaves_the_proof_alone(run: Callable[..., Repo]) -> None:
    repo = run(SLOW)
    repo.do_step(1, {"src/part1.py": "one\n"})
    told = repo.run(["timeout", "--signal=KILL", "1", repo.command, "run", "finish", "--json"])
    assert (told.status, told.out) == (137, "") or told.status == -signal.SIGKILL
    wait_for(repo, ["quick", "quick", "slow"])
    (repo.folder.parent / "go").touch()
    assert repo.ok("run finish")["result"] == "completed"
    assert ran(repo) == ["quick", "quick", "slow"]


# What an audit calls a run


def test_a_run_that_did_nothing_and_one_that_is_not_over(run: Callable[..., Repo]) -> None:
    repo = run(plan(step(1), step(2)))
    assert repo.ultra(f"audit {PLAN}")["status"] == "nothing done"
    repo.do_step(1, {"src/part1.py": "one\n"})
    answer = repo.ultra(f"audit {PLAN}")
    assert (answer["status"], answer["completed_steps"]) == ("unfinished", [1])
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ultra(f"audit {PLAN}")["status"] == "unfinished"
    repo.ok("run finish")
    assert repo.ultra(f"audit {PLAN}")["status"] == "pass"
    repo.git("reset", "-q", "--hard", "HEAD^")
    (drift,) = repo.ultra(f"audit {PLAN}")["drift_details"]
    assert (drift["check"], drift["actual"][:24]) == ("history", "HEAD does not contain it")


def test_a_run_whose_steps_were_all_skipped_is_not_completed(run: Callable[..., Repo]) -> None:
    repo = run(plan(step(1, verify="false", on_failure="skip")))
    repo.ok("step begin 1")
    repo.ok("step verify 1")
    answer = repo.ok("run finish")
    assert (answer["result"], answer["why"][-1]) == ("partial", "no step was completed")
    assert repo.ultra(f"audit {PLAN}")["status"] == "nothing done"


def test_an_audit_names_the_steps_that_were_skipped(run: Callable[..., Repo]) -> None:
    repo = run(plan(step(1), step(2, verify="false", on_failure="skip")))
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert "skipped_steps" not in repo.ultra(f"audit {PLAN}"), "the step is not over"
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "two\n"})
    assert "\nUndone: src/part2.py; " in repo.say("step", "verify", "2").out
    repo.ok("run finish")
    answer = repo.ultra(f"audit {PLAN}")
    assert (answer["status"], answer["completed_steps"], answer["skipped_steps"]) == ("pass", [1], [2])
    assert repo.say("audit", PLAN).out.startswith("pass: 1 completed step, 1 skipped, ")
    told = repo.say("continue").out
    assert "completed: Every step is over" in told
    assert "passed" not in told


def test_a_step_that_must_not_be_skipped(run: Callable[..., Repo]) -> None:
    repo = run(plan(step(1), step(2)))
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.git("update-ref", f"refs/ultra/run/{SLUG}/skip-2", "HEAD")
    assert "step 2 is not done" in repo.refused("run finish")
    assert repo.progress()["steps"]["2"]["status"] == "pending"
