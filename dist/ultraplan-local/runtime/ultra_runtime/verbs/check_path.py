"""Say what the policy says of a path that is to be written: block or allow, with the rule and the reason.

With --batch standard input has one {"path", "cwd", "repo_root", "home"} a line, and the answer one line for each.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.files.root import current_folder, find_root
from ultra_runtime.guard.batch import answers, text, told
from ultra_runtime.guard.judge import home_folder, load_policy
from ultra_runtime.guard.paths import PathContext, path_verdict
from ultra_runtime.rendered import verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.guard.policy import Verdict
    from ultra_runtime.usage import Args

USAGE = "check-path [PATH] [--batch] [--json]"
READ_ONLY = True
SHAPE = '{"path": "...", "cwd": "/...", "repo_root": "/...", "home": "/..."}'


def run(args: Args) -> Answer:
    """Answer for one path, or for one a line."""
    policy = load_policy()

    def judge(given: dict[str, Any]) -> Verdict:
        return path_verdict(text(given, "path"), _place(given), policy)

    if args.flag("--batch"):
        return Answer({}, "", batch=answers(judge, SHAPE))
    path = args.get("PATH")
    if path is None:
        raise UsageError("a path is missing", f"usage: {verb(USAGE)}")
    verdict = path_verdict(path, _place({}), policy)
    return Answer(told(verdict), str(verdict))


def _place(given: dict[str, Any]) -> PathContext:
    """Return the surroundings that are given, or those of the call."""
    given = {name: text(given, name) for name in ("cwd", "repo_root", "home") if given.get(name)}
    cwd = os.path.abspath(given.get("cwd") or current_folder())
    root = os.path.abspath(given.get("repo_root") or find_root(cwd) or cwd)
    return PathContext(cwd, root, given.get("home") or home_folder())
