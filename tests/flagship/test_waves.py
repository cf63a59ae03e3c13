"""Waves in the real client: the parent starts and waits, and each session is a client of its own with this bundle."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.client.conversation import Say
from tests.client.fixtures import ModelFactory
from tests.client.script import Acting
from tests.client.session import Client
from tests.flagship.greeting import TYPED
from tests.kit.model import answered, bash, ultra, write
from tests.waves.sample import PLAN, PROJECT, TWO_WAVES, Waves, part


def session(opening: str) -> str:
    """Return the number of the session that a client was started for; nothing for the parent."""
    found = re.search(r"--session (\d+)", opening)
    return found[1] if found else ""


def act(root: Path) -> object:
    """Return the part that every client plays: a session does its steps, the parent waits."""

    def child(number: str) -> Acting:
        tree = root / f".claude/worktrees/2026-01-31-greet/session-{number}"
        yield bash("ultra guide execute session")
        yield ultra(f'run start "{PLAN}" --project {PROJECT} --session {number}')
        yield ultra(f"step begin {number}")
        yield write(tree / part(int(number)), f"part {number}\n")
        yield ultra(f"step verify {number}")
        yield ultra(f"step commit {number}")
        yield ultra("run finish")
        yield Say("The session is completed.")

    def parent() -> Acting:
        (begun,) = yield ultra(f'run start "{PLAN}"')
        assert answered(begun)["strategy"] == "parallel"
        yield bash("ultra guide execute waves")
        yield ultra(f'waves show "{PLAN}"')
        yield ultra(f'waves start "{PLAN}" --accept-api-billing')
        while True:
            (told,) = yield ultra("waves wait")
            if "result" in answered(told):
                break
        yield Say("It is over.")

    def play(opening: str) -> Acting:
        number = session(opening)
        return child(number) if number else parent()

    return play


@pytest.fixture
def repo(tmp_path: Path, bundle: Path) -> Waves:
    """Return a repository whose plan has two waves."""
    return Waves(tmp_path / "repo", bundle, Path(sys.executable).parent).create(TWO_WAVES)


def test_two_waves_in_the_client(
    client: Client, scripted: ModelFactory, bundle: Path, repo: Waves, tmp_path: Path
) -> None:
    programs = tmp_path / "programs"
    (programs / "claude").unlink()
    (programs / "claude").symlink_to(client.binary)
    model = scripted(act(repo.folder))  # type: ignore[arg-type]
    told = client.ask(
        TYPED, model, cwd=repo.folder, plugin_dirs=[bundle], timeout=300,
        environment={"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip
    assert told.init.plugin_errors == ()
    end = repo.ok("waves wait --seconds 1")
    for log in sorted((repo.folder / PROJECT / "logs/waves").glob("*.log")):
        print(log.name, log.read_text()[-3000:])
    assert end["result"] == "completed", end
