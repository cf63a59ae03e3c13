"""The processes of a repository's waves."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from tests.waves.sample import Waves

GONE_SECONDS = 20


def processes_of(repo: Waves) -> list[int]:
    """Return the processes that know this repository's play or work in it: supervisor, keepers, clients, git and more."""
    mark, place = str(repo.play_file).encode(), str(repo.folder.resolve())
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            if (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                continue
            where = os.readlink(folder / "cwd")
            if mark in (folder / "environ").read_bytes() or where == place or where.startswith(place + "/"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def kill(pids: list[int]) -> None:
    """Kill processes; one that has ended meanwhile needs no killing."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def kill_all(repo: Waves) -> None:
    """Kill everything that the waves of a repository have started, as a reboot does."""
    end = time.monotonic() + GONE_SECONDS
    while found := processes_of(repo):
        assert time.monotonic() < end, found
        kill(found)
        time.sleep(0.02)
