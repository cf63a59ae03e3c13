"""What a session costs besides its model, and how waves grow with their sessions.

A session is compared with `git worktree add` and the same call of the client in it, whose model is scripted and needs
no time to think: the client starts, calls the verbs of a run and does one step. So this measures our own work, which is
the supervisor, an audit in a clean checkout and a merge for each session, and once per run its start, the pre-flight,
the proof of the wave and the end. Two runs of different length tell what each further session costs and what a run
costs besides. With a real model, whose session takes minutes, both shares are far smaller. The memory is that of the
supervisor; each client has its own, which is the client's.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ultra_runtime.tables.fields import progress_fields

from tests.bench.measure import show
from tests.built import rendered
from tests.client.binary import PINNED, find
from tests.client.conversation import Say
from tests.client.model import ScriptedModel
from tests.client.script import Acting
from tests.client.session import Home
from tests.interpreters import interpreters, python_on_path
from tests.kit.model import ultra, write
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
from tests.waves.sample import FILES, PLAN, PROJECT, QUICK, Waves, part, plan, session, step
from ultra_runtime.contract.stages import command_for
from ultra_runtime.waves.client_words import client_words

JOBS = 8
IN_A_ROW = (2, 6)
"""Sessions that run one after the other, as the bare client does."""
SIZES = ((10, 1), (50, 5))
"""Sessions and waves, side by side."""
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
        show("Sessions one after the other", _in_a_row(folder, bundle, python))
        rows = []
        for count, waves in SIZES:
            print(f"{count} sessions in {waves} waves ...", file=sys.stderr)
            own = folder / f"waves-{count}"
            own.mkdir()
            repo = Waves(own / "repo", bundle, python).create(_plan(count, waves), QUICK)
            bare = min(_bare(repo) for _ in range(BARE_TIMES))
            with Watch(repo) as watch:
                seconds = _seconds(repo, JOBS) / count
            words = (
                f"{seconds:5.2f} s a session, {seconds / bare:4.1f} x a worktree and the bare client; "
                f"the supervisor has {watch.most / 1024:.1f} MB"
            )
            rows.append((f"{count} in {waves}, {JOBS} side by side", words))
        show("Sessions side by side, with a client that needs no time to think", rows)
        show("The same sessions on other machines, which are this one", _elsewhere(folder, bundle, python))


def _seconds(repo: Waves, jobs: int) -> float:
    """Return how long the waves take from their start to their end."""
    begun = time.perf_counter()
    end = repo.waves(f"--jobs {jobs}")
    assert end["result"] == "completed", end
    return time.perf_counter() - begun


def _in_a_row(folder: Path, bundle: Path, python: Path) -> list[tuple[str, str]]:
    """Return what a session costs in runs of one job, with a script as the client and with the client itself."""

    def scripted(count: int) -> Waves:
        own = folder / f"scripted-{count}"
        own.mkdir()
        return Waves(own / "repo", bundle, python).create(_plan(count, 1), FILES)

    rows = [("a script as the client", _compared(scripted))]
    binary = find(PINNED)
    if binary is None:
        return [*rows, ("the client", "not measured: it is not installed")]
    repos: dict[int, Waves] = {}

    def act(opening: str) -> Acting:
        number = int(re.findall(r"--session (\d+)", opening)[0])
        yield ultra(f'run start "{PLAN}" --project {PROJECT} --session {number}')
        yield ultra(f"step begin {number}")
        yield write(repos[max(repos)].tree(number) / part(number), f"part {number}\n")
        yield ultra(f"step verify {number}")
        yield ultra(f"step commit {number}")
        yield ultra("run finish")
        yield Say("The session is completed.")

    def real(count: int) -> Waves:
        own = folder / f"client-{count}"
        own.mkdir()
        repo = repos[count] = Waves(own / "repo", bundle, python).create(_plan(count, 1), FILES)
        program = own / "programs/claude"
        program.unlink()
        program.symlink_to(binary)
        path = f"{repo.env['PATH']}{os.pathsep}{os.environ['PATH']}"
        repo.env = {**Home.create(own / "home").environment(model), "PATH": path, "PLAY": repo.env["PLAY"]}
        repo.env["CLAUDE_CODE_OAUTH_TOKEN"] = repo.env.pop("ANTHROPIC_API_KEY")
        return repo

    with ScriptedModel(act) as model:
        return [*rows, (f"client {PINNED}", _compared(real))]


def _compared(make: Callable[[int], Waves]) -> str:
    """Return what each further session costs against the bare client, and what a run costs besides."""
    bare, seconds = [], []
    for count in IN_A_ROW:
        print(f"{count} sessions in a row ...", file=sys.stderr)
        repo = make(count)
        bare += [_bare(repo) for _ in range(BARE_TIMES)]
        seconds.append(_seconds(repo, 1))
    least = min(bare)
    each = (seconds[1] - seconds[0]) / (IN_A_ROW[1] - IN_A_ROW[0])
    whole = ", ".join(
        f"{took / count / least:.2f} with {count}" for count, took in zip(IN_A_ROW, seconds, strict=True)
    )
    return (
        f"{least:5.2f} s bare; each further session {each / least:.2f} x that, and {seconds[0] - IN_A_ROW[0] * each:.1f} s per run; "
        f"all in all {whole}"
    )


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
    """Return the seconds of `git worktree add` and one run of the client in it, with the words of a session."""
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--allow-empty", "--message=plan")
    tree, client = repo.tree(1), str(repo.folder.parent / "programs/claude")
    prompt = f"{command_for(progress_fields.KIND)} --project {PROJECT} --session 1 {PLAN}"
    words = client_words(client, str(repo.bundle), prompt, "", "", None)
    begun = time.perf_counter()
    repo.git("worktree", "add", "--quiet", "--detach", str(tree))
    subprocess.run(words, cwd=tree, env=repo.env, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    seconds = time.perf_counter() - begun
    assert (tree / part(1)).read_text() == "part 1\n"
    repo.git("worktree", "remove", "--force", str(tree))
    for ref in repo.git("for-each-ref", "--format=%(refname)", "refs/ultra").split():
        repo.git("update-ref", "-d", ref)
    return seconds


if __name__ == "__main__":
    main()
