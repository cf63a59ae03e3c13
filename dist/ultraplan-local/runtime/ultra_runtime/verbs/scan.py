"""Hold every command that a plan or session spec can make us run against the command policy.

Test first, Verify and Checkpoint of each step, entry and exit conditions, and Verification; exit 1 when one is blocked.
"""

from __future__ import annotations

from ultra_runtime.answer import DONE, REFUSED, Answer, RefusedError
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.guard.judge import load_policy
from ultra_runtime.plan.commands import ALLOW, BLOCK, WARN, scan
from ultra_runtime.plan.reading import read
from ultra_runtime.rendered import verb
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.commands import Scanned
    from ultra_runtime.plan.values import Plan
    from ultra_runtime.usage import Args

USAGE = "scan PLAN [--json]"
READ_ONLY = True


def run(args: Args) -> Answer:
    """Answer with each command and its verdict."""
    path = args.need("PLAN")
    scanned = scan(_read(path), load_policy())
    counts = {word: sum(one.verdict.verdict == word for one in scanned) for word in (BLOCK, WARN, ALLOW)}
    blocked = counts[BLOCK] > 0
    data = {
        "ok": not blocked,
        "plan": path,
        "blocked": counts[BLOCK],
        "warned": counts[WARN],
        "allowed": counts[ALLOW],
        "commands": [one.as_data() for one in scanned],
    }
    if blocked:
        data["error"] = f"the command policy blocks {counts[BLOCK]} of {len(scanned)} commands"
        data["next"] = "change them in the plan as `instead` says, then scan again"
    return Answer(data, _report(path, scanned, counts), REFUSED if blocked else DONE)


def _read(path: str) -> Plan:
    try:
        plan = read(read_regular(path))
    except UnreadableError as problem:
        raise RefusedError(
            f"{one_line(path)}: {problem}", "name the file of a plan or session spec"
        ) from None
    if not plan.steps:
        hint = f"see what is wrong with it: `{verb('validate')} plan {one_line(path)}`"
        raise RefusedError(f"{one_line(path)} has no step that could be read", hint)
    return plan


def _report(path: str, scanned: list[Scanned], counts: dict[str, int]) -> str:
    head = f"{one_line(path)}: {len(scanned)} commands, {counts[BLOCK]} blocked, {counts[WARN]} warned of"
    return "\n".join([head, *map(str, scanned)])
