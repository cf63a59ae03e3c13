"""Where a project stands: the part of every stage, and the one answer to what comes next."""

from __future__ import annotations

import os

from ultra_runtime.contract.stage_part import StagePart
from ultra_runtime.contract.stages import Next, stages
from ultra_runtime.files.project import Project
from ultra_runtime.files.root import PROJECTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.plan.standing import PlanPart
    from ultra_runtime.research.standing import ResearchPart
    from ultra_runtime.review.standing import ReviewPart
    from ultra_runtime.run.life.standing import RunPart

OVER = "done"
COMPLETE = Next(OVER, "the project is complete")


# What is left of these counts although a later stage has begun, so they are asked first.
LASTING = ("progress",)


class ProjectStanding:
    """Every stage of a project in its order, and what comes next; a stage is read when it is asked for."""

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
        """The stages in their order."""
        return [part for part in map(self.part, self._stages) if part is not None]

    def _coming(self) -> Next:
        """Return an unfinished run, or the first thing that is left from the last stage on that has begun."""
        for part in filter(None, map(self.part, LASTING)):
            if part.has_begun and part.coming is not None:
                return part.coming
        parts = self.parts
        last = max((at for at, part in enumerate(parts) if part.has_begun), default=0)
        return next((part.coming for part in parts[last:] if part.coming is not None), COMPLETE)

    @property
    def task(self) -> str:
        """What the project is about, in the words of the first artifact that says it."""
        return next((task for part in self.parts if (task := getattr(part, "task", ""))), "")

    @property
    def issues(self) -> list[str]:
        """What is wrong with the artifacts."""
        return [issue for part in self.parts for issue in part.issues]

    def audit(self) -> ProjectStanding:
        """Audit what was run, now; this asks git, so no hook does it."""
        # Each is None in a plugin without the stage.
        self.research: ResearchPart | None = self._of("research")
        self.plan: PlanPart | None = self._of("plan")
        self.execution: RunPart | None = self._of("progress")
        self.review: ReviewPart | None = self._of("review")
        if self.execution:
            self.execution.audit()
        return self

    def _of(self, kind: str) -> Any:
        return self.part(kind)


def _part_class(kind: str) -> type[StagePart]:
    """Return the class of a stage with code of its own; any other is an artifact that is there or not."""
    if kind == "brief":
        from ultra_runtime.brief.standing import BriefPart

        return BriefPart
    if kind == "research":
        from ultra_runtime.research.standing import ResearchPart

        return ResearchPart
    if kind == "plan":
        from ultra_runtime.plan.standing import PlanPart

        return PlanPart
    if kind == "progress":
        from ultra_runtime.run.life.standing import RunPart

        return RunPart
    if kind == "review":
        from ultra_runtime.review.standing import ReviewPart

        return ReviewPart
    return StagePart


def find_projects(root: str) -> list[Project]:
    """Return the projects of a repository, the newest first, as their names begin with the day."""
    folder = os.path.join(root, PROJECTS)
    try:
        found = [name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name))]
    except OSError:
        return []
    return [Project(root, name) for name in sorted(found, reverse=True)]


def after(project: Project) -> str:
    """Return what the verb that ends a stage says about the next one."""
    coming = ProjectStanding(project).coming
    if not coming.command:
        return f"tell the user: {coming.reason}"
    return f"tell the user; to go on: {coming.command}"
