"""What changes outside a begun step is nobody's: it is named, put back, claimed, or judged as the step's work."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import pytest

from tests.executor.sample import PLAN, PROJECT, Repo, plan, step

Make = Callable[..., Repo]

CHECK = "sh tests/check.sh"
FILES = {
    "README.md": "# Greet\n",
    "src/hello.py": "print('hello')\n",
    "tests/check.sh": "grep -q right src/*.py\n",
}
TWO = plan(step(1), step(2))


def report(repo: Repo) -> str:
    return repo.read(f"{PROJECT}/logs/report.md")


def started(make: Make, text: str = TWO) -> Repo:
    repo = make(text, files=FILES)
    repo.write({"mine.txt": "the user's\n", "README.md": "# Greet\ndirty\n"})
    repo.start()
    return repo


def test_an_edit_outside_before_the_step_is_named_and_put_back(make: Make) -> None:
    repo = started(make)
    before = repo.tree()
    repo.write({"README.md": "# Mine now\n", "extra.py": "x\n"})
    said = repo.refused("step begin 1")
    assert said.startswith("changed outside any step: README.md, extra.py | put back what you changed:")
    assert "`ultra step restore 1 README.md extra.py` (it is saved first)" in said
    told = repo.ok("step restore 1 README.md extra.py")
    assert told["next"] == "ultra step begin 1"
    assert repo.tree() == before
    saved = next(name for name in repo.refs() if name.startswith("rescue/"))
    assert repo.git("show", f"refs/ultra/{saved}:extra.py") == "x"
    assert "notes" not in repo.ok("step begin 1")


@pytest.mark.soak
def test_the_user_claims_an_edit_by_name(make: Make) -> None:
    repo = started(make)
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({"README.md": "# Edited meanwhile\n", "extra.py": "x\n"})
    assert "extra.py" in repo.refused("step begin 2 --mine README.md")
    assert "src/hello.py has not changed" in repo.refused(
        "step begin 2 --mine README.md src/hello.py extra.py"
    )
    answer = repo.ok("step begin 2 --mine README.md extra.py")
    assert answer["notes"] == ["claimed by the user at step 2: README.md, extra.py"]
    repo.write({"src/part2.py": "two\n"})
    assert repo.ok("step verify 2")["passed"]
    repo.ok("step commit 2")
    assert repo.ok("run finish")["result"] == "completed"
    assert "claimed by the user at step 2: README.md, extra.py" in report(repo)
    assert repo.read("README.md") == "# Edited meanwhile\n"
    assert repo.git("show", "--name-only", "--format=", "HEAD") == "src/part2.py"


@pytest.mark.parametrize("call", ["step begin 1 --mine", "step begin 1 README.md"])
def test_paths_and_the_claim_belong_together(make: Make, call: str) -> None:
    repo = started(make)
    told = repo(*call.split())
    assert told.status == 2
    assert "--mine and the paths" in told.data["error"]


@pytest.mark.soak
def test_an_edit_of_its_files_before_the_step_is_judged_with_it(make: Make) -> None:
    """The work done before begin is committed by the step, and undone with it."""
    repo = started(make, plan(step(1), step(2, ["src/hello.py"], verify="false")))
    repo.write({"src/part1.py": "early\n"})
    assert repo.ok("step begin 1")["notes"] == ["changed before step 1 began, now part of it: src/part1.py"]
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    assert repo.git("show", "--format=", "--name-status", "HEAD") == "A\tsrc/part1.py"
    before = repo.tree()
    repo.write({"src/hello.py": "early\n"})
    repo.ok("step begin 2")
    for _ in range(3):
        answer = repo.ok("step verify 2")
    assert answer["next"] == "stop"
    assert repo.tree() == before


@pytest.mark.soak
def test_a_forbidden_edit_before_the_step_is_found_in_it(make: Make) -> None:
    repo = started(make, plan(step(1, ["src"], expected_paths=["src/part1.py"], min_file_count=1,
                                   forbidden_paths=["src/hello.py"])))  # fmt: skip
    repo.write({"src/hello.py": "changed\n", "src/part1.py": "one\n"})
    repo.ok("step begin 1")
    assert repo.ok("step verify 1")["why"] == ["forbidden paths were changed: src/hello.py"]


def test_a_test_rewritten_between_the_steps_turns_nothing_green(make: Make) -> None:
    repo = started(make, plan(step(1), step(2, verify=CHECK)))
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({"tests/check.sh": "true\n"})
    assert "changed outside any step: tests/check.sh" in repo.refused("step begin 2")
    repo.ok("step restore 2")
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "wrong\n"})
    assert repo.ok("step verify 2")["next"] == "retry"


@pytest.mark.soak
def test_what_a_verify_leaves_is_no_surprise(make: Make) -> None:
    leave = "date +%N > out.txt"
    repo = started(make, plan(step(1, verify=leave), step(2, verify=leave), step(3, ["out.txt"])))
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    assert repo.ok("step verify 1")["note"] == "left uncommitted, written by Verify: out.txt"
    repo.ok("step commit 1")
    repo.write({"out.txt": "by another call of the tests\n"})
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "two\n"})
    answer = repo.ok("step verify 2")
    assert (answer["passed"], "note" in answer) == (True, False)
    repo.ok("step commit 2")
    repo.do_step(3, {"out.txt": "a file of the plan after all\n"})
    assert repo.git("show", "--format=", "--name-status", "HEAD") == "A\tout.txt"


def test_a_hook_that_rewrites_files_is_named_and_no_surprise(make: Make) -> None:
    repo = started(make)
    hook = repo.folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho formatted >> src/part1.py; git add src/part1.py; echo x > cache.txt\n")
    hook.chmod(0o755)
    note = repo.do_step(1, {"src/part1.py": "one\n"})["notes"]
    assert note == ["step 1: hooks of the commit changed what had passed: src/part1.py, cache.txt"]
    hook.unlink()
    assert "notes" not in repo.do_step(2, {"src/part2.py": "two\n"})


@pytest.mark.soak
def test_the_user_claims_an_edit_during_a_step(make: Make) -> None:
    repo = started(make)
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n", "README.md": "# Edited meanwhile\n"})
    assert "README.md" in repo.ok("step verify 1")["why"][0]
    assert repo.ok("step begin 1 --mine README.md")["notes"] == ["claimed by the user at step 1: README.md"]
    answer = repo.ok("step verify 1")
    assert (answer["passed"], answer["attempt"]) == (True, 2)
    repo.ok("step commit 1")
    assert repo.git("show", "--name-only", "--format=", "HEAD") == "src/part1.py"


@pytest.mark.soak
def test_a_claim_names_paths_and_no_pattern(make: Make) -> None:
    repo = started(make)
    repo.write({"README.md": "# Changed\n", "tests/new.sh": "x\n"})
    for name in ("*", ".", "README"):
        assert "has not changed outside step 1" in repo.refused(f"step begin 1 --mine {name}")
    repo.ok("step begin 1 --mine README.md tests")


def test_the_plan_and_its_project_may_be_committed_meanwhile(make: Make) -> None:
    repo = started(make)
    repo.write({f"{PROJECT}/notes.md": "new\n"})
    repo.git("add", PROJECT)
    repo.git("commit", "-qm", "the plan")
    (note,) = repo.ok("step begin 1")["notes"]
    assert note.startswith("HEAD moved outside the run before step 1: ")


def test_what_a_test_first_writes_is_judged_with_the_step(make: Make) -> None:
    first = "`echo one > src/part1.py; echo x > trace.txt; false`"
    repo = started(make, plan(step(1, test_first=first)))
    assert "notes" not in repo.ok("step begin 1")
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    assert repo.git("show", "--name-status", "--format=", "HEAD") == "A\tsrc/part1.py"


@pytest.mark.soak
def test_edits_between_an_abort_and_a_resume(make: Make) -> None:
    repo = started(make)
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run abort")
    repo.write({"tests/check.sh": "true\n"})
    repo.start("--mode", "resume")
    assert "changed outside any step: tests/check.sh" in repo.refused("step begin 2")
    repo.ok("step restore 2")
    repo.ok("step begin 2")
    repo.ok("run abort")
    repo.write({"src/part2.py": "two\n", "tests/check.sh": "true\n"})
    repo.start("--mode", "resume")
    repo.ok("step begin 2")
    assert "tests/check.sh" in repo.ok("step verify 2")["why"][0]


@pytest.mark.soak
def test_a_restart_makes_no_edit_the_users(make: Make) -> None:
    """What was dirty before the first start stays the user's; the edits of the aborted step do not become it."""
    repo = started(make)
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n", "tests/check.sh": "true\n"})
    repo.ok("run abort")
    assert any("asks whose they are" in one for one in repo.start("--restart")["notes"])
    assert repo.refused("step begin 1").startswith("changed outside any step: tests/check.sh |")
    repo.ok("step restore 1 tests/check.sh")
    assert repo.ok("step begin 1")["notes"] == ["changed before step 1 began, now part of it: src/part1.py"]


