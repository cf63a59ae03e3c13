"""Where a project stands: the state of every stage, and the one answer to what comes next."""

from __future__ import annotations

import os

from ultra_runtime.contract.stage_part import MISSING, StagePart
from ultra_runtime.contract.stages import Next, file_of, find_files, stages, unfinished_line
from ultra_runtime.files.project import Project
from ultra_runtime.files.root import PROJECTS, names_in
from ultra_runtime.tables.fields import (
    brief_fields,
    plan_fields,
    progress_fields,
    research_fields,
    review_fields,
    session_state_fields,
)
from ultra_runtime.typed import Any
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.standing import PlanPart
    from ultra_runtime.research.standing import ResearchPart
    from ultra_runtime.review.standing import ReviewPart
    from ultra_runtime.run.life.standing import Audit, RunPart

OVER = "done"
COMPLETE = Next(OVER, "the project is complete")
ONE_STAGE_DONE = Next(OVER, "the one stage of this plugin is done; other plugins may continue the project")

# These stages are asked first: what is left of them counts even if a later stage has begun.
LASTING = (progress_fields.KIND,)
OF_TASK = (plan_fields.KIND, progress_fields.KIND)


class ProjectStanding:
    """Every stage of a project in order, and what comes next; a stage is read when it is first used."""

    def __init__(self, project: Project, session: str = "") -> None:
        self.project = project
        self.session = session
        self._stages = {stage.makes: stage for stage in stages()}
        self._made: dict[str, Any] = {}
        self.coming = self._coming()

    def part(self, kind: str) -> StagePart | None:
        """Return the stage that makes an artifact, if the plugin has one."""
        if kind in self._stages and kind not in self._made:
            part_class = _part_class(kind)
            self._made[kind] = part_class(self._stages[kind], self.project, self.part, self.session)
        part: StagePart | None = self._made.get(kind)
        return part

    @property
    def parts(self) -> list[StagePart]:
        """The stages in their order; a small task has no others than its plan and its run."""
        small = getattr(self.part(plan_fields.KIND), "is_small_task", False)
        parts = filter(None, map(self.part, self._stages))
        return [part for part in parts if not small or part.kind in OF_TASK or part.state != MISSING]

    def _coming(self) -> Next:
        """Return an unfinished run, or the first thing left to do, starting at the last stage that has begun."""
        for part in filter(None, map(self.part, LASTING)):
            if part.has_begun and part.coming is not None:
                return part.coming
        kinds = list(self._stages)
        # From the end: what comes before the last stage that has begun decides nothing, and is not read.
        last = next((at for at in reversed(range(len(kinds))) if self._begun(kinds[at])), 0)
        left = (part.coming for part in filter(None, map(self.part, kinds[last:])))
        return next(filter(None, left), COMPLETE if len(kinds) > 1 else ONE_STAGE_DONE)

    def _begun(self, kind: str) -> bool:
        part = self.part(kind)
        return part is not None and part.has_begun

    @property
    def task(self) -> str:
        """The task of the project, from the first artifact that has one."""
        return next((task for part in self.parts if (task := getattr(part, "task", ""))), "")

    @property
    def issues(self) -> list[str]:
        """The problems of the artifacts."""
        return [issue for part in self.parts for issue in part.issues]

    def audit(self, audit: Audit) -> ProjectStanding:
        """Audit the runs now; this calls git, so no hook does it."""
        # Each is None in a plugin without the stage.
        self.research: ResearchPart | None = self._of(research_fields.KIND)
        self.plan: PlanPart | None = self._of(plan_fields.KIND)
        self.execution: RunPart | None = self._of(progress_fields.KIND)
        self.review: ReviewPart | None = self._of(review_fields.KIND)
        if self.execution:
            self.execution.audit(audit)
        return self

    def _of(self, kind: str) -> Any:
        return self.part(kind)


def _part_class(kind: str) -> type[StagePart]:
    """Return the class of a stage with its own code; any other stage is an artifact that exists or not."""
    if kind == brief_fields.KIND:
        from ultra_runtime.brief.standing import BriefPart

        return BriefPart
    if kind == research_fields.KIND:
        from ultra_runtime.research.standing import ResearchPart

        return ResearchPart
    if kind == plan_fields.KIND:
        from ultra_runtime.plan.standing import PlanPart

        return PlanPart
    if kind == progress_fields.KIND:
        from ultra_runtime.run.life.standing import RunPart

        return RunPart
    if kind == review_fields.KIND:
        from ultra_runtime.review.standing import ReviewPart

        return ReviewPart
    return StagePart


def find_projects(root: str) -> list[Project]:
    """Return the projects of a repository, newest first, by the date in their names."""
    folder = os.path.join(root, PROJECTS)
    names = [name for name in names_in(folder) if os.path.isdir(os.path.join(folder, name))]
    return [Project(root, name) for name in reversed(names)]


def after(project: Project) -> str:
    """Return what a verb that ends a stage says about the next stage."""
    coming = ProjectStanding(project).coming
    if not coming.command:
        return f"tell the user: {coming.reason}"
    return f"tell the user; to continue: {coming.command}"


def line_of_projects(root: str) -> str:
    """Return the line about the newest project with an unfinished run; empty when there is none.

    It is shown when a session starts, and is read from files only, without git.
    """
    projects = find_projects(root)
    since = {project.shown: _unfinished_since(project) for project in projects}
    unfinished = [project for project in projects if since[project.shown]]
    unfinished.sort(key=lambda project: since[project.shown])
    while unfinished:
        newest = unfinished.pop()
        standing = ProjectStanding(newest)
        run, coming = standing.part(progress_fields.KIND), standing.coming
        if run is not None and run.has_begun and coming.stage != OVER:
            more = f" (and {len(unfinished)} more)" if unfinished else ""
            return unfinished_line(one_line(newest.shown) + more, coming)
    return ""


def _unfinished_since(project: Project) -> int:
    """Return when an unfinished run was last written, from one small file that its stage checks; 0 when there is none."""
    from ultra_runtime.files.json_file import read_json
    from ultra_runtime.run.state.session_state import KIND, has_state, is_unfinished
    from ultra_runtime.text.timestamp import instant

    state = read_json(project.path(file_of(KIND))) if has_state(project.folder) else {}
    written = instant(str(state.get(session_state_fields.UPDATED_AT)))
    if written:
        return written if is_unfinished(state) else 0
    runs = [read_json(project.path(name)) for name in find_files(project.folder, progress_fields.KIND)]
    times = [
        instant(str(run.get(progress_fields.UPDATED_AT))) or 0
        for run in runs
        if run.get(progress_fields.STATUS) not in (None, progress_fields.STATUS_COMPLETED)
    ]
    return max(times, default=0)
