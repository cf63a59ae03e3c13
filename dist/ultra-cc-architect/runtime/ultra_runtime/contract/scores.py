"""The arithmetic of the brief-review gate: what a reviewer's answer says, and whether the brief passes.

Nothing here touches the disk; the thresholds come from the contract.
"""

from __future__ import annotations

from ultra_runtime.struct import Struct
from ultra_runtime.text.jsontext import JsonError, read_object
from ultra_runtime.typed import Any, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.gates import Dimension, Gate

LANGUAGE = "json"
LONGEST_DETAIL = 400


class Review(Struct):
    """The scores and details of all dimensions, the verdict, and whether a default was used."""

    scores: Mapping[str, int]
    details: Mapping[str, list[str]]
    verdict: str
    degraded: bool

    def as_data(self) -> dict[str, Any]:
        """Return the review as it is stored between rounds."""
        return dict(self.__dict__)


class Ruling(Struct):
    """The dimensions that keep a brief from passing, the weakest first."""

    failing: list[str]

    @property
    def passed(self) -> bool:
        """Whether the brief passes the review."""
        return not self.failing

    @property
    def weakest(self) -> str | None:
        """Where to start."""
        return self.failing[0] if self.failing else None


def judge(gate: Gate, scores: Mapping[str, int]) -> Ruling:
    """Compare the scores with the lowest that pass; the lowest is the weakest, ties by the gate's order."""
    failing = [one.name for one in gate.dimensions if scores[one.name] < one.passes_at]
    return Ruling(sorted(failing, key=lambda name: (scores[name], gate.tie_order.index(name))))


def read_review(gate: Gate, answer: str) -> Review:
    """Read a reviewer's answer: its last json block, and the verdict in its prose, which wins."""
    block, prose = split_answer(answer)
    values = (_read(block) if block is not None else None) or {}
    said = prose_verdict(gate, prose)
    given = {name: part.get("score") for name, part in values.items() if isinstance(part, dict)}
    scores = _read_scores(gate, given)
    if scores is None:
        return no_review(gate, said)
    details = {one.name: _details(one, values[one.name]) for one in gate.dimensions}
    written = values.get("verdict")
    known = isinstance(written, str) and written in gate.verdicts
    return Review(scores, details, said or (str(written) if known else gate.degraded_verdict), not known)


def no_review(gate: Gate, verdict: str | None = None) -> Review:
    """Return the review that counts when no block can be read."""
    scores = {one.name: gate.degraded_score for one in gate.dimensions}
    return Review(scores, {name: [] for name in scores}, verdict or gate.degraded_verdict, True)


def is_readable(gate: Gate, review: Review) -> bool:
    """Tell whether the scores are the reviewer's own, not the defaults for an answer without a block."""
    return not review.degraded or review.scores != no_review(gate).scores or any(review.details.values())


def unnamed(gate: Gate, review: Review) -> list[str]:
    """Return the dimensions whose score requires a detail and that have none."""
    weak = [one.name for one in gate.dimensions if review.scores[one.name] <= gate.detail_at]
    return [name for name in weak if not review.details[name]] if is_readable(gate, review) else []


def restore_review(gate: Gate, kept: object) -> Review:
    """Return the stored review of an earlier round."""
    if isinstance(kept, dict):
        scores, details, verdict = kept.get("scores"), kept.get("details"), kept.get("verdict")
        numbers = _read_scores(gate, scores) if isinstance(scores, dict) else None
        if numbers is not None:
            texts = details if isinstance(details, dict) else {}
            lists = {name: [str(item) for item in texts.get(name) or ()] for name in numbers}
            return Review(numbers, lists, str(verdict or gate.degraded_verdict), kept.get("degraded") is True)
    return no_review(gate)


