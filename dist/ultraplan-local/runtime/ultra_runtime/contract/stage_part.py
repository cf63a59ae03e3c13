"""The state of one stage of a project: its artifact, and what is left to do."""

from __future__ import annotations

import os

from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.stages import DRAFT as DRAFT_ENDING
from ultra_runtime.contract.stages import Next, Stage, command, files_of, find_files, stages
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.tables.limits import ISSUES_TOLD
from ultra_runtime.typed import Any, Callable, Mapping, Optional

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.project import Project

    Other = Callable[[str], Optional["StagePart"]]

MISSING, DRAFT, BROKEN, THERE = "missing", "draft", "broken", "there"
STATES = {MISSING: "not there yet", DRAFT: "a draft", BROKEN: "not valid", THERE: "there"}
DONE, NOW, WAIT, BAD, WARN = "done", "now", "wait", "bad", "warn"
MARKS = {MISSING: WAIT, DRAFT: NOW, BROKEN: BAD, THERE: DONE}


class StagePart:
    """One stage of a project; a stage with its own code has a subclass."""

    def __init__(self, stage: Stage, project: Project, other: Other, session: str = "") -> None:
        self.stage = stage.name
        self.kind = stage.makes
        self.project = project
        self.other = other
        """Returns the part of another stage by the artifact that it makes, if there is such a stage."""
        self.session = session
        """The session of the client that asks; only hooks know it."""
        self.files = list(find_files(project.folder, self.kind))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Read the artifact on first use, so that a hook that does not need it pays nothing."""
            if "issues" in self.__dict__:
                raise AttributeError(name)
            self._load()
            return getattr(self, name)

    def _load(self) -> None:
        self.issues: list[str] = []
        self.values: Mapping[str, Any] = {}
        self.state = self._state()
        self.read()
        self.coming = self.what_is_left()

    def _state(self) -> str:
        if not self.files:
            drafts = [project_file + DRAFT_ENDING for project_file in files_of(self.kind)]
            return DRAFT if any(os.path.lexists(self.project.path(name)) for name in drafts) else MISSING
        for name in self.files:
            self.values = self._read_file(name)
        return BROKEN if self.issues else THERE

    def _read_file(self, name: str) -> Mapping[str, Any]:
        """Return the readable values of a file, and collect its errors."""
        result = validate_file(load_contract(self.kind), self.project.path(name), soft=True)
        for issue in result.errors[:ISSUES_TOLD]:
            place = self.project.show(name) + (f":{issue.line}" if issue.line else "")
            self.issues.append(f"{place}: {issue.code}: {issue.sentence}")
        return result.parsed or {}

    def read(self) -> None:
        """Read what only this stage has."""

    def what_is_left(self) -> Next | None:
        """Return what this stage still needs; nothing when it is done."""
        title = load_contract(self.kind).title.lower()
        reasons = {
            MISSING: f"there is no {title} yet",
            DRAFT: f"the {title} is a draft",
            BROKEN: f"the {title} is not valid",
        }
        return self.next(reasons[self.state]) if self.state in reasons else None

    def next(self, reason: str, flags: str = "") -> Next:
        """Return this stage as the next one; the first stage is called without a project."""
        is_first = self.stage == stages()[0].name
        return Next(self.stage, reason, command(self.stage, "" if is_first else self.project.shown, flags))

    @property
    def has_begun(self) -> bool:
        """Whether the stage has started."""
        return self.state != MISSING

    @property
    def mark(self) -> str:
        """The colour of the stage in the picture: done, now, wait, bad or warn."""
        return MARKS[self.state]

    @property
    def caption(self) -> str:
        """The text below its name in the picture."""
        return STATES[self.state]

    def rows(self) -> list[tuple[str, str]]:
        """Return title and text of each line for people."""
        return [(self.stage.capitalize(), self.caption)]

    def data(self) -> dict[str, Any]:
        """Return the same for programs."""
        return {self.stage: self.state}
