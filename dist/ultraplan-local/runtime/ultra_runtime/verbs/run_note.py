"""Add a finding to the report of the run: what seems wrong or needed outside the current step."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.run.state.live import open_live
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line

USAGE = "run note TEXT [--plan PATH] [--project DIR] [--json]"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Save the finding; it does not change the run."""
    text = one_line(args.need("TEXT").strip(), 500)
    if not text:
        raise args.usage.error("TEXT must be a sentence, not empty")
    busy, live = open_live("run note", args.get("--plan"), args.get("--project"))
    with busy:
        live.found(text)
    return Answer({"ok": True, "next": "continue where you were"}, f"Noted: {text}")
