"""Make a new work from a request on standard input: its number, its folder, its row in the list.

The user is not asked to approve a request that says auto, 자동으로 or 自動で; --auto has the same effect.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.lock import Busy
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line
from ultra_runtime.works.tags import is_auto, without_tag
from ultra_runtime.works.work_place import make_work
from ultra_runtime.works.written import IN_PROGRESS, list_work, log

USAGE = "work new [--auto] [--json]"
LONGEST_TITLE = 80
HINT = "say on standard input what is to be done"


def run(args: Args) -> Answer:
    """Answer with the work and the call that comes next."""
    request = as_text(read_given(None, HINT), HINT).strip()
    words = without_tag(request)
    if not words:
        raise RefusedError("the request has only a tag", HINT)
    title = one_line(words.split("\n")[0], LONGEST_TITLE)
    auto = args.flag("--auto") or is_auto(request)
    workspace = find_workspace()
    with Busy(workspace, "work new"):
        work = make_work(workspace)
        call = f"{verb('work next')} {work.name}"
        state: dict[str, Any] = {
            "request": request,
            "title": title,
            "auto": auto,
            "language": "",
            "references": "",
            "dispatches": [],
            "handoffs": {},
            "next": call,
        }
        list_work(work, state, title, IN_PROGRESS)
        log(work, "main", f"new{' auto' if auto else ''}: {request}")
    return Answer(
        {"ok": True, "work": work.name, "auto": auto, "next": call}, f"{work.name}: {title}\nNext: {call}"
    )
