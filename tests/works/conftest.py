"""A repository in which works are done, and the crew that does them by calling the launcher."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kit.calls import Ultra
from tests.kit.repository import make_repository
from tests.works.crew import LAUNCHER, NAME, Order, number_of, task_of, write_documents

Answers = dict[str, Any]
Acts = Callable[[str, str], str | None]
"""Agent and task -> what it answers; None for what it usually does."""


@pytest.fixture(scope="session")
def works_bundle(bundle: Path) -> Path:
    """Return the plugin as the sources render it."""
    return bundle.parent / NAME


class Office:
    """Do a work without a client: call what the commands call, and act every agent."""

    def __init__(self, bundle: Path, repo: Path, python: Path) -> None:
        self.ultra = Ultra(bundle, repo, python, LAUNCHER)
        self.repo = repo
        self.spawning: Answers = {}
        """The last answer that asks for agents, as long as none of them has been spawned."""
        self.in_session("one")

    def in_session(self, name: str, process: int | None = None) -> None:
        """Be that session from now on; its process is this one, unless another is given."""
        self.ultra.env |= {"CLAUDE_CODE_SESSION_ID": name, "CLAUDE_PID": str(process or os.getpid())}

    def __call__(self, *words: str, given: str = "", status: int = 0) -> Answers:
        told = self.ultra(*words, given=given)
        assert told.status == status, (words, told.out, told.err)
        if words[:2] in (("work", "start"), ("work", "result")):
            self.spawning = {}
        return told.data

    def new(self, request: str = "[new-feature] Greet by name") -> Answers:
        """Make a work."""
        return self("work", "new", given=request)

    def next(self) -> Answers:
        """Ask what comes next."""
        asked = self("work", "next")
        if asked["do"] == "spawn":
            self.spawning = asked
        return asked

    def due(self) -> Answers:
        """Return the agents that are still to be spawned, or ask what comes next.

        Nobody is at work in between: the answer that asked for an agent that is waited for was lost.
        """
        asked = self.spawning or self.next()
        if asked["do"] == "wait":
            lost = [one.split("dispatch ")[1].partition(",")[0] for one in asked["agents"]]
            asked = self("work", "next", "--again", lost[0])
            for number in lost[1:]:
                asked["agents"] += self("work", "next", "--again", number)["agents"]
        return asked

    def dispatch(self, prompt: str) -> str:
        """Return the dispatch that the prompt of an agent names."""
        return str(self("work", "dispatch", number_of(prompt))["dispatch"])

    def act(self, order: Order, agent: str, task: str) -> str:
        """Do what a good agent does, and return its answer."""
        if agent == "specifier":
            write_documents(self.repo, order)
            return order.answer("specifier+planner")
        if agent == "builder":
            (self.repo / order.jobs[task].path).write_text(f"{task}\n")
            (self.repo / order.progress_file(task)).write_text(order.progress(task))
        if agent != "verifier":
            return order.answer(agent, task)
        verified = self("task", "verify", task)
        if not verified["passed"]:
            return order.answer(
                "verifier+committer", task, "FAIL", "; ".join(verified["why"]).replace("<", "")
            )
        self("task", "commit", task)
        return order.answer("verifier+committer", task)

    def turn(self, order: Order, acts: Acts = lambda agent, task: None) -> Answers:
        """Ask what comes next, do it, and return what was asked for."""
        asked = self.due()
        for spawned in asked.get("agents", ()):
            agent = spawned["subagent_type"].partition(":")[2]
            task = task_of(self.dispatch(spawned["prompt"]))
            answer = acts(agent, task)
            self("work", "result", given=self.act(order, agent, task) if answer is None else answer)
        if asked["do"] in ("ask", "start"):
            self("work", "start", order.work)
        return asked

    def finish(self, order: Order, acts: Acts = lambda agent, task: None) -> Answers:
        """Do everything that is left, and return how the work ended."""
        for _ in range(60):
            if self.turn(order, acts)["do"] == "finish":
                return self("work", "finish")
        raise AssertionError("the work does not end")


@pytest.fixture
def office(works_bundle: Path, tmp_path: Path, python: Path) -> Office:
    """Return a repository with one commit, and who works in it."""
    repo = make_repository(tmp_path / "repo", {"README.md": "A project.\n"})
    return Office(works_bundle, repo, python)


def agents(answer: dict[str, object]) -> list[str]:
    rows = answer["agents"]
    assert isinstance(rows, list)
    return [str(row["subagent_type"]).partition(":")[2] for row in rows]


def until(office: Office, order: Order, agent: str) -> Answers:
    """Go on until an agent of that name is due; return the answer that asks for it."""
    for _ in range(20):
        asked = office.due()
        if agent in [row["subagent_type"].partition(":")[2] for row in asked.get("agents", ())]:
            return asked
        office.turn(order)
    raise AssertionError(f"{agent} never comes")
