"""The basis of a plan: a brief with its research and architecture notes, or the findings of a review."""

from __future__ import annotations

import os
import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.brief.gate import is_marked_reviewed
from ultra_runtime.contract.directory import discover, is_folder
from ultra_runtime.contract.forms import is_slug
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report, Result
from ultra_runtime.contract.stages import command_for, file_of, folder_of, placed_kinds
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.files.git import ask_git, fields
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.project_writes import ignore_own_files, make_subfolder
from ultra_runtime.files.regular_file import UnreadableError, read_if_any, read_regular
from ultra_runtime.files.root import PROJECTS, current_folder, find_root, from_here, seen_from
from ultra_runtime.research.folder import note_unanswered, validate_research
from ultra_runtime.research.topics import research_files
from ultra_runtime.struct import Struct
from ultra_runtime.tables.agents import EXPLORERS, REMEDIATION_EXPLORERS
from ultra_runtime.tables.fields import (
    architecture_fields,
    brief_fields,
    plan_fields,
    progress_fields,
    research_fields,
    review_fields,
)
from ultra_runtime.tables.limits import EXPLORERS_FEW, EXPLORERS_SOME, MIDDLING_REPOSITORY, SMALL_REPOSITORY
from ultra_runtime.text import frontmatter
from ultra_runtime.text.markdown import parse
from ultra_runtime.typed import Any
from ultra_runtime.words import one_line

BRIEF, REVIEW = brief_fields.KIND, review_fields.KIND
RESEARCH, ARCHITECTURE = research_fields.KIND, architecture_fields.KIND
REVIEW_TYPE = review_fields.TYPE_ULTRAREVIEW
QUALITY, QUALITY_SECTION = brief_fields.BRIEF_QUALITY, brief_fields.SECTION_BRIEF_QUALITY
NOT_SAID = "the brief is partial and does not say why"
ASSUMPTIONS = "Assumptions"
FINDINGS = plan_fields.SOURCE_FINDINGS


class Source(Struct):
    """The file a plan is made from: its kind, path and project, and what is wrong with it."""

    kind: str
    path: str
    shown: str
    project: Project
    result: Result


def find_source(project: str | None, brief: str | None) -> Source:
    """Return the brief of a project, or a brief or review by its path."""
    if brief is not None:
        return _source(brief, None)
    found = find_project(project or "")
    return _source(found.path(file_of(BRIEF)), found)


def _source(path: str, project: Project | None) -> Source:
    root = find_root(current_folder())
    if root is None:
        raise RefusedError("this folder is not in a repository", "start in the repository that you work on")
    path = from_here(path)
    try:
        values = frontmatter.parse(read_regular(path)).values or {}
    except UnreadableError as problem:
        hint = f"name another file, or write a brief first with `{command_for(BRIEF)}`"
        raise RefusedError(f"{one_line(seen_from(root, path))}: {problem}", hint) from None
    kind = REVIEW if values.get(brief_fields.TYPE) == REVIEW_TYPE else BRIEF
    result = validate_file(load_contract(kind), path, soft=True)
    if result.errors:
        told = "; ".join(f"{one.code}: {one.sentence}" for one in result.errors[:5])
        raise RefusedError(f"{one_line(seen_from(root, path))} is not a valid {kind}: {told}", "fix it first")
    return Source(kind, path, seen_from(root, path), project or _project(root, path, values), result)


def _project(root: str, path: str, values: dict[str, Any]) -> Project:
    """Return the project that holds the file or that the file names; create it if missing."""
    for folder in (
        os.path.dirname(os.path.realpath(path)),
        os.path.join(root, str(values.get(brief_fields.PROJECT_DIR) or "")),
    ):
        real = os.path.realpath(folder)
        if os.path.dirname(real) == os.path.join(root, PROJECTS) and os.path.isdir(real):
            return Project(root, os.path.basename(real))
    slug = str(values.get(brief_fields.SLUG) or "")
    if not is_slug(slug):
        error = "the brief has no slug, so its plan has no place"
        raise RefusedError(error, "add a slug to its front matter")
    project = Project(root, f"{time.strftime('%Y-%m-%d')}-{slug}")
    os.makedirs(project.folder, exist_ok=True)
    if RESEARCH in placed_kinds():
        make_subfolder(project, folder_of(RESEARCH))
    ignore_own_files(project)
    return project


