"""A folder becomes its target as a whole or not at all, and nothing is built again that is as the last build left it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.kit.files import write_tree
from ultra_plugin.errors import UltraError
from ultra_plugin.stamp import _Part
from ultra_plugin.tree import _recover, discard, inside, staged_for, write_file


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


class BrokenError(Exception):
    """What goes wrong while a folder is filled."""


# What is there before, the target, whether filling it fails; what is there afterwards.
@pytest.mark.parametrize(("before", "target", "fails", "after"), [
    ([], "a", False, ["a", "a/file"]),
    ([], "a/b/c", False, ["a", "a/b", "a/b/c", "a/b/c/file"]),
    (["a/"], "a", False, ["a", "a/file"]),
    (["a/mine"], "a", False, ["a", "a/mine"]),
    (["a/mine"], "a/b", False, ["a", "a/b", "a/b/file", "a/mine"]),
    ([], "a", True, []),
    ([], "a/b/c", True, []),
    (["a/"], "a/b/c", True, ["a"]),
    (["a/"], "a", True, ["a"]),
    (["a/mine"], "a", True, ["a", "a/mine"]),
])  # fmt: skip
def test_a_target_is_made_with_all_its_folders_or_nothing_is_left(
    tmp_path: Path, before: list[str], target: str, fails: bool, after: list[str]
) -> None:
    for name in before:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).write_text("mine")
    done = False
    try:
        with staged_for(tmp_path / target) as staged:
            assert staged.parent == (tmp_path / target).parent
            write_tree(staged, {"file": "new"})
            if fails:
                raise BrokenError
        done = True
    except (BrokenError, OSError):
        pass
    assert names(tmp_path) == after
    assert done == (f"{target}/file" in after)
    if done:
        assert (tmp_path / target).stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(("before", "after"), [
    ([".old-a/f"], ["a", "a/f"]),
    (["a/new", ".old-a/old"], ["a", "a/new"]),
    ([".staged-x/f", ".staged-file", "b/f"], ["b", "b/f"]),
    ([".old-a/f", ".staged-x/f", "c"], ["a", "a/f", "c"]),
    (["old-a/f", ".other/f"], [".other", ".other/f", "old-a", "old-a/f"]),
])  # fmt: skip
def test_what_a_killed_build_left_is_put_right(tmp_path: Path, before: list[str], after: list[str]) -> None:
    write_tree(tmp_path, dict.fromkeys(before, "x"))
    _recover(tmp_path)
    assert names(tmp_path) == after


def test_what_is_discarded_goes_and_nothing_else(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/f": "x", "b/f": "x", "a.zip": "x", "c.zip": "x"})
    discard(tmp_path, ["a", "a.zip"])
    assert [name for name in names(tmp_path) if name != ".lock"] == ["b", "b/f", "c.zip"]


@pytest.mark.parametrize(("path", "is_inside"), [
    ("a", True), ("a/../b", True), ("a/..", False), ("..", False), ("../root-b", False), ("/a", False), ("", False),
])  # fmt: skip
def test_a_path_stays_below_its_root(tmp_path: Path, path: str, is_inside: bool) -> None:
    if is_inside:
        assert inside(tmp_path / "root", path).parent == tmp_path / "root"
    else:
        with pytest.raises(UltraError, match="would be written outside"):
            inside(tmp_path / "root", path)


def test_a_file_is_written_beside_and_only_if_it_differs(tmp_path: Path) -> None:
    path = tmp_path / "deep/file"
    before = os.umask(0o077)
    try:
        assert write_file(path, b"one")
    finally:
        os.umask(before)
    first = path.stat()
    assert (first.st_mode & 0o777, write_file(path, b"one"), path.stat().st_ino) == (
        0o644,
        False,
        first.st_ino,
    )
    os.link(path, tmp_path / "held")
    assert (write_file(path, b"two"), (tmp_path / "held").read_bytes()) == (True, b"one")
    assert names(tmp_path / "deep") == ["file"]


@pytest.mark.parametrize("inputs", ["", "i", "j"])
@pytest.mark.parametrize("outputs", ["", "o", "p"])
@pytest.mark.parametrize("was", [("i", "o"), ("", "o"), ("i", ""), ("", "")])
def test_a_plugin_is_kept_if_both_its_sides_are_there_and_the_same(
    was: tuple[str, str], inputs: str, outputs: str
) -> None:
    kept = _Part(*was, [], {}).is_same(inputs, outputs)
    assert kept == (was == (inputs, outputs) == ("i", "o"))
