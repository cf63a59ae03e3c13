"""Typed values of the policy files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Adder:
    """How a package manager adds a package."""

    verbs: tuple[str, ...]
    bare: bool = False
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Logic:
    """A function of the guard for what data cannot express, and the event at which it runs."""

    use: str = ""
    when: str = "command"
    gives: str = ""
    commands: tuple[str, ...] = ()
    adders: Mapping[str, Adder] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class RuleFunction:
    """A function of guard/rules that a rule may name."""

    name: str
    module: str
    path: str
    line: int
    parameters: int
    needs: tuple[str, ...] = ()
    """What a command must have before the function can match: a `word`, the `beginning*` of a word, or a `*text*`."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The functions, events and tables that the guard offers to the policy."""

    functions: tuple[RuleFunction, ...] = ()
    events: Mapping[str, int] = field(default_factory=dict)
    """Event other than a command -> how many arguments its function gets."""
    tables: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Tables of command names by which the guard follows a text."""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, of commands or of paths."""

    id: str
    verdict: Literal["block", "ask", "warn"]
    title: str
    why: str
    instead: str
    examples: Mapping[str, tuple[str, ...]]
    """What the rule must `match` and what must `pass`: these are tests."""
    logic: tuple[Logic, ...] = ()
    patterns: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    """In a pack: what matches, as text."""
    only: Literal["", "run"] = ""
    """Where the rule applies: everywhere, or in a run."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Pack:
    """Further rules, which a user or a project turns on."""

    title: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class SecretFiles:
    """Names of files that may hold secrets and are never quoted."""

    patterns: tuple[str, ...]
    examples: Mapping[str, tuple[str, ...]]
    unless: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Rules of paths whose patterns count as well."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Variables:
    """Names of environment variables; one that ends in * matches all with that beginning."""

    names: tuple[str, ...]
    examples: Mapping[str, tuple[str, ...]]
    unless: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables that a plan's commands do not get, and those that may differ from call to call."""

    dropped: Variables
    varying: Variables


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules for commands and for paths, the files that are never quoted, and the environment of a run."""

    commands: tuple[Rule, ...]
    paths: tuple[Rule, ...]
    environment: Environment
    secret_files: SecretFiles | None = None
    guard: Guard = field(default_factory=Guard)
    functions: Mapping[tuple[str, str], RuleFunction] = field(default_factory=dict)
    """(when, use) of a rule -> the function that decides."""
    packs: Mapping[str, Pack] = field(default_factory=dict)

    def function(self, logic: Logic) -> str:
        """Return the function of a rule as `module.name`, or "" if it needs none."""
        found = self.functions.get((logic.when, logic.use))
        return f"{found.module}.{found.name}" if found else ""

    def needs(self, logic: Logic) -> tuple[str, ...]:
        """Return what a command must have before this can match."""
        found = self.functions.get((logic.when, logic.use))
        return found.needs if found else ()
