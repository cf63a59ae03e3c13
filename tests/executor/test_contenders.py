"""Two and three sessions want one working tree: a model of the lock says who may do what, whatever happens in between."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.executor.sample import PLAN, Repo, plan, step
from tests.kit.quick import examples

LOCK, BUSY = ".git/ultra/run.json", ".git/ultra/busy"
TAKE, BEGIN, ABORT, FORCE = (
    f"run start {PLAN} --mode resume",
    "step begin 1",
    "run abort",
    "run abort --force",
)
# Each with a process that lives: a session is the client's by its id and by one of the processes above the call.
SESSIONS = {"session-a": os.getpid(), "session-b": os.getppid(), "session-c": 1}


class Contest(RuleBasedStateMachine):
    """Sessions that start, work on, end and lose one run."""

    repo: Repo
    sessions: tuple[str, ...]

    def __init__(self) -> None:
        super().__init__()
        self.owner = ""
        self.is_gone = False
        self.held: int | None = None
        for name in (".git/ultra", ".claude/projects/2026-01-31-greet/progress.json"):
            path = self.repo.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        refs = self.repo.git("for-each-ref", "--format=delete %(refname)", "refs/ultra")
        self.repo.run(["git", "update-ref", "--stdin"], given=f"{refs}\n".encode() if refs else b"")

    def teardown(self) -> None:
        if self.held is not None:
            os.close(self.held)

    def call(self, who: int, line: str) -> str:
        """Return the error of a call by one of the sessions; nothing when it succeeds."""
        session = self.sessions[who % len(self.sessions)]
        env = {"CLAUDE_CODE_SESSION_ID": session, "CLAUDE_PID": str(SESSIONS[session])}
        answer = self.repo.ultra(line, env=env)
        self.caller, self.notes = session, answer.get("notes", [])
        return "" if answer["ok"] else f"{answer['error']} | {answer['next']}"

    @property
    def is_mine(self) -> bool:
        return self.caller == self.owner

    who = st.integers(0, 2)

    @rule(who=who)
    def take(self, who: int) -> None:
        error = self.call(who, TAKE)
        if self.held is not None:
            assert "`ultra run finish` is running in this tree" in error
        elif self.owner and not self.is_gone and not self.is_mine:
            assert f"is in progress in this tree (session {self.owner}, process" in error
        else:
            assert error == ""
            took_over = [note for note in self.notes if "took over the lock" in note]
            assert bool(took_over) == (self.owner != "" and not self.is_mine)
            self.owner, self.is_gone = self.caller, False

    @rule(who=who)
    def work(self, who: int) -> None:
        error = self.call(who, BEGIN)
        if not self.owner:
            assert "no run is in progress in this working tree" in error
        elif not self.is_mine and self.is_gone:
            assert f"left by a session that is gone (session {self.owner}" in error
            assert "--mode resume" in error
        elif not self.is_mine:
            assert "belongs to another session" in error
        else:
            assert ("is running in this tree" in error) if self.held is not None else error == ""

    @rule(who=who, force=st.booleans())
    def abort(self, who: int, force: bool) -> None:
        error = self.call(who, FORCE if force else ABORT)
        if not self.owner:
            assert "no run is in progress in this working tree" in error
        elif not (self.is_mine or self.is_gone or force):
            assert "that is alive" in error
            assert "--force" in error
        elif self.held is not None:
            assert "is running in this tree" in error
        else:
            assert error == ""
            self.owner, self.is_gone = "", False

    @precondition(lambda self: self.owner)
    @rule()
    def die(self) -> None:
        """Let the process of the owner end."""
        self.repo.end_session(self.owner)
        self.is_gone = True

    @precondition(lambda self: self.owner and self.held is None)
    @rule()
    def hold(self) -> None:
        """Let a call of the owner take its time."""
        self.held = os.open(self.repo.folder / BUSY, os.O_RDWR)
        fcntl.flock(self.held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(self.held, 0)
        os.pwrite(self.held, b"run finish", 0)

    @precondition(lambda self: self.held is not None)
    @rule()
    def release(self) -> None:
        """Let that call end, or be killed."""
        assert self.held is not None
        os.close(self.held)
        self.held = None

    @invariant()
    def the_tree_has_the_owner_that_the_model_has(self) -> None:
        path = self.repo.folder / LOCK
        assert path.exists() == bool(self.owner)
        if self.owner:
            assert json.loads(path.read_text())["owner"]["session"] == self.owner


@pytest.fixture(scope="module")
def tree(bundle: Path, python: Path) -> Iterator[Repo]:
    """Return a repository with a plan that nobody has started."""
    with tempfile.TemporaryDirectory() as folder:
        yield Repo(Path(folder).resolve() / "repo", bundle, python).create(plan(step(1)))


@pytest.mark.soak
@pytest.mark.parametrize("count", [2, 3])
def test_one_session_at_a_time_has_the_tree(tree: Repo, count: int) -> None:
    class Contenders(Contest):
        repo = tree
        sessions = tuple(SESSIONS)[:count]

    limits = settings(
        max_examples=examples(18),
        stateful_step_count=10,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Contenders, settings=limits)
