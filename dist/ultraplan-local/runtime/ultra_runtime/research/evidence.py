"""Compute the confidence of research from which sources agree, which disagree, and what each is worth.

A source is worth the weight w of its kind, from 0 to 1, halved when it agrees only partly: with a condition, or about
something close to the question. It counts once, no matter how many agents, lines or anchors name it. All sources on
one side, the strongest first, are together worth 1 - (1 - w1)(1 - w2/2)(1 - w3/2)...: each further source removes
half its weight of the remaining doubt, since sources copy each other. So one source is never worth more than its
kind, and 0.9 takes three. The confidence of a dimension is for * (1 - against); without evidence it is 0. The whole
is halfway between the mean of the dimensions and the weakest one, and never above CEILING.
"""

from __future__ import annotations

from ultra_runtime.contract.forms import is_commit, is_location
from ultra_runtime.errors import UltraError
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.typed import Container, Iterable, Mapping
from ultra_runtime.words import one_line

CEILING = 0.95
# Confidence that a topic of the brief needs -> the least number that is enough.
ENOUGH = {
    brief_fields.TOPICS_CONFIDENCE_NEEDED_HIGH: 0.75,
    brief_fields.TOPICS_CONFIDENCE_NEEDED_MEDIUM: 0.5,
    brief_fields.TOPICS_CONFIDENCE_NEEDED_LOW: 0.25,
}
COLUMNS = ("dimension", "agent", "kind", "agrees", "source")
# Whether a source agrees -> its side, and the part of its weight that counts.
SIDES = {"yes": (True, 1.0), "partly": (True, 0.5), "no": (False, 1.0)}
FURTHER = 0.5
MODEL = "model"


class EvidenceError(UltraError):
    """Lines that are not rows of evidence, each with its number."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


class Evidence(Struct):
    """One row: a source that agrees, partly agrees or disagrees with the answer to a dimension."""

    dimension: int
    agent: str
    kind: str
    agrees: str
    source: str


def confidence(
    evidence: Iterable[Evidence], dimensions: int, weights: Mapping[str, int]
) -> tuple[float, list[float]]:
    """Return the confidence of the whole and of each dimension, at least one; weights are in percent."""
    items = list(evidence)
    each = [
        _together(items, number, True, weights) * (1 - _together(items, number, False, weights))
        for number in range(1, dimensions + 1)
    ]
    whole = (sum(each) / len(each) + min(each)) / 2
    return round(min(whole, CEILING), 2), [round(min(one, CEILING), 2) for one in each]


def _together(items: list[Evidence], dimension: int, agrees: bool, weights: Mapping[str, int]) -> float:
    """Return the joint weight of the sources on one side of a dimension."""
    sources: dict[str, float] = {}
    for one in items:
        side, part = SIDES[one.agrees]
        if one.dimension == dimension and side is agrees:
            place = place_of(one.source)
            sources[place] = max(sources.get(place, 0), part * weights[one.kind] / 100)
    doubt, counts = 1.0, 1.0
    for weight in sorted(sources.values(), reverse=True):
        doubt *= 1 - weight * counts
        counts = FURTHER
    return 1 - doubt


def place_of(source: str) -> str:
    """Return a source without line or anchor: two places in one page are one source."""
    if is_url(source):
        return source.partition("#")[0].rstrip("/")
    return source.rpartition(":")[0] if is_location(source) else source


def is_url(text: str) -> bool:
    """Return whether the text is the URL of a page."""
    scheme, _, rest = text.partition("://")
    host = rest.partition("/")[0]
    return scheme in ("http", "https") and "." in host.strip(".") and " " not in text


def read_evidence(text: str, dimensions: int, kinds: Iterable[str], agents: Container[str]) -> list[Evidence]:
    """Read a Markdown table of evidence; header, rule and outer bars are optional."""
    known = list(kinds)
    found: list[Evidence] = []
    faults: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
        if not line.strip() or tuple(cells) == COLUMNS or set(line.strip()) <= set("|-: "):
            continue
        fault = _fault(cells, dimensions, known, agents)
        if fault:
            faults.append(f"line {number}: {fault}")
        else:
            found.append(Evidence(int(cells[0]), cells[1], cells[2], cells[3], "|".join(cells[4:])))
    if faults:
        raise EvidenceError(faults)
    return found


def as_table(evidence: Iterable[Evidence]) -> str:
    """Return evidence as a table of Markdown; empty without evidence."""
    rows = [(str(one.dimension), one.agent, one.kind, one.agrees, one.source) for one in evidence]
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows] if rows else []
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _fault(cells: list[str], dimensions: int, kinds: list[str], agents: Container[str]) -> str:
    if len(cells) < len(COLUMNS):
        return f"it must have {' | '.join(COLUMNS)}"
    if not (cells[0].isascii() and cells[0].isdigit() and 1 <= int(cells[0]) <= dimensions):
        return f"dimension must be a number from 1 to {dimensions}, not {one_line(cells[0])}"
    if cells[2] not in kinds:
        return f"kind must be one of {', '.join(kinds)}, not {one_line(cells[2])}"
    if cells[3] not in SIDES:
        return f"agrees must be one of {', '.join(SIDES)}, not {one_line(cells[3])}"
    if cells[1] not in agents:
        return f"unknown agent {one_line(cells[1])}: name the agent that found it, without prefix"
    source = "|".join(cells[4:])
    is_source = is_location(source) or is_commit(source) or is_url(source) or (cells[2] == MODEL and source)
    return "" if is_source else f"source must be path:line, a commit or a URL, not {one_line(source)}"
