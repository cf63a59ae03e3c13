"""Work done beside the protocol is refused or found, and named; a claim alone completes nothing."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable

import pytest

from tests.executor.sample import PLAN, PROGRESS, PROJECT, SLUG, Repo, Stand, plan, step

Make = Callable[..., Repo]

TWO = plan(step(1), step(2))


def do_both(repo: Repo) -> None:
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.do_step(2, {"src/part2.py": "two\n"})


@pytest.fixture
def done(stand: Stand) -> Repo:
    """Return a repository in which both steps are done and the run is not finished."""
    return stand(do_both, TWO)


def drifts(repo: Repo) -> list[tuple[str, int | None]]:
    answer = repo.ultra(f"audit {PLAN}")
    assert (answer["status"] == "drift") == bool(answer["drift_details"])
    assert all(set(one) == {"check", "expected", "actual", "step"} for one in answer["drift_details"])
    return [(one["check"], one["step"]) for one in answer["drift_details"]]


@pytest.mark.soak
def test_a_model_that_commits_by_itself(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.git("add", "src/part1.py")
    repo.git("commit", "-qm", "feat: part 1")
    answer = repo.ok("step verify 1")
    assert "commits were made outside the run" in answer["why"][0]
    reset = answer["why"][0].split("`")[1]
    assert reset.startswith("git reset --soft ")
    repo.git(*reset.split()[1:])
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert repo.subjects() == ["first", "feat: part 1", "feat: part 2"]
    assert "commits were made outside the run" in repo.read(f"{PROJECT}/logs/report.md")


@pytest.mark.soak
def test_a_commit_between_verify_and_commit(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.git("commit", "-q", "--allow-empty", "-m", "in between")
    assert "commits were made outside the run" in repo.refused("step commit 1")


@pytest.mark.soak
def test_a_stray_commit_turns_completed_into_partial(done: Repo) -> None:
    repo = done
    repo.write({"sneaked.txt": "in\n"})
    repo.git("add", "sneaked.txt")
    repo.git("commit", "-qm", "chore: nothing to see")
    repo.git("update-ref", f"refs/ultra/run/{SLUG}/end", "HEAD^")
    answer = repo.ok("run finish")
    assert answer["result"] == "partial"
    assert answer["ultraexecute_summary"]["manifest_audit"] == "drift"
    assert drifts(repo) == [("scope", None)]
    audited = repo.progress()["manifest_audit"]
    assert audited["status"] == "drift"
    assert {"check", "expected", "actual"} <= set(audited["drift_details"][0])


@pytest.mark.soak
def test_merges_are_no_strays(make: Make) -> None:
    repo = make(TWO)
    repo.git("branch", "upstream")
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.git("checkout", "-q", "upstream")
    repo.git("commit", "-q", "--allow-empty", "-m", "theirs")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "upstream")
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ok("run finish")["result"] == "completed"


@pytest.mark.soak
def test_an_amended_commit_is_judged_by_what_it_contains(done: Repo) -> None:
    repo = done
    repo.git("commit", "-q", "--amend", "-m", "feat: part 2, but nicer")
    assert repo.ok("run finish")["result"] == "completed"
    assert "no step made the commit" in repo.read(f"{PROJECT}/logs/report.md")
    repo.git("checkout", "-q", "HEAD^")
    assert drifts(repo) == [("history", None)]


@pytest.mark.soak
def test_an_amended_commit_with_more_in_it_is_found(done: Repo) -> None:
    repo = done
    repo.write({"sneaked.txt": "in\n"})
    repo.git("add", "sneaked.txt")
    repo.git("commit", "-q", "--amend", "--no-edit")
    assert repo.ok("run finish")["result"] == "partial"
    assert drifts(repo) == [("scope", None)]


def test_a_switched_branch_is_refused(make: Make) -> None:
    repo = make(TWO)
    repo.git("branch", "old")
    repo.write({"README.md": "newer\n"})
    repo.git("commit", "-qam", "newer")
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.git("checkout", "-q", "old")
    assert "a branch was switched, or history was rewritten" in repo.refused("step verify 1")
    repo.git("checkout", "-q", "--orphan", "none")
    assert "HEAD (without a commit) does not contain" in repo.refused("step verify 1")
    repo.git("checkout", "-q", "-f", "-b", "other", "main")
    repo.write({"src/part1.py": "one\n"})
    assert repo.ok("step verify 1")["passed"]
    told = "step 1 was committed on the branch other, but the run was started on the branch main"
    assert repo.ok("step commit 1")["notes"] == [told], "the same commit under another name is named"
    repo.git("checkout", "-q", "--orphan", "none")
    repo.ok("run abort")
    said = repo.refused(f"run start {PLAN} --mode resume")
    assert said == "the branch none has no commit yet | ask the user to switch to a branch that has one"


@pytest.mark.soak
def test_progress_edited_to_completed(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    values = repo.progress()
    for number in "12":
        values["steps"][number] = {"status": "completed", "attempts": 1, "commit": repo.git("rev-parse", "HEAD"),
                                   "start_commit": repo.git("rev-parse", "HEAD")}  # fmt: skip
    values["status"] = "completed"
    repo.write({PROGRESS: json.dumps(values)})
    assert "step 1 is not done" in repo.refused("run finish")
    assert repo.progress()["steps"]["1"]["status"] == "pending"
    repo.do_step(1, {"src/part1.py": "one\n"})
    values = repo.progress()
    values["steps"]["2"]["status"] = "skipped"
    repo.write({PROGRESS: json.dumps(values)})
    assert "step 2 is not done" in repo.refused("run finish")
    repo.do_step(2, {"src/part2.py": "two\n"})
    repo.ok("run finish")
    assert "said that step 1 is completed, but git has no record of that" in repo.read(
        f"{PROJECT}/logs/report.md"
    )


@pytest.mark.soak
def test_attempts_cannot_be_taken_back(make: Make) -> None:
    repo = make(plan(step(1, verify="false")))
    repo.start()
    repo.ok("step begin 1")
    for attempt in (1, 2, 3):
        assert repo.ok("step verify 1")["attempt"] == attempt
        values = repo.progress()
        values["steps"]["1"]["attempts"] = 0
        if attempt < 3:
            repo.write({PROGRESS: json.dumps(values)})
            repo.start("--mode", "resume")
            repo.ok("step begin 1")
    assert repo.progress()["status"] == "failed"


@pytest.mark.soak
@pytest.mark.parametrize("damage", ["gone", "broken"])
def test_the_progress_file_is_deleted_or_broken_under_way(make: Make, damage: str) -> None:
    repo = make(TWO)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    if damage == "gone":
        os.unlink(repo.folder / PROGRESS)
    else:
        repo.write({PROGRESS: "{"})
    repo.write({"src/part2.py": "two\n"})
    assert repo.ok("step verify 2")["passed"]
    repo.ok("step commit 2")
    assert repo.ok("run finish")["result"] == "completed"
    assert "rebuilt from git" in repo.read(f"{PROJECT}/logs/report.md")
    assert repo.ultra(f"validate progress {PROGRESS}")["errors"] == []


def test_the_audit_says_the_same_later_and_without_the_progress_file(done: Repo) -> None:
    repo = done
    repo.write({"x": "x"})
    repo.git("add", "x")
    repo.git("commit", "-qm", "stray")
    repo.ok("run finish")
    first = repo.ultra(f"audit {PLAN}")
    os.unlink(repo.folder / PROGRESS)
    assert repo.ultra(f"audit {PLAN}") == first
    repo.git("commit", "-q", "--allow-empty", "-m", "a day later")
    assert repo.ultra(f"audit {PLAN}") == first


def test_the_audit_without_refs_reads_the_list_of_the_runtime_and_never_the_progress_file(done: Repo) -> None:
    repo = done
    repo.ok("run finish")
    with_refs = repo.ultra(f"audit {PLAN}")
    for name in repo.refs():
        repo.git("update-ref", "-d", f"refs/ultra/{name}")
    without = repo.ultra(f"audit {PLAN}")
    assert all("was not written by the runtime" in note for note in without.pop("notes", []))
    assert without == with_refs
    shutil.rmtree(repo.folder / ".git/ultra")
    assert drifts(repo) == [("run", None)]


@pytest.mark.soak
def test_expected_paths_that_are_gone(done: Repo) -> None:
    repo = done
    repo.git("rm", "-q", "src/part1.py")
    repo.git("commit", "-qm", "feat: part 3")
    answer = repo.ok("run finish")
    assert answer["result"] == "partial"
    assert answer["ultraexecute_summary"]["drift_details"][0]["actual"] == "it is not in the commit"
    assert drifts(repo) == [("expected_paths", 1)]


@pytest.mark.soak
def test_a_hook_that_sneaks_a_forbidden_path_and_a_broken_script_into_the_commit(make: Make) -> None:
    repo = make(plan(step(1, forbidden_paths=["README.md"])))
    hook = repo.folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho x > README.md; echo 'if then' > src/x.sh; git add README.md src/x.sh\n")
    hook.chmod(0o755)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "partial"
    assert drifts(repo) == [("forbidden_paths", 1), ("scope", None), ("bash_syntax_check", None)]


@pytest.mark.soak
def test_a_plan_that_is_weakened_after_the_run(done: Repo) -> None:
    repo = done
    repo.ok("run finish")
    repo.write({PLAN: TWO.replace('"src/part1.py"', '"src/part9.py"')})
    assert drifts(repo) == [("plan", None)]


def test_a_run_that_never_was(make: Make) -> None:
    assert drifts(make(TWO)) == [("run", None)]


def test_the_pinned_plan(make: Make) -> None:
    repo = make(plan(step(1), step(2, verify="false"), verification="true"))
    pinned = repo.read(PLAN)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    weaker = pinned.replace("`false`", "`true`")
    repo.write({PLAN: weaker})
    for call in ("step begin 2", "step verify 2", "step commit 2", "run finish"):
        said = repo.refused(call)
        assert "was edited during the run" in said
        assert "--accept-plan-change" in said
    assert repo.git("show", f"refs/ultra/run/{SLUG}/plan") + "\n" == pinned
    assert "was edited since the run started" in repo.refused(f"run start {PLAN} --mode resume")
    repo.write({PLAN: pinned.replace("Write part 1", "Write nothing")})
    assert "the edit changes step 1, which is over" in repo.refused(
        f"run start {PLAN} --mode resume --accept-plan-change"
    )
    repo.write({PLAN: weaker.replace("- `true`\n", "- `echo`\n")})
    assert "more of the plan" in repo.refused(f"run start {PLAN} --mode resume --accept-plan-change")
    repo.write({PLAN: weaker})
    answer = repo.start("--mode", "resume", "--accept-plan-change")
    assert "the change was accepted" in answer["notes"][0]
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ok("run finish")["result"] == "completed"


@pytest.mark.soak
def test_a_step_can_be_added_under_way(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run abort")
    repo.write({PLAN: plan(step(1), step(2), step(3))})
    assert repo.start("--mode", "resume", "--accept-plan-change")["steps"] == 3
    repo.do_step(2, {"src/part2.py": "two\n"})
    repo.do_step(3, {"src/part3.py": "three\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert repo.ultra(f"validate progress {PROGRESS}")["warnings"] == []


def test_a_project_folder_copied_from_another_repository(done: Repo, tmp_path: object) -> None:
    repo = done
    other = Repo(repo.folder.parent / "other", repo.bundle, repo.folder)
    other.env = {**repo.env}
    other.create("x", files={"OTHER.md": "another history\n"})
    shutil.rmtree(other.folder / PROJECT)
    shutil.copytree(repo.folder / PROJECT, other.folder / PROJECT)
    answer = other.start("--mode", "resume")
    assert (answer["run"], answer["first"]) == ("started", 1)
    assert "is ignored: git has no record of the run" in answer["notes"][0]
    assert other.has(f"{PROJECT}/logs/run-1/progress.json")
