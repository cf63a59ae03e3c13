"""Compute the id of a finding from its path, rule and evidence, given as a JSON object on standard input.

With --batch, standard input has one object per line, and each gets one line as its answer: {"id"} or {"error"}.
"""

from __future__ import annotations

from ultra_runtime.answer import REFUSED, Answer, RefusedError
from ultra_runtime.files.given_text import read_given
from ultra_runtime.review.finding import FindingError, read_finding
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args

USAGE = "finding-id [--batch] [--json]"
STAGE = "review"
READ_ONLY = True
HINT = 'pass {"path": "src/a.py", "rule": "...", "evidence": "..."} on standard input'


def run(args: Args) -> Answer:
    """Answer with the id, or with one line per line of the input."""
    given = read_given(None, HINT)
    if args.flag("--batch"):
        return _batch([line for line in given.split(b"\n") if line.strip()])
    try:
        name = read_finding(given)
    except FindingError as problem:
        raise RefusedError(str(problem), HINT) from None
    return Answer({"ok": True, "id": name}, name)


def _batch(lines: list[bytes]) -> Answer:
    answers: list[dict[str, Any]] = []
    for line in lines:
        try:
            answers.append({"id": read_finding(line)})
        except FindingError as problem:
            answers.append({"error": str(problem)})
    failed = any("error" in answer for answer in answers)
    return Answer({}, "", REFUSED if failed else 0, batch=answers)
