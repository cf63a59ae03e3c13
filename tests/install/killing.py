"""Stop the installer at any instant and see what is left: run as a script, so that it may fork.

Usage: killing.py random SEED COUNT | killing.py sweep kill|fail
A child made by fork runs one call; the parent kills it after a random time, or the child ends or fails itself
at the n-th operation on the file system, for every n. Then the next call must find its way.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path[:0] = [
    str(Path(__file__).resolve().parents[2]),
    str(Path(__file__).resolve().parents[2] / "generator"),
]
from tests.install.samples import PLUGIN, Files, copy_of, plugin_files, snapshot, write_bundle  # noqa: E402
from tests.kit.files import write_tree  # noqa: E402
from ultra_plugin.install import receipt, report  # noqa: E402, F401 - loaded here, not by every child
from ultra_plugin.install.main import main  # noqa: E402
from ultra_plugin.install.names import STATE  # noqa: E402
from ultra_plugin.install.survey import survey  # noqa: E402

Snapshot = dict[str, tuple[int, bytes]]
SETTINGS = '{\r\n\t"model": "opus",\r\n\t"size": 1.0e2\r\n}\r\n'
EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.chmod", "os.utime", "open")


@dataclass(frozen=True)
class Scenario:
    """One call from one starting state, with the two states that may come of it."""

    name: str
    start: Path
    words: tuple[str, ...]
    seconds: float
    before: Snapshot
    after: Snapshot


def spawn(home: Path, words: Sequence[str], prepare: Callable[[], object] = lambda: None) -> int:
    """Run one call in a child and return its process id."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    status = 99
    try:
        os.environ.clear()
        os.environ.update(HOME=str(home), PATH="/usr/bin:/bin")
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        prepare()
        status = main(words)
    finally:
        os._exit(status)


