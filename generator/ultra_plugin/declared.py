"""Typed declarations of limits.yaml and of agent headers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit and the range in which the pipeline works with it."""

    value: int
    minimum: int
    maximum: int
    unit: str
    means: str
    not_above: str = ""
    line: int = 0


Role = Literal[
    "reviewer", "conformance", "coordinator", "explorer", "researcher", "second-model", "critic", "decomposer"
]
"""Why a verb needs the agent; other agents have no role."""


@dataclass(frozen=True, slots=True)
class Agent:
    """The keys of an agent's header that are for the generator, not for the client."""

    output: str | None = None
    """The file of outputs/ that describes the block at the end of the agent's answer."""
    role: tuple[Role, ...] | Role = ()
    scope: Literal["local", "external"] | None = None
    """Where a researcher looks."""
    quick: bool = False
    """A researcher that --quick also uses, or a reviewer that a small change also needs."""
    remediation: int | None = None
    """The position of an explorer among those used to plan from a review."""
    order: int = 99
    """The position among the agents of its role; ties are sorted by name."""
    asked: str = ""
    """What it looks for, as the prompt that spawns it says."""
    programs: tuple[str, ...] = ()
    """The calls of programs that the guard lets it make; `...` stands for any arguments, 'TEXT' for one quoted text."""
    verbs: tuple[str, ...] = ()
    """The verbs of the launcher that write and that the guard lets it call."""
    line: int = 0

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles, one or several."""
        return (self.role,) if isinstance(self.role, str) else self.role
