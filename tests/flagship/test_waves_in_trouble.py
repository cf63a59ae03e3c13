"""Waves in the real client in which each session has its own trouble, in a project that needs more than its commits."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.client.conversation import Costly, Refused, Say
from tests.client.fixtures import ModelFactory
from tests.client.script import Acting, Part
from tests.client.session import Client
from tests.kit.model import answered, bash, ultra, write
from tests.kit.names import BRANCHES
from tests.kit.repository import make_repository
from tests.waves.processes import kill_all, processes_of
from tests.waves.sample import FILES, PLAN, PROJECT, QUICK, Waves, part, plan, session, step

NEEDS = "test -f vendor-lib/lib.txt && test -f node_modules/left-pad/index.js && test -f built.txt"
RECOVERED, STRAY, LIMITED, POOR, HOOKED, WRONG = SESSIONS = range(1, 7)
HOOK = f'#!/bin/sh\ncase $(git branch --show-current) in *session-{HOOKED}) echo "not on this branch"; exit 1;; esac\n'
SHARE = 5
"""Dollars of a session."""
TOO_MANY = 1_000_000
"""Output tokens that cost more than that."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in which nothing runs any more after the test."""
    yield tmp_path
    repo = Waves(tmp_path / "repo", tmp_path, tmp_path)
    repo.play_file = tmp_path / "play.json"
    kill_all(repo)


def in_the_client(place: Path, bundle: Path, client: Client, text: str, files: Mapping[str, str]) -> Waves:
    """Return a repository with the real client on the PATH, logged in with a subscription."""
    repo = Waves(place / "repo", bundle, Path(sys.executable).parent).create(text, files)
    program = place / "programs/claude"
    program.unlink()
    program.symlink_to(client.binary)
    return repo


def start(repo: Waves, client: Client, scripted: ModelFactory, act: Part, *flags: str) -> dict[str, Any]:
    """Start the waves with a model of this part, and return the answer at their end."""
    path = f"{repo.env['PATH']}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "PLAY": repo.env["PLAY"], "CLAUDE_CODE_OAUTH_TOKEN": "dummy"}
    repo.env = {**client.home.environment(scripted(act)), **own}
    del repo.env["ANTHROPIC_API_KEY"]
    return repo.waves(*flags)


def play(repo: Waves) -> Part:
    """Return the part of every session."""
    limited: list[int] = []

    def act(opening: str) -> Acting:
        number = int(re.findall(r"--session (\d+)", opening)[0])
        recovery = re.search(rf"{PROJECT}/sessions/session-{number}-recovery-\d\.md", opening)
        again = " --mode resume" if "--resume" in opening else ""
        return worker(number, recovery[0] if recovery else PLAN, again, bool(recovery))

    def worker(number: int, spec: str, again: str, recovers: bool) -> Acting:
        if number == LIMITED and not limited:
            limited.append(number)
            headers = {
                "x-should-retry": "false", "anthropic-ratelimit-unified-status": "rejected",
                "anthropic-ratelimit-unified-reset": str(int(time.time()) + 2),
            }  # fmt: skip
            yield Refused(429, "rate_limit_error", "You've hit your limit", headers)
        (begun,) = yield ultra(f'run start "{spec}" --project {PROJECT} --session {number}{again}')
        if number == RECOVERED and not recovers:
            yield Say("All steps of the session are completed.")
            return
        if number == POOR:
            yield Costly(bash("true"), TOO_MANY)
        for one in [0, number] if answered(begun)["first"] == 0 else [number]:
            yield ultra(f"step begin {one}")
            if one:
                yield write(repo.tree(number) / part(one), f"part {one}\n")
            (verified,) = yield ultra(f"step verify {one}")
            while number == WRONG and one and answered(verified)["next"] == "retry":
                (verified,) = yield ultra(f"step verify {one}")
            yield ultra(f"step commit {one}")
        if number == STRAY:
            yield write(repo.tree(number) / "stray.txt", "stray\n")
        yield ultra("run finish")
        yield Say("The session is completed.")

    return act


