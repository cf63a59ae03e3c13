"""The agents, each known by the heading of its prompt."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from tests.client.conversation import Call, Say
from tests.client.script import Acting, SubAgent
from tests.flagship.acting.material import scenes
from tests.flagship.acting.moves import (
    match,
)


class Agent:
    """Read the file that the prompt names first, as an agent does, and answer by role."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.name = name

    def __call__(self, told: str) -> Acting:
        named = re.search(r"(?m)^(?:Draft|Brief|Review|Findings|Start): (\S+)$", told)
        seen = ""
        if named and not self.name.startswith("web-"):
            (result,) = yield Call("Read", {"file_path": str(self.root / named[1])})
            assert not result.is_error, result.text
            seen = result.text
        yield Say(self.answer(told, seen))

    def answer(self, told: str, seen: str) -> str:
        """Return the answer of the role; the coordinator names findings by the ids that it read."""
        known = scenes("agents.md")
        if self.name == "brief-reviewer":
            return known[f"brief-reviewer, round {2 if 'Interview: ' in told else 1}"]
        if self.name != "review-coordinator":
            return known[self.name]
        ids = {
            match(r'"rule": ?"([^"]+)"', line).replace("-", "_"): match(r'"id": ?"([^"]+)"', line)
            for line in seen.splitlines()
            if '"rule"' in line
        }
        short = {f"short_{rule}": name[:8] for rule, name in ids.items()}
        return Template(known[self.name]).substitute(ids, **short)


def cast(root: Path, bundle: Path) -> list[SubAgent]:
    """Return every agent of the bundle that has something to say, known by the heading of its prompt."""
    names = {title.partition(",")[0] for title in scenes("agents.md")}
    return [SubAgent(heading(bundle, name), Agent(root, name)) for name in sorted(names)]


def heading(bundle: Path, agent: str) -> str:
    """Return the heading of an agent's prompt, which no other has."""
    return match(r"(?m)^(# .*)$", (bundle / "agents" / f"{agent}.md").read_text())
