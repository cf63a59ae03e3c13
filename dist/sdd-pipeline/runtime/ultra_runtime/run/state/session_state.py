"""Read the session states of a repository: which are valid, which is newest, and what comes next."""

from __future__ import annotations

import os

from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.stages import Next, command, file_of, placed_kinds, stage_that_makes
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.files.root import PROJECTS, seen_from
from ultra_runtime.run.state.statuses import sentence
from ultra_runtime.tables.fields import progress_fields, review_fields
from ultra_runtime.tables.fields import session_state_fields as fields
from ultra_runtime.text.timestamp import instant
from ultra_runtime.words import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.contract.result import Issue

KIND: str = fields.KIND
SAME_SESSION = "Continue"
LAST_SESSION = "Complete"


class SessionState:
    """A valid session state and its project folder, seen from the root."""

    __slots__ = (
        "brief",
        "instant",
        "label",
        "means",
        "project",
        "status",
        "unfinished",
        "updated_at",
        "warnings",
    )

    def __init__(self, project: str, values: Mapping[str, Any], means: str, warnings: list[Issue]) -> None:
        self.project = project
        self.status: str = values[fields.STATUS]
        self.means = means
        self.label: str = values[fields.NEXT_SESSION_LABEL]
        self.brief: str = values[fields.NEXT_SESSION_BRIEF_PATH]
        self.updated_at: str = values[fields.UPDATED_AT]
        self.instant = instant(self.updated_at) or 0
        self.unfinished = is_unfinished(values)
        self.warnings = warnings

    def coming(self) -> Next:
        """Return what comes next according to the state, for a folder with no other files."""
        if self.label == LAST_SESSION:
            stage = stage_that_makes(review_fields.KIND)
            return Next(stage, "the work has not been reviewed", command(stage, self.project))
        stage = stage_that_makes(progress_fields.KIND)
        number = session_number(self.brief)
        if self.label == SAME_SESSION:
            flags = "--resume" + (f" --session {number}" if number else "")
            return Next(
                stage,
                sentence(self.status),
                command(stage, self.project, flags),
            )
        if number:
            return Next(stage, self.label, command(stage, self.project, f"--session {number}"))
        return Next(stage, self.label, command(stage, "", shell_word(self.brief)))


class States:
    """The result of a search: valid states, and the first error of each broken file."""

    def __init__(self) -> None:
        self.valid: list[SessionState] = []
        self.broken: list[Issue] = []

    def read(self, root: str, project: str) -> None:
        """Add the state of one project folder."""
        contract = load_contract(KIND)
        path = os.path.join(project, file_of(KIND))
        result = validate_file(contract, path)
        for issue in result.errors + result.warnings:
            issue.path = seen_from(root, path)
        if result.errors or result.parsed is None:
            self.broken.append(result.errors[0])
            return
        meanings = contract.field(fields.STATUS).values or {}
        means = meanings.get(result.parsed[fields.STATUS], "")
        self.valid.append(SessionState(seen_from(root, project), result.parsed, means, result.warnings))

    @property
    def newest(self) -> list[SessionState]:
        """The newest valid state; several if they have the same time."""
        latest = max((state.instant for state in self.valid), default=0)
        return [state for state in self.valid if state.instant == latest]


def is_unfinished(values: Mapping[str, Any]) -> bool:
    """Return whether a session state says that there is more to do."""
    is_last = values.get(fields.NEXT_SESSION_LABEL) == LAST_SESSION
    return not (is_last and values.get(fields.STATUS) == fields.STATUS_COMPLETED)


def has_state(folder: str) -> bool:
    """Tell whether a project folder has a session state; a plugin without runs has none."""
    return KIND in placed_kinds() and os.path.lexists(os.path.join(folder, file_of(KIND)))


def find_states(root: str) -> States:
    """Read the session state of every project of the repository."""
    states = States()
    folder = os.path.join(root, PROJECTS)
    try:
        projects = sorted(os.listdir(folder))
    except OSError:
        return states
    for project in projects:
        path = os.path.join(folder, project)
        if has_state(path):
            states.read(root, path)
    return states


def read_state(root: str, folder: str) -> SessionState | None:
    """Return the session state of one project folder, if it is there and valid."""
    states = States()
    if has_state(folder):
        states.read(root, folder)
    return states.valid[0] if states.valid else None


def session_number(brief: str) -> str | None:
    """Return N of `.../sessions/session-N.md`."""
    folder, _, name = brief.rpartition("/")
    number = name[len("session-") : -len(".md")]
    is_session = folder.rpartition("/")[2] == "sessions" and name == f"session-{number}.md"
    return number if is_session and number.isascii() and number.isdigit() else None
