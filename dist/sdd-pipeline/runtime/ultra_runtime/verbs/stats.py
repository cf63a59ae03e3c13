"""Append one line of numbers to the statistics of a stage.

Only fields that the contracts list are written, and never text of a prompt. Without --data nothing is written. A line
that cannot be written is reported, but is not an error.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.run.life.stats import append, counted_stages, read_pairs
from ultra_runtime.usage import Args
from ultra_runtime.words import nearest, one_line

USAGE = "stats COMMAND [PAIR...] [--data DIR] [--json]"


def run(args: Args) -> Answer:
    """Answer whether a line was written; there is no other outcome."""
    command, folder = args.need("COMMAND"), args.get("--data")
    known = counted_stages()
    if command not in known:
        listing = ", ".join(known)
        return _answer(
            f"unknown command: {one_line(command)}{nearest(command, known)}; use one of: {listing}"
        )
    if not folder:
        return _answer("no --data folder was given")
    try:
        return _answer(append(command, read_pairs(command, args.rest("PAIR")), folder))
    except Exception as problem:  # statistics never stop a run
        return _answer(f"{type(problem).__name__}: {one_line(str(problem))}")


def _answer(problem: str) -> Answer:
    data = {"ok": True, "written": not problem}
    return Answer({**data, "why": problem} if problem else data, problem or "written")
