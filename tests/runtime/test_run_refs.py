"""The refs of a run count as the runtime wrote them; whatever else is done to them is named, ignored and put right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.repository import git, make_repository
from ultra_runtime.files.git import Git, find_git

REFS = "refs/ultra/greet"


@pytest.fixture
def here(tmp_path: Path) -> Git:
    """Return a repository with the refs of a run."""
    folder = make_repository(tmp_path / "repo", {"a.txt": "a\n"})
    git(folder, "commit", "--quiet", "--allow-empty", "--message=second")
    found = find_git(str(folder))
    first = git(folder, "rev-parse", "HEAD~1")
    found.set_refs("greet", {"plan": git(folder, "rev-parse", "HEAD:a.txt"), "start": first})
    found.set_refs("greet", {"begin-1": first, "step-1": found.head(), "skip-2": first, "undone-1": first})
    return found


def prefix(found: Git) -> str:
    names = git(Path(found.root), "for-each-ref", "--format=%(refname)", "refs").split()
    return next(name for name in names if name.endswith("/greet/start")).removesuffix("start")


def test_what_was_set_is_read_by_everybody(here: Git) -> None:
    found = find_git(here.root).run_refs("greet")
    assert sorted(found.refs) == ["begin-1", "plan", "skip-2", "start", "step-1", "undone-1"]
    assert (found.problems, found.repairs) == ([], {})
    here.set_refs("greet", {"step-1": None, "end": here.head()})
    assert sorted(find_git(here.root).refs("greet")) == [
        "begin-1",
        "end",
        "plan",
        "skip-2",
        "start",
        "undone-1",
    ]


# What somebody does to a ref that tells where the run stands.
@pytest.mark.parametrize(("name", "to"), [
    ("step-2", "HEAD"), ("skip-1", "HEAD"), ("claim-1", "HEAD"), ("end", "HEAD"), ("wip", "HEAD"), ("chore", "HEAD"),
    ("around", "HEAD"), ("step-1", "HEAD~1"), ("step-1", ""), ("begin-1", ""), ("start", "HEAD"), ("plan", ""),
])  # fmt: skip
def test_a_ref_that_somebody_else_changed_is_named_and_ignored(here: Git, name: str, to: str) -> None:
    folder, start, before = Path(here.root), prefix(here), here.refs("greet")
    git(folder, "update-ref", *((f"{start}{name}", to) if to else ("-d", f"{start}{name}")))
    found = find_git(here.root).run_refs("greet")
    assert found.refs == before
    assert found.problems == [f"{start}{name} was not written by the runtime and is ignored"]
    assert found.repairs == {name: before.get(name)}
    other = find_git(here.root)
    other.set_refs("greet", {"begin-3": here.head()})
    assert find_git(here.root).run_refs("greet").problems == []
    assert git(folder, "for-each-ref", "--format=%(objectname)", f"{start}{name}") == before.get(name, "")


def test_a_ref_that_keeps_what_was_undone_is_anybodys(here: Git) -> None:
    git(Path(here.root), "update-ref", f"{prefix(here)}other", "HEAD")
    found = find_git(here.root).run_refs("greet")
    assert (found.problems, found.refs["other"]) == ([], here.head())


def lists(found: Git) -> list[Path]:
    return list(Path(found.folder).rglob("greet.json"))


def test_the_list_outlives_its_file_and_without_any_list_no_step_is_skipped(here: Git) -> None:
    before = here.refs("greet")
    (path,) = lists(here)
    path.unlink()
    found = find_git(here.root).run_refs("greet")
    assert (found.refs, found.problems) == (before, [])
    seal = next(
        name
        for name in git(Path(here.root), "for-each-ref", "--format=%(refname)", prefix(here)).split()
        if name.removeprefix(prefix(here)) not in before
    )
    git(Path(here.root), "update-ref", "-d", seal)
    found = find_git(here.root).run_refs("greet")
    assert found.refs == {name: value for name, value in before.items() if name != "skip-2"}
    assert [problem.endswith("is lost, so no step counts as skipped") for problem in found.problems] == [True]


def test_a_call_that_was_killed_before_git_had_the_refs_is_completed(here: Git) -> None:
    """The file has the next list, git still the refs of the one before: nobody did anything wrong."""
    folder, start = Path(here.root), prefix(here)
    rows = git(folder, "for-each-ref", "--format=%(refname) %(objectname)", start).splitlines()
    here.set_refs("greet", {"step-2": here.head(), "begin-1": None})
    after = here.refs("greet")
    for row in rows:
        git(folder, "update-ref", *row.split())
    git(folder, "update-ref", "-d", f"{start}step-2")
    found = find_git(here.root).run_refs("greet")
    assert (found.refs, found.problems) == (after, [])
    assert {name: value for name, value in found.repairs.items() if name in ("step-2", "begin-1")} == {
        "step-2": here.head(), "begin-1": None,
    }  # fmt: skip


@pytest.mark.parametrize("packed", ["none", "all", "old"])
def test_refs_are_read_the_same_wherever_git_keeps_them(here: Git, packed: str) -> None:
    """In files, in one file for all, and in both, where a ref of its own file counts before the packed one."""
    if packed != "none":
        git(Path(here.root), "pack-refs", "--all")
    if packed == "old":
        here.set_refs("greet", {"step-1": here.refs("greet")["start"], "begin-1": None})
    found = find_git(here.root)
    rows = git(
        Path(here.root), "for-each-ref", "--format=%(refname) %(objectname)", prefix(here)
    ).splitlines()
    said = dict(row.removeprefix(prefix(here)).split() for row in rows)
    assert {name: said[name] for name in said if name in found.refs("greet")} == found.refs("greet")
    assert len(said) == len(found.refs("greet")) + 1, "and the list of them"
    assert (found.run_refs("greet").problems, found.run_refs("greet").repairs) == ([], {})
