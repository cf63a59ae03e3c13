"""Decide whether a brief passes its review, and end the review when it does or after the last round.

Standard input is the reviewer's whole answer. When the brief passes, brief.md.draft becomes the brief. After the last
failing round, or with --accept-partial (which needs no answer), it also becomes the brief, marked as partial.
--discard deletes the draft and restores the brief that was set aside for it. With --kept the answer is the one that
the plugin has kept from this session. With --data a line of statistics is written when the gate ends.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError, Refusing, brief_answer
from ultra_runtime.brief import gate as brief_gate
from ultra_runtime.brief import interview
from ultra_runtime.brief.draft import TOPICS, fill_in
from ultra_runtime.brief.gate import Rounds
from ultra_runtime.contract.agent_output import known_outputs
from ultra_runtime.contract.gates import Gate
from ultra_runtime.contract.model import Contract, load_contract
from ultra_runtime.contract.result import Issue
from ultra_runtime.contract.scores import Review, Ruling, is_readable, judge, read_review, unnamed
from ultra_runtime.contract.stages import draft_of, file_of
from ultra_runtime.contract.write_check import check_write, refused, short
from ultra_runtime.files.atomic import Folder, locked
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.given_text import read_given
from ultra_runtime.files.kept_answers import drop_answers, need_answers
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.stats import count
from ultra_runtime.standing.project_standing import after
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, listed, shell_word

USAGE = "gate brief --project DIR [--accept-partial|--discard] [--kept] [--mode default|quick] [--data DIR] [--json]"
STAGE = "brief"

KIND = brief_fields.KIND
HINT = "give the reviewer's whole answer on standard input"


def run(args: Args) -> Answer:
    """Answer whether the draft passes, and end the gate if it does or must."""
    project = find_project(args.need("--project"))
    contract = load_contract(KIND)
    accept, discard = args.flag("--accept-partial"), args.flag("--discard")
    reviewers = [name for name, output in known_outputs().items() if output.gate == KIND]
    given = "" if discard else need_answers(reviewers) if args.flag("--kept") else _given(accept)
    with Refusing("fix this and retry; nothing was decided"), locked(project.folder) as folder:
        brief_gate.restore(project, folder)
        draft = _draft(project)
        if discard:
            return _discard(project, folder)
        answer = _rule(project, folder, contract, draft, given, accept)
    drop_answers(reviewers)
    if answer.data.get(brief_fields.BRIEF_QUALITY):
        _count(project, answer.data, args.get("--mode") or "default", args.get("--data"))
    if not args.flag("--kept"):
        return answer
    told = dict(brief_answer(answer).data)
    if brief_fields.BRIEF_QUALITY in told:
        told["next"] = told["next"].partition("; at the end")[0]  # the brief says how to continue
    elif not told.get("degraded"):
        told["next"] = f"{_start_with(told['weakest'])}; revise the draft, then the next round"
    for name in ("weakest", "detail", "verdict"):  # `failing` has them
        told.pop(name, None)
    return Answer(told, answer.text)


def _count(project: Project, ruled: Mapping[str, Any], mode: str, data: str | None) -> None:
    """Write a line of statistics about a brief that is in place."""
    values = {
        brief_fields.STATS_SLUG: project.slug,
        brief_fields.STATS_MODE: mode,
        brief_fields.STATS_INTERVIEW_TURNS: ruled[brief_fields.INTERVIEW_TURNS],
        brief_fields.STATS_REVIEW_ITERATIONS: ruled["round"],
        brief_fields.STATS_BRIEF_QUALITY: ruled[brief_fields.BRIEF_QUALITY],
        brief_fields.STATS_RESEARCH_TOPICS: ruled[TOPICS],
    }
    count(KIND, values, data)


def _given(accept: bool) -> str:
    try:
        data = read_given(None, HINT)
    except RefusedError:
        if not accept:
            raise
        data = b""
    if not data and not accept:
        raise RefusedError("standard input has no reviewer's answer, so no round was counted", HINT)
    return data.decode("utf-8", "replace")


def _discard(project: Project, folder: Folder) -> Answer:
    restored = brief_gate.discard(project, folder)
    interview.set_aside(project)
    brief = project.show(file_of(KIND))
    told = "the draft was deleted; " + (f"{brief} was restored" if restored else f"there is no {brief}")
    return Answer({"ok": True, "discarded": True, "restored": restored, "next": f"{told}. Stop here"}, told)


def _rule(
    project: Project, folder: Folder, contract: Contract, draft: bytes, given: str, accept: bool
) -> Answer:
    gate = contract.gate
    assert gate is not None  # noqa: S101 - the contract of a brief has one
    before = brief_gate.read_rounds(project, gate)
    rounds = before
    if given.strip() or not accept:
        rounds = Rounds(before.count + 1, read_review(gate, given), sha256(draft))
        if not accept:
            _refuse_round(project, folder, gate, before, rounds)
    reviewed = rounds.count > 0
    ruling = judge(gate, rounds.last.scores) if reviewed else None
    passed = ruling is not None and ruling.passed
    ends = passed or accept or rounds.count >= gate.rounds
    if not ends:
        brief_gate.keep_rounds(project, folder, rounds)
        return _answer(project, gate, rounds, ruling, "")
    filled = fill_in(contract, project, draft)
    final, quality = brief_gate.passed_brief(filled), brief_gate.COMPLETE
    checked = check_write(contract, final, project.show(file_of(KIND)))
    if not passed or (checked.errors and rounds.count >= gate.rounds):
        final = brief_gate.partial_brief(contract, filled, rounds.last, ruling, rounds.count, checked.errors)
        quality = brief_gate.PARTIAL
        checked = check_write(contract, final, project.show(file_of(KIND)))
    if checked.errors:
        return _not_a_brief(project, checked.errors)
    brief_gate.end(folder, final if final != draft else None)
    answer = _answer(project, gate, rounds, ruling, quality)
    interview.set_aside(project)
    topics = (checked.parsed or {}).get(TOPICS) or 0
    reviews = f"{quality} after {counted(rounds.count, 'review')}"
    report = f"{project.show(file_of(KIND))}: {reviews}, {counted(topics, 'research topic')}"
    data = {**answer.data, TOPICS: topics, "report": report}
    if checked.warnings:
        data["warnings"] = short(checked.warnings)
    return Answer(data, answer.text)


def _refuse_round(project: Project, folder: Folder, gate: Gate, before: Rounds, rounds: Rounds) -> None:
    """Refuse to count an answer without details, or a second one about the same draft."""
    if before.count and before.digest == rounds.digest and is_readable(gate, before.last):
        error = f"the draft has not changed since round {before.count}, so no round was counted"
        raise RefusedError(error, _revise(project, judge(gate, before.last.scores)))
    empty = unnamed(gate, rounds.last)
    if empty and not before.returned:
        before.returned = True
        brief_gate.keep_rounds(project, folder, before)
        error = f"the review says that {listed(empty)} fails, but not why, so no round was counted"
        next_step = (
            "have the draft reviewed again, pass this sentence on, and give the new answer to the gate"
        )
        raise RefusedError(error, next_step)


def _draft(project: Project) -> bytes:
    shown = project.show(draft_of(KIND))
    try:
        return read_regular(project.path(draft_of(KIND)))
    except UnreadableError as problem:
        if not problem.missing:
            raise RefusedError(f"{shown}: {problem}", "put the draft again") from None
        error = f"there is no {shown}, so no gate is open"
        raise RefusedError(error, f"put a draft with `{_put(project)}`") from None


def _put(project: Project) -> str:
    return f"{verb('put')} {KIND} --project {shell_word(project.shown)} --draft"


def _not_a_brief(project: Project, errors: list[Issue]) -> Answer:
    error = "the draft does not follow its contract, so it cannot become the brief; no round was counted"
    next_step = f"fix these errors, put the draft with `{_put(project)}`, and repeat this call"
    return refused(error, errors, next_step)


def _answer(project: Project, gate: Gate, rounds: Rounds, ruling: Ruling | None, quality: str) -> Answer:
    review, number = rounds.last, rounds.count
    names = ruling.failing if ruling else []
    failing = [
        {"dimension": name, "score": review.scores[name], "detail": review.details[name]} for name in names
    ]
    weakest = ruling.weakest if ruling else None
    passed = bool(ruling and ruling.passed)
    turns = len(interview.read_interview(project))
    data: dict[str, Any] = {
        "ok": True,
        "passed": passed,
        "round": number,
        "exhausted": not passed and number >= gate.rounds,
        "weakest": weakest,
        "detail": review.details[weakest] if weakest else [],
        "verdict": review.verdict if ruling else None,
        "degraded": review.degraded,
        "failing": failing,
        brief_fields.BRIEF_QUALITY: quality or None,
        brief_fields.INTERVIEW_TURNS: turns,
        "next": _next(project, review, ruling, quality),
    }
    if turns and not quality:
        data["interview_file"] = interview.shown_path(project)
    lines = [f"Round {number} of {gate.rounds}: {'passed' if passed else 'not passed'}, {review.verdict}."]
    if ruling is None:
        lines = ["Not reviewed."]
    elif review.degraded:
        lines.append("The answer was not in the expected form; missing scores count as weak.")
    lines += [
        f"  {one['dimension']}: {one['score']} of {gate.highest}"
        + "".join(f"; {text}" for text in review.details[name])
        for name, one in zip(names, failing)
    ]
    return Answer(data, "\n".join([*lines, data["next"]]))


def _next(project: Project, review: Review, ruling: Ruling | None, quality: str) -> str:
    brief = project.show(file_of(KIND))
    if quality:
        return f"{brief} is in place, {quality}: continue; at the end {after(project)}"
    assert ruling is not None  # noqa: S101 - without a review the gate has ended
    if review.degraded and not any(review.details.values()):
        return (
            "the answer had no readable scores: have the draft reviewed again, with a json block at the end"
        )
    return _revise(project, ruling)


def _revise(project: Project, ruling: Ruling) -> str:
    """Return how to make the next review pass."""
    return (
        f"{_start_with(ruling.weakest)};"
        " fix in the draft what `detail` names if that needs no answer; for the rest of"
        f" {listed(ruling.failing)} ask one question each, one per call, in this order, unless the user has stopped;"
        " what nobody can answer becomes an assumption;"
        f" put changed sections with `{_put(project)} --section NAME`, and have the draft reviewed again"
    )


def _start_with(weakest: str | None) -> str:
    return f"start with {weakest}, the weakest, and tell the user so"
