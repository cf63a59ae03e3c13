"""Waves in the real client: the parent starts and waits, and each session is a client of its own with this bundle."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.conversation import Say
from tests.client.fixtures import ModelFactory
from tests.client.script import Acting, Part
from tests.client.session import Client
from tests.flagship.greeting import TYPED
from tests.kit.model import answered, bash, ultra, write
from tests.waves.processes import kill_all, processes_of
from tests.waves.sample import PLAN, PROJECT, TWO_WAVES, Waves, part

RECOVERY = f"{PROJECT}/sessions/session-1-recovery-1.md"


@pytest.fixture
def repo(tmp_path: Path, bundle: Path, client: Client) -> Iterator[Waves]:
    """Return a repository whose plan has two waves, with the real client on the PATH."""
    repo = Waves(tmp_path / "repo", bundle, Path(sys.executable).parent).create(TWO_WAVES)
    program = tmp_path / "programs/claude"
    program.unlink()
    program.symlink_to(client.binary)
    yield repo
    kill_all(repo)


def play(repo: Waves) -> Part:
    """Return the part of every client: the parent starts and waits, sessions work, and the first one lies at first."""

    def act(opening: str) -> Acting:
        found = re.search(r"--session (\d+)", opening)
        if not found:
            return parent()
        plan = RECOVERY if RECOVERY in opening else PLAN
        return session(int(found[1]), plan) if found[1] != "1" or plan == RECOVERY else liar()

    def liar() -> Acting:
        yield ultra(f'run start "{PLAN}" --project {PROJECT} --session 1')
        yield Say("All steps of the session are completed.")

    def session(number: int, plan: str) -> Acting:
        (begun,) = yield ultra(f'run start "{plan}" --project {PROJECT} --session {number}')
        for one in [0, number] if answered(begun)["first"] == 0 else [number]:
            yield ultra(f"step begin {one}")
            if one:
                yield write(repo.tree(number) / part(one), f"part {one}\n")
            yield ultra(f"step verify {one}")
            yield ultra(f"step commit {one}")
        yield ultra("run finish")
        yield Say("The session is completed.")

    def parent() -> Acting:
        (begun,) = yield ultra(f'run start "{PLAN}"')
        assert answered(begun)["next"] == "read `ultra guide execute waves`, and follow it"
        yield bash("ultra guide execute waves")
        (shown,) = yield ultra(f'waves show "{PLAN}"')
        assert "ANTHROPIC_API_KEY is set" in answered(shown)["problems"][0]
        yield ultra(f'waves start "{PLAN}" --accept-api-billing --jobs 2 --budget-usd 5')
        over = False
        while not over:
            (told,) = yield ultra("waves wait")
            over = "result" in answered(told)
        yield Say("It is over.")

    return act


@pytest.mark.soak
def test_two_waves_with_a_session_that_lies(
    client: Client, scripted: ModelFactory, bundle: Path, repo: Waves, tmp_path: Path
) -> None:
    variables = {
        "PATH": f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}",
        "PLAY": str(repo.play_file),
    }
    told = client.ask(
        TYPED, scripted(play(repo)), cwd=repo.folder, plugin_dirs=[bundle], timeout=300, environment=variables
    )
    assert told.init.plugin_errors == ()
    end = repo.ok("waves wait --seconds 1")
    assert end["result"] == "completed", end
    rows = {row["session"]: row for row in end["ultraexecute_summary"]["sessions"]}
    assert [rows[number]["attempts"] for number in (1, 2, 3)] == [2, 1, 1]
    assert (rows[1]["recovery"], end["ultraexecute_summary"]["recovery_depth"]) == (1, 1)
    assert all(rows[number]["tokens"] > 0 for number in (1, 2, 3))
    assert [repo.read(part(number)) for number in (1, 2, 3)] == [f"part {number}\n" for number in (1, 2, 3)]
    assert (repo.branches(), repo.trees(), processes_of(repo)) == (["main"], [], [])
    assert repo.git("status", "--porcelain") == ""
    assert repo.ok("status")["stage"] == "review"
