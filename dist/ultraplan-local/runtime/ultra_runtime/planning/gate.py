"""The gate between a draft and the plan: it counts self-checks and rounds of the critics, and limits both.

The draft is written step by step and may have errors meanwhile. The counts are in the project's logs; they are
deleted when a draft begins and when the gate has ended.
"""

from __future__ import annotations

from ultra_runtime.contract.stages import draft_of, file_of
from ultra_runtime.files.atomic import Folder, write_file
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.project import Project
from ultra_runtime.files.project_writes import ignore_own_files, make_subfolder
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.planning.session_files import write_again
from ultra_runtime.run.state.pinned import refuse_pinned
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.text import frontmatter, markdown
from ultra_runtime.text.jsontext import write
from ultra_runtime.typed import Sequence

KIND = plan_fields.KIND
COUNTS_FILE = "plan-gate.json"
STRATEGY = plan_fields.SECTION_EXECUTION_STRATEGY
STEPS_SECTION = plan_fields.SECTION_IMPLEMENTATION_PLAN
CHECKS, FAILED, ROUNDS = "self_checks", "failed_in_a_row", "rounds"


def write_draft(project: Project | None, folder: Folder, data: bytes) -> bool:
    """Write the draft and return whether it is new; a new draft resets the counts."""
    assert project is not None  # noqa: S101 - a draft is only put into a project
    ignore_own_files(project)
    draft = draft_of(KIND)
    fresh = folder.look(draft) is None
    folder.write(draft, data)
    if fresh:
        forget(project)
    return fresh


def read_draft(project: Project) -> bytes | None:
    """Return the draft, if there is one."""
    try:
        return read_regular(project.path(draft_of(KIND)))
    except UnreadableError:
        return None


def read_counts(project: Project) -> dict[str, int]:
    """Return how many self-checks and rounds of critics have run."""
    values = read_json(project.path(LOGS, COUNTS_FILE))
    found = {name: values.get(name) for name in (CHECKS, FAILED, ROUNDS)}
    return {name: max(value, 0) if type(value) is int else 0 for name, value in found.items()}


def count_check(project: Project, passed: bool) -> dict[str, int]:
    """Count a self-check; a pass resets the failures in a row."""
    counts = read_counts(project)
    return _keep(project, {**counts, CHECKS: counts[CHECKS] + 1, FAILED: 0 if passed else counts[FAILED] + 1})


def count_round(project: Project) -> dict[str, int]:
    """Count a round of the critics."""
    counts = read_counts(project)
    return _keep(project, {**counts, ROUNDS: counts[ROUNDS] + 1})


def _keep(project: Project, counts: dict[str, int]) -> dict[str, int]:
    make_subfolder(project, LOGS)
    write_file(project.path(LOGS, COUNTS_FILE), (write(counts) + "\n").encode())
    return counts


def forget(project: Project) -> None:
    """Reset the counts."""
    make_subfolder(project, LOGS)
    with Folder(project.path(LOGS)) as folder:
        folder.remove(COUNTS_FILE)


def end(project: Project, folder: Folder, notes: Sequence[str] = ()) -> None:
    """Make the draft the plan, unless a live run uses the current plan; insert the notes before its steps.

    An earlier plan is kept beside it, with a number; specs of sessions that the plan has are written again.
    """
    refuse_pinned(project.path(file_of(KIND)))
    if notes:
        folder.write(draft_of(KIND), with_notes(read_draft(project) or b"", notes))
    folder.keep_earlier(file_of(KIND), read_draft(project) or b"")
    folder.move(draft_of(KIND), file_of(KIND))
    forget(project)
    write_again(project)


def with_notes(data: bytes, notes: Sequence[str]) -> bytes:
    """Return the plan with paragraphs before the section of its steps."""
    parsed = frontmatter.parse(data)
    section = markdown.parse(parsed.body, parsed.body_line).section(STEPS_SECTION)
    assert section is not None  # noqa: S101 - a valid draft has it
    lines = data.split(b"\n")
    end = b"\r" if lines[section.line - 1].endswith(b"\r") else b""
    added = [line for note in notes for line in (note.encode() + end, end)]
    return b"\n".join([*lines[: section.line - 1], *added, *lines[section.line - 1 :]])


def is_strategy(section: str) -> bool:
    """Return whether a section is the one that is added to the plan after its gate."""
    return markdown.is_same_title(section.lstrip("#").strip(), STRATEGY)
