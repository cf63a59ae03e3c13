"""The interview for a brief: each question with its answer, in the project's logs, one JSON object per line.

It belongs to the brief that is being written, and is set aside when that brief is in place or discarded.
"""

from __future__ import annotations

import os

from ultra_runtime.contract.model import load_contract
from ultra_runtime.files.atomic import PREVIOUS, Folder, write_file
from ultra_runtime.files.project import Project
from ultra_runtime.files.project_writes import ignore_own_files, make_subfolder
from ultra_runtime.files.regular_file import read_if_any
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.text.jsontext import JsonError, read_object, write

FILE = "interview.jsonl"


class AskedQuestion(Struct):
    """One question with its answer and the sections of the brief that it is about."""

    sections: list[str]
    question: str
    answer: str

    def as_data(self) -> dict[str, object]:
        """Return the entry as it is stored."""
        return {"sections": self.sections, "question": self.question, "answer": self.answer}


def read_interview(project: Project) -> list[AskedQuestion]:
    """Return the interview so far; broken lines are skipped."""
    found = []
    for line in read_if_any(project.path(LOGS, FILE)).splitlines():
        try:
            values = read_object(line).values
        except JsonError:
            continue
        sections, question, answer = (values.get(name) for name in ("sections", "question", "answer"))
        if isinstance(sections, list) and isinstance(question, str) and isinstance(answer, str):
            found.append(AskedQuestion([str(one) for one in sections], question, answer))
    return found


def keep_interview(project: Project, interview: list[AskedQuestion]) -> None:
    """Write the whole interview."""
    ignore_own_files(project)
    make_subfolder(project, LOGS)
    lines = "".join(write(one.as_data()) + "\n" for one in interview)
    write_file(project.path(LOGS, FILE), lines.encode())


def set_aside(project: Project) -> None:
    """Rename the interview so that the next one starts empty."""
    if os.path.lexists(project.path(LOGS, FILE)):
        with Folder(project.path(LOGS)) as folder:
            folder.move(FILE, FILE + PREVIOUS)


def shown_path(project: Project) -> str:
    """Return the path of the interview, relative to the root."""
    return project.show(LOGS, FILE)


def required_sections() -> list[str]:
    """Return the sections that every interview asks about: required ones, and those that hold topics."""
    contract = load_contract(brief_fields.KIND)
    with_parts = {name for part in contract.parts for name in part.under}
    return [one.name for one in contract.sections if one.required or one.name in with_parts]