@pytest.mark.soak
def test_each_session_has_its_own_trouble(
    client: Client, scripted: ModelFactory, bundle: Path, place: Path
) -> None:
    text = plan(
        *(step(number, verify="false" if number == WRONG else NEEDS) for number in SESSIONS),
        strategy="\n".join(session(number, str(number), 1, [part(number)]) for number in SESSIONS),
    )
    settings, ignored = "setup: echo $ULTRA_SESSION > built.txt\n", "node_modules/\nbuilt.txt\n"
    repo = in_the_client(
        place, bundle, client, text, {**FILES, ".claude/ultra.yaml": settings, ".gitignore": ignored}
    )
    library = make_repository(place / "library", {"lib.txt": "lib\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor-lib")
    repo.git("commit", "--quiet", "--message=chore: the library")
    repo.write({"node_modules/left-pad/index.js": "1\n", ".git/hooks/pre-commit": HOOK})
    (repo.folder / ".git/hooks/pre-commit").chmod(0o755)
    end = start(repo, client, scripted, play(repo), "--jobs 3", f"--budget-usd {SHARE * len(SESSIONS)}")
    rows = {row["session"]: row for row in end["ultraexecute_summary"]["sessions"]}
    assert end["result"] == "failed"
    said = {number: (row["state"], row["attempts"]) for number, row in rows.items()}
    assert said == {
        RECOVERED: ("passed", 2), STRAY: ("passed", 1), LIMITED: ("passed", 2), POOR: ("failed", 1), HOOKED: ("partial", 3),
        WRONG: ("failed", 1),
    }  # fmt: skip
    assert (rows[RECOVERED]["recovery"], rows[HOOKED]["recovery"], "recovery" in rows[LIMITED]) == (
        1,
        2,
        False,
    )
    assert rows[POOR]["why"] == "budget: it had used its share of the budget"
    assert rows[POOR]["dollars"] > SHARE
    assert f"it still lacks step {HOOKED} after 2 recoveries" in rows[HOOKED]["why"]
    assert rows[WRONG]["why"].startswith(f"its run is failed; step {WRONG}: ")
    ends = {row["session"]: row for row in repo.journal() if row["act"] == "end" and row["attempt"] == 1}
    assert (ends[LIMITED]["how"], ends[LIMITED]["until"] > 0) == ("rate limit", True)
    # What is outside Touch gets neither onto the branch nor lost.
    assert "stray.txt" not in repo.git(
        "ls-tree", "-r", "--name-only", f"{BRANCHES}/2026-01-31-greet/session-{STRAY}"
    )
    assert repo.git("show", f"{rows[STRAY]['rescued'][0]}:stray.txt") == "stray"
    assert "not on this branch" in repo.read(f"{PROJECT}/logs/waves/session-{HOOKED}-attempt-1.log")
    nothing_is_left(repo)


def nothing_is_left(repo: Waves) -> None:
    """Check that the user's branch has none of it, and that no process and no worktree is left."""
    assert repo.git("log", "-1", "--format=%s").startswith("chore: track the plan")
    assert repo.git("status", "--porcelain") == ""
    assert (repo.trees(), processes_of(repo)) == ([], [])


@pytest.mark.soak
def test_sessions_that_hang_are_ended_with_all_that_they_started(
    client: Client, scripted: ModelFactory, bundle: Path, place: Path
) -> None:
    """The Verify of each step never ends."""

    def hang(opening: str) -> Acting:
        number = re.findall(r"--session (\d+)", opening)[0]
        yield ultra(f'run start "{PLAN}" --project {PROJECT} --session {number}')
        yield ultra(f"step begin {number}")
        yield ultra(f"step verify {number}")

    text = plan(
        step(1, verify="sleep 600"), step(2, verify="sleep 600"),
        strategy=session(1, "1", 1, [part(1)]) + "\n" + session(2, "2", 1, [part(2)]),
    )  # fmt: skip
    repo = in_the_client(place, bundle, client, text, QUICK)
    end = start(repo, client, scripted, hang, "--jobs 2", "--session-minutes 0.2")
    assert end["result"] == "failed"
    late = "time limit: it was still running at its time limit"
    assert end["why"] == [f"session 1: {late}", f"session 2: {late}"]
    nothing_is_left(repo)