def weak_dimensions(path: str) -> list[str]:
    """Return the weak dimensions of a partial brief, one line each."""
    data = frontmatter.parse(read_if_any(path))
    if (data.values or {}).get(QUALITY) != brief_fields.BRIEF_QUALITY_PARTIAL:
        return []
    document = parse(data.body, data.body_line)
    section = document.section(QUALITY_SECTION)
    lines = document.body(section) if section else []
    return [line.strip()[2:] for line in lines if line.strip().startswith("- ")] or [NOT_SAID]


def states_assumptions(plan: bytes) -> bool:
    """Return whether a plan states an assumption; a plan that fixes a review needs none."""
    data = frontmatter.parse(plan, {FINDINGS: "list"})
    if (data.values or {}).get(FINDINGS):
        return True
    document = parse(data.body, data.body_line)
    section = document.section(ASSUMPTIONS)
    words = " ".join(document.body(section)).strip(" -*.") if section else ""
    return words.casefold() not in ("", "none")


def is_reviewed(source: Source) -> bool:
    """Return whether the brief has passed through its gate, which writes its quality."""
    return is_marked_reviewed(read_regular(source.path))


def research_of(source: Source) -> tuple[list[str], list[str]]:
    """Return the research files, sorted, and their weaknesses."""
    project = source.project
    if RESEARCH not in placed_kinds():
        return [], []
    inside = folder_of(RESEARCH)
    folder = project.path(inside)
    found = research_files(folder) if is_folder(folder) else []
    if found:
        result = validate_research(load_contract(RESEARCH), folder, soft=True)
    else:
        report = Report(load_contract(RESEARCH), folder, True)
        note_unanswered(report, folder, source.result.parsed)
        result = report.result()
    told = [f"{one.code}: {one.sentence}" for one in [*result.errors, *result.warnings]]
    return [project.show(inside, name) for name in found], told


def architecture_of(project: Project) -> tuple[dict[str, Any], list[str]]:
    """Return the architecture notes that another tool left, if any, and warnings about them."""
    if ARCHITECTURE not in placed_kinds():
        return {}, []
    result = discover(load_contract(ARCHITECTURE), project.folder)
    parsed = result.parsed or {}
    paths = {name: seen_from(project.root, parsed[name]) for name in ("overview", "gaps") if parsed.get(name)}
    return paths, [f"{one.code}: {one.sentence}" for one in result.warnings]


def under_way(project: Project) -> list[str]:
    """Return a warning when the plan to replace is still being run."""
    if progress_fields.KIND not in placed_kinds():
        return []
    status = read_json(project.path(file_of(progress_fields.KIND))).get(progress_fields.STATUS)
    unfinished = status in (progress_fields.STATUS_PENDING, progress_fields.STATUS_IN_PROGRESS)
    told = f"a run of the current plan has not ended ({status}): a new plan ends it for good"
    return [told] if unfinished else []


def explorers(project: Project, kind: str, quick: bool) -> tuple[int, list[str]]:
    """Return how many files the repository has, and which explorers suit that size."""
    wanted = EXPLORERS if kind == BRIEF else REMEDIATION_EXPLORERS
    paths = fields(ask_git(project.root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))
    size = len([path for path in paths if not path.startswith(".claude/")])
    number = len(wanted)
    if quick or size <= SMALL_REPOSITORY:
        number = EXPLORERS_FEW
    elif size <= MIDDLING_REPOSITORY:
        number = EXPLORERS_SOME
    return size, list(wanted[:number])
