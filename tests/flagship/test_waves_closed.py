"""Waves whose terminal is closed: the billing question, Ctrl-C, the end of the client, and what continues it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.client.conversation import Say
from tests.client.fixtures import ModelFactory, unavailable
from tests.client.script import Acting, Part
from tests.client.session import Client
from tests.client.terminal import Terminal
from tests.flagship.greeting import TYPED
from tests.flagship.test_waves_in_trouble import in_the_client, place
from tests.kit.model import answered, ask, bash, ultra, write
from tests.kit.names import COMMANDS
from tests.waves.processes import processes_of
from tests.waves.sample import PLAN, PROJECT, QUICK, Waves, plan, session, step

__all__ = ["place"]
QUESTION = "ANTHROPIC_API_KEY is set: the sessions would be billed to that key, up to the ceiling. How do you want to proceed?"
OPTIONS = ("Run everything in this session", "Continue with API billing", "Stop")
TREE = {**QUICK, "old/a.py": "a = 1\n" * 20}


def two_that_conflict(gate: Path) -> str:
    """Return a plan of two sessions with disjoint Touch, of which one moves the folder that the other adds to.

    Their steps pass when the gate is there.
    """
    waits = f"timeout 120 sh -c 'until test -e {gate}; do sleep 0.1; done'"
    moved = step(1, files=["old/a.py", "new/a.py"], expected_paths=["new/a.py"], verify=waits)
    return plan(
        moved, step(2, files=["old/b.py"], verify=waits),
        strategy="\n".join([session(1, "1", 1, ["old/a.py", "new/a.py"]), session(2, "2", 1, ["old/b.py"])]),
    )  # fmt: skip


@pytest.fixture
def repo(place: Path, bundle: Path, client: Client, monkeypatch: pytest.MonkeyPatch) -> Waves:
    """Return the repository, with the client on the PATH of the tests as well."""
    repo = in_the_client(place, bundle, client, two_that_conflict(place / "gate"), TREE)
    monkeypatch.setenv("PATH", f"{place / 'programs'}{os.pathsep}{os.environ['PATH']}")
    return repo


def play(repo: Waves) -> Part:
    """Return the part of every client."""
    gate = repo.folder.parent / "gate"

    def act(opening: str) -> Acting:
        found = re.search(r"--session (\d+)", opening)
        if found:
            return worker(int(found[1]))
        return later() if f"<command-name>{COMMANDS['continue']}<" in opening else parent()

    def worker(number: int) -> Acting:
        yield ultra(f'run start "{PLAN}" --project {PROJECT} --session {number}')
        yield ultra(f"step begin {number}")
        if number == 1:
            yield bash("git mv old new")
        else:
            yield write(repo.tree(2) / "old/b.py", "b = 1\n")
        yield ultra(f"step verify {number}")
        yield ultra(f"step commit {number}")
        yield ultra("run finish")
        yield Say("The session is completed.")

    def parent() -> Acting:
        yield ultra(f'run start "{PLAN}"')
        yield bash("ultra guide execute waves")
        (shown,) = yield ultra(f'waves show "{PLAN}"')
        assert "ANTHROPIC_API_KEY is set" in answered(shown)["problems"][0]
        yield ask(QUESTION, *OPTIONS, header="Billing")
        yield ultra(f'waves start "{PLAN}" --accept-api-billing --jobs 2')
        yield ultra("waves wait")
        yield ultra("waves wait")
        yield Say("It is over.")

    def later() -> Acting:
        (told,) = yield ultra("continue")
        assert answered(told)["command"].endswith("--resume")
        yield ultra(f'run start "{PLAN}" --project {PROJECT} --mode resume')
        yield ultra(f'waves resume "{PLAN}" --accept-api-billing')
        yield bash(f"touch {gate}")
        over = False
        while not over:
            (told,) = yield ultra("waves wait")
            over = "result" in answered(told)
        yield Say("It is over now.")

    return act


def is_waiting(repo: Waves) -> bool:
    """Tell whether a call of `waves wait` is under way."""
    for pid in processes_of(repo):
        try:
            if b"waves\0wait" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


@pytest.mark.soak
def test_the_terminal_is_closed_and_the_waves_are_found_again(
    client: Client, scripted: ModelFactory, bundle: Path, repo: Waves
) -> None:
    if shutil.which("tmux") is None:
        unavailable("tmux is not installed, so the interactive client cannot be played")
    model = scripted(play(repo))
    with Terminal(
        client, model, cwd=repo.folder, plugin_dirs=[bundle], extra=["--allowedTools", "Bash(ultra:*)"]
    ) as screen:
        screen.send(TYPED)
        assert "1. Run everything in this session" in screen.choose("2. Continue with API billing", 90)
        repo.eventually(
            lambda: sum(row["act"] == "lease" for row in repo.journal()) == 2 and is_waiting(repo)
        )
        screen.keys("C-c")
        screen.wait_for("Interrupted", 60)
        repo.env["ANTHROPIC_API_KEY"] = "dummy"
        assert repo.ok("waves wait --seconds 0.1")["running"] is True
    assert repo.ok("waves wait --seconds 0.1")["running"] is True
    said = client.ask(
        COMMANDS["continue"], model, cwd=repo.folder, plugin_dirs=[bundle], timeout=200,
        extra=["--allowedTools", "Bash"],
    )  # fmt: skip
    assert said.result == "It is over now."
    end = repo.ok("waves wait")
    assert (end["result"], repo.states()) == ("failed", {1: "passed", 2: "merge-failed"})
    assert re.search(r"session 2: it conflicts in .*b\.py", end["why"][0])
    assert repo.git("log", "-1", "--format=%s").startswith("chore: ")
    assert (repo.trees(), repo.git("status", "--porcelain"), processes_of(repo)) == ([], "", [])
