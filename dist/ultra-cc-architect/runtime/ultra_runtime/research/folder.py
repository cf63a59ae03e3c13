"""Validate research: one file, or a folder of files checked against the topics of the brief."""

from __future__ import annotations

import os

from ultra_runtime.contract.directory import is_folder
from ultra_runtime.contract.model import Contract, load_contract
from ultra_runtime.contract.result import Report, Result
from ultra_runtime.contract.stages import file_if_any, file_of
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.research.evidence import ENOUGH
from ultra_runtime.research.topics import SUFFIX, research_files, topics_of
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.words import one_line


def validate_research(contract: Contract, path: str, soft: bool = False) -> Result:
    """Validate a research file, or all research files of a folder, sorted by name."""
    if not is_folder(path):
        return validate_file(contract, path, soft)
    names = research_files(path)
    report = Report(contract, path, soft)
    if not names:
        report.add("NOT_FOUND", "the folder has no research files")
    parsed: list[dict[str, Any]] = []
    for name in names:
        result = validate_file(contract, os.path.join(path, name), soft)
        report.errors += result.errors
        report.warnings += result.warnings
        parsed.append({"file": name, **(result.parsed or {})})
    note_unanswered(report, path, read_brief(os.path.dirname(os.path.abspath(path))))
    return report.result({"files": parsed})


def read_brief(folder: str) -> Mapping[str, Any] | None:
    """Return the readable values of a project's brief, if there is a brief."""
    name = file_if_any(brief_fields.KIND)
    path = os.path.join(folder, name)
    if not name or not os.path.lexists(path):
        return None
    return validate_file(load_contract(brief_fields.KIND), path).parsed


def note_unanswered(report: Report, folder: str, brief: Mapping[str, Any] | None) -> None:
    """Warn about each topic of the brief without an answer or with too little confidence, unless research is skipped."""
    if not brief or brief.get(brief_fields.RESEARCH_STATUS) == brief_fields.RESEARCH_STATUS_SKIPPED:
        return
    for topic in topics_of(brief, folder):
        told = f"topic {topic.number} of {file_of(brief_fields.KIND)}, {one_line(topic.title)}"
        if not topic.file:
            report.add("TOPIC_UNANSWERED", f"no file {topic.number:02}-*{SUFFIX} answers {told}")
        elif not topic.fits:
            report.add("TOPIC_UNANSWERED", f"{one_line(topic.file)} answers a different question from {told}")
        elif not topic.enough:
            needed = f"{told}, needs {topic.needed} ({ENOUGH[topic.needed]} or more)"
            report.add(
                "NO_CONFIDENCE", f"{one_line(topic.file)} has confidence {topic.confidence}, but {needed}"
            )