def finish(pid: int) -> int:
    """Wait for a child and return its status; a signal is negative."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def without_times(found: Snapshot) -> Snapshot:
    """Blank what differs between two installations of the same thing."""
    name = f".claude/skills/{PLUGIN}/.ultra-receipt.json"
    if name in found:
        value = json.loads(found[name][1])
        value["installed_at"] = ""
        found[name] = (found[name][0], json.dumps(value).encode())
    return found


def scenarios(root: Path, files: Callable[[str], Files]) -> list[Scenario]:
    """Prepare every starting state and see what each call makes of it when left alone."""
    old = str(write_bundle(root / "old", "1.0.0", files("1.0.0")))
    new = str(write_bundle(root / "new", "1.1.0", files("1.1.0")))
    everything = ("--permissions", "minimal", "--short-names")
    bare = root / "bare"
    bare.mkdir()
    used = write_tree(root / "used", {".claude/settings.json": SETTINGS})
    installed = copy_of(used, root / "installed")
    assert finish(spawn(installed, ["--from", old, "--yes", *everything])) == 0
    edited = copy_of(installed, root / "edited")
    (edited / f".claude/skills/{PLUGIN}/README.md").write_text("mine")
    (edited / f".claude/skills/{PLUGIN}/own.txt").write_text("own")
    from_nothing = copy_of(bare, root / "from-nothing")
    assert finish(spawn(from_nothing, ["--from", old, "--yes", *everything])) == 0
    table = [
        ("install into nothing", bare, ("--from", old, "--yes", *everything)),
        ("install beside settings", used, ("--from", old, "--yes", *everything)),
        ("upgrade", edited, ("--from", new, "--yes", "--upgrade")),
        ("uninstall", installed, ("--uninstall", "--yes")),
        ("uninstall after edits", edited, ("--uninstall", "--yes")),
        ("uninstall to nothing", from_nothing, ("--uninstall", "--yes")),
    ]
    return [measured(root, *row) for row in table]


def measured(root: Path, name: str, start: Path, words: tuple[str, ...]) -> Scenario:
    """Run a call to its end, and keep how long it took and what came of it."""
    home = copy_of(start, root / "measured")
    begun = time.perf_counter()
    status = finish(spawn(home, words))
    seconds = time.perf_counter() - begun
    assert status == 0, f"{name}: {status}"
    after = without_times(snapshot(home))
    shutil.rmtree(home)
    before = without_times(snapshot(start))
    assert before != after, name
    return Scenario(name, start, words, seconds, before, after)


def check_no_half_plugin(home: Path, where: str) -> None:
    """Fail unless every plugin that the client would load is complete."""
    for manifest in (home / ".claude/skills").glob("*/.claude-plugin/plugin.json"):
        folder = manifest.parent.parent
        if folder.name.startswith("."):  # the client passes over these: tests/install/test_client_loading.py
            continue
        found = receipt.read(folder)
        assert found, f"{where}: {folder.name} has no receipt"
        seen = survey(folder, found)
        assert not seen.missing, f"{where}: {folder.name} lacks {seen.missing}"
        assert set(seen.changed) <= {"README.md"}, f"{where}: {seen.changed}"


def check_recovered(home: Path, where: str, wanted: Sequence[Snapshot]) -> None:
    """Make the next call and fail unless all is as it was or as it should be."""
    check_no_half_plugin(home, where)
    assert finish(spawn(home, ["--status"])) == 0, f"{where}: the next call failed"
    found = without_times(snapshot(home))
    if not any(found == one for one in wanted):
        differs = {key for one in wanted for key in {*one, *found} if one.get(key) != found.get(key)}
        raise AssertionError(f"{where}: neither before nor after: {sorted(differs)}")


def killed_after(home: Path, words: Sequence[str], seconds: float) -> bool:
    """Kill one call after some time; tell whether it was still at work."""
    pid = spawn(home, words)
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    return finish(pid) == -signal.SIGKILL


def run_random(root: Path, seed: int, count: int) -> None:
    """Kill a number of calls, each of them at a random moment, and some of the calls that recover, too."""
    chance = random.Random(seed)  # noqa: S311 - it has to come again
    table = scenarios(root, plugin_files)
    killed = 0
    for number in range(count * 5):
        scenario = table[number % len(table)]
        home = copy_of(scenario.start, root / "home")
        where = f"seed {seed}, try {number} ({scenario.name})"
        if killed_after(home, scenario.words, chance.uniform(0, scenario.seconds)):
            killed += 1
            if chance.random() < 0.3:
                killed_after(home, ["--status"], chance.uniform(0, scenario.seconds / 2))
            check_recovered(home, where, [scenario.before, scenario.after])
        else:
            check_recovered(home, where, [scenario.after])
        shutil.rmtree(home)
        if killed == count:
            break
    print(f"seed {seed}: {killed} calls were killed at work, of {number + 1}")
    assert killed == count, "too few calls were killed while they worked"


def stop_at(number: int, act: Callable[[], None], told: int) -> Callable[[], object]:
    """Return what makes a child act at its n-th operation on the file system, and tell so first."""
    count = 0

    def watch(event: str, details: tuple[Any, ...]) -> None:
        nonlocal count
        if event not in EVENTS or (event == "open" and not writes(details)):
            return
        count += 1
        if count == number:
            os.write(told, b"!")
            act()

    return lambda: sys.addaudithook(watch)


def writes(details: tuple[Any, ...]) -> bool:
    """Tell whether a file is opened for writing."""
    return (
        isinstance(details[2], int)
        and bool(details[2] & (os.O_WRONLY | os.O_RDWR))
        and details[0] != os.devnull
    )


def files_of(found: Snapshot) -> Snapshot:
    """Leave out folders, and the one for work under way: where it cannot be removed the next call does it."""
    return {
        path: one
        for path, one in without_times(dict(found)).items()
        if stat.S_ISREG(one[0]) and STATE not in path
    }


def kill_self() -> None:
    """End as a kill from outside would."""
    os.kill(os.getpid(), signal.SIGKILL)


def disk_full() -> None:
    """Fail as a full disk would."""
    raise OSError(errno.ENOSPC, "No space left on device")


def small(version: str) -> Files:
    """Return a plugin of few files: every operation of its installation is tried."""
    full = plugin_files(version)
    return {
        path: full[path]
        for path in (".claude-plugin/plugin.json", "README.md", "commands/plan.md", "bin/ultra")
    }


def run_sweep(root: Path, act: Callable[[], None]) -> None:
    """Stop every call at every one of its operations."""
    table = scenarios(root, small)
    for scenario in table if os.environ.get("ULTRA_SOAK") else table[1:3]:
        number = 1
        while stopped(scenario, root / "home", number, act):
            number += 1
        assert number > 20, f"{scenario.name}: only {number} operations were seen"
        print(f"{scenario.name}: {number - 1} operations")


def stopped(scenario: Scenario, home: Path, number: int, act: Callable[[], None]) -> bool:
    """Stop a call at its n-th operation and see it recovered; tell whether there was such an operation."""
    copy_of(scenario.start, home)
    where = f"{scenario.name}, operation {number}"
    hear, tell = os.pipe()
    status = finish(spawn(home, scenario.words, stop_at(number, act, tell)))
    os.close(tell)
    acted = os.read(hear, 1) == b"!"
    os.close(hear)
    if status == 1:  # it failed and said so: then every file is as it was, even before the next call
        assert files_of(snapshot(home)) == files_of(scenario.before), f"{where}: not rolled back at once"
    assert status in ((0, 1) if act is disk_full else (0, -signal.SIGKILL)), f"{where}: status {status}"
    wanted = {0: [scenario.after], 1: [scenario.before]}.get(status, [scenario.before, scenario.after])
    check_recovered(home, where, wanted)
    shutil.rmtree(home)
    return acted


def run() -> None:
    """Do what the command line says."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # what counts is the order, not the disk
    with tempfile.TemporaryDirectory(prefix="ultra-kill-", dir=memory) as name:
        root = Path(name)
        if sys.argv[1] == "random":
            run_random(root, int(sys.argv[2]), int(sys.argv[3]))
        else:
            run_sweep(root, kill_self if sys.argv[2] == "kill" else disk_full)


if __name__ == "__main__":
    run()
