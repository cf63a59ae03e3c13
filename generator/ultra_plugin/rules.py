"""What the policy files hold, typed and frozen."""

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
    """A named function of the guard that decides what data cannot say, and when it is asked."""

    use: str = ""
    when: str = "command"
    gives: str = ""
    commands: tuple[str, ...] = ()
    adders: Mapping[str, Adder] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, of commands or of paths."""

    id: str
    verdict: Literal["block", "warn"]
    title: str
    why: str
    instead: str
    examples: Mapping[str, tuple[str, ...]]
    """What the rule must `match` and what must `pass`: these are tests."""
    logic: tuple[Logic, ...] = ()
    patterns: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class SecretFiles:
    """Names of files that nothing quotes, because they may hold secrets."""

    patterns: tuple[str, ...]
    examples: Mapping[str, tuple[str, ...]]
    unless: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Rules of paths whose patterns count as well."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Policy:
    """Every rule, those of commands and those of paths, and the files that nothing quotes."""

    commands: tuple[Rule, ...]
    paths: tuple[Rule, ...]
    secret_files: SecretFiles | None = None
