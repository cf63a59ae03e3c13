"""What is read and written beside git says what git says: refs, ignore rules and copies of an index."""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from tests.kit.repository import git, make_repository
from ultra_runtime.files.git import find_git
from ultra_runtime.files.loose_refs import loose_refs
from ultra_runtime.proof.objects import is_ancestor
from ultra_runtime.run.tree.commit import index_entries
from ultra_runtime.run.tree.own_index import link_index
from ultra_runtime.run.tree.raw import _escaped
from ultra_runtime.run.tree.staged import keep_index, staged_since


def test_a_worktree_that_is_none_any_more_is_not_the_repository_around_it(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.txt": "a\n"})
    git(root, "worktree", "add", "--quiet", "inner")
    inner = find_git(str(root / "inner"))
    assert inner.line("rev-parse", "--show-toplevel") == str(root / "inner")
    (root / "inner/.git").unlink()
    assert inner.line("rev-parse", "--show-toplevel") == ""
    assert find_git(str(root)).line("rev-parse", "--show-toplevel") == str(root)


def test_commits_are_there_if_all_of_them_are(tmp_path: Path) -> None:
    found = find_git(str(make_repository(tmp_path / "repo", {"a.txt": "a\n"})))
    head, tree, gone = found.head(), found.line("rev-parse", "HEAD^{tree}"), "1" * 40
    for names in itertools.product((head, tree, gone, ""), repeat=2):
        assert found.has_commits(*names) == (set(names) == {head}), names


def test_refs_that_are_no_plain_files_are_left_to_git(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.txt": "a\n"})
    found, head = find_git(str(root)), git(root, "rev-parse", "HEAD")
    start = "refs/own/"
    assert loose_refs(found, start) == {}
    folder = root / ".git" / start
    folder.mkdir()
    (folder / "one").write_text(f"{head}\n")
    (folder / "one.lock").write_text("half")
    assert loose_refs(found, start) == {"one": head}
    for content in ("ref: refs/heads/main\n", "", head[:39], f"{head}0", head.replace(head[0], "g")):
        (folder / "two").write_text(content)
        assert loose_refs(found, start) is None, content
    (folder / "two").unlink()
    (folder / "deep").mkdir()
    assert loose_refs(found, start) is None
    (root / ".git/refs/file").write_text(head)
    assert loose_refs(found, "refs/file") is None


NAMES = [
    "plain",
    "a*b",
    "aXb",
    "a?b",
    "[x]",
    "x",
    "!x",
    "#x",
    " x",
    "x ",
    "a\\b",
    "a b",
    "d/e*",
    "d/ef",
    "ü[1]",
    "ü1",
]


def test_an_escaped_name_is_ignored_and_no_other(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    given = "\0".join(NAMES).encode()
    for name in NAMES:
        (folder / ".git/info/exclude").write_bytes(b"/" + _escaped(name.encode()) + b"\n")
        command = ["git", "check-ignore", "-z", "--stdin", "--no-index"]
        done = subprocess.run(command, cwd=folder, input=given, capture_output=True, check=False)
        assert done.stdout.decode().split("\0")[:-1] == [name]


@pytest.mark.parametrize("linked", [True, False])
def test_an_index_is_copied_with_its_time_where_it_cannot_be_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: bool
) -> None:
    def refuse(*_: object) -> None:
        raise OSError

    source, target = tmp_path / "index", tmp_path / "copy"
    if not linked:
        monkeypatch.setattr(os, "link", refuse)
    target.write_text("left by a killed call")
    link_index(str(source), str(target))
    assert not target.exists(), "nothing was ever added to this repository"
    source.write_bytes(b"index\0")
    os.utime(source, ns=(1_000_000_001, 2_000_000_003))
    for _ in range(2):
        link_index(str(source), str(target))
        assert target.read_bytes() == b"index\0"
        assert target.stat().st_mtime_ns == 2_000_000_003
        assert (target.stat().st_ino == source.stat().st_ino) == linked


@pytest.mark.parametrize("packed", ["never", "before", "after"])
def test_refs_branches_and_ancestors_are_those_that_git_names(tmp_path: Path, packed: str) -> None:
    folder = make_repository(tmp_path / "repo", {"a": "a\n"})
    if packed == "before":
        git(folder, "pack-refs", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=second")
    git(folder, "branch", "deep/er", "HEAD~1")
    git(folder, "symbolic-ref", "refs/heads/link", "refs/heads/deep/er")
    git(folder, "tag", "-a", "-m", "x", "v1")
    if packed == "after":
        git(folder, "pack-refs", "--all")
    found = find_git(str(folder))
    names = ["main", "deep/er", "deep", "link", "nothing"]
    for ref in [*(f"refs/heads/{name}" for name in names), "refs/tags/v1"]:
        assert found.ref(ref) == git(folder, "rev-parse", "--verify", "--quiet", ref, check=False), ref
    older, newer = git(folder, "rev-list", "--reverse", "HEAD").split()
    assert (found.head(), found.branch()) == (newer, git(folder, "symbolic-ref", "--short", "HEAD"))
    for left, right, is_below in ((older, newer, True), (newer, older, False), (newer, newer, True)):
        assert found.is_ancestor(left, right) == is_ancestor(found, left, right) == is_below
    git(folder, "checkout", "--quiet", "--detach", older)
    found = find_git(str(folder))
    assert (found.head(), found.branch()) == (older, "")


def test_entries_of_an_index_are_those_of_just_these_paths_and_of_no_conflict(tmp_path: Path) -> None:
    folder = make_repository(
        tmp_path / "repo", {"d/e": "e\n", "a*": "a\n", "ab": "ab\n", "x.sh": "#!/bin/sh\n"}
    )
    name = git(folder, "rev-parse", "HEAD:d/e")
    rows = "".join(f"100644 {name} {stage}\tconflict\n" for stage in (1, 2, 3))
    subprocess.run(["git", "update-index", "--index-info"], cwd=folder, input=rows.encode(), check=True)
    found = find_git(str(folder))
    listed = [row.split(None, 3) for row in git(folder, "ls-files", "-s").splitlines()]
    entries = {path: (mode, name) for mode, name, stage, path in listed if stage == "0"}
    for asked in (
        ["d/e"],
        ["d"],
        ["a*"],
        ["ab", "x.sh"],
        ["conflict"],
        ["nothing"],
        [*entries, "conflict"],
        [],
    ):
        told = {path: (one.mode, one.name) for path, one in index_entries(found, asked).items()}
        assert told == {path: entries[path] for path in asked if path in entries}
    empty = str(tmp_path / "empty")
    git(folder, "read-tree", "--empty", env={"GIT_INDEX_FILE": empty})
    assert index_entries(found, ["d/e"], empty) == {}


@pytest.mark.parametrize("left", [False, True])
def test_what_is_staged_since_is_found_beside_the_lock_of_a_killed_call(tmp_path: Path, left: bool) -> None:
    folder = make_repository(tmp_path / "repo", {"a.txt": "a\n"})
    git, kept = find_git(str(folder)), str(tmp_path / "kept")
    assert staged_since(git, kept) == "", "nothing was kept"
    assert keep_index(git, kept) == set()
    assert staged_since(git, kept) == ""
    (folder / "a.txt").write_text("staged\n")
    git.ask("add", "a.txt")
    if left:
        Path(f"{kept}.tree.lock").touch()
    tree = staged_since(git, kept)
    assert git.ask("ls-tree", tree or "none") == git.ask("ls-tree", git.ask("write-tree").decode().strip())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "repo"]
