"""Let one system call of a verb, or of one git that it starts, end in a kill or find the disk full."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.executor.sample import Repo

NAMES_A_FILE = ("write", "pwrite64", "ftruncate", "fchmod")
"""Calls on an open file: one to a pipe changes nothing on the disk."""
CREATES = ("openat",)
GROWS = (
    *("write", "pwrite64", "ftruncate"),
    *("mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"),
)
CHANGES = (*GROWS, "fchmod", "chmod", "fchmodat", "unlink", "unlinkat", "rmdir")
HOW = {"kill": "signal=KILL", "full": "error=ENOSPC", "immutable": "error=EPERM"}
BREAKS = {"kill": CHANGES, "full": (*GROWS, *CREATES), "immutable": (*CHANGES, *CREATES)}
ROW = re.compile(r"(\d+) +(\w+)\((.*)")
REGULAR = re.compile(r"\d+</(?!proc/|dev/(?!shm/))[^>]*>")

# Git number `which` is traced, or every one. A git that is killed takes the process that started it along.
GIT = """\
#!/bin/sh
read n < {folder}/count; n=$((n + 1)); echo $n > {folder}/count
read which < {folder}/which
[ "$which" = all ] || [ "$which" = $n ] || exec {git} "$@"
read how < {folder}/how
strace -f --seccomp-bpf -qq -y -o {folder}/git-$n $how {git} "$@"
status=$?
[ $status != 137 ] || kill -KILL $PPID
exit $status
"""


class Point(NamedTuple):
    """A system call: who makes it (0: the verb, else the number of the git), which one, and the how-manieth of these."""

    who: int
    name: str
    number: int


class Tracer:
    """A git in front of the real one, and strace in front of a verb."""

    def __init__(self, folder: Path, repo: Repo) -> None:
        self.folder = folder
        self.repo = repo
        folder.mkdir()
        git = folder / "git"
        git.write_text(GIT.format(folder=folder, git=shutil.which("git")))
        git.chmod(0o755)
        repo.env["PATH"] = f"{folder}:{repo.env['PATH']}"
        self.set(0, "")

    def set(self, who: int | str, how: str) -> None:
        """Say which git is traced from now on, and how."""
        for name, value in (("count", 0), ("which", who), ("how", how)):
            (self.folder / name).write_text(f"{value}\n")

    def run(self, call: str, *options: str) -> subprocess.CompletedProcess[bytes]:
        """Run a verb, traced itself when there are options."""
        strace = ["strace", "-qq", "-y", "-o", str(self.folder / "git-0"), *options] if options else []
        command: list[str | Path] = [*strace, self.repo.command, *call.split(), "--json"]
        return subprocess.run(
            command, cwd=self.repo.folder, env=self.repo.env, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=300, check=False,
        )  # fmt: skip

    def points(self, call: str, how: str) -> list[Point]:
        """Run a verb unharmed, and return every system call of it and of its gits that can be broken that way."""
        for old in self.folder.glob("git-*"):
            old.unlink()
        options = ("-e", "trace=" + ",".join(f"?{name}" for name in BREAKS[how]))
        self.set("all", " ".join(options))
        done = self.run(call, *options)
        assert done.returncode == 0, done
        self.set(0, "")
        found: dict[Point, None] = {}
        for log in self.folder.glob("git-*"):
            who = int(log.name.partition("-")[2])
            for point in _points(who, log.read_text(errors="replace")):
                found[point] = None
        return sorted(found)

    def break_at(self, call: str, how: str, point: Point) -> subprocess.CompletedProcess[bytes]:
        """Run a verb in which that system call fails."""
        options = (
            "-e", f"trace=?{point.name}", "-e", f"inject=?{point.name}:{HOW[how]}:when={point.number}"
        )  # fmt: skip
        self.set(point.who or "none", " ".join(options))
        try:
            return self.run(call, *(() if point.who else options))
        finally:
            self.set(0, "")


def _points(who: int, log: str) -> list[Point]:
    """Return the calls in a log that change the disk, each numbered among those of its process and name."""
    counts: Counter[tuple[str, str]] = Counter()
    found = []
    for row in log.splitlines():
        match = ROW.match(row if row[:1].isdigit() else f"0 {row}")
        if match is None:
            continue
        process, name, words = match.groups()
        counts[process, name] += 1
        if name in NAMES_A_FILE and not REGULAR.match(words):
            continue
        if name in CREATES and ("O_CREAT" not in words or "/dev/null" in words):
            continue
        found.append(Point(who, name, counts[process, name]))
    return found
