"""`ultra plan task` and `ultra gate plan --task`: what a small task is, and what code refuses without any critic."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.executor.sample import plan, step
from tests.kit.calls import Ultra
from tests.kit.files import write_tree
from tests.kit.names import COMMANDS

TASK = 'Say "which" file cannot be read: its name'
MOST = 400


@pytest.fixture
def project(ultra: Ultra, repo: Path) -> str:
    """Return the project of a small task."""
    write_tree(repo, {"src/part1.py": "1\n", "README.md": "# Parts\n"})
    return str(ultra("plan", "task", "name-the-file", given=TASK).data["project"])


def put(ultra: Ultra, project: str, text: str) -> list[dict[str, object]]:
    errors: list[dict[str, object]] = ultra("put", "plan", "--project", project, "--draft", given=text).data[
        "errors"
    ]
    return errors


def gate(ultra: Ultra, project: str, *more: str) -> dict[str, object]:
    return ultra("gate", "plan", "--project", project, "--task", *more).data


def test_a_sentence_gets_a_project_and_its_guide(ultra: Ultra, repo: Path, project: str) -> None:
    assert project.endswith("-name-the-file")
    said = ultra("status", "--project", project).data
    assert (said["stage"], said["reason"]) == ("plan", "the small task has no plan yet")
    assert shlex.split(said["next"]) == [COMMANDS["plan"], "--task", TASK]
    again = ultra("plan", "task", "name-the-file", given=TASK)
    assert (again.status, "exists and is not empty" in again.data["error"]) == (1, True)
    other = ultra("plan", "task", "other", given=TASK).data
    assert other["guide"].startswith("# A small task")
    assert other["next"] == "follow `guide`"
    assert other["price"].startswith("no agents, about ")


def test_more_than_a_sentence_is_too_large(ultra: Ultra, repo: Path) -> None:
    assert ultra("plan", "task", "short", given="x" * MOST).status == 0
    told = ultra("plan", "task", "long", given="x" * (MOST + 1))
    assert (told.status, told.data["error"]) == (
        1,
        f"the task is too large for a small task: {MOST + 1} characters; at most {MOST}",
    )
    assert COMMANDS["brief"] in told.data["next"]
    assert not list(repo.glob(".claude/projects/*-long"))


def test_a_secret_in_the_task_is_refused(ultra: Ultra, repo: Path) -> None:
    told = ultra("plan", "task", "secret", given="use AKIA" + "ABCDEFGHIJKLMNOP")
    assert (told.status, "looks like a secret" in told.data["error"]) == (1, True)


def test_code_alone_lets_the_plan_through(ultra: Ultra, repo: Path, project: str) -> None:
    assert put(ultra, project, plan(step(1), verification="true")) == []
    passed = gate(ultra, project, "--data", str(repo / "data"))
    assert passed["passed"] is True
    assert passed["steps"] == ["1. Make part 1 (1 file: src/part1.py); Verify: true"]
    assert passed["run"] == f"{COMMANDS['execute']} --project {project}"
    text = (repo / str(passed["path"])).read_text()
    assert "task: " + json.dumps(TASK) in text
    assert "without a brief and without critics" in text
    assert ultra("validate", "plan", str(passed["path"]), "--strict").data["valid"] is True
    (line,) = (repo / "data/ultraplan-stats.jsonl").read_text().splitlines()
    assert (json.loads(line)["source"], json.loads(line)["steps"]) == ("task", 1)


def test_an_amended_plan_needs_no_critics_either(ultra: Ultra, repo: Path, project: str) -> None:
    put(ultra, project, plan(step(1), verification="true"))
    gate(ultra, project)
    told = ultra("plan", "amend", "--project", project).data
    assert told["guide"].startswith("# A small task")
    assert "critics" not in told["next"]
    assert gate(ultra, project)["passed"] is True


@pytest.mark.parametrize(("steps", "passes"), [(3, True), (4, False)])
def test_it_says_when_a_plan_is_too_large(
    ultra: Ultra, repo: Path, project: str, steps: int, passes: bool
) -> None:
    put(ultra, project, plan(*(step(number) for number in range(1, steps + 1))))
    told = gate(ultra, project)
    assert told["passed"] is passes
    if not passes:
        assert told["too_large"] == "the plan has 4 steps; a small task has at most 3"
        assert COMMANDS["brief"] in str(told["next"])
        assert not (repo / project / "plan.md").exists()


def test_what_a_critic_would_find_code_finds(ultra: Ultra, repo: Path, project: str) -> None:
    put(ultra, project, plan(step(1, verify="rm -rf build")))
    told = gate(ultra, project)
    assert told["passed"] is False
    assert "the command policy blocks Step 1, Verify" in json.dumps(told["errors"]), told
    assert not (repo / project / "plan.md").exists()


def test_a_refused_plan_names_calls_that_work(ultra: Ultra, repo: Path, project: str) -> None:
    put(ultra, project, plan(step(1, verify="")))
    told = gate(ultra, project)
    assert f"`ultra put plan --project {project} --draft --step N`" in str(told["next"])
    while not told["exhausted"]:
        told = gate(ultra, project)
    again = f"{COMMANDS['plan']} --task {shlex.quote(TASK)}"
    assert f"`{again}` tries again" in str(told["next"]), "without a brief --project is refused"
    assert ultra("status", "--project", project).data["next"] == again


def test_a_draft_says_its_warnings_in_words(ultra: Ultra, project: str) -> None:
    text = plan(step(1)).replace("- **Verify:** `", "- **Verify:** ", 1)
    told = ultra.say("put", "plan", "--project", project, "--draft", given=text)
    assert ": PLAN_MISSING_VERIFY: " in told.out


def test_a_project_with_a_brief_needs_its_critics(ultra: Ultra, repo: Path, project: str) -> None:
    put(ultra, project, plan(step(1)))
    write_tree(repo, {f"{project}/brief.md": "# Brief\n"})
    told = ultra("gate", "plan", "--project", project, "--task")
    assert (told.status, "is not a small task" in told.data["error"]) == (1, True)


def test_a_project_that_did_not_begin_as_one_is_no_small_task(ultra: Ultra, repo: Path) -> None:
    project = ultra("project", "new", "whole").data["path"]
    put(ultra, project, plan(step(1)))
    told = ultra("gate", "plan", "--project", project, "--task")
    assert (told.status, "is not a small task" in told.data["error"]) == (1, True)


def test_the_number_of_files_may_be_left_out(ultra: Ultra, repo: Path, project: str) -> None:
    text = plan(step(1, ["src/part1.py", "src/new.py"])).replace("    min_file_count: 2\n", "")
    assert "min_file_count" not in text
    assert put(ultra, project, text) == []
    draft = (repo / project / "plan.md.draft").read_text()
    assert '    min_file_count: 2\n    expected_paths: ["src/part1.py", "src/new.py"]\n' in draft
    kept = text.replace("    expected_paths", "    min_file_count: 1\n    expected_paths")
    assert put(ultra, project, kept) == []
    assert (repo / project / "plan.md.draft").read_text() == kept
