"""Validate research: one file, or a folder of them held against the topics of the brief beside it."""

from __future__ import annotations

import os

from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report, Result
from ultra_runtime.contract.stages import placed_kinds
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.research.evidence import ENOUGH
from ultra_runtime.research.topics import SUFFIX, research_files, topics_of
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.contract.model import Contract

BRIEF = "brief.md"


def validate_research(contract: Contract, path: str, soft: bool = False) -> Result:
    """Validate a research file, or every one of a folder in the order of their names."""
    if not is_folder(path):
        return validate_file(contract, path, soft)
    names = research_files(path)
    report = Report(contract, path, soft)
    if not names:
        report.add("NOT_FOUND", "the folder holds no research file")
    parsed: list[dict[str, Any]] = []
    for name in names:
        result = validate_file(contract, os.path.join(path, name), soft)
        report.errors += result.errors
        report.warnings += result.warnings
        parsed.append({"file": name, **(result.parsed or {})})
    note_unanswered(report, path, read_brief(os.path.join(os.path.dirname(os.path.abspath(path)), BRIEF)))
    return report.result({"files": parsed})


def is_folder(path: str) -> bool:
    """Tell whether there is a folder; a name that no path can hold is none."""
    try:
        return os.path.isdir(path)
    except ValueError:
        return False


def read_brief(path: str) -> Mapping[str, Any] | None:
    """Return what the brief says, as far as it can be read; nothing in a plugin without briefs."""
    if brief_fields.KIND not in placed_kinds() or not os.path.lexists(path):
        return None
    return validate_file(load_contract(brief_fields.KIND), path, soft=True).parsed


def note_unanswered(report: Report, folder: str, brief: Mapping[str, Any] | None) -> None:
    """Warn of each topic of the brief without an answer, or with one that is not sure enough.

    Topics may be left out on purpose.
    """
    if not brief or brief.get(brief_fields.RESEARCH_STATUS) == brief_fields.RESEARCH_STATUS_SKIPPED:
        return
    for topic in topics_of(brief, folder):
        told = f"topic {topic.number} of {BRIEF}, {one_line(topic.title)}"
        if not topic.file:
            report.add("TOPIC_UNANSWERED", f"no file {topic.number:02}-*{SUFFIX} answers {told}")
        elif not topic.fits:
            report.add("TOPIC_UNANSWERED", f"{one_line(topic.file)} answers another question than {told}")
        elif not topic.enough:
            needed = f"{told}, needs {topic.needed}, which is {ENOUGH[topic.needed]} or more"
            report.add(
                "NO_CONFIDENCE", f"{one_line(topic.file)} has confidence {topic.confidence}, and {needed}"
            )
