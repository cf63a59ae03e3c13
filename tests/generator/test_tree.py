"""Writing: only what changed, nothing stale, and the earlier tree whole whatever happens."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ultra_plugin.errors import UltraError
from ultra_plugin.model import Bundle, BundleFile
from ultra_plugin.tree import Change, changes, inside, write, write_file


def bundle(name: str = "p", **files: str) -> Bundle:
    paths = {path.replace("__", "/"): text for path, text in files.items()}
    made = {
        path: BundleFile(path, text.encode(), executable=path.startswith("bin/"))
        for path, text in paths.items()
    }
    return Bundle(name, "1.0.0", made)


def shown(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_writes_modes_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        write([bundle(a="1", bin__x="#!/bin/sh\n", docs__deep__b="2")], tmp_path / "dist")
    finally:
        os.umask(old)
    modes = {
        str(p.relative_to(tmp_path / "dist")): oct(p.stat().st_mode & 0o777)
        for p in (tmp_path / "dist" / "p").rglob("*")
    }
    assert modes == {
        "p/a": "0o644", "p/bin": "0o755", "p/bin/x": "0o755", "p/docs": "0o755",
        "p/docs/deep": "0o755", "p/docs/deep/b": "0o644",
    }  # fmt: skip


def test_only_what_changed_is_written_and_what_is_stale_goes(tmp_path: Path) -> None:
    write([bundle(same="1", other="2", gone="3")], tmp_path)
    before = (tmp_path / "p" / "same").stat()
    done = write([bundle(same="1", other="new", more="4")], tmp_path)
    assert done["p"] == [Change("gone", "removed"), Change("more", "added"), Change("other", "changed")]
    assert shown(tmp_path / "p") == {"same": "1", "other": "new", "more": "4"}
    after = (tmp_path / "p" / "same").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_nothing_to_do_touches_nothing(tmp_path: Path) -> None:
    write([bundle(a="1")], tmp_path)
    before = (tmp_path / "p").stat()
    assert write([bundle(a="1")], tmp_path) == {"p": []}
    assert (tmp_path / "p").stat().st_ino == before.st_ino


def test_a_wrong_mode_and_a_link_are_changes(tmp_path: Path) -> None:
    write([bundle(a="1", b="2")], tmp_path)
    (tmp_path / "p" / "a").chmod(0o600)
    (tmp_path / "p" / "b").unlink()
    (tmp_path / "p" / "b").symlink_to("a")
    assert [change.path for change in changes(bundle(a="1", b="2"), tmp_path / "p")] == ["a", "b"]


def test_byte_code_is_no_change(tmp_path: Path) -> None:
    write([bundle(runtime__x="1")], tmp_path)
    (tmp_path / "p" / "runtime" / "__pycache__").mkdir()
    (tmp_path / "p" / "runtime" / "__pycache__" / "x.pyc").write_bytes(b"\0")
    assert changes(bundle(runtime__x="1"), tmp_path / "p") == []


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/x", "", ".", "a/.."])
def test_no_write_leaves_its_root(tmp_path: Path, path: str) -> None:
    with pytest.raises(UltraError, match="would be written outside"):
        inside(tmp_path / "root", path)


def test_a_bundle_that_would_leave_its_folder_changes_nothing(tmp_path: Path) -> None:
    write([bundle(a="1")], tmp_path / "dist")
    bad = Bundle("p", "1.0.0", {"../../x": BundleFile("../../x", b"!"), "a": BundleFile("a", b"2")})
    with pytest.raises(UltraError, match="would be written outside"):
        write([bad], tmp_path / "dist")
    assert shown(tmp_path) == {"dist/.lock": "", "dist/p/a": "1"}


def test_a_disk_that_fills_up_leaves_the_old_tree(tmp_path: Path) -> None:
    """A limit on file size stands in for the full disk: the write itself fails, in the kernel."""
    write([bundle(a="1"), bundle("q", b="2")], tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            write([bundle(a="new"), bundle("q", b="x" * 100_000)], tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert shown(tmp_path) == {".lock": "", "p/a": "1", "q/b": "2"}


def test_a_build_that_was_killed_between_the_two_renames_is_put_right(tmp_path: Path) -> None:
    write([bundle(a="old")], tmp_path)
    os.rename(tmp_path / "p", tmp_path / ".old-p")
    (tmp_path / ".staged-half").mkdir()
    (tmp_path / ".staged-half" / "a").write_text("half")
    assert write([bundle(a="old")], tmp_path) == {"p": []}
    assert shown(tmp_path) == {".lock": "", "p/a": "old"}


KILLED = """
import sys
from pathlib import Path
from ultra_plugin.model import Bundle, BundleFile
from ultra_plugin.tree import write
word = sys.argv[2].encode()
files = {f"f{n}": BundleFile(f"f{n}", word) for n in range(300)}
print("go", flush=True)
while True:
    write([Bundle("p", "1", files)], Path(sys.argv[1]))
    files = {path: BundleFile(path, b"b" if file.content == b"a" else b"a") for path, file in files.items()}
"""


def test_killed_at_any_moment_the_tree_is_the_old_or_the_new_one(tmp_path: Path) -> None:
    for delay in (0.0, 0.003, 0.007, 0.011, 0.02, 0.031, 0.043, 0.06):
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), "a"], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"go\n"
        time.sleep(delay)  # the moment is meant to be arbitrary
        process.send_signal(signal.SIGKILL)
        process.communicate()
        final = Bundle("p", "1", {f"f{n}": BundleFile(f"f{n}", b"z") for n in range(300)})
        trees = [path for path in (tmp_path / "p", tmp_path / ".old-p") if path.exists()]
        if trees:
            assert set(shown(trees[0]).values()) in ({"a"}, {"b"}, {"z"})
            assert len(shown(trees[0])) == 300
        write([final], tmp_path)
        assert set(shown(tmp_path / "p").values()) == {"z"}


def test_two_builds_at_once_wait_for_each_other(tmp_path: Path) -> None:
    script = KILLED.replace("while True:", "for _ in range(20):")
    runs = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), word]) for word in "ab"]
    assert [run.wait(timeout=60) for run in runs] == [0, 0]
    assert len(set(shown(tmp_path / "p").values())) == 1


def test_write_file_says_whether_it_did(tmp_path: Path) -> None:
    target = tmp_path / "x" / "file"
    assert write_file(target, b"1") is True
    assert write_file(target, b"1") is False
    assert target.stat().st_mode & 0o777 == 0o644
