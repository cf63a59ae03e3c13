"""Write the Security Constraints of a session spec: the commands and paths that the policy forbids."""

from __future__ import annotations

from ultra_runtime.guard.policy import BLOCK
from ultra_runtime.rendered import table

MOST_COMMANDS = 3
RULES = """\
These rules apply whatever a step says:

- Change nothing outside Touch and nothing outside the repository.
- A Verify, Test first or Checkpoint that breaks a rule is not run: the step is escalated, whatever its On failure says.
- Never run:"""


def security_text() -> str:
    """Return the section, with each rule of the policy that blocks."""
    policy = table("policy")
    blocking = [rule for rule, texts in policy.RULES.items() if texts[0] == BLOCK]
    lines = [RULES]
    for rule in blocking:
        if rule not in policy.PATHS:
            users = [name for name, uses in policy.COMMANDS.items() if any(use[0] == rule for use in uses)]
            named = ", ".join(f"`{name}`" for name in users[:MOST_COMMANDS])
            lines.append(f"  - {policy.RULES[rule][1]}" + (f" ({named})" if named else ""))
    lines.append("- Never write:")
    for rule in blocking:
        if rule in policy.PATHS:
            named = ", ".join(f"`{pattern}`" for pattern in policy.PATHS[rule][0])
            lines.append(f"  - {policy.RULES[rule][1]}" + (f": {named}" if named else ""))
    return "\n".join(lines)
