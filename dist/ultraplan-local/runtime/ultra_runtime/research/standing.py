"""The state of a project's research: the topics of the brief, and which are answered."""

from __future__ import annotations

from ultra_runtime.brief.standing import SKIPPED, BriefPart
from ultra_runtime.contract.stage_part import DONE, NOW, WAIT, WARN, StagePart
from ultra_runtime.contract.stages import Next, folder_of
from ultra_runtime.research.topics import topics_of
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.words import counted


class ResearchPart(StagePart):
    """The research: one file per topic of the brief."""

    def _read_file(self, name: str) -> Mapping[str, Any]:
        return {}  # a weak answer does not stop the plan; `plan begin` lists it

    def read(self) -> None:
        """Read the topics of the brief and the files that answer them."""
        brief = self.other(brief_fields.KIND)
        folder = self.project.path(folder_of(self.kind))
        self.topics = topics_of(brief.values if brief else {}, folder)
        self.status = brief.research_status if isinstance(brief, BriefPart) else ""
        self.answered = sum(topic.fits for topic in self.topics)

    def what_is_left(self) -> Next | None:
        """Return the research as the next thing to do while topics are open and research is not skipped."""
        if self.other(brief_fields.KIND) is None:
            return super().what_is_left()
        left = len(self.topics) - self.answered
        if not left or self.status == SKIPPED:
            return None
        return self.next(f"{left} of {len(self.topics)} topics have no answer")

    @property
    def mark(self) -> str:
        """Return the progress of the topics as a colour."""
        if self.answered == len(self.topics):
            return DONE if self.files else WAIT
        if self.status == SKIPPED:
            return WARN
        return NOW if self.answered or self.status == brief_fields.RESEARCH_STATUS_IN_PROGRESS else WAIT

    @property
    def caption(self) -> str:
        """Return the progress of the topics in a few words."""
        if not self.topics:
            return counted(len(self.files), "file") if self.files else "no topics"
        rest = ", rest skipped" if self.mark == WARN else ""
        return f"{self.answered} of {len(self.topics)} topics{rest}"

    def rows(self) -> list[tuple[str, str]]:
        """Return the progress of the research."""
        agree = self.answered == len(self.topics)
        status = (f" ({self.status})" if agree else f"; the brief says {self.status}") if self.status else ""
        if self.topics:
            words = f"{self.answered} of {len(self.topics)} topics answered{status}"
        elif self.files:
            words = f"{counted(len(self.files), 'file')}, no topics in the brief"
        else:
            words = f"no topics{status}"
        return [(self.stage.capitalize(), words)]

    def data(self) -> dict[str, Any]:
        """Return the same for a program."""
        return {self.stage: {"answered": self.answered, "topics": len(self.topics), "status": self.status}}
