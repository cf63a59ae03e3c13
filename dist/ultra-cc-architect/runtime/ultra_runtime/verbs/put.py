"""Write an artifact to its place if the whole artifact follows its contract.

The text comes from standard input, or from --from FILE. With --section NAME or --step N it replaces one part of an
existing artifact. A brief is put with --draft while it is reviewed: computed fields are filled in, and `gate
brief` turns the draft into the brief. The plan of a project is also put with --draft, and is written even with
errors, which the answer lists; `gate plan` turns it into the plan, of which only the Execution Strategy can
change afterwards. A brief that is put without --draft counts as not reviewed. Research gets the confidence that was
computed for its topic. In all other cases, an artifact with errors is not written, and the answer lists their codes.
With --complete research that answers the last topic of its brief completes the brief's status; with --data it adds a
line of statistics.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError, Refusing
from ultra_runtime.artifacts.places import ArtifactPlace, find_place, number
from ultra_runtime.brief import gate as brief_gate
from ultra_runtime.brief.draft import fill_in
from ultra_runtime.contract.model import Contract, UnknownKindError, load_contract
from ultra_runtime.contract.result import Issue, Result
from ultra_runtime.contract.stages import draft_of, file_if_any, file_of, text_kinds
from ultra_runtime.contract.validation import reader_of
from ultra_runtime.contract.write_check import REFUSED_IN_WRITING, check_write, in_words, refused, short
from ultra_runtime.files.atomic import PREVIOUS, Folder, WriteError, locked, write_file
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.kept_answers import drop_answers
from ultra_runtime.files.project import Project
from ultra_runtime.files.project_writes import ignore_own_files, make_subfolder
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.planning import gate as plan_gate
from ultra_runtime.rendered import verb
from ultra_runtime.research.putting import (
    complete_status,
    confidence_note,
    left_in,
    never_computed,
    research_stats,
    with_confidence,
)
from ultra_runtime.run.life.stats import count
from ultra_runtime.run.state.pinned import refuse_pinned
from ultra_runtime.standing.project_standing import after
from ultra_runtime.tables.fields import (
    brief_fields,
    plan_fields,
    research_fields,
    review_fields,
    session_spec_fields,
)
from ultra_runtime.text.document_edit import replace_section, replace_step
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, listed, nearest, one_line, shell_word

USAGE = (
    "put KIND [--project DIR|--out FILE] [--draft] [--from FILE] [--topic N] [--slug S] [--session N]"
    " [--section NAME|--step N] [--complete] [--data DIR] [--json]"
)

HINT = "give the text on standard input, such as with <<'EOF', or name a file with --from"
AGAIN = "fix this and put the text again; nothing was written"
BRIEF, RESEARCH, PLAN = brief_fields.KIND, research_fields.KIND, plan_fields.KIND
PINNED = (PLAN, session_spec_fields.KIND)
KEPT = (file_if_any(PLAN), file_if_any(review_fields.KIND))
"""Of these every earlier one is kept, with a number."""
FOREIGN = ("WRONG_TYPE", "UNRECOGNIZED", "SPEC_MISSING_SECTION")


def run(args: Args) -> Answer:
    """Answer with the path of the written artifact, or with its errors."""
    kind = args.need("KIND")
    contract = _contract(args, kind)
    step = number(args, "--step", 0) if args.get("--step") else None
    with Refusing(AGAIN):
        place = find_place(kind, args)
        given = read_given(args.get("--from"), HINT)
        text = as_text(given, HINT)
        with locked(place.guarded) as folder:
            if place.project and kind == BRIEF:
                brief_gate.restore(place.project, folder)
            section = args.get("--section")
            if kind in PINNED:
                refuse_pinned(place.path)
            if place.project and kind == PLAN and not args.flag("--draft"):
                _refuse_past_the_critics(place.project, section)
            is_part = section is not None or step is not None
            data = _with_part(contract, place, section, step, text) if is_part else given
            if args.flag("--draft"):
                drop_answers()  # they are about an earlier draft
            return _put(contract, place, folder, data, args)


def _contract(args: Args, kind: str) -> Contract:
    kinds = text_kinds()
    try:
        contract = load_contract(kind)
    except UnknownKindError:
        error = f"KIND must be one of {listed(kinds)}, not {one_line(kind)}{nearest(kind, kinds)}"
        raise args.usage.error(error) from None
    if kind not in kinds:
        writer = "another tool" if contract.modes.write == "none" else "the runtime"
        error = f"{kind} cannot be put: only {writer} writes it"
        raise RefusedError(error, f"KIND must be one of {listed(kinds)}")
    return contract


def _with_part(
    contract: Contract, place: ArtifactPlace, section: str | None, step: int | None, text: str
) -> bytes:
    """Return the existing artifact with one part replaced."""
    try:
        old = read_regular(place.path)
    except UnreadableError as problem:
        error = f"{one_line(place.shown)} cannot be read, so no part of it was replaced: {problem}"
        raise RefusedError(error, "put the whole artifact first") from None
    if section is not None:
        return replace_section(old, section, text, [one.name for one in contract.sections])
    steps = load_contract(PLAN).part(plan_fields.PART_STEPS)
    return replace_step(old, step or 0, text, steps.heading.partition("{number}")[0].strip(), steps.level)


def _put(contract: Contract, place: ArtifactPlace, folder: Folder, data: bytes, args: Args) -> Answer:
    project, draft = place.project, args.flag("--draft")
    if project is None:
        _refuse_foreign(contract, place)
    elif contract.artifact == BRIEF and not draft and brief_gate.is_open(project):
        error = (
            f"the review gate is open: {project.show(draft_of(BRIEF))} exists, so the brief cannot be put yet"
        )
        gate = f"{verb('gate brief')} --project {shell_word(project.shown)}"
        raise RefusedError(error, f"put it with --draft, then run `{gate}` with the reviewer's answer")
    computed: float | None = None
    if project and contract.artifact == RESEARCH:
        data, computed = with_confidence(project, place.name, data)
    elif project and draft and contract.artifact == BRIEF:
        data = fill_in(contract, project, data)
    given = data
    if contract.reader:
        data = getattr(reader_of(contract), "fill", bytes)(data)
    result = check_write(contract, data, place.path, draft)
    if result.errors and given != data:
        result = _as_given(result, check_write(contract, given, place.path, draft))
    if project and contract.artifact == RESEARCH and computed is None:
        result.warnings.append(never_computed(contract, place.shown))
    for issue in result.errors + result.warnings:
        issue.path = place.shown
    may_write = not any(one.code == REFUSED_IN_WRITING for one in result.errors)
    if draft and contract.artifact == PLAN and may_write:
        return _drafted(place, result, plan_gate.write_draft(place.project, folder, data))
    if result.errors:
        return _refused(contract, result.errors)
    if contract.artifact == BRIEF and not draft:
        data = brief_gate.unreviewed_brief(contract, data)
    set_aside = _write(place, folder, data, draft)
    if project and contract.artifact == RESEARCH:
        if args.flag("--complete"):
            complete_status(project, folder)
        count(RESEARCH, research_stats(project, data), args.get("--data"))
    return _written(contract, place, result, draft, set_aside, computed)


def _as_given(filled: Result, given: Result) -> Result:
    """Return the errors of a text that was filled in with the lines of the text as it was given."""
    left = {one.code for one in filled.errors}
    return Result([one for one in given.errors if one.code in left], filled.warnings, filled.parsed)


def _refuse_past_the_critics(project: Project, section: str | None) -> None:
    """Refuse to write or change the plan of a project without its critics."""
    put = f"{verb('put')} {PLAN} --project {shell_word(project.shown)} --draft"
    hint = f"put it with `{put}`, then run `{verb('gate plan')}` with the critics' answers"
    if plan_gate.read_draft(project) is not None:
        error = f"the critics' gate is open: {project.show(draft_of(PLAN))} exists, so the plan is unchanged"
        raise RefusedError(error, hint)
    if section is None or not plan_gate.is_strategy(section):
        error = f"only `{verb('gate plan')}` writes {project.show(file_of(PLAN))}; `put` can only change {plan_gate.STRATEGY}"
        raise RefusedError(error, hint)


def _write(place: ArtifactPlace, folder: Folder, data: bytes, draft: bool) -> bool:
    """Write the artifact; return whether an earlier brief was set aside for the draft."""
    project = place.project
    if project is None:
        folder.write(place.name, data)
        return False
    ignore_own_files(project)
    if place.folder != project.folder:
        make_subfolder(project, os.path.basename(place.folder))
    set_aside = draft and brief_gate.begin(project, folder)
    if place.name in KEPT:
        folder.keep_earlier(place.name, data)
    try:
        write_file(place.path, data)
    except WriteError:
        if draft:
            brief_gate.restore(project, folder)
        raise
    return set_aside


def _drafted(place: ArtifactPlace, result: Result, fresh: bool) -> Answer:
    """Answer with the errors that a draft still has."""
    count = len(result.errors)
    rest = f"{counted(count, 'error')} left: fix them" if count else "no errors left: continue"
    data = {
        "ok": True,
        "path": place.shown,
        "new": fresh,
        "errors": short(result.errors),
        "warnings": short(result.warnings),
        "next": rest,
    }
    return Answer(data, "\n".join([place.shown, *in_words(result.errors + result.warnings), rest]))


def _refuse_foreign(contract: Contract, place: ArtifactPlace) -> None:
    """Refuse to replace a file that is not an artifact of this kind."""
    try:
        old = read_regular(place.path)
    except UnreadableError:
        return
    found = check_write(contract, old, place.path).errors
    if any(
        one.code.endswith(FOREIGN) or one.code[:3] == "FM_" or one.field == brief_fields.TYPE for one in found
    ):
        error = f"{one_line(place.shown)} exists and is not a {contract.title.lower()}"
        raise RefusedError(error, "choose another name; nothing was written")


def _refused(contract: Contract, errors: list[Issue]) -> Answer:
    count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
    error = f"the {contract.title.lower()} does not follow its contract: {count}; nothing was written"
    return refused(error, errors, "fix them and put it again")


def _written(
    contract: Contract,
    place: ArtifactPlace,
    result: Result,
    draft: bool,
    set_aside: bool,
    computed: float | None,
) -> Answer:
    next_step = "tell the user where it is"
    if contract.artifact == RESEARCH and place.project:
        next_step = confidence_note(computed) + (left_in(place.project) or after(place.project))
    elif place.project and not draft:
        next_step = after(place.project)
    elif place.project:
        gate = f"{verb('gate brief')} --project {shell_word(place.project.shown)}"
        next_step = f"have it reviewed, then `{gate}`"
    if set_aside:
        next_step = (
            f"the earlier brief is kept as {file_of(BRIEF)}{PREVIOUS} until the gate ends; {next_step}"
        )
    data = {"ok": True, "path": place.shown, "warnings": short(result.warnings), "next": next_step}
    return Answer(data, "\n".join([place.shown, *(f"warning {one}" for one in in_words(result.warnings))]))