@pytest.mark.soak
def test_what_a_step_took_from_the_user_is_named_after_a_restart(make: Make) -> None:
    """The tree is as HEAD has it then, but it is not what the user had; a commit meanwhile concerns other files."""
    repo = started(make)
    mine = {"README.md": "# Greet\nmine\n", "notes.txt": "mine\n"}
    repo.ok("run abort")
    repo.write(mine)
    repo.start("--restart")
    repo.ok("step begin 1 --mine README.md notes.txt")
    repo.git("checkout", "-q", "README.md")
    (repo.folder / "notes.txt").unlink()
    repo.ok("run abort")
    repo.write({"new.txt": "committed\n"})
    repo.git("add", "new.txt")
    repo.git("commit", "-qm", "new")
    repo.start("--restart")
    said = repo.refused("step begin 1")
    assert said.startswith("changed outside any step: README.md, notes.txt |")
    repo.ok("step restore 1 README.md notes.txt")
    assert {path: repo.read(path) for path in mine} == mine
    assert "notes" not in repo.ok("step begin 1")


@pytest.mark.soak
def test_what_the_user_commits_before_a_restart_is_theirs(make: Make) -> None:
    repo = started(make)
    repo.ok("step begin 1")
    repo.ok("run abort")
    repo.write({"tests/check.sh": "true\n"})
    repo.git("commit", "-qm", "mine", "tests/check.sh")
    said = f"no step made the commit {repo.git('rev-parse', 'HEAD')[:12]} mine since the previous start; this run starts after it"
    assert said in repo.start("--restart")["notes"]
    assert "notes" not in repo.ok("step begin 1")
    repo.ok("run abort")
    assert "previous start" not in " ".join(repo.start("--restart")["notes"])
    repo.ok("run abort")
    repo.git("commit", "-q", "--allow-empty", "-m", "empty")
    repo.start("--restart")
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.do_step(2, {"src/part2.py": "two\n"})
    repo.ok("run finish")
    assert " empty since the previous start" in repo.read(f"{PROJECT}/logs/report.md")


