"""A repository with a plan in waves, and a client that is a script."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.executor.sample import FILES, PLAN, PROGRESS, PROJECT, STATE, Repo, plan, step

FAKE = Path(__file__).with_name("fake_client.py")
WITHOUT_VERBS = Path(__file__).with_name("quick_client.sh")
GATED = Path(__file__).with_name("gated_client.sh")
DONE_SECONDS = int(os.environ.get("WAVES_SECONDS", "300"))


def session(number: int, steps: str, wave: int, touch: Sequence[str], needs: str = "none") -> str:
    """Return one session of an Execution Strategy."""
    named = ", ".join(f"`{path}`" for path in touch)
    return (
        f"### Session {number}: Part {number}\n\n- **Steps:** {steps}\n- **Wave:** {wave}\n"
        f"- **Depends on:** {needs}\n- **Scope fence:**\n  - Touch: {named}\n  - Never touch: `README.md`\n"
    )


def part(number: int) -> str:
    """Return the file of a step."""
    return f"src/part{number}.py"


TWO_WAVES = plan(
    step(1), step(2), step(3),
    strategy="\n".join([
        session(1, "1", 1, [part(1)]), session(2, "2", 1, [part(2)]),
        session(3, "3", 2, [part(3)], "Session 1, Session 2"),
    ]),
    verification="test -f src/part3.py",
)  # fmt: skip


def twenty_sessions() -> str:
    """Return a plan of twenty sessions of two steps each in three waves."""
    sessions = [
        session(
            number,
            f"{2 * number - 1}-{2 * number}",
            (number + 7) // 8,
            [part(2 * number - 1), part(2 * number)],
        )
        for number in range(1, 21)
    ]
    return plan(*(step(number) for number in range(1, 41)), strategy="\n".join(sessions))


# Without the clean checkout, which other tests have, a session takes a fraction of the time.
QUICK = {**FILES, ".claude/ultra.yaml": "proof: off\n"}


class Waves(Repo):
    """A repository whose plan has sessions."""

    play_file: Path
    end: dict[str, Any]
    """The answer at the end, for tests that look at it more than once."""
    hub: Path
    machines: Path
    """Where the workers of sessions elsewhere have their folders."""

    def create(
        self, text: str = TWO_WAVES, files: Mapping[str, str] = FILES, without_verbs: bool | Path = False
    ) -> Waves:
        """Make the repository and the client, which calls the verbs of the runtime or only git."""
        super().create(text, files)
        beside = self.folder.parent
        programs = beside / "programs"
        programs.mkdir()
        client = programs / "claude"
        script = without_verbs if isinstance(without_verbs, Path) else WITHOUT_VERBS
        words = ["sh", str(script)] if without_verbs else [sys.executable, "-I", "-S", str(FAKE)]
        client.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        client.chmod(0o755)
        (beside / "tmp").mkdir()
        self.play_file = beside / "play.json"
        self.play({})
        for name in ("CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"):
            self.env.pop(name, None)
        self.env |= {
            "PATH": f"{programs}{os.pathsep}{self.env['PATH']}", "PLAY": str(self.play_file),
            "PLAY_BUNDLE": str(self.bundle), "TMPDIR": str(beside / "tmp"),
        }  # fmt: skip
        return self

    def play(self, acts: Mapping[str, Sequence[str]]) -> None:
        """Say what the attempts at each session do."""
        self.play_file.write_text(json.dumps(acts))

    def wait(self) -> dict[str, Any]:
        """Return the answer at the end of the waves."""
        end = time.monotonic() + DONE_SECONDS
        while time.monotonic() < end:
            answer = self.ok("waves wait --seconds 5")
            if "result" in answer or not answer["running"]:
                return answer
        raise AssertionError(answer)

    def waves(self, *flags: str) -> dict[str, Any]:
        """Start the waves and return the answer at their end."""
        self.ok(" ".join(["waves start", PLAN, *flags]))
        return self.wait()

    def journal(self) -> list[dict[str, Any]]:
        """Return the lines of the journal."""
        path = self.folder / ".git/ultra/waves/2026-01-31-greet/journal"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def until(self, act: str, count: int) -> None:
        """Wait until the journal has so many lines of an act."""
        self.eventually(lambda: sum(row["act"] == act for row in self.journal()) >= count)

    def eventually(self, is_true: Callable[[], bool]) -> None:
        """Wait until something is true, not for ever."""
        end = time.monotonic() + DONE_SECONDS
        while not is_true():
            assert time.monotonic() < end, self.journal()
            time.sleep(0.05)

    def states(self) -> dict[int, str]:
        """Return where each session stands."""
        found = self.ok(f"waves show {PLAN}")["states"]
        return {int(number): state for number, state in found.items()}

    def tree(self, number: int) -> Path:  # type: ignore[override]
        """Return the worktree of a session."""
        return self.folder / f".claude/worktrees/2026-01-31-greet/session-{number}"

    def branches(self) -> list[str]:
        return self.git("branch", "--format=%(refname:short)").split()

    def trees(self) -> list[str]:
        """Return the worktrees besides the user's."""
        rows = self.git("worktree", "list", "--porcelain").splitlines()
        return [row.split(" ", 1)[1] for row in rows if row.startswith("worktree ")][1:]

    def seen(self) -> list[dict[str, Any]]:
        """Return what the clients were called with."""
        path = self.play_file.with_name("seen.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


__all__ = [
    "FILES",
    "PLAN",
    "PROGRESS",
    "PROJECT",
    "QUICK",
    "STATE",
    "TWO_WAVES",
    "Waves",
    "part",
    "plan",
    "session",
    "step",
    "twenty_sessions",
]
