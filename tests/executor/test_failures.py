"""What makes an attempt fail, and what follows from it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.built import copy_bundle
from tests.executor.sample import PLAN, PROGRESS, PROJECT, Repo, plan, step

Make = Callable[..., Repo]


def fail(repo: Repo, number: int = 1) -> dict[str, Any]:
    answer = repo.ok(f"step verify {number}")
    assert answer["passed"] is False, answer
    return answer


@pytest.mark.soak
def test_a_model_that_claims_success_without_an_edit(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    answer = fail(repo)
    assert answer["next"] == "retry"
    assert answer["why"] == [
        "expected but missing: src/part1.py",
        "0 expected files exist; at least 1 must",
    ]


def test_verify_passes_and_the_manifest_fails(make: Make) -> None:
    contain = [{"path": "src/part1.py", "pattern": "^def greet"}]
    repo = make(
        plan(
            step(1, ["src/part1.py", "run.sh"], must_contain=contain, forbidden_paths=["README.md", "*.lock"])
        )
    )
    repo.start()
    repo.ok("step begin 1")
    repo.write(
        {
            "src/part1.py": "x\n",
            "run.sh": "if then\n",
            "README.md": "changed\n",
            "deep/a.lock": "",
            "src/other.py": "",
        }
    )
    why = " / ".join(fail(repo)["why"])
    assert "src/part1.py does not contain ^def greet" in why
    assert "forbidden paths were changed: README.md, deep/a.lock" in why
    assert "bash -n run.sh" in why
    assert "changed outside Files and expected_paths: src/other.py" in why
    steps = repo.progress()["steps"]
    assert (steps["1"]["manifest_audit"], steps["1"]["attempts"]) == ("fail", 1)
    assert {one["check"] for one in steps["1"]["manifest_drift"]} == {
        "forbidden_paths", "scope", "bash_syntax_check", "must_contain",
    }  # fmt: skip


@pytest.mark.soak
def test_exit_status_is_the_truth_and_expected_output_counts(make: Make) -> None:
    repo = make(plan(step(1, verify="`cat src/part1.py` -> expected: `all good`")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "all bad\n"})
    assert fail(repo)["why"] == ["Verify did not print the expected text: all good"]
    repo.write({"src/part1.py": "all good\n"})
    assert repo.ok("step verify 1")["attempt"] == 2


@pytest.mark.soak
def test_the_expected_output_does_not_excuse_an_exit_status(make: Make) -> None:
    repo = make(plan(step(1, verify="`cat src/part1.py; exit 3` -> expected: `all good`")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "all good\n"})
    assert fail(repo)["why"] == ["Verify failed with exit status 3"]


@pytest.mark.soak
def test_the_words_about_the_end_are_no_output(make: Make) -> None:
    repo = make(plan(step(1, verify="`true` -> expected: `exit status 0`")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    assert "did not print" in fail(repo)["why"][0]


@pytest.mark.soak
def test_the_third_failure_undoes_exactly_this_step_and_stops(make: Make) -> None:
    repo = make(plan(step(1), step(2, ["src/hello.py", "src/new.py"], verify="false"), step(3)))
    (repo.folder / "src/hello.py").chmod(0o755)
    repo.git("commit", "-qam", "mode")
    repo.write({"notes.txt": "mine\n", "README.md": "# Greet\nmine\n"})
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    before, staged, head = repo.tree(), repo.staged(), repo.git("rev-parse", "HEAD")
    repo.ok("step begin 2")
    repo.write(
        {"src/hello.py": "broken\n", "src/new.py": "new\n", "deep/er/new.txt": "x", "src/part1.py": "again\n"}
    )
    (repo.folder / "src/hello.py").chmod(0o644)
    os.unlink(repo.folder / "notes.txt")
    assert [fail(repo, 2)["next"], fail(repo, 2)["next"]] == ["retry", "retry"]
    last = fail(repo, 2)
    assert (last["next"], last["attempt"], last["do"]) == ("stop", 3, "ultra run finish")
    assert repo.tree() == before
    assert not repo.has("deep")
    assert (repo.staged(), repo.git("rev-parse", "HEAD")) == (staged, head)
    assert last["undone"].startswith("deep/er/new.txt, notes.txt, src/hello.py, src/new.py, src/part1.py; ")
    assert last["undone"].endswith("; to get this back: `ultra step rescue 2`")
    rescued = "refs/ultra/rescue/2026-01-31-greet/step-2"
    assert repo.git("show", f"{rescued}:src/new.py") == "new"
    assert repo.git("show", f"{rescued}:deep/er/new.txt") == "x"
    assert "the run has ended" in repo.refused("step begin 3")
    answer = repo.ok("run finish")
    assert answer["result"] == "failed"
    summary = answer["ultraexecute_summary"]
    assert [
        summary[name] for name in ("failed_at_step", "steps_passed", "steps_failed", "steps_not_reached")
    ] == [2, 1, 1, 1]
    assert summary["exit_condition"] == "n/a"
    report = repo.read(f"{PROJECT}/logs/report.md")
    assert "Step 3: Make part 3" in report
    assert f"step 2 was undone: {last['undone']}" in report
    assert f"--project {PROJECT} --resume" in report


@pytest.mark.soak
def test_retry_tells_the_instructions_and_stops_at_the_cap(make: Make) -> None:
    repo = make(plan(step(1, verify="false", on_failure="retry - use the old parser")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    assert "use the old parser" in fail(repo)["do"]
    fail(repo)
    assert fail(repo)["next"] == "stop"
    assert not repo.has("src/part1.py")
    assert "the run has ended" in repo.refused("step verify 1")


@pytest.mark.soak
def test_skip_undoes_and_goes_on(make: Make) -> None:
    repo = make(plan(step(1, verify="false", on_failure="skip"), step(2)))
    repo.start()
    repo.ok("step begin 1")
    before = repo.tree()
    repo.write({"src/part1.py": "one\n"})
    answer = fail(repo)
    assert (answer["next"], answer["do"]) == ("skip", "ultra step begin 2")
    assert repo.tree() == before
    repo.do_step(2, {"src/part2.py": "two\n"})
    summary = repo.ok("run finish")["ultraexecute_summary"]
    assert [summary[name] for name in ("result", "steps_passed", "steps_skipped")] == ["completed", 1, 1]


@pytest.mark.soak
def test_escalate_stops_at_once_and_stages_nothing(make: Make) -> None:
    repo = make(plan(step(1), step(2, verify="exit 3", on_failure="escalate")))
    repo.write({"mine.txt": "mine\n"})
    repo.git("add", "mine.txt")
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    staged, head = repo.staged(), repo.git("rev-parse", "HEAD")
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "two\n", "secret.key": "x\n"})
    answer = fail(repo, 2)
    assert (answer["next"], answer["attempt"]) == ("escalate", 1)
    assert (repo.staged(), repo.git("rev-parse", "HEAD")) == (staged, head)
    assert repo.read("src/part2.py") == "two\n"
    assert repo.ok("run finish")["result"] == "stopped"
    assert repo.subjects() == ["first", "feat: part 1"]


def test_a_missing_on_failure_escalates(make: Make) -> None:
    repo = make(plan(step(1, verify="false", on_failure="")))
    assert any("PLAN_MISSING_ON_FAILURE" in note for note in repo.start()["notes"])
    repo.ok("step begin 1")
    assert fail(repo)["next"] == "escalate"


@pytest.mark.soak
def test_edits_during_verify_are_noticed(make: Make) -> None:
    repo = make(
        plan(step(1, verify="test -e $BESIDE/once || { touch $BESIDE/once; echo more >> src/part1.py; }"))
    )
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    assert fail(repo)["why"] == ["changed while Verify ran: src/part1.py; verify again"]
    assert repo.ok("step verify 1")["passed"]


def test_what_verify_leaves_behind_is_told_and_not_committed(make: Make) -> None:
    """New files, and those of the user that no commit has: a report of the tests is written anew each time."""
    repo = make(plan(step(1, verify="mkdir -p cache && date +%N | tee cache/result > report.xml"), step(2)))
    repo.write({"report.xml": "of the last time\n", "notes.txt": "the user's\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n", "notes.txt": "edited\n"})
    assert fail(repo)["why"] == ["changed outside Files and expected_paths: notes.txt"]
    repo.write({"notes.txt": "the user's\n"})
    assert repo.ok("step verify 1")["note"] == "left uncommitted, written by Verify: cache/result, report.xml"
    repo.ok("step commit 1")
    assert repo.git("show", "--name-only", "--format=", "HEAD") == "src/part1.py"
    assert repo.progress()["steps"]["1"]["manifest_audit"] == "pass-with-note"


@pytest.mark.soak
def test_edits_after_verify_have_to_be_verified(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    assert fail(repo)["attempt"] == 1
    repo.write({"src/part1.py": "one\n"})
    assert repo.ok("step verify 1")["attempt"] == 2
    for attempt in (1, 2):  # each attempt has run the command
        assert repo.has(f"{PROJECT}/logs/step-1-verify-{attempt}.log")
    repo.write({"src/part1.py": "two\n"})
    assert "changed since it was verified: src/part1.py" in repo.refused("step commit 1")
    repo.write({"src/part1.py": "one\n", "README.md": "sneaked in\n"})
    assert "changed since it was verified: README.md" in repo.refused("step commit 1")


@pytest.mark.soak
def test_the_cap_holds_for_verifies_that_pass_too(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    for attempt in (1, 2, 3):
        repo.write({"src/part1.py": f"{attempt}\n"})
        assert repo.ok("step verify 1")["passed"]
    repo.write({"src/part1.py": "4\n"})
    answer = fail(repo)
    assert (answer["next"], answer["why"]) == ("stop", ["3 attempts are used up"])
    assert not repo.has("src/part1.py")


EVIL = "touch ran && rm -rf /tmp/nothing-of-the-kind"


@pytest.mark.parametrize(
    "text",
    [
        plan(step(1, verify=EVIL)),
        plan(step(1, test_first=f"`{EVIL}`")),
        plan(step(1, message='x" && rm -rf /tmp/nothing-of-the-kind && echo "')),
        plan(step(1), verification=EVIL),
    ],
    ids=["verify", "test-first", "checkpoint", "verification"],
)
def test_a_blocked_command_is_never_run(make: Make, text: str) -> None:
    repo = make(text)
    said = repo.refused(f"run start {PLAN}")
    assert "the command policy blocks" in said
    for option in (f"fix the commands in {PLAN}", f"`ultra run dry-run {PLAN}`", "run it by hand"):
        assert option in said
    assert not repo.has("ran")
    assert not repo.has(PROGRESS)


@pytest.mark.soak
def test_a_verify_that_is_blocked_later_escalates_whatever_on_failure_says(make: Make) -> None:
    """A policy that got stricter between the start and the verify."""
    repo = make(plan(step(1, verify="echo ran >> ran.txt", on_failure="skip")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    stricter = repo.folder.parent / "stricter"
    copy_bundle(repo.bundle, stricter)
    with (stricter / "runtime/ultra_runtime/tables/policy.py").open("a") as file:
        file.write(
            "\nCOMMANDS['echo'] = (('rm_rf', 'system.always'),)\nRULES['rm_rf'] = ('block', 'echo', 'it is blocked now', 'nothing')\n"
        )
    with (stricter / "runtime/ultra_runtime/tables/first_look.py").open("a") as file:
        file.write("\nCOMMANDS['echo'] = ()\n")
    repo.bundle = stricter
    answer = fail(repo)
    assert (answer["next"], answer["attempt"]) == ("escalate", 0)
    assert "blocked and was not run" in answer["why"][0]
    assert not repo.has("ran.txt")
    answer = repo.ok("run finish")
    assert answer["result"] == "stopped"
    blocks = (
        repo.read(answer["report"])
        .partition("### Security advisories and blocks\n")[2]
        .partition("\n### ")[0]
    )
    assert "- Step 1, Verify: `echo ran >> ran.txt`" in blocks


@pytest.mark.soak
def test_test_first_is_run_before_the_change(make: Make) -> None:
    repo = make(
        plan(
            step(1, test_first="`test -f src/part1.py`"),
            step(2, test_first="`true`"),
            step(3, test_first="write a test"),
        )
    )
    repo.start()
    told = repo.ok("step begin 1")["test_first"]
    assert told == "test -f src/part1.py: it fails before the step, with exit status 1"
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    assert "passes before the step: write the new test first" in repo.ok("step begin 2")["test_first"]
    repo.write({"src/part2.py": "two\n"})
    repo.ok("step verify 2")
    repo.ok("step commit 2")
    assert repo.ok("step begin 3")["test_first"] == "write a test"


def test_what_test_first_quotes_in_prose_is_never_run(make: Make) -> None:
    prose = "the new test fails until `touch ran.txt` is there"
    fenced = "write this test:\n\n  ```sh\n  touch ran.txt\n  ```"
    repo = make(
        plan(step(1, test_first=prose), step(2, test_first=fenced), step(3, test_first="`true`, it fails"))
    )
    listed = {
        "dry-run": [
            row[2:] for row in repo.ok(f"run dry-run {PLAN}")["report"].split("\n") if "Test first" in row
        ],
        "validate": [row for row in repo.ok(f"run validate {PLAN}")["commands"] if "Test first" in row],
        "scan": [
            one["command"] for one in repo.ok(f"scan {PLAN}")["commands"] if one["field"] == "Test first"
        ],
    }
    assert listed == {
        "dry-run": ["Step 3, Test first: `true`"], "validate": ["Step 3, Test first: true"], "scan": ["true"],
    }  # fmt: skip
    repo.start()
    assert repo.ok("step begin 1")["test_first"] == prose
    assert not repo.has("ran.txt")
    assert not repo.has(f"{PROJECT}/logs/step-1-test-first.log")


@pytest.mark.soak
def test_nothing_to_commit_warns(make: Make) -> None:
    repo = make(plan(step(1, ["README.md"])))
    repo.start()
    repo.ok("step begin 1")
    repo.ok("step verify 1")
    answer = repo.ok("step commit 1")
    assert (answer["commit"], answer["warning"]) == (None, "there was nothing to commit")
    assert repo.ok("run finish")["result"] == "completed"
    assert repo.subjects() == ["first"]


@pytest.mark.soak
def test_a_message_off_its_pattern_is_drift_and_no_failure(make: Make) -> None:
    repo = make(plan(step(1, message="fix: something else")))
    repo.start()
    answer = repo.do_step(1, {"src/part1.py": "one\n"})
    assert "does not match" in answer["drift"]
    assert repo.progress()["steps"]["1"]["checkpoint_drift"] == {
        "expected_pattern": "^feat: part 1",
        "actual_message": "fix: something else",
    }
    assert repo.ok("run finish")["result"] == "partial"


@pytest.mark.parametrize(
    "path", ["../out.txt", "/etc/x", ".env", ".claude/settings.json", ".git/hooks/pre-commit", "a/../../x"]
)
def test_a_plan_that_would_change_what_no_run_may_change(make: Make, path: str) -> None:
    repo = make(plan(step(1, [path])))
    assert "step 1 must not change" in repo.refused(f"run start {PLAN}")
    assert not repo.has(PROGRESS)


def test_a_link_that_leads_out_of_the_repository(make: Make, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    repo = make(plan(step(1, ["out/x.txt"])))
    (repo.folder / "out").symlink_to(tmp_path / "elsewhere")
    assert "a file outside the repository (out/x.txt)" in repo.refused(f"run start {PLAN}")


@pytest.mark.soak
def test_a_protected_path_that_changes_fails_the_attempt(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n", ".env": "SECRET=1\n"})
    assert "protected paths were changed: .env" in fail(repo)["why"][0]


@pytest.mark.soak
@pytest.mark.parametrize("name", [".git/index", f"{PROJECT}/logs"])
def test_what_no_edit_can_fix_uses_up_no_attempt(make: Make, name: str) -> None:
    repo = make(plan(step(1, verify="grep right src/part1.py")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "wrong\n"})
    bad, good = repo.folder / name, repo.folder / ".git/good"
    if bad.exists():
        bad.rename(good)
    bad.write_text("DIRC garbage")
    for _ in range(4):
        repo.refused("step verify 1")
    bad.unlink()
    if good.exists():
        good.rename(bad)
    assert repo.ok("step verify 1")["attempt"] == 1
