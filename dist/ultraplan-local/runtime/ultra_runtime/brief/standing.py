"""How the brief of a project stands."""

from __future__ import annotations

from ultra_runtime.contract.stage_part import DRAFT, StagePart, text_of
from ultra_runtime.tables.fields import brief_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.stages import Next

STATUS, SKIPPED = brief_fields.RESEARCH_STATUS, brief_fields.RESEARCH_STATUS_SKIPPED


class BriefPart(StagePart):
    """The brief: its task, and how far its research is said to be."""

    def read(self) -> None:
        """Read what the status shows."""
        self.task = text_of(self.values.get(brief_fields.TASK))
        self.research_status = text_of(self.values.get(STATUS))

    def what_is_left(self) -> Next | None:
        """Return the brief as the next thing to do, with the review that a draft waits for."""
        if self.state == DRAFT:
            return self.next("the brief is a draft, and its review is not over")
        return super().what_is_left()
