"""What limits.yaml and the headers of agents declare, typed and frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Limit:
    """One number that is a rule, and the range in which the rest of the pipeline makes sense with it."""

    value: int
    minimum: int
    maximum: int
    unit: str
    means: str
    line: int = 0


Role = Literal[
    "reviewer", "conformance", "coordinator", "explorer", "researcher", "second-model", "critic", "decomposer"
]
"""What a verb needs an agent for; an agent that no verb needs to know has none."""


@dataclass(frozen=True, slots=True)
class Agent:
    """The keys of an agent's header that are for the generator and not for the client."""

    output: str | None = None
    """The file of outputs/ that says in which block the agent's answer ends."""
    role: tuple[Role, ...] | Role = ()
    scope: Literal["local", "external"] | None = None
    """Where a researcher looks."""
    quick: bool = False
    """A researcher that is asked with --quick, too."""
    remediation: int | None = None
    """The place of an explorer among those that are asked when a plan is made from a review."""
    order: int = 99
    """The place among the agents of its role; equal ones are sorted by name."""
    asked: str = ""
    """What it looks for, in the table of the prompt that spawns it."""
    programs: tuple[str, ...] = ()
    """The calls of programs that the guard lets it make; `...` stands for any arguments, 'TEXT' for one quoted text."""
    line: int = 0

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles, however many there are."""
        return (self.role,) if isinstance(self.role, str) else self.role
