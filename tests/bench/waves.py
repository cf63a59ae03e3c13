"""What a session costs besides its model, and how waves grow with their sessions.

The client is a script that does its steps at once, so this measures our own work: a worktree, the supervisor, an audit
in a clean checkout and a merge. With a real model, whose session takes minutes, the share is far smaller. The memory is
that of the supervisor; each client has its own, which is the client's.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.bench.measure import show
from tests.built import rendered
from tests.interpreters import interpreters, python_on_path
from tests.kit.names import SOURCES
from tests.kit.programs import FIND
from tests.kit.repository import git
from tests.waves.elsewhere import (
    NEEDED,
    Cluster,
    Hosts,
    drop_folder,
    files_for,
    make_folder,
    worker_environment,
)
from tests.waves.sample import PLAN, QUICK, Waves, part, plan, session, step

JOBS = 8
SIZES = ((4, 1, 1), (10, 1, JOBS), (50, 5, JOBS))
"""Sessions, waves, and how many run side by side; the first row has one after the other, as the bare client does."""
ELSEWHERE = 8
"""Sessions for each engine."""
LOOK_SECONDS = 0.2
BARE_TIMES = 3


class Watch(threading.Thread):
    """Looks at the memory of the supervisor while waves run."""

    def __init__(self, repo: Waves) -> None:
        super().__init__(daemon=True)
        self.place = str(repo.folder.resolve())
        self.over = threading.Event()
        self.most = 0
        """The most memory so far, in kB."""

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.join(timeout=10)

    def run(self) -> None:
        """Look until the waves are over; an attempt's process is a fork and has less."""
        while not self.over.wait(LOOK_SECONDS):
            for folder in Path("/proc").iterdir():
                try:
                    words = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
                    if b"child_process.py" in words and self.place.encode() in words:
                        status = (folder / "status").read_text()
                        found = re.search(r"VmHWM:\s+(\d+)", status)
                        self.most = max(self.most, int(found[1]) if found else 0)
                except OSError:
                    continue


def main() -> None:
    """Print the cost of a session in waves of several sizes, against a worktree and the bare client."""
    with tempfile.TemporaryDirectory(prefix="ultra-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        bundle = rendered(SOURCES, folder / "bundle")
        (folder / "python").mkdir()
        python = python_on_path(interpreters()[-1], folder / "python")
        rows = []
        for count, waves, jobs in SIZES:
            print(f"{count} sessions in {waves} waves ...", file=sys.stderr)
            own = folder / f"waves-{count}"
            own.mkdir()
            repo = Waves(own / "repo", bundle, python).create(_plan(count, waves), QUICK)
            bare = min(_bare(repo) for _ in range(BARE_TIMES))
            begun = time.perf_counter()
            with Watch(repo) as watch:
                end = repo.waves(f"--jobs {jobs}")
            assert end["result"] == "completed", end
            seconds = (time.perf_counter() - begun) / count
            words = (
                f"{seconds:5.2f} s a session, {seconds / bare:4.1f} x a worktree and the bare client; "
                f"the supervisor has {watch.most / 1024:.1f} MB"
            )
            rows.append((f"{count} in {waves}, {jobs} side by side", words))
        show("Sessions side by side, with a client that needs no time to think", rows)
        show("The same sessions on other machines, which are this one", _elsewhere(folder, bundle, python))


def _elsewhere(folder: Path, bundle: Path, python: Path) -> list[tuple[str, str]]:
    """Return what a session costs with each engine that is installed, against the same one here."""
    rows, here = [], 0.0
    for machines in (None, Hosts, Cluster):
        on = machines.on if machines else "local"
        if machines and any(FIND[package]() is None for package in NEEDED[on]):
            rows.append((on, "not measured: it is not installed"))
            continue
        print(f"{ELSEWHERE} sessions, {on} ...", file=sys.stderr)
        own = folder / f"on-{on}"
        own.mkdir()
        found = machines(make_folder(on)) if machines else None
        try:
            repo = Waves(own / "repo", bundle, python)
            files = QUICK
            if found:
                found.start()
                git(own, "init", "--quiet", "--bare", str(own / "hub.git"))
                files = files_for(found, own / "hub.git", own / "worker.sh")
                repo.env |= found.environment()
            repo.create(_plan(ELSEWHERE, 1), files)
            worker_environment(repo.env, own)
            begun = time.perf_counter()
            end = repo.waves(f"--on {on} --jobs {ELSEWHERE}")
            seconds = (time.perf_counter() - begun) / ELSEWHERE
        finally:
            if found:
                found.stop()
                drop_folder(found.folder)
        assert end["result"] == "completed", end
        here = here or seconds
        rows.append((on, f"{seconds:5.2f} s a session, {seconds / here:4.1f} x local"))
    return rows


def _plan(count: int, waves: int) -> str:
    steps = [step(number) for number in range(1, count + 1)]
    each = count // waves
    sessions = [
        session(number, str(number), (number - 1) // each + 1, [part(number)])
        for number in range(1, count + 1)
    ]
    return plan(*steps, strategy="\n".join(sessions))


def _bare(repo: Waves) -> float:
    """Return the seconds of `git worktree add` and one run of the client in it."""
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--allow-empty", "--message=plan")
    tree, begun = repo.folder.parent / "bare", time.perf_counter()
    repo.git("worktree", "add", "--quiet", "--detach", str(tree))
    client = repo.folder.parent / "programs/claude"
    subprocess.run(
        [client, "-p", f"x --session 1 {PLAN}"], cwd=tree, env=repo.env, check=True, capture_output=True
    )
    seconds = time.perf_counter() - begun
    repo.git("worktree", "remove", "--force", str(tree))
    for ref in repo.git("for-each-ref", "--format=%(refname)", "refs/ultra").split():
        repo.git("update-ref", "-d", ref)
    return seconds


if __name__ == "__main__":
    main()
