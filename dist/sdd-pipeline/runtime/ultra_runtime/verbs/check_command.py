"""Check a shell command against the policy: block, warn or allow, with the rule and the reason.

With --batch, standard input has one {"command"} per line, and each gets one line as its answer. A line may add "cwd",
"repo_root" and "home", as for check-path. The exit status is 0 for every verdict; with --exit-code
it is 1 for a block.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.guard.batch import COMMAND, answer_for
from ultra_runtime.usage import Args

USAGE = "check-command [COMMAND] [--batch] [--exit-code] [--json]"
FOR_PEOPLE = "look"
READ_ONLY = True


def run(args: Args) -> Answer:
    """Answer for one command, or for one per line."""
    return answer_for(args, COMMAND, '{"command": "..."}')
