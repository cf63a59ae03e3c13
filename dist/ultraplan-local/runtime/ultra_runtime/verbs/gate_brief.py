"""Decide whether the review of a brief lets it through, and end the draft loop when it does or must.

The reviewer's whole answer comes on standard input. A pass makes brief.md.draft the brief; so does the last
failing round, or --accept-partial (which needs no answer), with the brief marked as partial.
"""

from __future__ import annotations

from ultra_runtime import brief_gate
from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.atomic import Folder, WriteError
from ultra_runtime.brief_review import judge, read_review
from ultra_runtime.contract import load_contract
from ultra_runtime.document_edit import EditError
from ultra_runtime.frontmatter import parse
from ultra_runtime.given_text import read_given
from ultra_runtime.project import find_project
from ultra_runtime.regular_file import UnreadableError, read_regular
from ultra_runtime.words import shell_word
from ultra_runtime.write_check import check_write, in_words, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.brief_review import Review, Ruling
    from ultra_runtime.contract import Contract, Gate
    from ultra_runtime.project import Project
    from ultra_runtime.usage import Args
    from ultra_runtime.verdict import Issue

USAGE = "gate brief --project DIR [--accept-partial] [--json]"

HINT = "give the reviewer's whole answer on standard input"


def run(args: Args) -> Answer:
    """Answer whether the gate is passed, and do what follows from it."""
    project = find_project(args.need("--project"))
    contract = load_contract("brief")
    accept = args.flag("--accept-partial")
    given = _given(accept)
    try:
        with Folder(project.folder) as folder:
            folder.lock()
            brief_gate.mend(project, folder)
            return _rule(project, folder, contract, given, accept)
    except (WriteError, EditError) as problem:
        raise RefusedError(str(problem), "see to it and call again; nothing was decided") from None


def _given(accept: bool) -> str:
    try:
        data = read_given(None, HINT)
    except RefusedError:
        if not accept:
            raise
        data = b""
    if not data and not accept:
        raise RefusedError("no answer of a reviewer was given, so no round is counted", HINT)
    return data.decode("utf-8", "replace")


def _rule(project: Project, folder: Folder, contract: Contract, given: str, accept: bool) -> Answer:
    gate = contract.gate
    assert gate is not None  # noqa: S101 - the contract of a brief has one
    draft = _draft(project)
    rounds = brief_gate.read_rounds(project, gate)
    number, review = rounds.count, rounds.last
    if given.strip() or not accept:
        number, review = rounds.count + 1, read_review(gate, given)
    ruling = judge(gate, review.scores)
    ends = ruling.passed or accept or number >= gate.rounds
    if ruling.passed:
        quality = (parse(draft).values or {}).get(brief_gate.QUALITY_FIELD)
        final = brief_gate.passed_brief(draft, quality)
    else:
        final = brief_gate.partial_brief(contract, draft, review, ruling, number) if ends else draft
    if ends:
        errors = check_write(contract, final, project.show(brief_gate.BRIEF)).errors
        if errors:
            return _not_a_brief(project, errors)
        brief_gate.end(folder, final if final != draft else None)
    else:
        brief_gate.keep_round(project, folder, number, review)
    return _answer(project, gate, review, ruling, number, accept)


def _draft(project: Project) -> bytes:
    shown = project.show(brief_gate.DRAFT)
    try:
        return read_regular(project.path(brief_gate.DRAFT))
    except UnreadableError as problem:
        if not problem.missing:
            raise RefusedError(f"{shown}: {problem}", "put the draft again") from None
        put = f"ultra put brief --project {shell_word(project.shown)} --draft"
        raise RefusedError(
            f"there is no {shown}: no gate is open here", f"put a draft with `{put}`"
        ) from None


def _not_a_brief(project: Project, errors: list[Issue]) -> Answer:
    put = f"ultra put brief --project {shell_word(project.shown)} --draft"
    error = "the draft does not keep its contract, so it cannot become the brief; no round was counted"
    next_step = f"correct these, put the draft with `{put}`, and call again with the same answer"
    data = {"ok": False, "error": error, "errors": short(errors), "next": next_step}
    return Answer(data, "\n".join([f"ultra: {error}", *in_words(errors), next_step]), 1)


def _answer(
    project: Project, gate: Gate, review: Review, ruling: Ruling, number: int, accept: bool
) -> Answer:
    exhausted = not ruling.passed and number >= gate.rounds
    failing = [
        {"dimension": name, "score": review.scores[name], "detail": review.details[name]}
        for name in ruling.failing
    ]
    data: dict[str, Any] = {
        "ok": True,
        "passed": ruling.passed,
        "round": number,
        "exhausted": exhausted,
        "weakest": ruling.weakest,
        "detail": review.details[ruling.weakest] if ruling.weakest else [],
        "verdict": review.verdict,
        "degraded": review.degraded,
        "failing": failing,
        "next": _next(project, review, ruling, accept or exhausted),
    }
    lines = [
        f"Round {number} of {gate.rounds}: {'passed' if ruling.passed else 'not passed'}, {review.verdict}."
    ]
    if review.degraded:
        lines.append("The answer could not be read as it should be; what was missing counts as weak.")
    lines += [
        f"  {one['dimension']}: {one['score']} of {gate.highest}"
        + "".join(f"; {text}" for text in review.details[name])
        for name, one in zip(ruling.failing, failing)
    ]
    return Answer(data, "\n".join([*lines, data["next"]]))


def _next(project: Project, review: Review, ruling: Ruling, ended: bool) -> str:
    brief = project.show(brief_gate.BRIEF)
    if ruling.passed:
        return f"{brief} is in place: go on"
    if ended:
        return f"{brief} is in place, marked as partial: tell the user what fails, then go on"
    if review.degraded and not any(review.details.values()):
        return "the answer had no scores that can be read: have the draft reviewed again, with a json block at the end"
    put = f"ultra put brief --project {shell_word(project.shown)} --draft"
    return (
        f"ask the user one question about {ruling.weakest} that `detail` leads to, put the revised draft with"
        f" `{put}` (with --section NAME for one section), and have it reviewed again"
    )
