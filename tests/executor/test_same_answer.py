"""An audit is a function of the repository: what is not in it changes nothing, and what is in it is found."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.executor.sample import PLAN, PROGRESS, PROJECT, SLUG, STATE, Repo, plan, step
from tests.kit.table import each
from ultra_runtime.files.git import find_git
from ultra_runtime.proof.drift import Drift
from ultra_runtime.run.life.audit import _is_over, audit, open_case
from ultra_runtime.run.state.run_place import RunPlace

Act = Callable[[Repo], object]
STEPS = (
    step(1, verify="grep -qs one src/part1.py", must_contain=[{"path": "src/part1.py", "pattern": "^one$"}]),
    step(2, verify="true", forbidden_paths=["secret/"]),
    step(3, verify="false", on_failure="skip"),
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, bundle: Path, python: Path) -> Repo:
    """Return a repository with a completed run."""
    repo = Repo(tmp_path_factory.mktemp("audit") / "repo", bundle, python).create(plan(*STEPS))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.do_step(2, {"src/part2.py": "two\n"})
    repo.ok("step begin 3")
    assert repo.ok("step verify 3")["next"] == "skip"
    assert repo.ok("run finish")["result"] == "completed"
    return repo


def commit(files: dict[str, str], *words: str) -> Act:
    """Return an act that commits files by hand."""

    def act(repo: Repo) -> None:
        repo.write(files)
        repo.git("add", "--force", *files)
        repo.git("commit", "--quiet", *(words or ("--message=by hand",)))

    return act


def remove(*names: str) -> Act:
    """Return an act that removes files and folders."""

    def act(repo: Repo) -> None:
        for name in names:
            path = repo.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return act


def do(*commands: str) -> Act:
    """Return an act of git."""
    return lambda repo: [repo.git(*command.split()) for command in commands]


def forge(repo: Repo) -> None:
    values = repo.progress()
    values["status"] = "failed"
    values["steps"]["1"] = {"status": "failed", "attempts": 3}
    values["manifest_audit"] = {"status": "drift", "drift_details": [{"check": "made up"}]}
    repo.write({PROGRESS: str(values).replace("'", '"').replace("True", "true").replace("False", "false")})


def lose(repo: Repo, name: str) -> None:
    """Remove the object of a commit of the run."""
    commit = repo.git("rev-parse", f"refs/ultra/run/{SLUG}/{name}")
    repo.git("checkout", "--quiet", "--orphan", "elsewhere")
    repo.git("commit", "--quiet", "--message=elsewhere")
    (repo.folder / ".git/objects" / commit[:2] / commit[2:]).unlink()


# What is not what the run did.
SAME: dict[str, Act] = {
    "nothing": lambda repo: None,
    "no progress file": remove(PROGRESS, STATE, f"{PROJECT}/logs"),
    "a forged progress file": forge,
    "packed refs and objects": do("pack-refs --all", "gc -q --prune=now"),
    "a later commit elsewhere": commit({"later.txt": "later\n"}),
    "a later commit in the files of a step": commit({"src/part1.py": "other\n"}),
    "uncommitted work": lambda repo: repo.write({"src/part1.py": "half\n", "secret/x": "x\n"}),
    "settings of the user": do(
        "config diff.renames copies", "config diff.noprefix true", "config core.quotePath off"
    ),
    "a branch on top": do("checkout -q -b more"),
    "refs written by hand": do(f"update-ref refs/ultra/run/{PROJECT.rpartition('/')[2]}/skip-9 HEAD"),
}
# What is: the check that finds it, and the step.
FOUND: dict[str, tuple[Act, tuple[str, int | None]]] = {
    "another branch": (do("checkout -q -b other HEAD~2"), ("history", None)),
    "commits taken back": (do("reset -q --hard HEAD~1"), ("history", None)),
    "a rewritten history": (do("commit -q --amend --message=other"), ("history", None)),
    "line ends of another kind": (do("config core.autocrlf true"), ("conversion", None)),
    "an edited plan": (lambda repo: repo.write({PLAN: repo.read(PLAN).replace("^one$", "^other$")}), ("plan", None)),
    "a start that is gone": (lambda repo: lose(repo, "start"), ("history", None)),
    "an end that is gone": (lambda repo: lose(repo, "end"), ("history", None)),
}  # fmt: skip


@pytest.fixture
def copy(finished: Repo, tmp_path: Path) -> Callable[[], Repo]:
    """Return a function that copies the repository to another place."""
    count = iter(range(99))

    def copy_of() -> Repo:
        folder = tmp_path / str(next(count)) / "another place"
        shutil.copytree(finished.folder, folder, symlinks=True)
        repo = Repo(folder, finished.bundle, Path(finished.env["PATH"].split(os.pathsep)[0]))
        repo.env["CLAUDE_CODE_SESSION_ID"] = "session-later"
        return repo

    return copy_of


def verdict(repo: Repo, **options: Any) -> dict[str, Any]:
    """Return what the audit says of the run; what comes next is about the project."""
    answer = repo.ultra(f"audit {PLAN}", **options)
    return {
        name: answer.get(name) for name in ("status", "completed_steps", "drift_details", "source", "proof")
    }


def test_what_is_no_part_of_the_run_changes_no_answer(finished: Repo, copy: Callable[[], Repo]) -> None:
    told = verdict(finished)
    assert (told["status"], told["completed_steps"], told["drift_details"]) == ("pass", [1, 2], [])
    assert told["proof"] == "clean checkout"
    assert finished.progress()["manifest_audit"]["status"] == "pass"
    assert "notes" not in finished.ultra(f"audit {PLAN}")
    assert verdict(finished) == told

    @each(SAME.items())
    def check(name: str, act: Act) -> None:
        repo = copy()
        act(repo)
        assert verdict(repo) == told, name

    check()


def test_what_happened_to_the_run_is_found_and_named(copy: Callable[[], Repo]) -> None:
    @each(FOUND.items())
    def check(name: str, row: tuple[Act, tuple[str, int | None]]) -> None:
        repo = copy()
        row[0](repo)
        told = verdict(repo)
        assert told["status"] == "drift"
        assert [(one["check"], one.get("step")) for one in told["drift_details"]] == [row[1]]
        assert ("no such commit" in str(told["drift_details"])) == ("gone" in name)
        assert (told["proof"] is None) == ("gone" in name), "what is gone is not proved"

    check()


def test_an_audit_follows_from_the_records_and_from_nothing_else(finished: Repo) -> None:
    git = find_git(str(finished.folder))
    place = RunPlace(str(finished.folder), str(finished.folder / PLAN), None, None)
    place.slug = SLUG
    start, first, second = git.line("rev-list", "--reverse", "HEAD").split()
    other = finished.git("commit-tree", "HEAD^{tree}", "-p", first, "-m", "feat: another part")
    misnamed = finished.git("commit-tree", f"{second}^{{tree}}", "-p", first, "-m", "by hand")
    drift = Drift("verify", "passes", "fails", 2)
    subject = ("commit_message_pattern", 2)
    # Changed facts -> verdict, status of the record, drifts, steps that are missing, a word of the notes.
    rows: list[tuple[dict[str, Any], tuple[str, str, list[tuple[str, int | None]], list[int], str]]] = [
        ({}, ("pass", "pass", [], [], "")),
        ({"has_ended": False}, ("unfinished", "pass", [], [], "")),
        ({"skipped": set()}, ("unfinished", "pass", [], [3], "")),
        ({"ranges": {1: (start, first)}, "skipped": {2, 3}}, ("drift", "drift", [], [2], "no step made")),
        ({"ranges": {}, "end": start}, ("nothing done", "n/a", [], [1, 2], "")),
        ({"ranges": {1: (start, first), 2: (first, other)}}, ("pass", "pass", [], [], "no step made")),
        ({"ranges": {1: (start, first), 2: (first, misnamed)}}, ("pass", "pass", [], [], "no step made")),
        ({"ranges": {1: (start, first), 2: (start, first)}}, ("drift", "drift", [subject], [], "no step made")),
        ({"ranges": {1: (start, first), 2: (first, first)}}, ("pass", "pass", [], [], "no step made")),
        ({"problems": ["somebody else"]}, ("pass", "pass", [], [], "somebody else")),
        ({"known": [drift]}, ("drift", "drift", [("verify", 2)], [], "")),
        ({"start": second, "end": first}, ("drift", "drift", [("history", None), ("expected_paths", 2)], [], "")),
    ]  # fmt: skip

    @each(rows)
    def check(changes: dict[str, Any], expected: tuple[object, ...]) -> None:
        case = open_case(git, place, finished.read(PLAN).encode())
        assert case
        facts, known = case.facts, changes.get("known", ())
        for name, value in changes.items():
            setattr(facts, name, value)
        case.completed = [step for step in case.assignment.steps if step.number in facts.ranges]
        case.missing = [step.number for step in case.assignment.steps if not _is_over(step, facts)]
        found = audit(case, known=known)
        drifts = [(one.check, one.step) for one in found.drifts if one.check != "scope"]
        told = (found.verdict, found.status, drifts, [*found.missing], str(expected[4]))
        assert told == expected
        assert str(expected[4]) in str(found.notes)
        assert bool(found.notes) == bool(expected[4])

    check()
    for end in ("", first):
        case = open_case(git, place, finished.read(PLAN).encode(), end)
        assert case
        assert case.facts.end == (end or second), "a run that ends now ends here, whatever is on record"
