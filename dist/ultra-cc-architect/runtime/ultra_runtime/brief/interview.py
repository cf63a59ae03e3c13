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
from ultra_runtime.typed import Sequence
from ultra_runtime.words import bare_words

FILE = "interview.jsonl"
NOT_KNOWN = ("i don t know", "i do not know", "don t know", "not sure", "no idea", "dunno")


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


def open_sections(interview: Sequence[AskedQuestion]) -> list[str]:
    """Return the required sections that still lack a full answer, in the order in which they are asked about.

    A section that holds topics is answered by any answer: "none" confirms that there are none.
    """
    contract = load_contract(brief_fields.KIND)
    with_parts = {name for part in contract.parts for name in part.under}
    required = [one.name for one in contract.sections if one.required or one.name in with_parts]
    answered = {
        name for one in interview for name in one.sections if name in with_parts or not is_thin(one.answer)
    }
    return [name for name in required if name not in answered]


def is_thin(answer: str) -> bool:
    """Return whether an answer is one word, or says only that the answer is not known."""
    words = bare_words(answer)
    for phrase in NOT_KNOWN:
        words = words.replace(phrase, " ")
    return len(words.split()) < 2 and words.isascii()  # a sentence in Chinese has no spaces
