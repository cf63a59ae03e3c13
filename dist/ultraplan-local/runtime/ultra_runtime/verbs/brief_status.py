"""Change a brief's research_status to an allowed next state, and nothing else in the file.

Skipping research although there are topics marks the brief as partial. The status can be complete only when every
topic has an answer. --auto records that the user wants research and plan to follow automatically.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError, Refusing, UsageError
from ultra_runtime.brief import gate as brief_gate
from ultra_runtime.contract.model import Field, load_contract
from ultra_runtime.contract.stages import file_of, folder_of, placed_kinds
from ultra_runtime.contract.validation import validate_data
from ultra_runtime.contract.write_check import refused
from ultra_runtime.files.atomic import Folder, locked
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.rendered import verb
from ultra_runtime.research.topics import topics_of, unanswered
from ultra_runtime.tables.fields import brief_fields, research_fields
from ultra_runtime.text.document_edit import set_field
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.usage import Args
from ultra_runtime.words import listed, nearest, one_line

USAGE = "brief status DIR [VALUE] [--auto] [--json]"
STAGE = "brief"

FIELD = brief_fields.RESEARCH_STATUS
TOPICS, AUTO = brief_fields.RESEARCH_TOPICS, brief_fields.AUTO_RESEARCH
SKIPPED, COMPLETE = brief_fields.RESEARCH_STATUS_SKIPPED, brief_fields.RESEARCH_STATUS_COMPLETE


def run(args: Args) -> Answer:
    """Answer with the new status, or say why it cannot follow the old one."""
    value, auto = args.get("VALUE"), args.flag("--auto")
    if value is None and not auto:
        raise args.usage.error("missing VALUE or --auto")
    field = load_contract(brief_fields.KIND).field(FIELD)
    if value is not None and value not in (field.values or {}):
        known = list(field.values or {})
        error = f"{FIELD} must be one of {listed(known)}, not {one_line(value)}{nearest(value, known)}"
        raise UsageError(error, f"usage: {verb(USAGE)}")
    project = find_project(args.need("DIR"))
    with Refusing("fix this and retry; nothing was changed"), locked(project.folder) as folder:
        brief_gate.restore(project, folder)
        return _move(project, folder, field, value, auto)


def _move(project: Project, folder: Folder, field: Field, given: str | None, auto: bool) -> Answer:
    data = _brief(project)
    shown = project.show(file_of(brief_fields.KIND))
    result = validate_data(load_contract(brief_fields.KIND), data, shown, soft=True)
    if result.errors or result.parsed is None:
        error = f"{shown} does not follow its contract, so its status was not changed"
        return refused(error, result.errors, "fix these errors and retry")
    old = result.parsed.get(FIELD)
    value = str(old) if given is None else given
    _refuse_move(field, result.parsed, value)
    if value == COMPLETE and old != value:
        _refuse_unanswered(project, result.parsed)
    new = set_field(data, FIELD, value) if value != old else data
    if auto:
        new = set_field(new, AUTO, "true")
    partial = value == SKIPPED and bool(result.parsed.get(TOPICS))
    if partial:
        new = set_field(new, brief_gate.QUALITY_FIELD, brief_gate.PARTIAL)
        new = brief_gate.with_digest(new) if brief_gate.is_marked_reviewed(data) else new
    if new != data:
        folder.write(file_of(brief_fields.KIND), new)
    answer = {"ok": True, "path": shown, "from": old, FIELD: value, "next": "continue"}
    if auto:
        answer[AUTO] = True
    if partial:
        answer[brief_gate.QUALITY_FIELD] = brief_gate.PARTIAL
    change = f"{FIELD} is already {value}" if old == value else f"{FIELD}: {old} -> {value}"
    return Answer(answer, f"{shown}: {change}" + (", and the brief is partial" if partial else ""))


def _refuse_move(field: Field, values: Mapping[str, Any], value: str) -> None:
    """Refuse a change that is not allowed; without topics the status can go straight to the end."""
    old = values.get(FIELD)
    allowed = list((field.moves or {}).get(str(old), ()))
    ends = (COMPLETE, SKIPPED)
    if values.get(TOPICS) == 0 and old not in ends:
        allowed += [end for end in ends if end not in allowed]
    if value != old and value not in allowed:
        error = f"{FIELD} is {old} and cannot become {value}"
        raise RefusedError(error, f"it can become {listed(allowed)}" if allowed else f"{old} is final")


def _refuse_unanswered(project: Project, values: Mapping[str, Any]) -> None:
    """Refuse to call research complete while a topic has no answer."""
    if research_fields.KIND not in placed_kinds():
        return
    left = unanswered(topics_of(values, project.path(folder_of(research_fields.KIND))))
    if left:
        told = listed([f"{topic.number} ({one_line(topic.title)})" for topic in left])
        error = f"no research answers topic {told}, so {FIELD} stays {values.get(FIELD)}"
        raise RefusedError(error, f"research the rest, or set {SKIPPED} if the user wants that")


def _brief(project: Project) -> bytes:
    shown = project.show(file_of(brief_fields.KIND))
    try:
        return read_regular(project.path(file_of(brief_fields.KIND)))
    except UnreadableError as problem:
        error = f"{shown}: {problem}"
        if problem.missing and brief_gate.is_open(project):
            error = f"{error}; its review gate is open"
            raise RefusedError(error, f"end the review with `{verb('gate brief')}`") from None
        raise RefusedError(error, "put the brief first") from None
