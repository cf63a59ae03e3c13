"""The way from a draft to the plan: self-checks and critics' rounds are counted, and both come to an end.

`plan.md.draft` is written step by step and may be wrong meanwhile. The rounds are counted in the project's logs; they
are forgotten when a draft begins and when the gate has ended.
"""

from __future__ import annotations

import os

from ultra_runtime.files.atomic import Folder, write_file
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.project import make_subfolder
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import LOGS, PLAN_FILE
from ultra_runtime.run.state.pinned import refuse_pinned
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.text import frontmatter, markdown
from ultra_runtime.text.jsontext import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.files.project import Project

DRAFT = "plan.md.draft"
COUNTS_FILE = "plan-gate.json"
STRATEGY = plan_fields.SECTION_EXECUTION_STRATEGY
STEPS_SECTION = plan_fields.SECTION_IMPLEMENTATION_PLAN
CHECKS, FAILED, ROUNDS = "self_checks", "failed_in_a_row", "rounds"


def write_draft(project: Project | None, folder: Folder, data: bytes) -> bool:
    """Write the draft and tell whether it is a new one, with which the counting begins."""
    assert project is not None  # noqa: S101 - a draft is only put into a project
    project.ignore()
    fresh = folder.look(DRAFT) is None
    folder.write(DRAFT, data)
    if fresh:
        forget(project)
    return fresh


def read_draft(project: Project) -> bytes | None:
    """Return the draft, if there is one."""
    try:
        return read_regular(project.path(DRAFT))
    except UnreadableError:
        return None


def read_counts(project: Project) -> dict[str, int]:
    """Return how many self-checks and rounds of critics there were."""
    values = read_json(project.path(LOGS, COUNTS_FILE))
    found = {name: values.get(name) for name in (CHECKS, FAILED, ROUNDS)}
    return {name: value if type(value) is int and value > 0 else 0 for name, value in found.items()}


def count_check(project: Project, passed: bool) -> dict[str, int]:
    """Count a self-check; a pass forgets the failures before it."""
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
    """Begin counting anew."""
    make_subfolder(project, LOGS)
    with Folder(project.path(LOGS)) as folder:
        folder.remove(COUNTS_FILE)


def end(project: Project, folder: Folder, notes: Sequence[str] = ()) -> None:
    """Make the draft the plan, unless a live run is held to the one that is there; notes go in before its steps."""
    refuse_pinned(os.path.join(project.folder, PLAN_FILE))
    if notes:
        folder.write(DRAFT, with_notes(read_draft(project) or b"", notes))
    folder.move(DRAFT, PLAN_FILE)
    forget(project)


def with_notes(data: bytes, notes: Sequence[str]) -> bytes:
    """Return the plan with paragraphs before the section of its steps."""
    parsed = frontmatter.parse(data)
    section = markdown.parse(parsed.body, parsed.body_line).section(STEPS_SECTION)
    assert section is not None  # noqa: S101 - a draft that keeps its contract has it
    lines = data.split(b"\n")
    end = b"\r" if lines[section.line - 1].endswith(b"\r") else b""
    added = [line for note in notes for line in (note.encode() + end, end)]
    return b"\n".join([*lines[: section.line - 1], *added, *lines[section.line - 1 :]])


def is_strategy(section: str) -> bool:
    """Tell whether a section is the one that comes into the plan after its gate."""
    return markdown.TextSection(2, section.lstrip("#").strip(), 0, 0).is_called(STRATEGY)
