"""The state of a project's brief."""

from __future__ import annotations

from ultra_runtime.contract.stage_part import DRAFT, THERE, StagePart
from ultra_runtime.contract.stages import Next
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.words import text_of

STATUS, SKIPPED = brief_fields.RESEARCH_STATUS, brief_fields.RESEARCH_STATUS_SKIPPED


class BriefPart(StagePart):
    """The brief: its task and its research status."""

    def read(self) -> None:
        """Read what the status shows."""
        self.task = text_of(self.values.get(brief_fields.TASK))
        self.research_status = text_of(self.values.get(STATUS))

    @property
    def caption(self) -> str:
        """Say also whether the brief passed its review only in part."""
        is_partial = self.values.get(brief_fields.BRIEF_QUALITY) == brief_fields.BRIEF_QUALITY_PARTIAL
        return brief_fields.BRIEF_QUALITY_PARTIAL if self.state == THERE and is_partial else super().caption

    def what_is_left(self) -> Next | None:
        """Return the brief as the next thing to do; a draft still waits for its review."""
        if self.state == DRAFT:
            return self.next("the brief is a draft whose review has not ended")
        return super().what_is_left()
