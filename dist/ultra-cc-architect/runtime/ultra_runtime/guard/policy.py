"""The policy in the runtime, from the tables that are rendered from plugin_src/policy."""

from __future__ import annotations

from ultra_runtime.struct import EMPTY, Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    Texts = tuple[str, str, str, str]  # verdict, title, why, instead
    Uses = tuple[tuple[str, str], ...]  # (rule, where its function is: module.name)
    Patterns = tuple[tuple[str, ...], tuple[str, ...]]  # protected names, exceptions
    Listed = tuple[str, list[str], tuple[str, ...]]  # rule, words after the command, words that lift it
    Adder = tuple[tuple[str, ...], bool, tuple[str, ...]]  # verbs, needs a package, options with a value


ALLOWED, WARN, BLOCK = "allow", "warn", "block"


class Policy(Struct):
    """Rules by id, and which rules look at which command or event."""

    rules: dict[str, Texts]
    commands: dict[str, Uses]  # command -> rules that look at its arguments
    events: dict[str, Uses]  # what happens -> rules that look at it
    sources: dict[str, Uses]  # command -> (what its output is, logic that says when)
    adders: dict[str, Adder]
    paths: dict[str, Patterns]
    off: tuple[str, ...] = ()  # rules that do not apply here
    listed: Mapping[str, list[Listed]] = EMPTY  # command -> calls that packs and people have listed

    @classmethod
    def of(cls, module: ModuleType, in_run: bool = True) -> Policy:
        """Read the policy from the rendered module."""
        tables = module.RULES, module.COMMANDS, module.EVENTS, module.SOURCES, module.ADDERS, module.PATHS
        return cls(*tables, () if in_run else module.IN_RUN)

    def with_added(self, rules: dict[str, Texts], listed: Mapping[str, list[Listed]]) -> Policy:
        """Return the policy with the rules that people have added; theirs replace none."""
        tables = self.commands, self.events, self.sources, self.adders, self.paths, self.off
        return Policy({**rules, **self.rules}, *tables, listed)


class Verdict(Struct):
    """What the guard says about a command or a path."""

    verdict: str  # allow, warn or block
    rule: str = ""
    reason: str = ""
    instead: str = ""
    unreadable: bool = False

    def as_data(self) -> dict[str, str]:
        """Return the verdict for programs."""
        data = {"verdict": self.verdict, "rule": self.rule, "reason": self.reason, "instead": self.instead}
        return {name: text for name, text in data.items() if text}

    def __str__(self) -> str:
        if self.verdict == ALLOWED:
            return "allow"
        return f"{self.verdict} ({self.rule}): {self.reason}\nInstead: {self.instead}"

    def __repr__(self) -> str:
        return f"Verdict({self.verdict!r}, {self.rule!r}, {self.reason!r}, unreadable={self.unreadable})"


class Blocked(Exception):
    """A rule that blocks has matched."""

    def __init__(self, rule: str, found: str) -> None:
        super().__init__(rule)
        self.rule = rule
        self.found = found


ALLOW = Verdict(ALLOWED)


def ruled(policy: Policy, rule: str, found: str = "") -> Verdict:
    """Return the verdict of a rule, with what was found in its reason."""
    verdict, title, why, instead = policy.rules[rule]
    reason = f"{title} ({found}): {why}" if found else f"{title}: {why}"
    return Verdict(verdict, rule, reason, instead, rule == "unreadable")
