"""The computed confidence of each topic, stored in the project's logs until its research is put."""

from __future__ import annotations

from ultra_runtime.files.atomic import write_file
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.project import Project
from ultra_runtime.files.project_writes import ignore_own_files, make_subfolder
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.struct import Struct
from ultra_runtime.text.jsontext import write
from ultra_runtime.words import bare_words

FILE = "confidence.json"


class Computed(Struct):
    """One result: the confidence, the number of dimensions, and the question if it comes from a brief."""

    confidence: float
    dimensions: int
    question: str


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
    number, dimensions, about = (kept.get(name) for name in Computed.__annotations__)
    if not isinstance(number, (int, float)) or type(dimensions) is not int:
        return None
    if about and bare_words(str(about)) != bare_words(str(question)):
        return None
    return Computed(number, dimensions, str(about))
