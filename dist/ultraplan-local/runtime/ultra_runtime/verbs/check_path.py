"""Check a path that is to be written against the policy: block or allow, with the rule and the reason.

With --batch, standard input has one {"path", "cwd", "repo_root", "home"} per line, and each gets one line as its
answer.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.guard.batch import answers, as_answer, judge_from, text
from ultra_runtime.guard.policy import Verdict
from ultra_runtime.rendered import verb
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args

USAGE = "check-path [PATH] [--batch] [--json]"
READ_ONLY = True
SHAPE = '{"path": "...", "cwd": "/...", "repo_root": "/...", "home": "/..."}'


def run(args: Args) -> Answer:
    """Answer for one path, or for one per line."""
    if args.flag("--batch"):
        return Answer({}, "", batch=answers(_judge, SHAPE))
    path = args.get("PATH")
    if path is None:
        raise UsageError("missing PATH", f"usage: {verb(USAGE)}")
    verdict = _judge({"path": path})
    return Answer(as_answer(verdict), str(verdict))


def _judge(given: dict[str, Any]) -> Verdict:
    return judge_from(given).path(text(given, "path"))
