"""The review gate of a brief on disk: the draft, the counted rounds, and the end of the gate.

The gate is open while the draft exists. The rounds are counted in a file of the project that git ignores; without a
draft that file means nothing. The brief never exists while the gate is open: an earlier brief is kept under its name
with PREVIOUS until the new one is in place.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.scores import Review, Ruling, no_review, restore_review
from ultra_runtime.contract.stages import draft_of, file_of
from ultra_runtime.files.atomic import PREVIOUS, Folder
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.json_file import NotJsonError, load_json
from ultra_runtime.files.project import GATE_FILE, Project
from ultra_runtime.files.project_writes import ignore_own_files
from ultra_runtime.files.regular_file import UnreadableError
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.text.document_edit import remove_section, replace_section, set_field
from ultra_runtime.text.jsontext import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.contract.gates import Gate
    from ultra_runtime.contract.model import Contract
    from ultra_runtime.contract.result import Issue

KIND = brief_fields.KIND
QUALITY_FIELD = brief_fields.BRIEF_QUALITY
QUALITY_SECTION = brief_fields.SECTION_BRIEF_QUALITY
COMPLETE = brief_fields.BRIEF_QUALITY_COMPLETE
PARTIAL = brief_fields.BRIEF_QUALITY_PARTIAL
NOT_REVIEWED = "- **Not reviewed:**"
UNREVIEWED = f"{NOT_REVIEWED} no reviewer has checked this brief."
DIGEST = brief_fields.REVIEW_DIGEST
# What may change after the gate, with the values that the digest is made of.
CHANGES_LATER = {
    DIGEST: "none",
    brief_fields.RESEARCH_STATUS: brief_fields.RESEARCH_STATUS_PENDING,
    brief_fields.AUTO_RESEARCH: "false",
}


class Rounds(Struct):
    """How many reviews have failed, what the last one said, and the draft that it was about.

    `returned` is true when an answer in this round was sent back because it had no details.
    """

    count: int
    last: Review
    digest: str = ""
    returned: bool = False


def is_open(project: Project) -> bool:
    """Return whether a draft waits for its review."""
    return os.path.lexists(project.path(draft_of(KIND)))


def begin(project: Project, folder: Folder) -> bool:
    """Open the gate before its first draft is written; return whether an earlier brief was set aside."""
    brief = file_of(KIND)
    if not is_open(project):
        folder.remove(GATE_FILE)
    if folder.look(brief) is None:
        return False
    folder.move(brief, brief + PREVIOUS)
    return True


def restore(project: Project, folder: Folder) -> None:
    """Restore the earlier brief when its draft is missing because the writer failed or was killed."""
    brief = file_of(KIND)
    if not is_open(project) and folder.look(brief) is None and folder.look(brief + PREVIOUS):
        folder.move(brief + PREVIOUS, brief)


def read_rounds(project: Project, gate: Gate) -> Rounds:
    """Return the rounds counted so far; with a broken count only the last round is left."""
    try:
        kept = load_json(project.path(GATE_FILE))
    except NotJsonError:
        kept = {}
    except UnreadableError as problem:
        if problem.missing:
            return Rounds(0, no_review(gate))
        error = f"{project.show(GATE_FILE)}, which counts the rounds, cannot be read: {problem}"
        raise RefusedError(error, "remove it; the count then starts again") from None
    count = kept.get("round")
    if type(count) is not int or not 0 <= count < gate.rounds:
        count = gate.rounds - 1
    digest, returned = str(kept.get("draft") or ""), kept.get("returned") is True
    return Rounds(count, restore_review(gate, kept.get("review")), digest, returned)


def keep_rounds(project: Project, folder: Folder, rounds: Rounds) -> None:
    """Save the count of failed reviews and the last review."""
    ignore_own_files(project)
    kept = {"round": rounds.count, "review": rounds.last.as_data(), "draft": rounds.digest}
    folder.write(GATE_FILE, (write({**kept, "returned": rounds.returned}) + "\n").encode())


def discard(project: Project, folder: Folder) -> bool:
    """Delete the draft; return whether a brief that was set aside is in place again."""
    folder.remove(draft_of(KIND))
    folder.remove(GATE_FILE)
    restore(project, folder)
    return folder.look(file_of(KIND)) is not None


def end(folder: Folder, data: bytes | None) -> None:
    """Make the draft the brief, with new bytes if given; a call that was killed can be repeated."""
    brief, draft = file_of(KIND), draft_of(KIND)
    if data is not None:
        folder.write(draft, data)
    if folder.look(brief):
        folder.move(brief, brief + PREVIOUS)
    folder.move(draft, brief)
    folder.remove(GATE_FILE)
    folder.remove(brief + PREVIOUS)


def passed_brief(data: bytes) -> bytes:
    """Return a draft that passed, marked as complete, without the section of an earlier gate."""
    return with_digest(remove_section(set_field(data, QUALITY_FIELD, COMPLETE), QUALITY_SECTION))


def partial_brief(
    contract: Contract,
    data: bytes,
    review: Review,
    ruling: Ruling | None,
    number: int,
    errors: Sequence[Issue] = (),
) -> bytes:
    """Return the draft marked as partial, with a section about its weak dimensions and what its contract misses."""
    lines = [
        quality_text(contract, review, ruling, number),
        *(f"- **{one.code}:** {one.message}" for one in errors),
    ]
    partial = _marked_partial(contract, data, "\n".join(lines))
    return with_digest(partial) if ruling else partial


def unreviewed_brief(contract: Contract, data: bytes) -> bytes:
    """Return a brief that has passed no gate, marked as partial whatever it claims; the section says why."""
    claimed = (frontmatter.parse(data).values or {}).get(QUALITY_FIELD)
    return _marked_partial(contract, data, UNREVIEWED) if claimed else data


def is_marked_reviewed(data: bytes) -> bool:
    """Return whether a gate has let this brief through as it is now, complete or partial."""
    given = (frontmatter.parse(data).values or {}).get(DIGEST)
    return bool(given) and given == _digest(data)


def with_digest(data: bytes) -> bytes:
    """Return a brief that its gate lets through, with the digest of what was reviewed."""
    return set_field(data, DIGEST, _digest(data))


def _digest(data: bytes) -> str:
    for name, value in CHANGES_LATER.items():
        data = set_field(data, name, value)
    return sha256(data.replace(b"\r\n", b"\n"))


def _marked_partial(contract: Contract, data: bytes, text: str) -> bytes:
    order = [section.name for section in contract.sections]
    return replace_section(set_field(data, QUALITY_FIELD, PARTIAL), QUALITY_SECTION, text, order)


def quality_text(contract: Contract, review: Review, ruling: Ruling | None, number: int) -> str:
    """Return the section that lists the failing dimensions with scores and details."""
    gate = contract.gate
    assert gate is not None  # noqa: S101 - the contract of a brief has one
    if ruling is None:
        return UNREVIEWED
    lines = [
        f"The review ended after {number} of {gate.rounds} rounds without a pass; the plan treats these"
        " as assumptions, not as settled:",
        "",
    ]
    if review.degraded:
        lines[:0] = ["The last review had no readable scores.", ""]
    for name in ruling.failing:
        title = name.replace("_", " ").capitalize()
        details = "; ".join(review.details[name]) or "the review gives no details"
        lines.append(f"- **{title}, {review.scores[name]} of {gate.highest}:** {details}")
    return "\n".join(lines)
