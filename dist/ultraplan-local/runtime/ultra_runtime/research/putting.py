"""What `put` adds to a research file: its computed confidence, kept in the project's logs until then, and what comes next."""

from __future__ import annotations

from ultra_runtime.contract.model import Contract
from ultra_runtime.contract.result import Issue
from ultra_runtime.contract.stages import file_if_any, file_of, folder_of
from ultra_runtime.files.atomic import Folder, write_file
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.project import Project
from ultra_runtime.files.project_writes import ignore_own_files, make_subfolder
from ultra_runtime.files.regular_file import read_regular
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.rendered import verb
from ultra_runtime.research.folder import read_brief
from ultra_runtime.research.topics import file_number, topics_of, unanswered
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import brief_fields, research_fields
from ultra_runtime.text import frontmatter, markdown
from ultra_runtime.text.document_edit import EditError, replace_section, set_field
from ultra_runtime.text.jsontext import write
from ultra_runtime.typed import Any
from ultra_runtime.words import bare_words, shell_word

CONFIDENCE, DIMENSIONS = research_fields.CONFIDENCE, research_fields.DIMENSIONS
NEVER_COMPUTED = "no confidence was computed for this topic, so the number in the file is made up"
FILE = "confidence.json"
TRIANGULATION = research_fields.SECTION_TRIANGULATION


class Computed(Struct):
    """One result: the confidence, the number of dimensions, the question if it comes from a brief, and the table."""

    confidence: float
    dimensions: int
    question: str
    evidence: str = ""


def keep_computed(project: Project, topic: int, computed: Computed) -> None:
    """Store the result of a topic, replacing an earlier one."""
    ignore_own_files(project)
    make_subfolder(project, LOGS)
    text = write({**read_json(project.path(LOGS, FILE)), str(topic): computed.__dict__}) + "\n"
    write_file(project.path(LOGS, FILE), text.encode())


def computed_for(project: Project, topic: int, question: object) -> Computed | None:
    """Return the result of a topic, unless it was about another question."""
    kept = read_json(project.path(LOGS, FILE)).get(str(topic))
    if not isinstance(kept, dict):
        return None
    number, dimensions, about, evidence = (kept.get(name) for name in Computed.__annotations__)
    if not isinstance(number, (int, float)) or type(dimensions) is not int:
        return None
    if about and bare_words(str(about)) != bare_words(str(question)):
        return None
    return Computed(number, dimensions, str(about), str(evidence or ""))


def with_confidence(project: Project, name: str, data: bytes) -> tuple[bytes, float | None]:
    """Return a research file with the computed confidence of its topic, and that number, if any."""
    values = frontmatter.parse(data).values
    if values is None:
        return data, None
    computed = computed_for(project, file_number(name) or 0, values.get(research_fields.QUESTION))
    if computed is None:
        return data, None
    wanted = {CONFIDENCE: computed.confidence, DIMENSIONS: computed.dimensions}
    try:
        for field, value in wanted.items():
            if values.get(field) != value:
                data = set_field(data, field, str(value))
        data = _with_evidence(data, computed.evidence)
    except EditError:
        return data, None
    return data, computed.confidence


def _with_evidence(data: bytes, table: str) -> bytes:
    """Return a research file with the table that its confidence was computed from, unless the table is there."""
    found = frontmatter.parse(data)
    document = markdown.parse(found.body, found.body_line)
    section = document.section(TRIANGULATION)
    if not table or section is None:
        return data
    lines = document.body(section)
    if any(line.strip().startswith("|") for line in lines):
        return data
    text = "\n".join(lines).strip()
    return replace_section(data, TRIANGULATION, f"{text}\n\n{table}", ())


def complete_status(project: Project, folder: Folder) -> bool:
    """Set the status of a brief to complete if its research has begun and every topic has an answer."""
    path = project.path(file_if_any(brief_fields.KIND))
    brief = read_brief(project.folder)
    left = unanswered(topics_of(brief, project.path(folder_of(research_fields.KIND))))
    status = (brief or {}).get(brief_fields.RESEARCH_STATUS)
    if left or status != brief_fields.RESEARCH_STATUS_IN_PROGRESS:
        return False
    new = set_field(read_regular(path), brief_fields.RESEARCH_STATUS, brief_fields.RESEARCH_STATUS_COMPLETE)
    folder.write(file_of(brief_fields.KIND), new)
    return True


def never_computed(contract: Contract, path: str) -> Issue:
    """Return the warning for research without a computed confidence."""
    code = contract.code("NO_CONFIDENCE")
    remedy = f"Compute it with `{verb('confidence')} --project DIR --topic N`, then put the research again."
    return Issue(code.name, NEVER_COMPUTED, path, field=CONFIDENCE, remedy=remedy)


def confidence_note(computed: float | None) -> str:
    """Return a note about the confidence that was written, to precede the next step."""
    return "" if computed is None else f"{CONFIDENCE} is {computed}, as computed; "


def left_in(project: Project) -> str:
    """Return what is left to do in the research of a project; empty when it is done."""
    brief = read_brief(project.folder)
    left = unanswered(topics_of(brief, project.path(folder_of(research_fields.KIND))))
    shown = shell_word(project.shown)
    if left:
        return f"continue with topic {left[0].number}, {left[0].title}; topics without an answer: {len(left)}"
    if (brief or {}).get(brief_fields.RESEARCH_STATUS) == brief_fields.RESEARCH_STATUS_IN_PROGRESS:
        complete = brief_fields.RESEARCH_STATUS_COMPLETE
        return f"every topic has an answer: run `{verb('brief status')} {shown} {complete}`"
    return ""


def research_stats(project: Project, data: bytes) -> dict[str, Any]:
    """Return the line of statistics about a research file."""
    values: dict[str, Any] = frontmatter.parse(data).values or {}
    local, external = (
        len(values.get(name) or [])
        for name in (research_fields.LOCAL_AGENTS_USED, research_fields.EXTERNAL_AGENTS_USED)
    )
    one = research_fields.STATS_SCOPE_LOCAL if local else research_fields.STATS_SCOPE_EXTERNAL
    return {
        research_fields.STATS_SLUG: project.slug,
        research_fields.STATS_SCOPE: research_fields.STATS_SCOPE_BOTH
        if bool(local) == bool(external)
        else one,
        research_fields.STATS_AGENTS: local + external,
        research_fields.STATS_CONFIDENCE: values.get(CONFIDENCE),
    }
