"""Check a path that is to be written against the policy: block or allow, with the rule and the reason.

With --batch, standard input has one {"path", "cwd", "repo_root", "home"} per line, and each gets one line as its
answer. The exit status is 0 for every verdict;
with --exit-code it is 1 for a block.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.guard.batch import PATH, answer_for
from ultra_runtime.usage import Args

USAGE = "check-path [PATH] [--batch] [--exit-code] [--json]"
FOR_PEOPLE = "look"
READ_ONLY = True
SHAPE = '{"path": "...", "cwd": "/...", "repo_root": "/...", "home": "/..."}'


def run(args: Args) -> Answer:
    """Answer for one path, or for one per line."""
    return answer_for(args, PATH, SHAPE)
