"""Compute how sure an answer is from a table of evidence on standard input, one source a line.

A line is `dimension | agent | kind | agrees | source`: the number of the dimension, who found it, what kind of source
it is, whether it agrees with the answer (yes or no), and where it is. A source counts once, by the weight of its
kind; what agrees and what speaks against are weighed against each other, and the weakest dimension pulls the whole.
With --needed the answer says whether that is enough, and which dimensions are weak.
"""

from __future__ import annotations

from ultra_runtime.agent_output import known_outputs
from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.evidence import COLUMNS, ENOUGH, EvidenceError, confidence, read_evidence
from ultra_runtime.forms import is_number
from ultra_runtime.given_text import as_text, read_given
from ultra_runtime.words import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.usage import Args

USAGE = "confidence --dimensions N [--needed high|medium|low] [--json]"

HINT = f"give lines of `{' | '.join(COLUMNS)}` on standard input"
MOST_DIMENSIONS = 50
MOST_TOLD = 10


def run(args: Args) -> Answer:
    """Answer with the confidence of the whole and of each dimension."""
    given = args.need("--dimensions")
    if not is_number(given) or not 1 <= int(given) <= MOST_DIMENSIONS:
        raise args.usage.error(f"--dimensions is not a number from 1 to {MOST_DIMENSIONS}")
    count = int(given)
    weights = next(output.weights for output in known_outputs().values() if output.weights)
    try:
        evidence = read_evidence(as_text(read_given(None, HINT), HINT), count, weights)
    except EvidenceError as problem:
        told = "; ".join(problem.faults[:MOST_TOLD])
        raise RefusedError(f"the evidence cannot be read: {told}", f"{HINT}; nothing was computed") from None
    whole, each = confidence(evidence, count, weights)
    bare = [str(number) for number, one in enumerate(each, 1) if one == 0]
    disputed = sorted({one.dimension for one in evidence if not one.agrees})
    next_step = "write these numbers into the research as they are"
    if bare:
        next_step += f"; nothing supports the answer to {listed(bare)}: say so there"
    data: dict[str, Any] = {"ok": True, "confidence": whole, "dimensions": each, "contradicted": disputed}
    needed = args.get("--needed")
    if needed:
        data["enough"] = whole >= ENOUGH[needed]
        data["weak"] = [number for number, value in enumerate(each, 1) if value < ENOUGH[needed]]
    data["next"] = next_step
    lines = [f"confidence {whole}", *(f"  dimension {number}: {one}" for number, one in enumerate(each, 1))]
    return Answer(data, "\n".join(lines))
