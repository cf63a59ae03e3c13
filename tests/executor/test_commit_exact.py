"""A commit has the change of the step and nothing else; what the user had staged stays staged, and the files stay."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.executor.persons_tree import Step
from tests.kit.repository import ENVIRONMENT, make_repository
from ultra_runtime.files.git import GitError
from ultra_runtime.run.state.record import Record
from ultra_runtime.run.tree import users_index as under_test
from ultra_runtime.run.tree.commit import (
    build_index,
    find_commit,
    find_overlaps,
    index_entries,
    make_commit,
    parent_and_hooks,
    prepare,
    update_index,
)

LINES = "".join(f"{number}\n" for number in range(1, 10))
TOP, MIDDLE, END = (("1", "user"), ("5", "user"), ("9", "later"))
Version = tuple[str, bool] | None
"""Text, and whether the file is a program; nothing where there is no file."""
# What the user has -> in HEAD, in the index, in the working tree.
USERS: dict[str, tuple[Version, Version, Version]] = {
    "clean": ((LINES, False),) * 3,
    "program": ((LINES, True),) * 3,
    "unstaged": ((LINES, False), (LINES, False), (LINES.replace(*TOP), False)),
    "staged": ((LINES, False), (LINES.replace(*TOP), False), (LINES.replace(*TOP), False)),
    "both": ((LINES, False), (LINES.replace(*TOP), False), (LINES.replace(*TOP).replace(*END), False)),
    "only-in-the-index": ((LINES, False), (LINES.replace(*TOP), False), (LINES, False)),
    "same-lines-in-the-index": ((LINES, False), (LINES.replace(*MIDDLE), False), (LINES, False)),
    "same-lines": ((LINES, False), (LINES, False), (LINES.replace(*MIDDLE), False)),
    "untracked": (None, None, (LINES, False)),
    "added": (None, (LINES, False), (LINES, False)),
    "none": (None, None, None),
}
STEPS = ("nothing", "edit", "program", "delete", "back")


def of_step(step: str, version: Version) -> Version:
    """Return what a step makes of a file."""
    text, program = version or (LINES, False)
    return {
        "nothing": version,
        "edit": (text.replace("5\n", "step\n").replace("user\n6", "step\n6"), program),
        "program": (text, True),
        "delete": None,
        "back": version and (LINES, program),
    }[step]


def onto(step: str, before: Version, other: Version) -> Version | str:
    """Return what the same step makes of another version of the file; a word if nobody can say."""
    if before == other or before is None or other is None:
        return of_step(step, before)
    if step == "delete" or (
        step == "edit"
        and (before[0].replace(*MIDDLE) == before[0]) != (other[0].replace(*MIDDLE) == other[0])
    ):
        return "overlap"
    return of_step(step, other)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Step:
    for name, value in {**ENVIRONMENT, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    return Step(make_repository(tmp_path / "repo", {"first.txt": "first\n", "second.txt": "second\n"}))


def put(tree: Step, path: str, version: Version) -> None:
    target = tree.folder / path
    if version is None:
        target.unlink(missing_ok=True)
    else:
        target.write_text(version[0])
        target.chmod(0o755 if version[1] else 0o644)


def in_index(tree: Step, *words: str) -> dict[str, Version]:
    """Return what the index or a tree has, as git shows it."""
    found: dict[str, Version] = {}
    for row in tree.git(*words).splitlines():
        head, _, path = row.partition("\t")
        name = next(word for word in head.split() if len(word) == 40)
        found[path] = (tree.git("cat-file", "blob", name) + "\n", head.startswith("100755"))
    return found


@pytest.mark.soak
def test_every_change_of_a_step_over_everything_that_a_user_has(tree: Step) -> None:
    """All pairs in one commit: a path for each."""
    pairs = {f"{user}.{step}": (USERS[user], step) for user in USERS for step in STEPS}
    tree.folder.joinpath("folder").mkdir()
    for path in ("file", "folder/in"):
        put(tree, path, (LINES, False))
    for at in (0, 1, 2):
        for path, (versions, _) in pairs.items():
            put(tree, path, versions[at])
        if at < 2:
            tree.git("add", "--all")
        if at == 0:
            tree.git("commit", "--quiet", "--message=files")
    tree.begin()
    for path, (versions, step) in pairs.items():
        put(tree, path, of_step(step, versions[2]))
    for path in ("file", "folder/in"):
        put(tree, path, None)
    tree.folder.joinpath("folder").rmdir()
    tree.folder.joinpath("file").mkdir()
    for path in ("folder", "file/in"):
        put(tree, path, (f"{path}\n", False))
    git, head = tree.workspace.git, tree.record.start
    changes = tree.snapshots.changes(tree.record.tree, tree.snapshots.take())
    put(tree, "folder", ("after the snapshot, which is what was verified\n", False))
    files = tree.files()
    done = {path for path, (versions, step) in pairs.items() if of_step(step, versions[2]) != versions[2]}
    turned = {"file", "file/in", "folder", "folder/in"}
    assert {one.path for one in changes} == done | turned
    heads = {path: onto(step, versions[2], versions[0]) for path, (versions, step) in pairs.items()}
    overlaps = {path for path in done if heads[path] == "overlap"}
    assert set(find_overlaps(tree.snapshots, changes, head)) == overlaps
    assert {"same-lines.edit", "unstaged.delete", "staged.delete", "both.delete"} <= overlaps
    index = str(tree.folder / ".git/of-the-commit")
    prepared = prepare(git, tree.snapshots, [one for one in changes if one.path not in overlaps], head, index)
    build_index(tree.workspace, tree.snapshots, prepared, head, index)
    make_commit(git, index, "step")
    assert update_index(git, prepared.index, prepared.mark) is None
    committed, staged = in_index(tree, "ls-tree", "-r", "HEAD"), in_index(tree, "ls-files", "--stage")
    for path, (versions, step) in pairs.items():
        is_done = path in done - overlaps
        after = onto(step, versions[2], versions[1]) if is_done else versions[1]
        assert committed.get(path) == (heads[path] if is_done else versions[0]), path
        assert staged.get(path) == (versions[1] if after == "overlap" else after), path
    assert tree.files() == files
    changed = set(tree.git("diff", "--no-renames", "--name-only", "HEAD^", "HEAD").splitlines())
    assert changed - turned == {
        path for path, (versions, _) in pairs.items() if committed.get(path) != versions[0]
    }
    for has in (committed, staged):
        assert {path: has[path] for path in turned & set(has)} == {
            path: (f"{path}\n", False) for path in ("file/in", "folder")
        }
    assert set(prepared.commits) == changed


def test_an_empty_file_that_the_user_intends_to_add_is_committed(tree: Step) -> None:
    tree.begin()
    put(tree, "new", ("", False))
    tree.git("add", "--intent-to-add", "new")
    git, head, index = tree.workspace.git, tree.record.start, str(tree.folder / ".git/of-the-commit")
    changes = tree.snapshots.changes(tree.record.tree, tree.snapshots.take())
    prepared = prepare(git, tree.snapshots, changes, head, index)
    assert list(prepared.commits) == ["new"]


@pytest.mark.soak
def test_the_commit_of_a_step_is_found_by_its_tree_or_by_its_message_and_paths(tree: Step) -> None:
    tree.begin()
    start, own = tree.record.start, ["first.txt"]

    def made(message: str, parent: str = start, **files: str) -> str:
        tree.git("reset", "--quiet", "--hard", parent)
        for name, text in files.items():
            (tree.folder / f"{name}.txt").write_text(text)
        tree.git("commit", "--quiet", "--all", "--allow-empty", f"--message={message}")
        return tree.git("rev-parse", "HEAD")

    wanted = made("step", first="new\n")
    record = Record(1, start, tree.record.tree)
    record.commit = {"tree": tree.git("rev-parse", "HEAD^{tree}"), "message": "step", "paths": own}
    found: dict[str, tuple[str, str]] = {"as it was made": (wanted, wanted)}
    above = made("later", wanted, second="x\n")
    found["with another above it"] = (above, wanted)
    for name, message, files, is_it in [
        ("with another message", "by a hook", {"first": "new\n"}, True),
        ("with other bytes", "step", {"first": "by a hook\n"}, True),
        ("with other bytes and another message", "by a hook", {"first": "by a hook\n"}, False),
        ("with another file", "step", {"first": "new\n", "second": "x\n"}, False),
        ("another one", "other", {"second": "x\n"}, False),
    ]:
        commit = made(message, **files)
        found[name] = (commit, commit if is_it else "")
    below = made("below")
    found["above another one"] = (made("step", below, first="new\n"), "")
    merge = tree.git("commit-tree", f"{wanted}^{{tree}}", "-p", start, "-p", below, "-m", "step")
    found["a merge"] = (merge, "")
    found["not made"] = (start, "")
    for name, (head, expected) in found.items():
        tree.git("reset", "--quiet", "--hard", head)
        assert find_commit(tree.workspace.git, record) == expected, name
    record.commit = None
    tree.git("reset", "--quiet", "--hard", wanted)
    assert find_commit(tree.workspace.git, record) == ""


def test_the_index_is_updated_where_it_is_as_it_was_and_a_lock_is_waited_for(
    tree: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.begin()
    git, paths = tree.workspace.git, ["first.txt", "second.txt", "third.txt"]
    entries = index_entries(git, paths)
    assert set(entries) == {"first.txt", "second.txt"}
    one, two = (entries[path] for path in paths[:2])
    rows = [
        [paths[0], one.mode, one.name, two.mode, two.name],
        [paths[1], one.mode, one.name, "", ""],  # the user has staged something else meanwhile
        [paths[2], "", "", one.mode, one.name],
    ]
    lock = tree.folder / ".git/index.lock"
    naps: list[float] = []
    monkeypatch.setattr(under_test, "time", SimpleNamespace(sleep=naps.append))
    lock.touch()
    before = tree.index()
    assert isinstance(update_index(git, rows), GitError)
    assert naps == [under_test.LOCK_NAP] * under_test.LOCK_TRIES
    assert tree.index() == before
    monkeypatch.setattr(under_test, "time", SimpleNamespace(sleep=lambda _: lock.unlink()))
    assert update_index(git, rows) is None
    assert index_entries(git, paths) == {paths[0]: two, paths[1]: two, paths[2]: one}
    assert update_index(git, rows) is None
    assert isinstance(update_index(git, [[paths[0], two.mode, two.name, "100644", "no object"]]), GitError)
    assert not lock.exists()


def test_the_index_is_updated_where_files_have_no_second_name(
    tree: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.begin()
    git = tree.workspace.git
    entries = index_entries(git, ["first.txt", "second.txt"])
    one, two = entries["first.txt"], entries["second.txt"]

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    lock = tree.folder / ".git/index.lock"
    lock.touch()
    assert isinstance(update_index(git, [["first.txt", one.mode, one.name, two.mode, two.name]]), GitError)
    assert lock.exists()
    lock.unlink()
    assert update_index(git, [["first.txt", one.mode, one.name, two.mode, two.name]]) is None
    assert index_entries(git, ["first.txt"]) == {"first.txt": two}
    assert not lock.exists()


HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction", "pre-push",
         "pre-merge-commit", "post-merge", "post-checkout", "pre-rebase", "post-rewrite", "update", "post-index-change")  # fmt: skip


@pytest.mark.soak
@pytest.mark.parametrize("place", ["hooks", "elsewhere"])
def test_a_commit_has_hooks_where_git_runs_one(tree: Step, place: str) -> None:
    tree.begin()
    git, folder, ran = tree.workspace.git, tree.folder / ".git" / place, tree.folder / ".git/ran"
    folder.mkdir(exist_ok=True)
    if place == "elsewhere":
        tree.git("config", "core.hooksPath", str(folder))
    for name in HOOKS:
        for mode in (0o644, 0o755):
            hook = folder / name
            hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
            hook.chmod(mode)
            (tree.folder / "first.txt").write_text(f"{name} {mode}\n")
            tree.git("commit", "--quiet", "--all", "--message=x")
            head, parent = git.head(), tree.git("rev-parse", "HEAD^")
            assert parent_and_hooks(git, head) == (parent, ran.exists()), (
                name,
                stat.filemode(os.stat(hook).st_mode),
            )
            ran.unlink(missing_ok=True)
            hook.unlink()
