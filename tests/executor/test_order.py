"""Calls out of order are refused, with what to do instead; nothing changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.executor.sample import PLAN, PROJECT, Repo, plan, step
from tests.executor.test_modes import TWO_SESSIONS

Make = Callable[..., Repo]


def test_without_a_run(make: Make) -> None:
    repo = make(plan(step(1)))
    for call in ("step begin 1", "step verify 1", "step commit 1", "run note x", "run finish", "run abort"):
        assert "no run is in progress" in repo.refused(call)


@pytest.mark.soak
def test_every_call_out_of_turn(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    before = repo.progress()
    assert "step 1 has not begun | begin it: `ultra step begin 1`" in repo.refused("step verify 1")
    assert "step 1 has not begun" in repo.refused("step commit 1")
    assert "step 2 is out of turn: step 1 is next" in repo.refused("step begin 2")
    assert "step 1 is not done | continue with `ultra step begin 1`" in repo.refused("run finish")
    assert "this run has no step 9" in repo.refused("step begin 9")
    assert repo.progress() == before
    repo.ok("step begin 1")
    assert "step 1 has not passed | verify it first" in repo.refused("step commit 1")
    assert "step 1 is in progress" in repo.refused("step begin 2")
    assert "step 1 is in progress" in repo.refused("run finish")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    assert "step 1 has passed | commit it" in repo.refused("step verify 1")
    assert "step 1 has passed but is not committed" in repo.refused("run finish")
    repo.ok("step commit 1")
    assert "step 1 is completed" in repo.refused("step begin 1")
    assert "step 1 is completed" in repo.refused("step commit 1")
    repo.do_step(2, {"src/part2.py": "two\n"})
    repo.ok("run finish")
    assert "no run is in progress" in repo.refused("run finish")
    assert repo.subjects() == ["first", "feat: part 1", "feat: part 2"]


@pytest.mark.soak
@pytest.mark.parametrize(("begin", "end", "what"), [
    ("merge --no-commit other", "merge --abort", "a merge"),
    ("cherry-pick other", "cherry-pick --abort", "a cherry-pick"),
    ("revert --no-commit HEAD", "revert --abort", "a revert"),
    ("bisect start", "bisect reset", "a bisection"),
])  # fmt: skip
def test_no_step_goes_on_while_git_is_in_the_middle_of_something(
    make: Make, begin: str, end: str, what: str
) -> None:
    """A commit would end the merge of the user, without what it has brought into the tree."""
    repo = make(plan(step(1)))
    for branch, text in (("other", "other\n"), ("main", "mine\n")):
        repo.git("checkout", "-q", "-B", branch)
        repo.write({"README.md": text})
        repo.git("commit", "-qam", branch)
        repo.git("checkout", "-q", "-B", "main", "HEAD^" if branch == "other" else "HEAD")
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.git(*begin.split(), check=False)
    before = repo.tree(), repo.git("status", "--porcelain=v2"), repo.progress()
    for call in ("step begin 1", "step verify 1", "step restore 1", "step commit 1", "step rescue 1"):
        assert repo.refused(call).startswith(
            f"{what} is in progress in this repository | ask the user to finish"
        ), call
    assert (repo.tree(), repo.git("status", "--porcelain=v2"), repo.progress()) == before
    repo.git(*end.split())
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")


@pytest.mark.soak
def test_a_start_over_a_run_says_how_to_go_on(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    said = repo.refused(f"run start {PLAN}")
    assert "unfinished" in said
    assert "--mode resume" in said
    assert "--restart" in said
    resumed = repo.start("--mode", "resume")
    assert (resumed["run"], resumed["done"], resumed["first"]) == ("resumed", 1, 2)
    repo.do_step(2, {"src/part2.py": "two\n"})
    repo.ok("run finish")
    assert "completed" in repo.refused(f"run start {PLAN}")
    assert "PROGRESS_ALREADY_DONE" in repo.refused(f"run start {PLAN} --mode resume")


@pytest.mark.soak
def test_restart_begins_again_and_keeps_the_commits(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.start("--restart")["first"] == 1
    assert repo.progress()["steps"]["1"] == {"status": "pending", "attempts": 0}
    assert repo.subjects() == ["first", "feat: part 1"]


def test_resume_without_progress_starts_at_the_first_step_and_says_so(make: Make) -> None:
    answer = make(plan(step(1))).start("--mode", "resume")
    assert (answer["run"], answer["first"]) == ("started", 1)
    assert "no progress to resume" in answer["notes"][0]


@pytest.mark.parametrize(
    "call",
    ["step begin x", "step begin 01", "step verify 1 --timeout 0", "step verify 1 --timeout soon",
     f"run start {PLAN} --mode step", f"run start {PLAN} --mode resume --restart", f"run start {PLAN} --step x"],
)  # fmt: skip
def test_wrong_words(make: Make, call: str) -> None:
    told = make(plan(step(1)))(*call.split())
    assert (told.status, told.data["ok"]) == (2, False)


@pytest.mark.parametrize(
    "words",
    ["--step 1 --session 1", "--mode resume --step 1", "--mode fg --step 1", "--mode fg --session 1",
     "--mode session --session 1 --step 1"],
)  # fmt: skip
def test_two_modes_at_once_are_wrong_usage(make: Make, words: str) -> None:
    told = make(plan(step(1)))("run", "start", PLAN, *words.split())
    assert (told.status, "cannot be used together" in told.data["error"]) == (2, True)
    assert told.data["next"].startswith("usage: ultra run start PATH")


@pytest.mark.soak
def test_the_plan_of_a_live_run_is_not_put(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    before = repo.read(PLAN)
    (repo.folder.parent / "text.md").write_text(before)
    (repo.folder.parent / "step.md").write_text(step(2, message="feat: part 2 again"))
    for words in ("--from ../text.md", "--step 2 --from ../step.md"):
        said = repo.refused(f"put plan --project {PROJECT} {words}")
        assert f"{PLAN} is in use by the run in progress" in said
        assert "`ultra run abort`" in said
    assert repo.read(PLAN) == before
    repo.ok(f"put plan --project {PROJECT} --draft --from ../text.md")
    repo.ok("run abort")
    repo.ok(f"put plan --project {PROJECT} --draft --step 2 --from ../step.md")


def test_neither_the_spec_of_a_live_session_nor_its_plan_is_put(make: Make) -> None:
    repo = make(TWO_SESSIONS)
    repo.ok(f"sessions write {PLAN}")
    repo.start("--session", "1")
    spec = f"{PROJECT}/sessions/session-1.md"
    assert "is in use by the run in progress" in repo.refused(
        f"put session-spec --project {PROJECT} --session 1 --from {spec}"
    )
    assert "is in use by the run in progress" in repo.refused(f"put plan --project {PROJECT} --from {PLAN}")
    assert "is in use by the run in progress" in repo.refused(f"sessions write {PLAN}")
    second = f"{PROJECT}/sessions/session-2.md"
    repo.ok(f"put session-spec --project {PROJECT} --session 2 --from {second}")
