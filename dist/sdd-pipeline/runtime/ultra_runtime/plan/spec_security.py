"""Write the Security Constraints of a session spec: the commands and paths that the policy forbids."""

from __future__ import annotations

from ultra_runtime.guard.policy import BLOCK
from ultra_runtime.rendered import table
from ultra_runtime.typed import Mapping, Sequence
from ultra_runtime.words import shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Uses

MOST_COMMANDS, MOST_PATHS = 3, 8
RULES = """\
These rules apply whatever a step says:

- Change nothing outside Touch and nothing outside the repository.
- A Verify, Test first or Checkpoint that breaks a rule is not run: the step is escalated, whatever its On failure says.
- Never run:"""


def security_text() -> str:
    """Return the section, with each rule of the policy that blocks."""
    policy = table("policy")
    titles = {rule: texts[1] for rule, texts in policy.RULES.items() if texts[0] == BLOCK}
    lines = [RULES]
    for rule, title in titles.items():
        if rule not in policy.PATHS:
            lines.append(f"  - {title}{_named(_commands(policy.COMMANDS, rule), MOST_COMMANDS)}")
    lines.append("- Never write:")
    lines += [
        f"  - {title}{_named(policy.PATHS[rule][0], MOST_PATHS)}"
        for rule, title in titles.items()
        if rule in policy.PATHS
    ]
    return "\n".join(lines)


def _commands(uses: Mapping[str, Uses], rule: str) -> list[str]:
    """Return the commands that a rule looks at; those that it looks at first come first."""
    places = {name: [use[0] for use in used].index(rule) for name, used in uses.items() if rule in dict(used)}
    return sorted(places, key=lambda name: places[name])


def _named(names: Sequence[str], most: int) -> str:
    shown = shortened((f"`{name}`" for name in names), most)
    return f" ({', '.join(shown)})" if shown else ""
