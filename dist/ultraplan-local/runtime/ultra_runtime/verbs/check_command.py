"""Say what the policy says of a shell command: block, warn or allow, with the rule and the reason.

With --batch standard input has one {"command"} a line, and the answer one line for each.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.guard.batch import answers, text, told
from ultra_runtime.guard.judge import load_policy
from ultra_runtime.guard.verdict import verdict_for
from ultra_runtime.rendered import verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.guard.policy import Verdict
    from ultra_runtime.usage import Args

USAGE = "check-command [COMMAND] [--batch] [--json]"
READ_ONLY = True


def run(args: Args) -> Answer:
    """Answer for one command, or for one a line."""
    policy = load_policy()

    def judge(given: dict[str, Any]) -> Verdict:
        return verdict_for(text(given, "command"), policy)

    if args.flag("--batch"):
        return Answer({}, "", batch=answers(judge, '{"command": "..."}'))
    command = args.get("COMMAND")
    if command is None:
        raise UsageError("a command is missing", f"usage: {verb(USAGE)}")
    verdict = verdict_for(command, policy)
    return Answer(told(verdict), str(verdict))
