"""The arithmetic behind research's confidence: which sources agree, which speak against, and what each is worth.

A source is worth its kind's weight w, from 0 to 1, and counts once however many agents name it. All sources on one
side together are worth 1 - (1 - w1)(1 - w2)...: each further one closes part of the doubt that is left. A dimension's
confidence is what speaks for it times the doubt that its opponents leave, for * (1 - against); one without evidence
has none. The whole is halfway between the mean of the dimensions and the weakest, and never above CEILING.
"""

from __future__ import annotations

from ultra_runtime.errors import UltraError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CEILING = 0.95
# What a topic of the brief asks for, in words -> the least confidence that is enough.
ENOUGH = {"high": 0.75, "medium": 0.5, "low": 0.25}
COLUMNS = ("dimension", "agent", "kind", "agrees", "source")
SIDES = {"yes": True, "no": False}


class EvidenceError(UltraError):
    """Lines that are not a table of evidence, each with its number."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


class Evidence:
    """One line of the table: a source that agrees with the answer to a dimension, or speaks against it."""

    __slots__ = ("agent", "agrees", "dimension", "kind", "source")

    def __init__(self, dimension: int, agent: str, kind: str, agrees: bool, source: str) -> None:
        self.dimension = dimension
        self.agent = agent
        self.kind = kind
        self.agrees = agrees
        self.source = source


def confidence(
    evidence: Iterable[Evidence], dimensions: int, weights: Mapping[str, int]
) -> tuple[float, list[float]]:
    """Return the confidence of the whole and of each dimension from 1 on; weights are in percent."""
    items = list(evidence)
    each = [
        _together(items, number, True, weights) * (1 - _together(items, number, False, weights))
        for number in range(1, dimensions + 1)
    ]
    whole = (sum(each) / len(each) + min(each)) / 2 if each else 0.0
    return round(min(whole, CEILING), 2), [round(min(one, CEILING), 2) for one in each]


def _together(items: list[Evidence], dimension: int, agrees: bool, weights: Mapping[str, int]) -> float:
    """Return what the sources on one side of a dimension are worth together."""
    sources: dict[str, int] = {}
    for one in items:
        if one.dimension == dimension and one.agrees is agrees:
            sources[one.source] = max(sources.get(one.source, 0), weights[one.kind])
    doubt = 1.0
    for weight in sorted(sources.values()):
        doubt *= 1 - weight / 100
    return 1 - doubt


def read_evidence(text: str, dimensions: int, kinds: Iterable[str]) -> list[Evidence]:
    """Read a Markdown table of evidence; its header and rule may be left out, and so may the outer bars."""
    known = list(kinds)
    found: list[Evidence] = []
    faults: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
        if not line.strip() or tuple(cells) == COLUMNS or set(line.strip()) <= set("|-: "):
            continue
        fault = _fault(cells, dimensions, known)
        if fault:
            faults.append(f"line {number}: {fault}")
        else:
            found.append(Evidence(int(cells[0]), cells[1], cells[2], SIDES[cells[3]], " ".join(cells[4:])))
    if faults:
        raise EvidenceError(faults)
    return found


def _fault(cells: list[str], dimensions: int, kinds: list[str]) -> str:
    if len(cells) < len(COLUMNS):
        return f"it needs {' | '.join(COLUMNS)}"
    if not (cells[0].isascii() and cells[0].isdigit() and 1 <= int(cells[0]) <= dimensions):
        return f"the dimension is not a number from 1 to {dimensions}"
    if cells[2] not in kinds:
        return f"the kind is none of {', '.join(kinds)}"
    if cells[3] not in SIDES:
        return "agrees is neither yes nor no"
    return "" if cells[1] and cells[4] else "the agent or the source is empty"