@pytest.mark.soak
def test_a_run_after_a_completed_one_takes_the_tree_as_it_is(make: Make) -> None:
    repo = started(make, plan(step(1)))
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"
    repo.write({"README.md": "# Later\n"})
    repo.start("--restart")
    assert "notes" not in repo.ok("step begin 1")


@pytest.mark.soak
def test_without_the_folder_in_the_git_dir_nothing_counts_as_the_users(make: Make) -> None:
    repo = started(make, plan(step(1, verify="grep -q right src/part1.py")))
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "wrong\n"})
    repo.ok("step verify 1")
    shutil.rmtree(repo.folder / ".git/ultra")
    repo.write({"tests/check.sh": "true\n"})
    repo.start("--mode", "resume")
    said = repo.refused("step begin 1")
    assert (
        "README.md, mine.txt, tests/check.sh (what the user had changed before the run is no longer known"
        in said
    )
    assert "| ask, then `ultra step begin 1 --mine README.md mine.txt tests/check.sh`" in said
    repo.git("checkout", "-q", "tests/check.sh")
    answer = repo.ok("step begin 1 --mine README.md mine.txt")
    assert "changed before step 1 began, now part of it: src/part1.py" in answer["notes"]
    assert repo.ok("step verify 1")["attempt"] == 2
    repo.write({"src/part1.py": "right\n"})
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    assert repo.git("show", "--name-only", "--format=", "HEAD") == "src/part1.py"


