"""Say what the policy says of a path that is to be written: block or allow, with the rule and the reason.

With --batch standard input has one {"path", "cwd", "repo_root", "home"} a line, and the answer one line for each.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.guard.batch import answers
from ultra_runtime.guard.judge import load_policy
from ultra_runtime.guard.paths import Place, path_verdict
from ultra_runtime.place import current_folder, find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.usage import Args

USAGE = "check-path [PATH] [--batch] [--json]"


def run(args: Args) -> Answer:
    """Answer for one path, or for one a line."""
    policy = load_policy()

    def verdict(given: dict[str, Any]) -> dict[str, Any]:
        return path_verdict(str(given["path"]), _place(given), policy).as_data()

    if args.flag("--batch"):
        return Answer(
            {},
            "",
            batch=answers(verdict, '{"path": "...", "cwd": "/...", "repo_root": "/...", "home": "/..."}'),
        )
    path = args.get("PATH")
    if path is None:
        raise UsageError("a path is missing", f"usage: ultra {USAGE}")
    found = path_verdict(path, _place({}), policy)
    return Answer(found.as_data(), str(found))


def _place(given: dict[str, Any]) -> Place:
    """Return the surroundings that are given, or those of the call."""
    cwd = str(given.get("cwd") or current_folder())
    root = str(given.get("repo_root") or find_root(cwd) or cwd)
    return Place(cwd, root, str(given.get("home") or os.path.expanduser("~")))
