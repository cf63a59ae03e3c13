"""Print the dispatch of that number: what an agent is to do, with the context and the references that it needs."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.contract.forms import is_number
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line
from ultra_runtime.works.answers import TAKEN
from ultra_runtime.works.work_place import find_work

USAGE = "work dispatch NUMBER [--work WORK-NN] [--json]"


def run(args: Args) -> Answer:
    """Answer with the message."""
    given = args.need("NUMBER")
    work = find_work(args.get("--work"))
    text = work.read_message(int(given)) if is_number(given) else ""
    if not text:
        raise work.refusal(f"{work.name} has no dispatch {one_line(given, 40)}")
    one = work.read_state()["dispatches"][int(given) - 1]
    work.keep_message(int(given), str(one.get("times")), TAKEN)
    return Answer({"ok": True, "work": work.name, "number": int(given), "dispatch": text}, text)
