"""Read the keys of agent headers that are for the generator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ultra_plugin.artifact import Output
from ultra_plugin.declared import Agent, Role
from ultra_plugin.document import nearest, read_document
from ultra_plugin.errors import Problem
from ultra_plugin.model import Budget, Plugin
from ultra_plugin.source import SourceTree

BUDGET = ("budget",)
KEYS = (*BUDGET, "output", "role", "scope", "quick", "remediation", "order", "asked", "programs", "verbs")

_EXTENDS = re.compile(r"\{%[-+]?\s*extends\s+[\"']([^\"']+)[\"']")
_PROGRAM = re.compile(r"[\w.-]+( [\w.=-]+)*( \.\.\.| '[A-Z]+')?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Declared(Agent):
    """Every key of a header that is not for the client."""

    budget: Budget | None = None


def taken_lines(path: str, lines: list[str]) -> frozenset[int]:
    """Return the lines of a header, counted from 0, that hold keys for the generator."""
    keys = KEYS if "/agents/" in f"/{path}" else BUDGET
    start = header_start(lines)
    end = next((number for number, line in enumerate(lines) if line == "---" and number > start), 0)
    taken: set[int] = set()
    inside = False
    for number in range(start + 1, end if start >= 0 else 0):
        line = lines[number]
        inside = line.partition(":")[0] in keys or (inside and line.startswith((" ", "\t")))
        if inside:
            taken.add(number)
    return frozenset(taken)


def header_start(lines: list[str]) -> int:
    """Return the line, counted from 0, where a header begins, after Jinja tags alone; -1 without a header."""
    for number, line in enumerate(lines):
        if line == "---":
            return number
        if line.strip() and not line.startswith(("{%", "{#")):
            break
    return -1


def declared(path: str, lines: list[str], taken: frozenset[int]) -> Declared:
    """Read the keys of a header that are for the generator."""
    if not taken:
        return Declared()
    # Leading blank lines keep the line numbers of problems right.
    block = "\n".join(line if number in taken else "" for number, line in enumerate(lines[: max(taken) + 1]))
    return read_document(path, block.encode(), Declared)


def read_agent(tree: SourceTree, path: str) -> Agent:
    """Return the declarations in the header of an agent's source, or of the one that it extends."""
    place, lines = path, tree.text(path).split("\n")
    while header_start(lines) < 0 and (parent := _EXTENDS.search("\n".join(lines))):
        place = parent.group(1)
        if tree.find(place) is None:  # rendering says so
            break
        lines = tree.text(place).split("\n")
    return declared(tree.shown(place), lines, taken_lines(path, lines))


def agents_with(roles: Mapping[str, Agent], role: Role) -> list[str]:
    """Return the agents that have a role, in their order."""
    found = [key for key, agent in roles.items() if role in agent.roles]
    return sorted(found, key=lambda key: (roles[key].order, key))


def programs_of(plugin: Plugin) -> dict[str, tuple[str, ...]]:
    """Return agent -> the calls of programs that it may make."""
    return {key: agent.programs for key, agent in plugin.roles.items() if agent.programs}


def outputs_of(plugins: Iterable[Plugin], forms: Iterable[Output]) -> dict[str, Output]:
    """Return agent -> its output block."""
    known = {form.output: form for form in forms}
    return {
        key: known[agent.output]
        for plugin in plugins
        for key, agent in plugin.roles.items()
        if agent.output in known
    }


def agent_problems(tree: SourceTree, plugins: Iterable[Plugin], forms: Iterable[str]) -> Iterator[Problem]:
    """Yield the agents whose header names an unknown output or lacks a key that their role needs."""
    known = [*forms]
    for plugin in plugins:
        for key, agent in plugin.roles.items():
            path = tree.shown(f"{plugin.folder}/agents/{key}.md.j2")
            if agent.output and agent.output not in known:
                message = f"outputs/{agent.output}.yaml does not exist"
                yield Problem(path, agent.line, "unknown-output", message, nearest(agent.output, known))
            if "researcher" in agent.roles and agent.scope is None:
                message = "a researcher needs a scope"
                yield Problem(
                    path, agent.line, "missing-key", message, "add 'scope: local' or 'scope: external'"
                )
            for form in agent.programs:
                if not _PROGRAM.fullmatch(form):
                    message = f"'programs' lists {form!r}, which is not a call of a program"
                    remedy = "write a plain call such as git status, git log ..., or ask -p 'QUESTION'"
                    yield Problem(path, agent.line, "bad-program", message, remedy)
