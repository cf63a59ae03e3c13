"""Bad input: one clear sentence on standard error, the right status, no traceback, the earlier dist untouched.

Each folder here is one fault: files that are laid over the sample source tree, what is removed from it, and the
line that the build must say.
"""

from __future__ import annotations

import fcntl
import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.generator.sample import write_sample
from tests.kit.generator import generator
from tests.modes import obey_modes

HERE = Path(__file__).parent
FAULTS = sorted(path.parent.name for path in HERE.glob("*/expected.txt"))
BUILD = [sys.executable, "-m", "ultra_plugin", "build"]


def built(folder: Path) -> Path:
    """Write the sample and build it once, so that there is an earlier dist to lose."""
    write_sample(folder)
    assert generator(folder, "build").returncode == 0
    return folder


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file of a tree with its content and time; what a builder keeps for itself is left out."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def lay_over(folder: Path, fault: Path) -> None:
    for name in (fault / "removed.txt").read_text().split() if (fault / "removed.txt").exists() else []:
        target = folder / name
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    shutil.copytree(
        fault, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("expected.txt", "removed.txt")
    )


def refused(folder: Path, *arguments: str, before: Callable[[], None] | None = None) -> tuple[int, str]:
    """Build, and return status and words of the refusal; `before` runs in the process first."""
    if before is None:
        done = generator(folder, "build", *arguments)
    else:
        done = subprocess.run(
            [*BUILD, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60, preexec_fn=before
        )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.returncode, done.stderr


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_and_nothing_is_lost(tmp_path: Path, fault: str) -> None:
    built(tmp_path)
    before = snapshot(tmp_path / "dist")
    lay_over(tmp_path, HERE / fault)
    status, said = refused(tmp_path)
    expected = (HERE / fault / "expected.txt").read_text().strip()
    assert any(line.startswith(expected) for line in said.splitlines()), said
    assert status == 1
    assert snapshot(tmp_path / "dist") == before


def test_every_fault_is_a_sample_that_differs(tmp_path: Path) -> None:
    assert len(FAULTS) >= 15
    assert all(len(list((HERE / fault).rglob("*"))) > 1 for fault in FAULTS)


@pytest.mark.parametrize("arguments", [["--no-such-option"], ["--out"], ["extra"]])
def test_wrong_usage_is_status_two(tmp_path: Path, arguments: list[str]) -> None:
    status, said = refused(built(tmp_path), *arguments)
    assert status == 2
    assert "Error: " in said


def test_a_read_only_dist(tmp_path: Path) -> None:
    built(tmp_path)
    (tmp_path / "plugin_src/fragments/rules.md.j2").write_text("Another rule.\n")
    before = snapshot(tmp_path / "dist")
    for path in (tmp_path / "dist", tmp_path / "dist/acme-plan"):
        path.chmod(0o555)
    status, said = refused(tmp_path, before=obey_modes)
    assert (status, said.count("\n")) == (1, 1)
    assert "Permission denied" in said
    assert "dist" in said
    assert snapshot(tmp_path / "dist") == before


def test_a_dist_that_is_a_file(tmp_path: Path) -> None:
    write_sample(tmp_path)
    (tmp_path / "dist").write_text("mine")
    status, said = refused(tmp_path)
    remedy = "move away what has this name, or name another place"
    assert (status, said) == (1, f"ultra-plugin: dist: File exists; {remedy}\n")
    assert (tmp_path / "dist").read_text() == "mine"


def test_a_full_disk(tmp_path: Path) -> None:
    built(tmp_path)
    (tmp_path / "plugin_src/fragments/rules.md.j2").write_text("A rule with {{ 'many words ' * 1000 }}\n")
    before = snapshot(tmp_path / "dist")

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    status, said = refused(tmp_path, before=no_room)
    assert (status, said) == (1, "ultra-plugin: File too large; free some space and build again\n")
    assert snapshot(tmp_path / "dist") == before


def test_interrupted_in_the_middle(tmp_path: Path) -> None:
    """The included file is a pipe that nobody writes to: the build waits in it when the interrupt comes."""
    built(tmp_path)
    before = snapshot(tmp_path / "dist")
    fragment = tmp_path / "plugin_src/fragments/rules.md.j2"
    fragment.unlink()
    os.mkfifo(fragment)
    process = subprocess.Popen(BUILD, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(fragment, "w"):  # returns when the build has opened its end
        time.sleep(0.2)  # from its open into its read, which a signal before it would not end
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said.strip()) == (130, "ultra-plugin: interrupted; nothing was changed")
    assert snapshot(tmp_path / "dist") == before


def test_interrupted_while_it_writes_it_does_not_say_that_nothing_changed(tmp_path: Path) -> None:
    """Another process holds the lock of dist/, so the build waits there when the interrupt comes."""
    built(tmp_path)
    (tmp_path / "plugin_src/fragments/rules.md.j2").write_text("Another rule.\n")
    ours, theirs = pty.openpty()
    with open(tmp_path / "dist/.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.Popen(BUILD, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        said = b""
        while b"write" not in said:
            said += os.read(ours, 1000)
        process.send_signal(signal.SIGINT)
        while b"complete it" not in said:
            said += os.read(ours, 1000)
        assert process.wait(30) == 130
    os.close(ours)
    assert b"ultra-plugin: interrupted while writing dist; build again to complete it" in said


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m ultra_plugin build --json | true"
    done = subprocess.run(
        ["bash", "-c", command], cwd=built(tmp_path), capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
