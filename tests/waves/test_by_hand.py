"""Sessions that a person opens and closes, one by one, in terminals of their own."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable

import pytest

from tests.waves.sample import PLAN, QUICK, TWO_WAVES, Waves, part, plan, session, step

Make = Callable[..., Waves]


@pytest.mark.soak
def test_sessions_are_opened_and_closed_by_hand(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    for call in ("session next", "session open 1"):
        assert repo(*call.split()).data["next"] == "name the plan with --plan PATH"
    assert repo.ok(f"session next --plan {PLAN}")["sessions"] == [1, 2]
    repo.env["ANTHROPIC_API_KEY"] = "dummy"  # nothing headless is started, so nobody is asked who pays
    assert "wave 1 is not merged yet" in repo.refused(f"session open 3 --plan {PLAN}")
    assert "the plan has no session 4: it has 1, 2 and 3" in repo.refused("session open 4")
    for number in (2, 1, 3):
        opened = repo.ok(f"session open {number}")
        assert opened["command"].startswith(f"cd {repo.tree(number)} && claude --plugin-dir ")
        assert repo.ok(f"session open {number}")["command"] == opened["command"]
        if number == 1:
            early = repo("session", "close", "1").data
            assert (early["ok"], "step 1: step: expected step 1 completed" in early["error"]) == (False, True)
            again = repo.ok("session open 1")
            assert "session-1-recovery-1.md" in again["command"]
            typed = shlex.split(again["command"])
        else:
            typed = shlex.split(opened["command"])
        # A person types the command; the client of these tests wants it with -p.
        words = [str(repo.folder.parent / "programs/claude"), "-p", typed[-1]]
        subprocess.run(
            words, cwd=repo.tree(number), env=repo.env, check=True, capture_output=True, timeout=120
        )
        closed = repo.ok(f"session close {number}")
        assert (closed["state"], repo.has(part(number))) == ("merged", True)
        assert not repo.tree(number).exists()
    assert repo.ok("session next --plan " + PLAN)["next"] == "nothing is left"
    assert repo.ok("waves wait")["result"] == "completed"
    assert repo.branches() == ["main"]
    assert repo.ok("status")["stage"] == "review"


SIDE_BY_SIDE = plan(
    step(1), step(2),
    strategy="\n".join([session(1, "1", 1, [part(1)]), session(2, "2", 1, [part(2)])]),
    verification="node_modules/.bin/check",
)  # fmt: skip
INSTALLED = "node_modules/.bin/check"
CHANGED = "dependencies: expected node_modules as at the start of the run; found it changed since"
CONVERTED = "conversion: expected filter.x.smudge as at the start of the run; found it changed since"


def install(repo: Waves, text: str) -> None:
    repo.write({INSTALLED: f"#!/bin/sh\n{text}\n"})
    (repo.folder / INSTALLED).chmod(0o755)


@pytest.mark.soak
def test_what_changes_around_a_session_keeps_it_from_being_merged(make: Make) -> None:
    repo = make(SIDE_BY_SIDE, files={**QUICK, ".gitignore": "node_modules/\n"})
    install(repo, "true")
    opened = repo.ok(f"session open 1 --plan {PLAN}")
    words = [str(repo.folder.parent / "programs/claude"), "-p", shlex.split(opened["command"])[-1]]
    subprocess.run(words, cwd=repo.tree(1), env=repo.env, check=True, capture_output=True, timeout=120)
    install(repo, "exit 0 # whatever was done")
    repo.git("config", "filter.x.smudge", "cat")
    refused = repo("session", "close", "1").data["error"]
    assert CHANGED in refused
    assert CONVERTED in refused
    assert "changed since the waves began: filter.x.smudge, node_modules" in repo.refused("session open 1")
    repo.git("config", "--unset", "filter.x.smudge")
    assert "--accept-settings-change" in repo.refused(f"waves resume {PLAN}")
    repo.ok("session open 1 --accept-settings-change")
    repo.git("switch", "--quiet", "--create", "other")
    repo.refused("session close 1")  # it passes, and cannot be merged here
    assert repo.states()[1] == "passed"
    repo.git("switch", "--quiet", "main")
    install(repo, "exit 0 # after the audit of its branch")
    assert CHANGED in repo.refused("session close 1")
    install(repo, "exit 0 # whatever was done")
    assert repo.ok("session close 1")["state"] == "merged"
