"""Gather where a project stands, from its artifacts; whatever they hold, the answer is facts and what is wrong."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.errors import UltraError
from ultra_runtime.files.project import Project
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import PROJECTS
from ultra_runtime.research.topics import research_files, topics_of
from ultra_runtime.review.severities import SEVERITIES
from ultra_runtime.status.run_facts import RunFacts, gather_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.plan.values import Plan

MISSING, DRAFT, BROKEN, THERE = "missing", "draft", "broken", "there"
MOST_ISSUES = 20


class Finding:
    """One finding of the review."""

    __slots__ = ("fix", "location", "message", "rule", "severity")

    def __init__(self, severity: str, part: Mapping[str, Any]) -> None:
        self.severity = severity
        self.rule, self.location, self.message, self.fix = (
            str(part.get(name) or "") for name in ("rule", "location", "message", "fix")
        )


class ProjectFacts:
    """All that is known of a project; the state of an artifact is missing, draft, broken or there."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.task = ""
        self.brief = MISSING
        self.research_status = ""
        self.topics: list[tuple[int, str, bool]] = []
        """Number, title and whether a file answers it."""
        self.research_files: list[str] = []
        self.plan = MISSING
        self.plan_version = ""
        self.steps: list[tuple[int, str]] = []
        self.sessions: list[dict[str, Any]] = []
        self.waves: list[list[int]] = []
        self.runs: list[RunFacts] = []
        self.review = MISSING
        self.verdict = ""
        self.findings: list[Finding] = []
        self.issues: list[str] = []

    @property
    def answered(self) -> int:
        """How many topics of the brief have their answer."""
        return sum(answered for _, _, answered in self.topics)

    @property
    def run(self) -> RunFacts | None:
        """The run that was written last."""
        return max(self.runs, key=lambda run: run.instant, default=None)

    @property
    def counts(self) -> dict[str, int]:
        """Severity -> number of findings."""
        return {name: sum(one.severity == name for one in self.findings) for name in SEVERITIES}


def gather(project: Project, audited: bool = True) -> ProjectFacts:
    """Return the facts of a project; without `audited` the audit is taken as the run left it."""
    facts = ProjectFacts(project)
    _read_brief(facts)
    _read_research(facts)
    _read_plan(facts)
    facts.runs = gather_runs(project, dict(facts.steps), audited)
    facts.issues += [f"{run.shown}: {run.problem}" for run in facts.runs if run.problem]
    _read_review(facts)
    return facts


def find_projects(root: str) -> list[Project]:
    """Return the projects of a repository, the newest first, as their names begin with the day."""
    folder = os.path.join(root, PROJECTS)
    try:
        found = [name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name))]
    except OSError:
        return []
    return [Project(root, name) for name in sorted(found, reverse=True)]


def _read(facts: ProjectFacts, kind: str, name: str) -> tuple[str, Mapping[str, Any]]:
    """Return the state of an artifact and what it says, as far as it can be read; note its errors."""
    path = facts.project.path(name)
    if not os.path.lexists(path):
        return (DRAFT if os.path.lexists(path + ".draft") else MISSING), {}
    result = validate_file(load_contract(kind), path, soft=True)
    for issue in result.errors[:MOST_ISSUES]:
        place = f"{facts.project.show(name)}:{issue.line}" if issue.line else facts.project.show(name)
        facts.issues.append(f"{place}: {issue.code}: {issue.sentence}")
    return (BROKEN if result.errors else THERE), result.parsed or {}


def _read_brief(facts: ProjectFacts) -> None:
    facts.brief, parsed = _read(facts, "brief", "brief.md")
    facts.task = _text(parsed.get("task"))
    facts.research_status = _text(parsed.get("research_status"))
    for topic in topics_of(parsed, facts.project.path("research")):
        facts.topics.append((topic.number, topic.title, topic.fits))


def _read_research(facts: ProjectFacts) -> None:
    facts.research_files = research_files(facts.project.path("research"))


def _read_plan(facts: ProjectFacts) -> None:
    facts.plan, _ = _read(facts, "plan", "plan.md")
    plan = _parsed_plan(facts.project.path("plan.md"))
    if plan is None:
        return
    facts.plan_version = plan.version
    facts.steps = [(step.number, step.title) for step in plan.steps]
    facts.sessions = [session.as_data() for session in plan.sessions]
    facts.waves = [[session.number for session in sessions] for _, sessions in plan.waves]
    if not facts.task:
        facts.task = _text(plan.front_matter.get("task"))


def _parsed_plan(path: str) -> Plan | None:
    from ultra_runtime.plan.reading import read

    try:
        return read(read_regular(path), "plan")
    except (UnreadableError, RefusedError, UltraError):
        return None


def _read_review(facts: ProjectFacts) -> None:
    facts.review, parsed = _read(facts, "review", "review.md")
    facts.verdict = _text(parsed.get("verdict"))
    for part in parsed.get("details") or ():
        section = str(part.get("section") or "")
        severity = next((name for name in SEVERITIES if f"({name})" in section), "")
        facts.findings.append(Finding(severity, part))
    facts.findings.sort(key=lambda one: SEVERITIES.index(one.severity) if one.severity else len(SEVERITIES))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
