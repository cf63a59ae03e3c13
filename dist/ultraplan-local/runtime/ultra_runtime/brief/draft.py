"""Fill in what a draft can compute: its project, how many topics it has, and the next commands."""

from __future__ import annotations

import os

from ultra_runtime.brief.interview import read_interview
from ultra_runtime.contract.forms import is_slug
from ultra_runtime.contract.model import Contract
from ultra_runtime.contract.result import parsed_key
from ultra_runtime.contract.stages import command_for
from ultra_runtime.contract.validation import validate_data
from ultra_runtime.files.project import Project
from ultra_runtime.tables.fields import brief_fields, plan_fields, research_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.text.document_edit import EditError, replace_section, set_field
from ultra_runtime.text.markdown import parse
from ultra_runtime.text.timestamp import is_date
from ultra_runtime.typed import Any, Mapping, Sequence
from ultra_runtime.words import one_line

CONTINUE = brief_fields.SECTION_HOW_TO_CONTINUE
TOPICS, STATUS = brief_fields.RESEARCH_TOPICS, brief_fields.RESEARCH_STATUS
ENDS = (brief_fields.RESEARCH_STATUS_SKIPPED, brief_fields.RESEARCH_STATUS_COMPLETE)
QUESTION = parsed_key(brief_fields.TOPICS_RESEARCH_QUESTION)
DATE_LENGTH = len("2026-01-31")


def fill_in(contract: Contract, project: Project, data: bytes) -> bytes:
    """Return a draft with all computed values filled in; an unreadable draft stays as it is."""
    found = frontmatter.parse(data)
    if found.values is None:
        return data
    parsed = validate_data(contract, data, "").parsed or {}
    topics = parsed.get(brief_fields.PART_TOPICS, ())
    try:
        for name, value in _fields(project, len(topics), str(found.values.get(STATUS))).items():
            if name not in found.values or str(found.values[name]) != value:
                data = set_field(data, name, value)
        return _with_commands(contract, project, data, topics)
    except EditError:
        return data


def _fields(project: Project, topics: int, status: str) -> dict[str, str]:
    name = os.path.basename(project.folder)
    date, slug = name[:DATE_LENGTH], name[DATE_LENGTH + 1 :]
    fields = {TOPICS: str(topics)}
    if topics or status not in ENDS:
        fields[STATUS] = brief_fields.RESEARCH_STATUS_PENDING if topics else ENDS[0]
    if is_date(date) and is_slug(slug):
        fields |= {brief_fields.CREATED: date, brief_fields.SLUG: slug}
        fields[brief_fields.PROJECT_DIR] = f"{project.shown}/"
    turns = len(read_interview(project))
    if turns:
        fields[brief_fields.INTERVIEW_TURNS] = str(turns)
        fields[brief_fields.SOURCE] = brief_fields.SOURCE_INTERVIEW
    return fields


def _with_commands(
    contract: Contract, project: Project, data: bytes, topics: Sequence[Mapping[str, Any]]
) -> bytes:
    """Return a draft that ends in the commands that come next and the questions that research answers."""
    kinds = (research_fields.KIND, plan_fields.KIND) if topics else (plan_fields.KIND,)
    commands = [command_for(kind, project.shown) for kind in kinds]
    lines = [f"    {command}" for command in commands if command]
    asked = [(topic["number"], topic.get(QUESTION)) for topic in topics]
    questions = [f"- Topic {number}: {one_line(question, 300)}" for number, question in asked if question]
    lines += ["", *questions] if questions else []
    found = frontmatter.parse(data)
    document = parse(found.body, found.body_line)
    section = document.section(CONTINUE)
    if section and "\n".join(document.body(section)).strip("\n") == "\n".join(lines):
        return data
    return replace_section(data, CONTINUE, "\n".join(lines), [one.name for one in contract.sections])
