"""What a plan is made from: a brief with its research and architecture notes, or the findings of a review."""

from __future__ import annotations

import os
import time

from ultra_runtime import frontmatter
from ultra_runtime.answer import RefusedError
from ultra_runtime.architecture import discover
from ultra_runtime.contract import load_contract
from ultra_runtime.forms import is_slug
from ultra_runtime.git_facts import ask_git, fields
from ultra_runtime.jsontext import JsonError, read_object
from ultra_runtime.markdown import parse
from ultra_runtime.place import PROJECTS, current_folder, find_root, seen_from
from ultra_runtime.project import Project, find_project, make_subfolder
from ultra_runtime.regular_file import UnreadableError, read_regular
from ultra_runtime.research_folder import is_folder, validate_research
from ultra_runtime.research_topics import research_files
from ultra_runtime.validation import validate_file
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.verdict import Result

BRIEF, REVIEW = "brief", "review"
REVIEW_TYPE = "ultrareview"
GRAVE = ("BLOCKER", "MAJOR")
QUALITY_SECTION = "Brief Quality"
SMALL, MIDDLING = 60, 600
"""Files of a repository that two explorers, or four, can look through."""
EXPLORERS = (
    "task-finder",
    "test-strategist",
    "architecture-mapper",
    "convention-scanner",
    "dependency-tracer",
    "risk-assessor",
)
FEW, SOME = 2, 4


class Source:
    """The file a plan is made from: where it lies, which of the two it is, and what is wrong with it."""

    def __init__(self, kind: str, path: str, shown: str, project: Project, result: Result) -> None:
        self.kind = kind
        self.path = path
        self.shown = shown
        self.project = project
        self.result = result


def find_source(project: str | None, brief: str | None) -> Source:
    """Return what was named: the brief of a project, or any brief or review by its path."""
    if brief is None:
        found = find_project(project or "")
        return _source(found.path("brief.md"), found)
    return _source(brief, find_project(project) if project else None)


def _source(path: str, project: Project | None) -> Source:
    root = find_root(current_folder())
    if root is None:
        raise RefusedError("this folder is in no repository", "start in the repository that you work on")
    path = path if os.path.exists(path) else os.path.join(root, path)
    try:
        values = frontmatter.parse(read_regular(path)).values or {}
    except UnreadableError as problem:
        hint = "write a brief first, or name one with --brief"
        raise RefusedError(f"{one_line(seen_from(root, path))}: {problem}", hint) from None
    kind = REVIEW if values.get("type") == REVIEW_TYPE else BRIEF
    result = validate_file(load_contract(kind), path, soft=True)
    if result.errors:
        told = "; ".join(f"{one.code}: {one.sentence}" for one in result.errors[:5])
        raise RefusedError(
            f"{one_line(seen_from(root, path))} is no {kind} to plan from: {told}", "correct it first"
        )
    return Source(kind, path, seen_from(root, path), project or _project(root, path, values), result)


def _project(root: str, path: str, values: dict[str, Any]) -> Project:
    """Return the project that the file lies in or names; one that is not there yet is made."""
    for folder in (
        os.path.dirname(os.path.realpath(path)),
        os.path.join(root, str(values.get("project_dir") or "")),
    ):
        real = os.path.realpath(folder)
        if os.path.dirname(real) == os.path.join(root, PROJECTS) and os.path.isdir(real):
            return Project(root, os.path.basename(real))
    slug = str(values.get("slug") or "")
    if not is_slug(slug):
        raise RefusedError(
            "the brief names no slug, so its plan has no place", "name a project with --project DIR"
        )
    project = Project(root, f"{time.strftime('%Y-%m-%d')}-{slug}")
    os.makedirs(project.folder, exist_ok=True)
    make_subfolder(project, "research")
    project.ignore()
    return project


def weak_dimensions(source: Source) -> list[str]:
    """Return what the review of a partial brief found wanting, one line each."""
    data = frontmatter.parse(read_regular(source.path))
    if (data.values or {}).get("brief_quality") != "partial":
        return []
    document = parse(data.body, data.body_line)
    section = document.section(QUALITY_SECTION)
    lines = document.body(section) if section else []
    return [line.strip()[2:] for line in lines if line.strip().startswith("- ")]


def research_of(project: Project) -> tuple[list[str], list[str]]:
    """Return the research files in order, and what is weak about them."""
    folder = project.path("research")
    names = research_files(folder) if is_folder(folder) else []
    if not names:
        return [], []
    result = validate_research(load_contract("research"), folder, soft=True)
    told = [f"{one.code}: {one.sentence}" for one in [*result.errors, *result.warnings]]
    return [project.show("research", name) for name in names], told


def architecture_of(project: Project) -> tuple[dict[str, Any], list[str]]:
    """Return the architecture notes, if another tool left some, and what is odd about them."""
    result = discover(load_contract("architecture"), project.folder)
    parsed = result.parsed or {}
    paths = {name: seen_from(project.root, parsed[name]) for name in ("overview", "gaps") if parsed.get(name)}
    return paths, [f"{one.code}: {one.sentence}" for one in result.warnings]


def under_way(project: Project) -> list[str]:
    """Return a warning when the plan that would be replaced is still being executed."""
    try:
        status = read_object(read_regular(project.path("progress.json"))).values.get("status")
    except (UnreadableError, JsonError):
        return []
    unfinished = status in ("pending", "in_progress")
    return (
        [f"a run of the plan that is there has not ended ({status}): a new plan ends it for good"]
        if unfinished
        else []
    )


def goals_of(source: Source) -> list[dict[str, str]]:
    """Return the findings of a review that have to be mended, the gravest first."""
    data = frontmatter.parse(read_regular(source.path))
    document = parse(data.body, data.body_line)
    goals = []
    for severity in GRAVE:
        section = document.section(f"Findings ({severity})")
        if section is None:
            continue
        for heading in document.headings:
            if heading.level == section.level + 1 and section.line < heading.line < section.end:
                goals.append({"id": heading.title.strip(), "severity": severity})
    return goals


def explorers(project: Project, quick: bool) -> tuple[int, list[str]]:
    """Return how many files the repository has, and which explorers that is worth."""
    paths = fields(ask_git(project.root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))
    size = len([path for path in paths if not path.startswith(".claude/")])
    number = FEW if quick or size <= SMALL else SOME if size <= MIDDLING else len(EXPLORERS)
    return size, list(EXPLORERS[:number])
