"""Putting files back: each act does what it says, and one that the system refuses is named and stops no other."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tests.kit.files import tree_of, write_tree
from ultra_runtime.run.tree.placing import ROOT, Placing, folder_bits, is_behind_a_link, node_of, parents


def test_what_the_system_refuses_is_named_and_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """A file stands where a folder is needed, a folder where a file is."""
    write_tree(tmp_path, {"file": "x\n", "folder/inner": "x\n", "last": "x\n"})
    before, placing = tree_of(tmp_path), Placing(str(tmp_path))
    placing.write("file/a", b"a", 0o644)
    placing.write("file/b", b"b", -1)
    placing.write("folder", b"c", 0o644)
    placing.make_node("file/c", stat.S_IFIFO | 0o600, 0)
    placing.make_folders(["file/d/e", "file"])
    placing.set_bits({"file/f": 0o600, "gone": 0o600, "last": 0o640})
    assert tree_of(tmp_path) == before
    assert placing.failed.keys() == {
        "file/a",
        "file/b",
        "folder",
        "file/c",
        "file/d/e",
        "file",
        "file/f",
        "gone",
    }
    assert placing.failed["folder"] == "Is a directory"
    assert placing.failed["gone"] == "No such file or directory"
    assert (tmp_path / "last").stat().st_mode & 0o777 == 0o640, "what comes after it is done"
    for path in ("file/a", "gone", "folder"):
        placing.failed.clear()
        placing.remove(path)
        assert placing.failed == {}, "what is not there need not be removed, and a folder stays"
    assert tree_of(tmp_path) == before


def test_each_act_does_what_it_says(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a": "old\n", "full/x": "x\n"})
    os.symlink("a", tmp_path / "link")
    placing = Placing(str(tmp_path))
    placing.write("a", b"new\n", 0o604)
    placing.write("deep/er/b", b"b\n", 0o711)
    placing.write("to-b", b"deep/er/b", -1)
    placing.make_node("pipes/pipe", stat.S_IFIFO | 0o620, 0)
    placing.make_folders(["full", "empty/inner"])
    placing.set_bits({"link": 0o700, "empty": 0o701, "empty/inner": 0o710})
    assert placing.failed == {}
    assert placing.made == ["deep", "deep/er", "pipes", "empty", "empty/inner"]
    modes = {name: stat.S_IMODE((tmp_path / name).lstat().st_mode) for name in
             ("a", "deep/er/b", "pipes/pipe", "empty", "empty/inner")}  # fmt: skip
    assert modes == {
        "a": 0o604,
        "deep/er/b": 0o711,
        "pipes/pipe": 0o620,
        "empty": 0o701,
        "empty/inner": 0o710,
    }
    assert (os.readlink(tmp_path / "to-b"), (tmp_path / "to-b").read_text()) == ("deep/er/b", "b\n")
    assert stat.S_ISFIFO((tmp_path / "pipes/pipe").lstat().st_mode)
    placing.prune(["empty", "empty/inner", "full", "missing"])
    assert not (tmp_path / "empty").exists()
    placing.remove("full/x")
    placing.remove("link")
    placing.prune(["full"])
    assert {path.name for path in tmp_path.iterdir()} == {"a", "deep", "to-b", "pipes"}
    assert parents(["a", "b/c", "b/d/e", "f/g/h"]) == {"b", "b/d", "f", "f/g"}


def test_nothing_is_changed_behind_a_link(tmp_path: Path) -> None:
    """Whatever act names a path below a folder that is a link now, what the link leads to stays as it is."""
    write_tree(tmp_path, {"out/inner/x": "x\n", "repo/a": "a\n"})
    (tmp_path / "out/inner").chmod(0o510)
    os.symlink("../out", tmp_path / "repo/d")
    before, placing = tree_of(tmp_path), Placing(str(tmp_path / "repo"))
    placing.remove("d/inner/x")
    placing.prune(["d/inner"])
    placing.set_bits({"d/inner": 0o777, "d/inner/x": 0o777})
    assert placing.open_up(["d", "d/inner"]) == {}
    assert placing.failed == {}, "nothing of ours is there"
    placing.write("d/inner/x", b"y", 0o644)
    placing.write("d/new", b"y", -1)
    placing.make_node("d/pipe", stat.S_IFIFO | 0o600, 0)
    placing.make_folders(["d/inner/folder"])
    assert dict.fromkeys(placing.failed.values()) == {"d is a symbolic link": None}
    assert placing.failed.keys() == {"d/inner/x", "d/new", "d/pipe", "d/inner/folder"}
    assert tree_of(tmp_path) == before
    assert (tmp_path / "out/inner").stat().st_mode & 0o777 == 0o510
    assert is_behind_a_link(placing.root, "d/inner/x")
    assert not is_behind_a_link(placing.root, "d")


def test_a_file_stays_what_it_was_apart_from_its_content(tmp_path: Path) -> None:
    """Its other names are those of the same file, and its owner and attributes are those that it had."""
    write_tree(tmp_path, {"one": "longer than before\n", "alone": "x\n", "copied": "x\n"})
    for name, other in (("one", "other"), ("copied", "copy")):
        os.link(tmp_path / name, tmp_path / other)
    node, placing = node_of(str(tmp_path / "one")), Placing(str(tmp_path))
    (tmp_path / "one").chmod(0o400)
    marks = hasattr(os, "setxattr")
    if marks:
        os.setxattr(tmp_path / "alone", "user.mark", b"mine")
    placing.write("one", b"new\n", 0o640, node)
    placing.write("alone", b"new\n", 0o640)
    placing.write("copied", b"new\n", 0o640)
    assert placing.failed == {}
    assert [(tmp_path / name).read_text() for name in ("one", "other", "alone")] == ["new\n"] * 3
    assert (tmp_path / "copy").read_text() == "x\n", "a copy that was made since is somebody else's"
    assert (tmp_path / "other").stat().st_mode & 0o777 == 0o640
    assert not marks or os.getxattr(tmp_path / "alone", "user.mark") == b"mine"
    assert node_of(str(tmp_path / "gone")) == []
    if os.getuid() == 0:
        for name in ("alone", "."):
            os.chown(tmp_path / name, 1, 2)
        placing.write("alone", b"x\n", 0o4640)
        placing.write("deep/new", b"x\n", 0o600)
        for name in ("alone", "deep", "deep/new"):
            assert ((tmp_path / name).stat().st_uid, (tmp_path / name).stat().st_gid) == (1, 2)
        assert (tmp_path / "alone").stat().st_mode & 0o7777 == 0o4640


def test_closed_folders_are_opened_from_the_top(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/b/x": "x\n", "open/x": "x\n", "file": "x\n"})
    (tmp_path / "open").chmod(0o711)
    closed = {ROOT: 0o500, "a": 0, "a/b": 0o544}
    for path in ("a/b", "a", ROOT):
        (tmp_path / path).chmod(closed[path])
    placing = Placing(str(tmp_path))
    assert list(placing.open_up(["a/b", "a", "gone", "open", "file", ROOT]).items()) == list(closed.items())
    assert [folder_bits(str(tmp_path / path)) for path in closed] == [0o700, 0o700, 0o744]
    assert [folder_bits(str(tmp_path / path)) for path in ("open", "file", "gone")] == [0o711, -1, -1]
    placing.set_bits(closed)
    assert [folder_bits(str(tmp_path / path)) for path in (ROOT,)] == [0o500]
    placing.open_up([ROOT, "a", "a/b"])
    assert placing.failed == {}
