"""A file is the old one or the new one, whatever happens to its writers."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.names import RUNTIME
from ultra_runtime.files import atomic
from ultra_runtime.files.atomic import Folder, WriteError, locked, write_file


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_new_file_is_the_only_thing_left(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(str(tmp_path / "plan.md"), b"one\n")
    finally:
        os.umask(before)
    assert names(tmp_path) == ["plan.md"]
    assert (tmp_path / "plan.md").read_bytes() == b"one\n"
    assert stat.S_IMODE((tmp_path / "plan.md").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o420, 0o402, 0o777, 0o444, 0o555, 0o000])
def test_the_mode_is_kept_and_never_wider_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"old")
    path.chmod(mode)
    seen = []
    write = os.write

    def watched(descriptor: int, data: bytes) -> int:
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", watched)
    may = bool(mode & 0o222)
    with contextlib.nullcontext() if may else pytest.raises(WriteError, match=r"^plan.md is read-only$"):
        write_file(str(path), b"new")
    assert seen == [0o600] * may
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new" if may else b"old", mode)
    assert names(tmp_path) == ["plan.md"]


def test_every_text_that_is_replaced_is_kept_once_with_its_mode(tmp_path: Path) -> None:
    texts = [b"one", b"one", b"two", b"one", b"three"]
    kept = [b"one", b"two", b"one"]
    for text in texts:
        with locked(str(tmp_path)) as folder:
            folder.keep_earlier("plan.md", text)
            folder.write("plan.md", text)
        (tmp_path / "plan.md").chmod(0o640)
    found = [tmp_path / f"plan.{number}.md" for number in range(2, 2 + len(kept))]
    assert names(tmp_path) == sorted(["plan.md", *(path.name for path in found)])
    assert [path.read_bytes() for path in found] == kept
    assert {stat.S_IMODE(path.stat().st_mode) for path in found} == {0o640}


def test_the_old_one_stays_beside_it_until_the_new_one_is_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"old")
    seen = []
    replace = os.replace

    def watched(source: str, target: str, **folders: int) -> None:
        if target == "plan.md":
            seen.append((path.read_bytes(), (tmp_path / "plan.md.prev").read_bytes()))
        replace(source, target, **folders)

    monkeypatch.setattr(os, "replace", watched)
    write_file(str(path), b"new")
    assert seen == [(b"old", b"old")]
    assert names(tmp_path) == ["plan.md"]


def test_where_links_cannot_be_made_the_old_one_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"old")
    kept = []

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    flush = Folder.flush

    def watched(folder: Folder) -> None:
        kept.append((tmp_path / "plan.md.prev").read_bytes())
        flush(folder)

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(Folder, "flush", watched)
    write_file(str(path), b"new")
    assert (kept, path.read_bytes(), names(tmp_path)) == ([b"old"], b"new", ["plan.md"])


def test_what_a_killed_writer_left_is_no_obstacle_and_goes(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"old")
    os.link(path, tmp_path / "plan.md.prev")
    leftover, fresh = tmp_path / ".plan.md.aa.tmp", tmp_path / ".plan.md.bb.tmp"
    others = [tmp_path / name for name in (".brief.md.aa.tmp", ".plan.md.aa", "plan.md.aa.tmp")]
    for one in (leftover, fresh, *others):
        one.write_bytes(b"half")
    for one in (leftover, *others):
        os.utime(one, (0, 0))
    write_file(str(path), b"new")
    left = sorted([fresh.name, "plan.md", *(one.name for one in others)])
    assert (path.read_bytes(), names(tmp_path)) == (b"new", left)


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[Path]:
    """Return a folder of things that are no files."""
    (tmp_path / "target.md").write_text("precious")
    (tmp_path / "link.md").symlink_to("target.md")
    (tmp_path / "dangling.md").symlink_to("nowhere.md")
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "fifo.md")
    listener = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(tmp_path)
    listener.bind("socket.md")
    os.chdir(here)
    yield tmp_path
    listener.close()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("link.md", "link.md is a symbolic link, not a regular file"),
        ("dangling.md", "dangling.md is a symbolic link, not a regular file"),
        ("folder.md", "folder.md is a directory, not a regular file"),
        ("fifo.md", "fifo.md is a FIFO, not a regular file"),
        ("socket.md", "socket.md is a device or socket, not a regular file"),
        ("no/such.md", "the folder"),
        ("target.md/x.md", "the folder"),
        ("nul\0.md", "nul\\x00.md cannot be written"),
        ("x" * 300, "cannot be written: File name too long"),
    ],
)
def test_what_is_no_file_is_refused_in_a_sentence(odd: Path, name: str, reason: str) -> None:
    before = names(odd)
    with pytest.raises(WriteError) as refused:
        write_file(f"{odd}/{name}", b"new")
    assert reason in str(refused.value)
    assert names(odd) == before
    assert (odd / "target.md").read_text() == "precious"


def test_what_appears_meanwhile_is_neither_followed_nor_replaced(
    odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link where a file was seen, and a file of the name that was drawn for a temporary one."""
    path, before = odd / "plan.md", names(odd)
    path.write_bytes(b"old")

    def put_link(*_: object, **__: object) -> None:
        path.unlink()
        path.symlink_to("target.md")
        raise OSError(errno.EPERM, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(os, "link", put_link)
        with pytest.raises(WriteError, match="Too many levels of symbolic links"):
            write_file(str(path), b"new")
    assert sorted([*before, "plan.md"]) == names(odd)
    monkeypatch.setattr(atomic, "_temporary", lambda name: "target.md")
    with pytest.raises(WriteError, match=r"^new\.md cannot be written: File exists$"):
        write_file(f"{odd}/new.md", b"new")
    assert (odd / "target.md").read_text() == "precious"


def test_a_directory_called_prev_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("old")
    (tmp_path / "plan.md.prev").mkdir()
    with pytest.raises(WriteError, match=r"plan.md.prev is a directory"):
        write_file(str(tmp_path / "plan.md"), b"new")
    assert (tmp_path / "plan.md").read_text() == "old"


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the disk: the write fails halfway in the same way."""
    path = tmp_path / "plan.md"
    path.write_bytes(b"old")
    script = f"from ultra_runtime.files.atomic import write_file; write_file({str(path)!r}, b'x' * 5_000_000)"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(RUNTIME)}, preexec_fn=limit, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "WriteError: plan.md cannot be written: File too large" in done.stderr
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["plan.md"])


@pytest.mark.parametrize("call", ["replace", "fsync", "write"])
def test_a_call_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        with pytest.raises(WriteError, match=r"^plan.md cannot be written: Input/output error$"):
            write_file(str(path), b"new")
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["plan.md"])


def test_moving_is_for_files_too(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "link.md").symlink_to("a.md")
    with Folder(str(tmp_path)) as folder:
        for source, target, reason in (
            ("missing", "b.md", "there is no missing"),
            ("link.md", "b.md", "link.md is a symbolic link"),
            ("a.md", "link.md", "link.md is a symbolic link"),
        ):
            with pytest.raises(WriteError, match=reason):
                folder.move(source, target)
        folder.move("a.md", "b.md")
        (tmp_path / "folder").mkdir()
        with pytest.raises(
            WriteError, match=r"^folder cannot be removed: (Is a directory|Operation not permitted)$"
        ):
            folder.remove("folder")
        for name in ("link.md", "missing"):
            folder.remove(name)
    assert names(tmp_path) == ["b.md", "folder"]


WRITER = """
import sys
from ultra_runtime.files.atomic import Folder, WriteError
path, letter = sys.argv[1], sys.argv[2].encode()
print("ready", flush=True)
while True:
    with Folder(path) as folder:
        folder.write("plan.md", letter * 300_000)
"""


def test_many_writers_killed_at_any_moment_never_leave_a_torn_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(b"0" * 300_000)
    env = {"PYTHONPATH": str(RUNTIME)}
    for number in range(12):
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, tmp_path, letter],
                env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )
            for letter in "abc"
        ]  # fmt: skip
        try:
            for writer in writers:
                assert writer.stdout is not None
                assert writer.stdout.readline() == b"ready\n"
            end = time.monotonic() + 0.02 + number * 0.01
            while time.monotonic() < end:
                assert_whole(path.read_bytes())
        finally:
            for writer in writers:
                writer.send_signal(signal.SIGKILL)
                writer.communicate(timeout=30)
        assert_whole(path.read_bytes())
        if (tmp_path / "plan.md.prev").exists():
            assert_whole((tmp_path / "plan.md.prev").read_bytes())
    assert set(path.read_bytes()) != {ord("0")}


def assert_whole(data: bytes) -> None:
    assert len(data) == 300_000
    assert data == data[:1] * 300_000


HOLDER = """
import sys, time
from ultra_runtime.files.atomic import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_folder_is_held_by_one_and_the_next_waits_until_that_one_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, tmp_path], env={"PYTHONPATH": str(RUNTIME)}, stdout=subprocess.PIPE
    )
    naps = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 2:
            holder.kill()
            holder.wait()  # with a timeout it would nap, too

    with holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with Folder(str(tmp_path)) as folder:
                with pytest.raises(WriteError, match="another call has been writing here for too long"):
                    folder.lock(seconds=-1)
                monkeypatch.setattr(time, "sleep", nap)
                folder.lock(seconds=60)
                assert len(naps) == 2
        finally:
            holder.kill()


def test_nothing_heavy_is_imported() -> None:
    script = (
        "import sys, ultra_runtime.files.atomic, ultra_runtime.files.secret_scan; print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(RUNTIME)!r}); {script}"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert not {"re", "json", "typing", "dataclasses", "pathlib", "contextlib"} & set(done.stdout.split())
    assert atomic.PREVIOUS == ".prev"
