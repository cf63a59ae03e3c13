"""Check every command of a plan or session spec against the policy.

These are Test first, Verify and Checkpoint of each step, entry and exit conditions, and Verification. The exit status
is 1 when one of them is blocked.
"""

from __future__ import annotations

from ultra_runtime.answer import DONE, REFUSED, Answer, RefusedError
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import from_here, working_root
from ultra_runtime.guard.judge import Judge
from ultra_runtime.guard.policy import ALLOWED, BLOCK, WARN
from ultra_runtime.guard.site import site_of_plan
from ultra_runtime.plan.commands import Scanned, options_when_blocked, scan
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import Plan
from ultra_runtime.rendered import verb
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, one_line

USAGE = "scan PLAN [--json]"
READ_ONLY = True
STAGE = "plan"


def run(args: Args) -> Answer:
    """Answer with each command and its verdict."""
    path = from_here(args.need("PLAN"))
    root = working_root()
    scanned = scan(_read(path), Judge(root, site_of_plan(root, path)))
    counts = {word: sum(one.verdict == word for one in scanned) for word in (BLOCK, WARN, ALLOWED)}
    blocked = counts[BLOCK] > 0
    data = {
        "ok": not blocked,
        "plan": path,
        "blocked": counts[BLOCK],
        "warned": counts[WARN],
        "allowed": counts[ALLOWED],
        "commands": [one.as_data() for one in scanned],
    }
    if blocked:
        data["error"] = f"the command policy blocks {counts[BLOCK]} of {counted(len(scanned), 'command')}"
        data["next"] = options_when_blocked(path)
    return Answer(data, _report(path, scanned, counts), REFUSED if blocked else DONE)


def _read(path: str) -> Plan:
    try:
        plan = read(read_regular(path))
    except UnreadableError as problem:
        error = f"{one_line(path)}: {problem}"
        raise RefusedError(error, "pass the file of a plan or session spec") from None
    if not plan.steps:
        hint = f"list its problems: `{verb('validate')} plan {one_line(path)}`"
        raise RefusedError(f"{one_line(path)} has no readable step", hint)
    return plan


def _report(path: str, scanned: list[Scanned], counts: dict[str, int]) -> str:
    head = f"{one_line(path)}: {counted(len(scanned), 'command')}, {counts[BLOCK]} blocked, {counts[WARN]} with a warning"
    options = [options_when_blocked(path)] if counts[BLOCK] else []
    return "\n".join([head, *(one.row() for one in scanned), *options])
