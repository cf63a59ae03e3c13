"""Which run a call belongs to: the trees around its folders, the run file of each, and who owns it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER, PROJECT
from ultra_runtime.files.run_files import ALONE, END, PREVIOUS, SESSION_STATE, START
from ultra_runtime.guard.own_files import OwnFiles
from ultra_runtime.guard.site import (
    LockError,
    find_site,
    lock_path,
    places,
    run_file,
    run_files,
    shared_git_dir,
    site_of_plan,
    trees,
)


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """Return a repository with a submodule, and a worktree inside of it, as git lays them out."""
    root = tmp_path.resolve() / "main"
    write_tree(
        root,
        {
            "sub/.git": "gitdir: ../.git/modules/sub\n",
            "tree/.git": f"gitdir: {root}/.git/worktrees/tree\n",
            "tree/deep/x": "",
            ".git/modules/sub/HEAD": "",
            ".git/worktrees/tree/commondir": "../..\n",
        },
    )
    return root


def lock(git_dir: Path, root: Path, **owner: object) -> Path:
    """Write the run file of a tree."""
    path = git_dir / LAUNCHER / "run.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"root": str(root), "owner": owner}))
    return path


def test_the_trees_around_a_folder_are_found_nearest_first(main: Path) -> None:
    git = main / ".git"
    around = [(str(main), str(git))]
    tree = (str(main / "tree"), str(git / "worktrees/tree"))
    assert list(trees(str(main.parent))) == []
    assert list(trees(str(main))) == list(trees(str(main / "none"))) == around
    assert list(trees(str(main / "tree/deep"))) == [tree, *around]
    assert list(trees(str(main / "sub"))) == [(str(main / "sub"), str(git / "modules/sub")), *around]
    shared = {"": git, "tree": git, "sub": git / "modules/sub", "tree/deep": "", "..": ""}
    assert {name: shared_git_dir(str(main / name)) for name in shared} == {
        name: str(path) for name, path in shared.items()
    }
    linked = {name: site_of_plan(str(main / name), "").is_linked for name in ("", "tree", "sub")}
    assert linked == {"": False, "tree": True, "sub": True}


@pytest.mark.parametrize(
    ("plan", "project", "shown"),
    [
        ("", "", ("", "")),
        (f"{PROJECT}/plan.md", "", (f"{PROJECT}/plan.md", PROJECT)),
        (f"{PROJECT}/sessions/session-1.md", "", (f"{PROJECT}/sessions/session-1.md", PROJECT)),
        (f"{PROJECT}/plan.md", "other", (f"{PROJECT}/plan.md", "other")),
        ("plan.md", "", ("plan.md", "")),
    ],
)
def test_a_plan_belongs_to_the_project_that_its_path_names(
    main: Path, plan: str, project: str, shown: tuple[str, str]
) -> None:
    site = site_of_plan(str(main), str(main / plan) if plan else "", project)
    assert (site.lock["plan"], site.lock["project"]) == shown
    assert (site.root, site.lock["root"], site.git_dir) == (str(main), str(main), str(main / ".git"))
    assert site_of_plan(str(main.parent), "").git_dir == str(main.parent / ".git")


def test_the_folders_of_a_call_are_those_of_the_client(main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = main / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    for named, expected in (("", []), ("relative", []), (str(main), [str(main)])):
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", named)
        assert places() == [*expected, str(gone)]
    monkeypatch.setenv("PWD", str(gone))
    gone.rmdir()
    assert places() == [str(main), str(gone)]
    monkeypatch.setenv("PWD", "")
    assert places() == [str(main)]


def test_each_run_file_is_found_once_and_the_nearest_first(main: Path) -> None:
    starts = [str(main / name) for name in ("tree/deep", "tree", "")]
    assert (list(run_files(starts)), run_file(starts[0])) == ([], None)
    here, there = main / ".git", main / ".git/worktrees/tree"
    outer = (str(main), str(here), str(lock(here, main)))
    assert outer[2] == lock_path(str(here))
    assert (list(run_files(starts)), run_file(starts[0])) == ([outer], outer)
    inner = (str(main / "tree"), str(there), str(lock(there, main / "tree")))
    assert (list(run_files(starts)), run_file(starts[0])) == ([inner, outer], inner)
    Path(inner[2]).unlink()
    Path(inner[2]).symlink_to("nowhere")
    assert run_file(starts[0]) == inner


OWNERS: list[dict[str, Any]] = [
    {},
    {"session": "a"},
    {"session": "b"},
    {"session": None, "pid": 7},
    {"pid": "8"},
]


def test_a_run_belongs_to_its_session_or_else_to_its_process(
    main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = main / ".git"
    for owner, session, ours, pid in itertools.product(OWNERS, ("", "a"), ("", "b"), ("", "7")):
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", ours)
        monkeypatch.setenv("CLAUDE_PID", pid)
        named = owner.get("session")
        expected = named in (session, ours) if named else str(owner.get("pid")) == pid
        lock(git, main, **owner)
        site = find_site([str(main / "tree")], session)
        assert (site is not None) == expected, (owner, session, ours, pid)
        assert site is None or (site.root, site.git_dir, site.lock["owner"]) == (str(main), str(git), owner)
        lock(git, main / "tree", **owner)  # copied with its git dir
        assert find_site([str(main)], session) is None
    path = lock(git, main)
    path.write_text(json.dumps({"root": str(main), "owner": "a"}))
    assert find_site([str(main)], "a") is None
    path.write_text("{")
    with pytest.raises(LockError, match=f"{path} cannot be read"):
        find_site([str(main)], "a")


OWN = {
    f"{PROJECT}/plan.md": "is the plan of the run in progress, which follows it",
    f"{PROJECT}/sessions/session-1.md": "is the plan of the run in progress, which follows it",
    f"{PROJECT}/{START}{END}": "is written only by the runtime",
    f"{PROJECT}/sessions/{ALONE}x{END}{PREVIOUS}": "is written only by the runtime",
    f"{PROJECT}/{SESSION_STATE}": "is written only by the runtime",
    "elsewhere.json": "is written only by the runtime",
    f".git/{LAUNCHER}/x": "belongs to the runtime, which stores the run in it",
}
OTHERS = (
    "plan.md",
    f"{PROJECT}/brief.md",
    f"{PROJECT}/a/{START}{END}",
    f"{PROJECT}/{END}",
    ".git/config",
    "a",
    "",
    "a\0",
)
ABOVE = (
    ".",
    "..",
    "/",
    ".claude",
    PROJECT,
    f"{PROJECT}/sessions",
    ".git",
    f".git/{LAUNCHER}",
    "~/main",
    "$HOME/main",
)


def test_the_files_of_a_run_are_its_plan_its_records_and_the_folder_of_the_runtime(main: Path) -> None:
    site = site_of_plan(str(main), str(main / PROJECT / "sessions/session-1.md"))
    site.lock["progress"] = "elsewhere.json"
    own = OwnFiles(site, str(main), str(main.parent))
    for path, what in OWN.items():
        for spelled in (
            path,
            path.upper(),
            f"./a/../{path}",
            str(main / path),
            f"~/main/{path}",
            f"${{HOME}}/main/{path}",
        ):
            for found in (own.verdict(spelled), own.verdict_of_removing(spelled)):
                assert found, spelled
                assert (found.verdict, found.rule) == ("block", "run_file")
                ways = f"`{LAUNCHER} run finish` or end it with `{LAUNCHER} run abort`"
                assert found.instead == f"finish the run with {ways}; then it can be changed"
            told = own.verdict(spelled)
            assert told
            assert told.reason == f"{spelled} {what}"
    assert [own.verdict(path) for path in (*OTHERS, *ABOVE[:-3])] == [None] * (len(OTHERS) + len(ABOVE) - 3)
    assert [own.verdict_of_removing(path) for path in OTHERS] == [None] * len(OTHERS)
    for path in ABOVE:
        removed = own.verdict_of_removing(path)
        assert removed, path
        assert removed.reason == f"{path} is or contains a file that the run in progress needs"
