"""End a work that is stuck: release its lock, and leave all edits in the tree."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.abort import abort_live
from ultra_runtime.usage import Args
from ultra_runtime.works.work_place import find_work
from ultra_runtime.works.written import log

USAGE = "work abort [--force] [--json]"
FOR_PEOPLE = "act"


def run(args: Args) -> Answer:
    """Answer with the status and how to continue; --force also ends a work of another session."""
    work = find_work(None, in_progress=True)
    status, kept, _ = abort_live(None, None, args.flag("--force"))
    log(work, "main", f"aborted: {status}")
    call = f"{verb('work start')} {work.name}"
    data = {"ok": True, "work": work.name, "status": status, "next": f"tell the user; to continue: {call}"}
    if kept:
        data["kept"] = kept
    return Answer(data, f"{'; '.join([f'{work.name} is {status}', *kept])}. To continue: {call}")
