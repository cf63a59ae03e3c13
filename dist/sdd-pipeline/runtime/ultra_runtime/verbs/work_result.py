"""Record an agent's answer, a task-result on standard input, if no hook has recorded it; its form is checked."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.rendered import verb
from ultra_runtime.usage import Args
from ultra_runtime.works.answers import store_answer
from ultra_runtime.works.work_place import find_work

USAGE = "work result [WORK-NN] [--json]"
HINT = "pass the whole answer of the agent on standard input"


def run(args: Args) -> Answer:
    """Answer with the dispatch that is answered."""
    work = find_work(args.get("WORK-NN"))
    closed = store_answer(work, as_text(read_given(None, HINT), HINT))
    call = f"{verb('work next')} {work.name}"
    return Answer({"ok": True, "dispatch": closed["number"], "next": call}, f"Taken.\nNext: {call}")
