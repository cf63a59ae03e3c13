"""No key, token or login leaves the machine it is on: a planted one is looked for wherever it could go."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.waves.conftest import engine
from tests.waves.elsewhere import Machines
from tests.waves.sample import GATED, Waves
from tests.waves.test_elsewhere import merged_once
from tests.waves.test_faults_elsewhere import act, at_work, begin, completed, open_gate

Make = Callable[..., Waves]
HERE, THERE = "planted-here-5f2c77e1", "planted-there-9d41ab03"


class ProcessLists(threading.Thread):
    """Reads the arguments of all processes, and the environment of all but the controller's own, again and again."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()
        self.seen: set[str] = set()

    def run(self) -> None:
        while not self.over.wait(0.05):
            for folder in Path("/proc").iterdir():
                try:
                    words = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
                except OSError:
                    continue
                if HERE.encode() in words or THERE.encode() in words:
                    self.seen.add(words.replace(b"\0", b" ").decode(errors="replace"))


def everything_in(folder: Path) -> list[str]:
    """Return the files below a folder that have a planted secret in them."""
    words = ["grep", "--recursive", "--files-with-matches", "--text", "-e", HERE, "-e", THERE, str(folder)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120).stdout.split()


def objects_with(repository: Path, *texts: str) -> list[str]:
    """Return which texts are in the objects of a repository; git keeps them compressed."""
    env = {"PATH": os.environ["PATH"], "GIT_DIR": str(repository)}
    words = ["git", "cat-file", "--batch", "--batch-all-objects"]
    said = subprocess.run(words, env=env, capture_output=True, check=True, timeout=120).stdout
    return [secret for secret in texts if secret.encode() in said]


@pytest.mark.soak
@engine("ssh")
def test_no_secret_travels(machines: Machines, elsewhere: Make) -> None:
    repo = elsewhere(machines, without_verbs=GATED)
    repo.env |= {"ANTHROPIC_API_KEY": HERE, "PLANTED": HERE, "GH_TOKEN": HERE}
    with (repo.machines / "worker.sh").open("a") as file:
        file.write(f". {repo.machines}/login.sh\n")
    (repo.machines / "login.sh").write_text(f"export ANTHROPIC_API_KEY={THERE} PLANTED={THERE}\n")
    act(repo, 1, 1, "gate")
    act(repo, 2, 1, "secret")  # a client that prints its key
    lists = ProcessLists()
    lists.start()
    try:
        begin(repo, machines)
        at_work(repo, 1)
        repo.until("end", 1)
        assert objects_with(repo.hub, HERE, THERE) == []
        open_gate(repo)
        completed(repo)
    finally:
        lists.over.set()
        lists.join()
    merged_once(repo)
    assert lists.seen == set()
    assert THERE in (repo.machines / "environment-2-1").read_text()  # the client had its own login,
    assert HERE not in (repo.machines / "environment-2-1").read_text()  # and not the controller's
    assert objects_with(repo.hub, HERE, THERE) == []
    assert objects_with(repo.folder / ".git", HERE, THERE) == []
    assert everything_in(repo.folder) == []
    assert everything_in(machines.folder) == []
    assert objects_with(repo.folder / ".git", "[secret]")  # its last words came, without the key
