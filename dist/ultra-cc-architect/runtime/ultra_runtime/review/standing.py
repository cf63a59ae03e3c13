"""The state of a project's review, and what its findings ask for."""

from __future__ import annotations

from ultra_runtime.contract.result import parsed_key
from ultra_runtime.contract.stage_part import (
    BAD,
    BROKEN,
    DONE,
    MISSING,
    STATES,
    THERE,
    WARN,
    StagePart,
)
from ultra_runtime.contract.stages import Next, command, file_of, stage_that_makes
from ultra_runtime.review.remediation import is_taken_up
from ultra_runtime.review.severities import SEVERITIES, VERDICTS
from ultra_runtime.tables.fields import plan_fields, review_fields
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.words import counted, shell_word, text_of

BLOCK, CAUTION = VERDICTS.values()
MARKS = {BLOCK: BAD, CAUTION: WARN}
SHOWN = (
    review_fields.DETAILS_RULE, review_fields.DETAILS_LOCATION, review_fields.DETAILS_MESSAGE, review_fields.DETAILS_FIX,
)  # fmt: skip


class ShownFinding:
    """One finding of the review."""

    __slots__ = ("fix", "location", "message", "rule", "severity")

    def __init__(self, severity: str, part: Mapping[str, Any]) -> None:
        self.severity = severity
        self.rule, self.location, self.message, self.fix = (
            str(part.get(parsed_key(name)) or "") for name in SHOWN
        )


class ReviewPart(StagePart):
    """The review: its verdict and its findings, most severe first."""

    def read(self) -> None:
        """Read verdict and findings."""
        self.verdict = text_of(self.values.get(review_fields.VERDICT))
        self.findings: list[ShownFinding] = []
        for part in self.values.get(review_fields.PART_DETAILS) or ():
            section = str(part.get("section") or "")
            severity = next((name for name in SEVERITIES if f"({name})" in section), "")
            self.findings.append(ShownFinding(severity, part))
        order = [*SEVERITIES, ""]
        self.findings.sort(key=lambda one: order.index(one.severity))

    @property
    def counts(self) -> dict[str, int]:
        """Severity -> number of findings."""
        return {name: sum(one.severity == name for one in self.findings) for name in SEVERITIES}

    def what_is_left(self) -> Next | None:
        """Return the review, or the plan that fixes its findings; nothing when the work passed."""
        if self.state == MISSING and getattr(self.other(plan_fields.KIND), "is_small_task", False):
            return None
        if self.state in (MISSING, BROKEN):
            return self.next("the work has not been reviewed")
        if self.verdict not in MARKS or not self.findings:
            return None
        if is_taken_up(self.project):
            fixed = f"the findings of the review ({self.verdict}) were fixed since"
            return self.next(f"{fixed}: review the work again")
        plan = stage_that_makes(plan_fields.KIND)
        given = f"--brief {shell_word(self.project.show(file_of(self.kind)))}"
        return Next(plan, f"the review says {self.verdict}: plan the fixes", command(plan, "", given))

    @property
    def mark(self) -> str:
        """Return the verdict as a colour."""
        return MARKS.get(self.verdict, DONE) if self.state == THERE else super().mark

    @property
    def caption(self) -> str:
        """Return verdict and number of findings."""
        if self.state != THERE:
            return STATES[self.state]
        return f"{self.verdict or 'no verdict'}, {counted(len(self.findings), 'finding') if self.findings else 'no findings'}"

    def rows(self) -> list[tuple[str, str]]:
        """Return verdict and number of findings per severity."""
        title = self.stage.capitalize()
        if self.state not in (THERE, BROKEN):
            return [(title, STATES[self.state])]
        counts = [f"{count} {name.lower()}" for name, count in self.counts.items() if count]
        words = f"{self.verdict or 'no verdict'}: {', '.join(counts) or 'no findings'}"
        return [(title, f"{words}, not valid" if self.state == BROKEN else words)]

    def data(self) -> dict[str, Any]:
        """Return the same for a program."""
        return {self.stage: {"state": self.state, "verdict": self.verdict, "findings": self.counts}}