@pytest.mark.soak
def test_commits_between_the_steps(make: Make) -> None:
    repo = started(make)
    repo.do_step(1, {"src/part1.py": "one\n"})
    head = repo.git("rev-parse", "HEAD")
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
    repo.write({"tests/check.sh": "true\n"})
    repo.git("commit", "-qm", "a test", "tests/check.sh")
    said = repo.refused("step begin 2")
    assert said.startswith("2 commits outside the run changed tests/check.sh | ask the user to undo them")
    assert f"`git reset --soft {head[:12]}`, then `ultra step begin 2`" in said
    repo.git("reset", "--soft", head)
    assert "changed outside any step: tests/check.sh" in repo.refused("step begin 2")
    repo.git("commit", "-qm", "a test")
    assert any(
        "HEAD moved outside the run" in one for one in repo.ok("step begin 2 --mine tests/check.sh")["notes"]
    )
    repo.write({"src/part2.py": "two\n"})
    repo.ok("step verify 2")
    repo.ok("step commit 2")
    assert repo.git("show", "--name-only", "--format=", "HEAD") == "src/part2.py"


@pytest.mark.soak
def test_a_commit_of_the_steps_own_files_cannot_be_claimed(make: Make) -> None:
    repo = started(make)
    repo.write({"src/part1.py": "one\n"})
    repo.git("add", "src/part1.py")
    repo.git("commit", "-qm", "feat: part 1")
    said = repo.refused("step begin 1")
    assert "1 commit outside the run changed src/part1.py" in said
    assert "--mine" not in said
    assert "has not changed outside step 1" in repo.refused("step begin 1 --mine src/part1.py")
    repo.git("reset", "-q", "--soft", "HEAD^")
    repo.ok("step begin 1")
    assert repo.ok("step verify 1")["passed"]


@pytest.mark.soak
@pytest.mark.parametrize("how", ["--allow-empty", "--amend"])
def test_a_head_that_moved_without_a_change_is_named(make: Make, how: str) -> None:
    repo = started(make)
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.git("commit", "-q", how, "-m", "another message")
    (note,) = repo.ok("step begin 2")["notes"]
    assert note.startswith("HEAD moved outside the run before step 2: ")


@pytest.mark.soak
def test_a_head_that_lost_a_step(make: Make) -> None:
    repo = started(make)
    repo.do_step(1, {"src/part1.py": "one\n"})
    head = repo.git("rev-parse", "HEAD")
    repo.git("reset", "-q", "--hard", "HEAD^")
    said = repo.refused("step begin 2")
    assert f"does not contain {head[:10]}, the last commit of the run" in said
    assert f"`git reset --soft {head[:12]}` keeps the files" in said
    repo.ok("run abort")
    assert "the last commit of the run" in repo.refused(f"run start {PLAN} --mode resume")
    repo.git("reset", "-q", "--hard", head)
    repo.write({"README.md": "# Greet\ndirty\n"})
    repo.start("--mode", "resume")
    repo.ok("step begin 2")