def split_answer(answer: str) -> tuple[str | None, str]:
    """Return the last json block, if there is one, and the text outside all json blocks.

    A whole answer may be inside a fence, so fences are not paired as Markdown pairs them.
    """
    block: list[str] | None = None
    prose: list[str] = []
    fence = ""
    for line in answer.splitlines():
        text = line.strip()
        mark = text[: len(text) - len(text.lstrip(text[0]))] if text[:1] in ("`", "~") and text else ""
        if fence and block is not None:
            if text == mark and text.startswith(fence):
                fence = ""
            else:
                block.append(line)
        elif len(mark) >= 3 and text[len(mark) :].strip().lower() == LANGUAGE:
            fence, block = mark, []
        else:
            prose.append(line)
    return ("\n".join(block) if block is not None else None), "\n".join(prose)


def json_blocks(text: str) -> list[tuple[dict[str, Any], str]]:
    """Return the values of each block that can be read, with the words before it and the block itself."""
    found: list[tuple[dict[str, Any], str]] = []
    piece: list[str] = []
    block: list[str] | None = None
    for line in text.splitlines():
        piece.append(line)
        bare = line.strip()
        if block is None:
            if bare.startswith("```") and bare.lstrip("`").strip().lower() == LANGUAGE:
                block = []
        elif bare.startswith("```"):
            values = _read("\n".join(block))
            if values is not None:
                found.append((values, "\n".join(piece)))
                piece = []
            block = None
        else:
            block.append(line)
    if not found:
        values = _read(text)
        return [(values, f"```json\n{text}\n```")] if values is not None else []
    return found


def _read(text: str) -> dict[str, Any] | None:
    try:
        return read_object(text.encode("utf-8", "replace")).values
    except JsonError:
        return None


def prose_verdict(gate: Gate, prose: str) -> str | None:
    """Return the verdict in the prose: on the last line about the verdict, or the only one in capitals."""
    lines = [line for line in prose.splitlines() if line.strip()]
    for number in reversed(range(len(lines))):
        if "verdict" in lines[number].lower():
            for line in lines[number : number + 3]:
                found = _verdicts_in(gate, line) or _verdicts_in(gate, line.upper())
                if found:
                    return found.pop() if len(found) == 1 else None
    found = _verdicts_in(gate, prose)
    return found.pop() if len(found) == 1 else None


def _verdicts_in(gate: Gate, text: str) -> set[str]:
    """Return the verdicts that a text contains as whole words, the longest first."""
    found = set()
    for verdict in sorted(gate.verdicts, key=len, reverse=True):
        for spelled in (verdict, verdict.replace("_", " ")):
            pieces = text.split(spelled)
            for before, after in zip(pieces, pieces[1:]):
                if not (_joins(before[-1:]) or _joins(after[:1])):
                    found.add(verdict)
            text = "|".join(pieces)
    return found


def _joins(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _read_scores(gate: Gate, given: Mapping[str, object]) -> dict[str, int] | None:
    """Return the score of every dimension, or nothing when one of them has none."""
    found = {one.name: read_score(gate, given.get(one.name)) for one in gate.dimensions}
    read = {name: score for name, score in found.items() if score is not None}
    return read if len(read) == len(found) else None


def read_score(gate: Gate, score: object) -> int | None:
    """Return a score, which may be in quotes, or nothing when it is not a score."""
    if isinstance(score, str) and score.isascii() and score.isdigit() and len(score) < 4:
        score = int(score)
    return score if type(score) is int and gate.lowest <= score <= gate.highest else None


def _details(dimension: Dimension, part: Mapping[str, Any]) -> list[str]:
    """Return the details, one line of text each."""
    items = part.get(dimension.detail)
    if not isinstance(items, list):
        items = [items] if isinstance(items, str) else []
    texts = [_detail(dimension, item) for item in items]
    return [text for text in texts if text]


def _detail(dimension: Dimension, item: object) -> str:
    if isinstance(item, dict):
        values = [item.get(key) for key in dimension.detail_fields] or list(item.values())
        item = ": ".join(str(value) for value in values if value not in (None, ""))
    text = " ".join(str(item).split())
    return text if len(text) <= LONGEST_DETAIL else text[: LONGEST_DETAIL - 3] + "..."
