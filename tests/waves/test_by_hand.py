"""Sessions that a person opens and closes, one by one, in terminals of their own."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable

from tests.waves.sample import PLAN, QUICK, TWO_WAVES, Waves, part

Make = Callable[..., Waves]


def test_sessions_are_opened_and_closed_by_hand(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK)
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
    assert (
        repo.ok("session next --plan " + PLAN)["next"] == "nothing is left" or repo.ok("waves wait")["result"]
    )
    assert repo.ok("waves wait")["result"] == "completed"
    assert repo.branches() == ["main"]
    assert repo.ok("status")["stage"] == "review"
