"""Say what the policy says of a shell command: block, warn or allow, with the rule and the reason.

With --batch standard input has one {"command"} a line, and the answer one line for each.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.guard.batch import answers
from ultra_runtime.guard.judge import load_policy
from ultra_runtime.guard.verdict import verdict_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.usage import Args

USAGE = "check-command [COMMAND] [--batch] [--json]"


def run(args: Args) -> Answer:
    """Answer for one command, or for one a line."""
    policy = load_policy()

    def verdict(given: dict[str, Any]) -> dict[str, Any]:
        return verdict_for(str(given["command"]), policy).as_data()

    if args.flag("--batch"):
        return Answer({}, "", batch=answers(verdict, '{"command": "..."}'))
    command = args.get("COMMAND")
    if command is None:
        raise UsageError("a command is missing", f"usage: ultra {USAGE}")
    found = verdict_for(command, policy)
    return Answer(found.as_data(), str(found))
