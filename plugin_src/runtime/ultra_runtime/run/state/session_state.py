"""The session states of a repository: which are valid, which is newest, and the command to go on with."""

from __future__ import annotations

import os

from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.files.root import PROJECTS, seen_from
from ultra_runtime.text.timestamp import instant
from ultra_runtime.words import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.contract.result import Issue

KIND = "session-state"
FILE_NAME = ".session-state.local.json"
PROGRESS, OF_SESSION = "progress", "-session-"
SAME_SESSION = "Continue"
LAST_SESSION = "Complete"


class SessionState:
    """A valid session state and the project folder, seen from the root, in which it lies."""

    __slots__ = (
        "brief",
        "instant",
        "label",
        "means",
        "project",
        "session",
        "status",
        "step",
        "updated_at",
        "warnings",
    )

    def __init__(
        self,
        project: str,
        values: Mapping[str, Any],
        means: str,
        warnings: list[Issue],
        left: Left | None = None,
    ) -> None:
        self.project = project
        self.status: str = values["status"]
        self.means = means
        self.label: str = values["next_session_label"]
        self.brief: str = values["next_session_brief_path"]
        self.updated_at: str = values["updated_at"]
        self.instant = instant(self.updated_at) or 0
        self.warnings = warnings
        self.session = left.session if left else None
        """The session that was left, when its brief does not tell."""
        self.step = left.step if left else None
        """The step at which it goes on."""

    @property
    def unfinished(self) -> bool:
        return not (self.status == "completed" and self.label == LAST_SESSION)

    @property
    def following(self) -> str:
        """What comes next, for a person: the words of the contract are no answer to that."""
        if self.label == LAST_SESSION:
            return "have the work reviewed"
        if self.label != SAME_SESSION:
            return self.label
        return "resume it" if self.step is None else f"resume at step {self.step}"

    @property
    def stage(self) -> str:
        """The stage whose command goes on from here."""
        return "review" if self.label == LAST_SESSION else "execute"

    def command(self, commands: Mapping[str, str]) -> str:
        """Return the exact command to go on with; none when the pipeline has no such stage."""
        if self.stage not in commands:
            return ""
        project = f"{commands[self.stage]} --project {shell_word(self.project)}"
        if self.label == LAST_SESSION:
            return project
        number = session_number(self.brief)
        if self.label == SAME_SESSION:
            number = number or self.session
            return f"{project} --resume" + (f" --session {number}" if number else "")
        if number:
            return f"{project} --session {number}"
        return f"{commands[self.stage]} {shell_word(self.brief)}"


class States:
    """What a search found: valid states, and the first error of each file that is none."""

    def __init__(self) -> None:
        self.valid: list[SessionState] = []
        self.broken: list[Issue] = []

    def read(self, root: str, project: str) -> None:
        """Add the state of one project folder."""
        contract = load_contract(KIND)
        path = os.path.join(project, FILE_NAME)
        result = validate_file(contract, path)
        for issue in result.errors + result.warnings:
            issue.path = seen_from(root, path)
        if result.errors or result.parsed is None:
            self.broken.append(result.errors[0])
            return
        meanings = contract.field("status").values or {}
        means = meanings.get(result.parsed["status"], "")
        shown, left = seen_from(root, project), find_left(project)
        self.valid.append(SessionState(shown, result.parsed, means, result.warnings, left))

    @property
    def newest(self) -> list[SessionState]:
        """The valid state that was written last; several when they share the instant."""
        latest = max((state.instant for state in self.valid), default=0)
        return [state for state in self.valid if state.instant == latest]


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
        if os.path.lexists(os.path.join(path, FILE_NAME)):
            states.read(root, path)
    return states


class Left:
    """Where a run was left: its session, if it is one, and the first of its own steps that is not over."""

    def __init__(self, session: str | None, step: int | None) -> None:
        self.session = session
        self.step = step


def find_left(folder: str) -> Left | None:
    """Return where the newest unfinished progress file of a project stands; nothing when there is none."""
    from ultra_runtime.run.state.standing import OVER, own_steps, read_json

    found = []
    for name in os.listdir(folder):
        if name.startswith(PROGRESS) and name.endswith(".json"):
            values = read_json(os.path.join(folder, name))
            if values and values.get("status") not in (None, "completed"):
                found.append((instant(str(values.get("updated_at"))) or 0, name))
    if not found:
        return None
    name = max(found)[1]
    number = name[len(PROGRESS + OF_SESSION) : -len(".json")]
    steps = own_steps(read_json(os.path.join(folder, name)))
    step = next((one for one in sorted(steps) if steps[one][0] not in OVER), None)
    return Left(number if number.isascii() and number.isdigit() else None, step)


def session_number(brief: str) -> str | None:
    """Return N of `.../sessions/session-N.md`."""
    folder, _, name = brief.rpartition("/")
    number = name[len("session-") : -len(".md")]
    is_session = folder.rpartition("/")[2] == "sessions" and name == f"session-{number}.md"
    return number if is_session and number.isascii() and number.isdigit() else None
