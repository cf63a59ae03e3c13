"""The brief-review gate on the disk: the draft, the rounds that were counted, and the end of the loop.

The gate is open while `brief.md.draft` is there. The rounds are counted in a file of the project directory that
git does not see; without a draft that file means nothing. `brief.md` never exists while the gate is open: an
earlier one waits as `brief.md.prev` until the new one is in place.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.scores import no_review, restore_review
from ultra_runtime.files.atomic import PREVIOUS
from ultra_runtime.files.json_file import NotJsonError, load_json
from ultra_runtime.files.project import GATE_FILE
from ultra_runtime.files.regular_file import UnreadableError
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.text.document_edit import remove_section, replace_section, set_field
from ultra_runtime.text.jsontext import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.model import Contract, Gate
    from ultra_runtime.contract.scores import Review, Ruling
    from ultra_runtime.files.atomic import Folder
    from ultra_runtime.files.project import Project

BRIEF = "brief.md"
DRAFT = "brief.md.draft"
QUALITY_FIELD = brief_fields.BRIEF_QUALITY
QUALITY_SECTION = brief_fields.SECTION_BRIEF_QUALITY
COMPLETE = brief_fields.BRIEF_QUALITY_COMPLETE
PARTIAL = brief_fields.BRIEF_QUALITY_PARTIAL


class Rounds(Struct):
    """How many reviews have failed, what the last one said, and the draft that it was about.

    `returned` tells that an answer of the round under way was given back, since it lacked details.
    """

    count: int
    last: Review
    digest: str = ""
    returned: bool = False


def is_open(project: Project) -> bool:
    """Tell whether a draft waits for its review."""
    return os.path.lexists(project.path(DRAFT))


def begin(project: Project, folder: Folder) -> bool:
    """Open the gate, before its first draft is written; tell whether an earlier brief had to give way."""
    if not is_open(project):
        folder.remove(GATE_FILE)
    if folder.look(BRIEF) is None:
        return False
    folder.move(BRIEF, BRIEF + PREVIOUS)
    return True


def mend(project: Project, folder: Folder) -> None:
    """Put an earlier brief back that gave way to a draft which is not there: its writer failed or was killed."""
    if not is_open(project) and folder.look(BRIEF) is None and folder.look(BRIEF + PREVIOUS):
        folder.move(BRIEF + PREVIOUS, BRIEF)


def read_rounds(project: Project, gate: Gate) -> Rounds:
    """Return the rounds that were counted so far; a count that somebody broke leaves the last one."""
    try:
        kept = load_json(project.path(GATE_FILE))
    except NotJsonError:
        kept = {}
    except UnreadableError as problem:
        if problem.missing:
            return Rounds(0, no_review(gate))
        error = f"{project.show(GATE_FILE)}, which counts the rounds, cannot be read: {problem}"
        raise RefusedError(error, "remove it; the rounds are then counted anew") from None
    count = kept.get("round")
    if type(count) is not int or not 0 <= count < gate.rounds:
        count = gate.rounds - 1
    digest, returned = str(kept.get("draft") or ""), kept.get("returned") is True
    return Rounds(count, restore_review(gate, kept.get("review")), digest, returned)


def keep_rounds(project: Project, folder: Folder, rounds: Rounds) -> None:
    """Keep the count of the reviews that failed, with the last one."""
    project.ignore()
    kept = {"round": rounds.count, "review": rounds.last.as_data(), "draft": rounds.digest}
    folder.write(GATE_FILE, (write({**kept, "returned": rounds.returned}) + "\n").encode())


def discard(project: Project, folder: Folder) -> bool:
    """Give the draft up; tell whether a brief that was set aside is in place again."""
    folder.remove(DRAFT)
    folder.remove(GATE_FILE)
    mend(project, folder)
    return folder.look(BRIEF) is not None


def end(folder: Folder, data: bytes | None) -> None:
    """Make the draft the brief, with other bytes if some are given; a call that is killed can be made again."""
    if data is not None:
        folder.write(DRAFT, data)
    if folder.look(BRIEF):
        folder.move(BRIEF, BRIEF + PREVIOUS)
    folder.move(DRAFT, BRIEF)
    folder.remove(GATE_FILE)
    folder.remove(BRIEF + PREVIOUS)


def passed_brief(data: bytes) -> bytes:
    """Return a draft that passed, marked as complete; what an earlier gate said of it is gone."""
    return remove_section(set_field(data, QUALITY_FIELD, COMPLETE), QUALITY_SECTION)


def partial_brief(
    contract: Contract, data: bytes, review: Review, ruling: Ruling | None, number: int
) -> bytes:
    """Return the draft marked as partial, with a section of what the review, if there was one, found wanting."""
    order = [section.name for section in contract.sections]
    text = quality_text(contract, review, ruling, number)
    return replace_section(set_field(data, QUALITY_FIELD, PARTIAL), QUALITY_SECTION, text, order)


def quality_text(contract: Contract, review: Review, ruling: Ruling | None, number: int) -> str:
    """Return the section that names the failing dimensions with their scores and details."""
    gate = contract.gate
    assert gate is not None  # noqa: S101 - the contract of a brief has one
    if ruling is None:
        return "- **No review was made:** nothing in this brief was checked by a reviewer."
    lines = [
        f"The review ended after {number} of {gate.rounds} rounds without a pass; the plan takes these as"
        " assumptions, not as settled:",
        "",
    ]
    if review.degraded:
        lines[:0] = ["The last review had no scores that could be read.", ""]
    for name in ruling.failing:
        title = name.replace("_", " ").capitalize()
        details = "; ".join(review.details[name]) or "the review names no detail"
        lines.append(f"- **{title}, {review.scores[name]} of {gate.highest}:** {details}")
    return "\n".join(lines)
