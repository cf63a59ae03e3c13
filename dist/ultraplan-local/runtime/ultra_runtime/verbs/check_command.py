"""Check a shell command against the policy: block, warn or allow, with the rule and the reason.

With --batch, standard input has one {"command"} per line, and each gets one line as its answer. A line may add "cwd",
"repo_root" and "home", as for check-path.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.guard.batch import answers, as_answer, judge_from, text
from ultra_runtime.guard.policy import Verdict
from ultra_runtime.rendered import verb
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args

USAGE = "check-command [COMMAND] [--batch] [--json]"
READ_ONLY = True


def run(args: Args) -> Answer:
    """Answer for one command, or for one per line."""
    if args.flag("--batch"):
        return Answer({}, "", batch=answers(_judge, '{"command": "..."}'))
    command = args.get("COMMAND")
    if command is None:
        raise UsageError("missing COMMAND", f"usage: {verb(USAGE)}")
    verdict = _judge({"command": command})
    return Answer(as_answer(verdict), str(verdict))


def _judge(given: dict[str, Any]) -> Verdict:
    return judge_from(given).command(text(given, "command"))