@pytest.mark.soak
def test_a_resume_names_commits_that_were_made_meanwhile(make: Make) -> None:
    repo = started(make)
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.ok("run abort")
    repo.write({"tests/check.sh": "true\n"})
    repo.git("commit", "-qm", "a test", "tests/check.sh")
    (note,) = (one for one in repo.start("--mode", "resume")["notes"] if "commits outside" in one)
    assert note.endswith("change tests/check.sh")
    assert "1 commit outside the run changed tests/check.sh" in repo.refused("step begin 1")
    repo.ok("step begin 1 --mine tests/check.sh")
    answer = repo.ok("step verify 1")
    assert (answer["passed"], answer["attempt"]) == (True, 2)
    repo.ok("step commit 1")
    assert repo.git("show", "--name-only", "--format=", "HEAD") == "src/part1.py"


@pytest.mark.soak
def test_what_changes_after_the_last_step_is_in_the_report(make: Make) -> None:
    repo = started(make, plan(step(1)))
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({"tests/check.sh": "true\n"})
    assert repo.ok("run finish")["findings"] == ["changed outside any step, not committed: tests/check.sh"]


@pytest.fixture
def ignoring(make: Make) -> Repo:
    """Return a repository with ignored files of all kinds, in which a Verify reads one and writes another."""
    verify = "echo $RANDOM > run.log; mkdir -p build; echo $RANDOM > build/out; grep -q right .env"
    repo = make(
        plan(step(1, verify=verify), step(2)),
        files={**FILES, ".gitignore": ".env\n*.log\nbuild/\nnode_modules/\nsecret/\n"},
    )
    repo.write({".env": "wrong\n", "node_modules/a/b.js": "1\n", "secret/deep/key": "1\n"})
    repo.start()
    return repo


@pytest.mark.soak
def test_an_ignored_file_that_two_attempts_change_is_named_once(ignoring: Repo) -> None:
    repo = ignoring
    repo.ok("step begin 1")
    repo.write({".env": "better\n"})
    assert repo.ok("step verify 1")["next"] == "retry"
    repo.write({"src/part1.py": "one\n", ".env": "right\n"})
    assert repo.ok("step verify 1")["note"] == "changed, but ignored by git: .env"


def test_an_ignored_file_that_a_step_changes_is_named(ignoring: Repo) -> None:
    repo = ignoring
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n", ".env": "right\n", "node_modules/a/b.js": "2\n"})
    os.unlink(repo.folder / "secret/deep/key")
    answer = repo.ok("step verify 1")
    assert answer["note"] == "changed, but ignored by git: .env, secret/deep/key"
    repo.ok("step commit 1")
    assert "notes" not in repo.do_step(2, {"src/part2.py": "two\n"})
    repo.ok("run finish")
    assert "step 1: ignored files changed, which no commit has: .env, secret/deep/key" in report(repo)


def test_an_ignored_file_that_changes_before_a_step_is_named(ignoring: Repo) -> None:
    repo = ignoring
    repo.write({".env": "right\n", "src/new/deep.log": "new\n"})
    words = "step 1: ignored files changed, which no commit has: .env, src/new/deep.log"
    assert repo.ok("step begin 1")["notes"] == [words]
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    repo.write({"secret/other": "new\n"})
    assert repo.ok("step begin 2")["notes"] == [
        "step 2: ignored files changed, which no commit has: secret/other"
    ]
    assert "note" not in repo.ok("step verify 2")


def test_an_accepted_change_of_the_plan_is_in_the_report(make: Make) -> None:
    repo = make(plan(step(1), step(2, verify="false")))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run abort")
    repo.write({PLAN: repo.read(PLAN).replace("`false`", "`true`")})
    repo.start("--mode", "resume", "--accept-plan-change")
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ok("run finish")["result"] == "completed"
    shown = "-- **Verify:** `false` / +- **Verify:** `true`"
    assert f"accepted change of the plan ({PROJECT}/logs/plan-change.diff): {shown}" in report(repo)
    diff = repo.read(f"{PROJECT}/logs/plan-change.diff")
    assert diff.startswith("--- pinned\n+++ accepted\n@@ ")
    assert "\n-- **Verify:** `false`\n+- **Verify:** `true`\n" in diff
