"""Putting files back: each act does what it says, and one that the system refuses is named and stops no other."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tests.kit.files import tree_of, write_tree
from ultra_runtime.run.tree.placing import Placing, parents


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
    placing.set_bits({"link": 0o700, "empty": 0o701, "empty/inner": 0o510}, also=0o200)
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
