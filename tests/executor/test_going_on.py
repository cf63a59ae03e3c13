"""One call a step: verify, commit and begin the next step together, with every check of the single calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.executor.sample import PLAN, Repo, plan, step

Make = Callable[..., Repo]
VERIFY = "step verify {} --go-on"


def part(number: int) -> dict[str, str]:
    return {f"src/part{number}.py": f"part {number}\n"}


@pytest.fixture
def run(make: Make) -> Repo:
    """Return a repository with a plan of three steps; the second may be skipped."""
    steps = step(1, verify="test -f src/part1.py"), step(2, verify="false", on_failure="skip"), step(3)
    return make(plan(*steps))


def test_a_start_begins_the_first_step_and_tells_the_price(run: Repo) -> None:
    answer = run.ok(f"run start {PLAN} --go-on")
    assert (answer["run"], answer["steps"]) == ("started", 3)
    assert answer["begun"]["files"] == ["src/part1.py"]
    assert answer["price"].startswith("no agents, about ")
    assert answer["next"] == "edit `files`, then ultra step verify 1 --go-on"
    assert "attempts" not in answer["begun"]


@pytest.mark.soak
def test_a_step_is_one_call_and_a_line_tells_of_it(run: Repo) -> None:
    run.ok(f"run start {PLAN} --go-on")
    run.write(part(1))
    answer = run.ok(VERIFY.format(1))
    head = run.git("rev-parse", "HEAD")
    assert answer["line"] == f"Step 1/3 committed {head[:7]}: Make part 1"
    assert run.subjects()[-1] == "feat: part 1"
    assert answer["begun"]["step"] == 2
    assert run.progress()["steps"]["2"]["status"] == "in_progress"


@pytest.mark.soak
def test_a_skipped_step_is_told_and_the_next_one_begins(run: Repo) -> None:
    run.ok(f"run start {PLAN} --go-on")
    run.write(part(1))
    run.ok(VERIFY.format(1))
    run.write(part(2))
    answer = run.ok(VERIFY.format(2))
    assert answer["line"] == "Step 2/3 skipped: Make part 2"
    assert (answer["begun"]["step"], "do" in answer) == (3, False)
    assert not run.has("src/part2.py")
    run.write(part(3))
    assert run.ok(VERIFY.format(3))["next"] == "ultra run finish"
    ended = run.ok("run finish")
    assert (ended["result"], ended["steps"][1]) == ("completed", "2 Make part 2: skipped")


def test_a_failed_attempt_is_counted_and_commits_nothing(run: Repo) -> None:
    run.ok(f"run start {PLAN} --go-on")
    before = run.git("rev-parse", "HEAD")
    answers = [run.ok(VERIFY.format(1)) for _ in range(3)]
    assert [one["next"] for one in answers] == ["retry", "retry", "stop"]
    assert answers[0]["line"] == "Step 1/3 failed, attempt 1 of 3: Make part 1"
    assert answers[0]["do"].endswith("`ultra step verify 1 --go-on`")
    assert not [one for one in answers if "begun" in one]
    assert run.git("rev-parse", "HEAD") == before
    assert run.ok("run finish")["result"] == "failed"


def test_what_changed_outside_the_step_fails_it_as_before(run: Repo) -> None:
    run.ok(f"run start {PLAN} --go-on")
    run.write({**part(1), "README.md": "# Mine\n"})
    answer = run.ok(VERIFY.format(1))
    assert answer["next"] == "retry"
    assert "README.md" in answer["why"][0]


@pytest.mark.soak
def test_a_commit_that_its_hook_refuses_is_repeated_by_itself(run: Repo) -> None:
    run.ok(f"run start {PLAN} --go-on")
    run.write(part(1))
    hook = run.folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    assert "git commit failed" in run.refused(VERIFY.format(1))
    hook.unlink()
    assert run.ok("step commit 1")["next"] == "ultra step begin 2"


@pytest.mark.soak
def test_a_begin_that_is_refused_leaves_the_commit_and_says_why(make: Make) -> None:
    session = (
        "### Session 1: All\n\n- **Steps:** 1, 2\n- **Wave:** 1\n- **Depends on:** none\n- **Scope fence:**\n"
    )
    fence = "  - Touch: `src/`\n  - Never touch: `src/part2.py`\n"
    repo = make(plan(step(1), step(2), strategy=session + fence))
    repo.ok(f"run start {PLAN} --session 1 --go-on")
    repo.write(part(1))
    answer = repo.ok(VERIFY.format(1))
    assert answer["line"].startswith("Step 1/2 committed ")
    assert "must not touch" in answer["refused"]
    assert repo.subjects()[-1] == "feat: part 1"


@pytest.mark.soak
def test_the_single_calls_answer_as_before(run: Repo) -> None:
    assert run.start()["next"] == "ultra step begin 1"
    assert run.ok("step begin 1")["next"] == "edit `files`, then ultra step verify 1"
    run.write(part(1))
    verified = run.ok("step verify 1")
    assert (verified["next"], verified["do"]) == ("commit", "ultra step commit 1")
    assert run.ok("step commit 1")["next"] == "ultra step begin 2"


def test_a_resumed_run_gets_its_guide_with_the_step(run: Repo) -> None:
    run.ok(f"run start {PLAN} --go-on")
    run.end_session()
    answer = run.ok(f"run start {PLAN} --mode resume --go-on")
    assert answer["run"] == "resumed"
    assert answer["guide"].startswith("# Continue an interrupted run")
    assert answer["begun"]["again"].startswith("already begun; 0 attempts used")


@pytest.mark.soak
def test_a_start_that_begins_a_step_looks_at_the_tree_once_and_keeps_what_is_the_users(run: Repo) -> None:
    run.write({"notes.txt": "mine\n", "src/part1.py": "mine as well\n"})
    trace = run.folder.parent / "trace"
    run.env["GIT_TRACE2_EVENT"] = str(trace)
    run.ok(f"run start {PLAN} --go-on")
    assert trace.read_text().count('"name":"status"') == 1
    run.write({"stray.txt": "not of this step\n", **part(1)})
    assert run.ok(VERIFY.format(1))["why"] == ["changed outside Files and expected_paths: stray.txt"]
    (run.folder / "stray.txt").unlink()
    run.ok(VERIFY.format(1))
    assert run.git("show", "--format=", "--name-only", "HEAD").split() == ["src/part1.py"]
    assert run.read("notes.txt") == "mine\n"
