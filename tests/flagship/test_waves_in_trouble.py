"""A wave in the real client in which each session has its own trouble, in a project that needs more than its commits."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.conversation import Costly, Refused, Say
from tests.client.fixtures import ModelFactory
from tests.client.script import Acting, Part
from tests.client.session import Client
from tests.flagship.greeting import TYPED
from tests.kit.model import answered, bash, ultra, write
from tests.kit.repository import make_repository
from tests.waves.processes import kill_all
from tests.waves.sample import FILES, PLAN, PROJECT, Waves, part, plan, session, step

NEEDS = "test -f vendor-lib/lib.txt && test -f node_modules/left-pad/index.js && test -f built.txt"
HONEST, RECOVERED, EXHAUSTED, HANGING, STRAY, LIMITED, POOR, HOOKED = range(1, 9)
HOOK = f'#!/bin/sh\ncase $(git branch --show-current) in *session-{HOOKED}) echo "not on this branch"; exit 1;; esac\n'
MINUTES = 0.75


@pytest.fixture
def repo(tmp_path: Path, bundle: Path, client: Client) -> Iterator[Waves]:
    """Return a repository with a submodule, dependencies, a setup script and a hook, and the real client on the PATH."""
    numbers = range(1, 9)
    text = plan(
        *(step(number, verify=NEEDS) for number in numbers),
        strategy="\n".join(session(number, str(number), 1, [part(number)]) for number in numbers),
    )
    files = {**FILES, ".claude/ultra.yaml": "setup: echo $ULTRA_SESSION > built.txt\n", ".gitignore": "node_modules/\nbuilt.txt\n"}  # fmt: skip
    repo = Waves(tmp_path / "repo", bundle, Path(sys.executable).parent).create(text, files)
    library = make_repository(tmp_path / "library", {"lib.txt": "lib\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor-lib")
    repo.git("commit", "--quiet", "--message=chore: the library")
    repo.write({"node_modules/left-pad/index.js": "1\n", ".git/hooks/pre-commit": HOOK})
    (repo.folder / ".git/hooks/pre-commit").chmod(0o755)
    program = tmp_path / "programs/claude"
    program.unlink()
    program.symlink_to(client.binary)
    yield repo
    kill_all(repo)


def play(repo: Waves) -> Part:
    """Return the part of every client."""
    limited: set[int] = set()

    def act(opening: str) -> Acting:
        found = re.search(r"--session (\d+) (\S+)", opening)
        return worker(int(found[1]), found[2].rstrip("</")) if found else parent()

    def worker(number: int, spec: str) -> Acting:
        if number == LIMITED and number not in limited:
            limited.add(number)
            reset = str(int(time.time()) + 2)
            headers = {"x-should-retry": "false", "retry-after": "2", "anthropic-ratelimit-unified-status": "rejected",
                       "anthropic-ratelimit-unified-reset": reset}  # fmt: skip
            yield Refused(429, "rate_limit_error", "You've hit your limit", headers)
        resume = "--mode resume " if "recovery" not in spec and number in limited else ""
        (begun,) = yield ultra(f'run start "{spec}" --project {PROJECT} {resume}--session {number}')
        if number == EXHAUSTED or (number == RECOVERED and "recovery" not in spec):
            yield Say("All steps of the session are completed.")
            return
        if number == HANGING:
            yield bash("sleep 600", timeout=600_000)
        if number == POOR:
            yield Costly(bash("true"), 2_000_000)
        if number == STRAY:
            yield write(repo.tree(number) / "stray.txt", "stray\n")
            yield bash("git add stray.txt && git commit --quiet -m 'feat: stray'")
        for one in [0, number] if answered(begun)["first"] == 0 else [number]:
            yield ultra(f"step begin {one}")
            if one:
                yield write(repo.tree(number) / part(one), f"part {one}\n")
            yield ultra(f"step verify {one}")
            yield ultra(f"step commit {one}")
        yield ultra("run finish")
        yield Say("The session is completed.")

    def parent() -> Acting:
        yield ultra(
            f'waves start "{PLAN}" --accept-api-billing --jobs 8 --budget-usd 40 --session-minutes {MINUTES}'
        )
        over = False
        while not over:
            (told,) = yield ultra("waves wait")
            over = "result" in answered(told)
        yield Say("It is over.")

    return act


def test_each_session_has_its_own_trouble(
    client: Client, scripted: ModelFactory, bundle: Path, repo: Waves, tmp_path: Path
) -> None:
    variables = {
        "PATH": f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}", "PLAY": str(repo.play_file),
    }  # fmt: skip
    client.ask(
        TYPED, scripted(play(repo)), cwd=repo.folder, plugin_dirs=[bundle], timeout=400, environment=variables
    )
    end = repo.ok("waves wait --seconds 1")
    rows = {row["session"]: row for row in end["ultraexecute_summary"]["sessions"]}
    for row in rows.values():
        print(row)
    assert end["result"] == "failed"
