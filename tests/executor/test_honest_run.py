"""An honest run: what is on record after it, and what every call answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, PROGRESS, PROJECT, SLUG, STATE, Repo, plan, step
from tests.interpreters import interpreters, python_on_path

Make = Callable[..., Repo]


@pytest.mark.soak
def test_three_steps_end_completed_with_three_commits(make: Make) -> None:
    repo = make(
        plan(
            step(1),
            step(2, verify="`echo fine` -> expected: `fine`"),
            step(3),
            verification="test -f src/part3.py",
        )
    )
    start = repo.git("rev-parse", "HEAD")
    assert repo.start() == {
        "ok": True, "run": "started", "mode": "execute", "strategy": "single", "steps": 3, "first": 1,
        "next": "ultra step begin 1",
    }  # fmt: skip
    assert repo.ok("step begin 1") == {
        "ok": True, "step": 1, "title": "Make part 1", "files": ["src/part1.py"], "changes": "Write part 1.",
        "verify": "true", "attempts": 3,
        "next": "edit `files`, then ultra step verify 1",
    }  # fmt: skip
    repo.write({"src/part1.py": "one\n"})
    assert repo.ok("step verify 1") == {
        "ok": True, "step": 1, "passed": True, "attempt": 1, "next": "commit", "do": "ultra step commit 1",
    }  # fmt: skip
    committed = repo.ok("step commit 1")
    assert (committed["next"], len(committed["commit"])) == ("ultra step begin 2", 10)
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.do_step(3, {"src/part3.py": "three\n"})["next"] == "ultra run finish"
    answer = repo.ok("run finish")
    assert answer["result"] == "completed"
    assert answer["ultraexecute_summary"] == {
        "plan": PLAN, "plan_type": "plan", "plan_version": "1.7", "result": "completed", "steps_total": 3,
        "steps_passed": 3, "steps_failed": 0, "steps_skipped": 0, "steps_not_reached": 0, "steps_blocked": 0,
        "failed_at_step": None, "exit_condition": "pass", "proof": "clean checkout",
        "manifest_audit": "pass", "drift_details": [],
        "recovery_dispatched": False, "recovery_depth": 0, "legacy_plan": False, "progress_file": PROGRESS,
    }  # fmt: skip
    assert repo.subjects() == ["first", "feat: part 1", "feat: part 2", "feat: part 3"]
    commits = repo.git("log", "--format=%H", "--reverse").split()
    facts = {name.rpartition("/")[2]: value for name, value in repo.refs().items()}
    assert (facts["start"], facts["end"]) == (start, commits[-1])
    assert [facts[f"step-{number}"] for number in (1, 2, 3)] == commits[1:]
    assert [facts[f"begin-{number}"] for number in (1, 2, 3)] == commits[:-1]
    progress = repo.progress()
    assert (progress["session_start_sha"], progress["session_end_sha"]) == (start, commits[-1])
    steps = progress["steps"]
    assert [steps[number]["commit"] for number in "123"] == commits[1:]
    assert [steps[number]["start_commit"] for number in "123"] == commits[:-1]
    for kind, path in (("progress", PROGRESS), ("session-state", STATE)):
        assert repo.ultra(f"validate {kind} {path}")["valid"]
    assert json.loads(repo.read(STATE))["next_session_label"] == "Complete"
    assert "| 3 | Make part 3 | pass | 1 |" in repo.read(f"{PROJECT}/logs/report.md")
    assert not repo.has(".git/ultra/run.json")
    assert not repo.has(f".git/ultra/{SLUG}")


@pytest.mark.soak
def test_the_answers_of_an_honest_run_are_no_longer_than_those_of_the_last_release(make: Make) -> None:
    repo = make(plan(step(1), step(2), step(3), verification="true"))
    repo.start()
    for number in (1, 2, 3):
        repo.do_step(number, {f"src/part{number}.py": f"{number}\n"})
    assert repo.ok("run finish")["result"] == "completed"
    answers = [text for words, text in repo.answers if words[0] in ("run", "step")]
    assert len(answers) == 11
    assert sum(map(len, answers)) <= 1892, answers  # the characters of release 0.1.0


@pytest.mark.soak
def test_words_for_a_person(make: Make) -> None:
    repo = make(plan(step(1)))
    assert "Started" in repo.say("run", "start", PLAN).out
    begun = repo.say("step", "begin", "1").out
    assert "Files: src/part1.py" in begun
    assert "\nVerify: " in begun
    assert "\nNext: edit these files, then ultra step verify 1\n" in begun
    refused = repo.say("step", "commit", "1")
    assert (refused.status, refused.out) == (1, "")
    assert "has not passed" in refused.err
    assert "Step 1 fails, attempt 1 of 3" in repo.say("step", "verify", "1").out
    repo.write({"src/part1.py": "one\n"})
    assert repo.say("step", "verify", "1").out == "Step 1 passes.\nNext: ultra step commit 1\n"
    assert "Step 1 is committed as" in repo.say("step", "commit", "1").out
    assert "Execution completed: 1 of 1 steps" in repo.say("run", "finish").out


def test_unknown_fields_survive(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    values = repo.progress()
    values["from_another_tool"] = {"kept": [1, "two"]}
    values["steps"]["1"]["mark"] = "kept"
    repo.write({PROGRESS: json.dumps(values)})
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run finish")
    assert repo.progress()["from_another_tool"] == {"kept": [1, "two"]}
    assert repo.progress()["steps"]["1"]["mark"] == "kept"


@pytest.mark.soak
def test_from_any_subfolder_and_with_the_run_named(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1", cwd=repo.folder / "src")
    repo.ok(f"step begin 1 --project {PROJECT}")
    repo.ok(f"step begin 1 --plan {PLAN}")
    repo.write({"src/other.md": plan(step(1))})
    assert "the run in progress here is of" in repo.refused("step begin 1 --plan src/other.md")


@pytest.mark.soak
def test_with_the_oldest_interpreter(tmp_path: Path, bundle: Path) -> None:
    (tmp_path / "python").mkdir()
    repo = Repo(tmp_path / "repo", bundle, python_on_path(interpreters()[0], tmp_path / "python"))
    repo.create(plan(step(1), step(2, verify="false")))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "two\n"})
    assert [repo.ok("step verify 2")["next"] for _ in range(3)] == ["retry", "retry", "stop"]
    assert repo.ok("run finish")["result"] == "failed"
    assert not repo.has("src/part2.py")
