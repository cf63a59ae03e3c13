"""The files of one run, and its name in git."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.project import IGNORE_FILE, Project, find_project
from ultra_runtime.files.root import PROJECTS, from_here
from ultra_runtime.files.run_files import BROKEN, LOGS, PLAN_FILE, PREVIOUS, SESSION_STATE, progress_name
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.session_state import session_number
from ultra_runtime.tables import RECORDS
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.tree.workspace import Workspace

SESSIONS = "sessions"
RECOVERY = "-recovery-"
PLANS = os.path.join(".claude", "plans")
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


class RunPlace:
    """The plan of a run and the files that the runtime keeps for it; `shown` is the plan seen from the root."""

    def __init__(self, root: str, plan: str, project: Project | None, session: int | None) -> None:
        self.root = root
        self.plan = plan
        self.shown = os.path.relpath(plan, root).replace(os.sep, "/")
        self.project = project
        self.session = session
        self.folder = project.folder if project else os.path.dirname(plan)
        stem = os.path.splitext(os.path.basename(plan))[0]
        tail = "" if session is None else f"-session-{session}{recovery_part(plan)}"
        self.base = ref_name(self._base_name(stem))
        """The name in git of the whole run."""
        self.slug = self.base + tail
        name = progress_name(session, "" if project else stem, recovery_part(plan))
        self.progress = os.path.join(self.folder, name)
        self.state = os.path.join(self.folder, SESSION_STATE)
        self.all_logs = os.path.join(self.folder, LOGS if project else f".ultraexecute-logs-{stem}")
        self.logs = os.path.join(self.all_logs, tail[1:]) if tail else self.all_logs

    def _base_name(self, stem: str) -> str:
        if self.project:
            return os.path.basename(self.project.folder)
        if os.path.relpath(os.path.dirname(self.plan), self.root) == PLANS:
            return stem
        return f"{stem}-{_short_hash(os.path.dirname(self.shown))}"

    def slug_of(self, session: int | None) -> str:
        """Return the name in git of the whole run, or of another session of the same plan."""
        return self.base if session is None else f"{self.base}-session-{session}"

    def of_session(self, number: int) -> RunPlace:
        """Return the place of one session of the same plan."""
        return RunPlace(self.root, self.plan, self.project, number)

    def with_plan(self, path: str) -> RunPlace:
        """Return the same place for another file: a session runs from its spec or from the plan."""
        return RunPlace(self.root, path, self.project, self.session)

    def spec(self) -> str:
        """Return the path of this session's spec."""
        return os.path.join(self.folder, SESSIONS, f"session-{self.session}.md")

    @property
    def call(self) -> str:
        """The verb that starts this run."""
        own = self.session is None or session_number(self.plan.replace(os.sep, "/"))
        return f"{verb('run start')} {shell_word(self.shown)}" + ("" if own else f" --session {self.session}")

    @property
    def name(self) -> str:
        """The project directory or the plan, as an argument of a command."""
        return self.project.shown if self.project else self.shown

    def own_files(self) -> list[str]:
        """Return the files that the runtime writes here, seen from the root; no step is checked for these."""
        paths = [
            self.progress,
            self.progress + PREVIOUS,
            self.progress + BROKEN,
            self.state,
            self.state + PREVIOUS,
            self.all_logs,
        ]
        if self.project:
            paths.append(os.path.join(self.folder, IGNORE_FILE))
        return [*(self.show(path) for path in paths), *(f"{folder}/" for folder in RECORDS)]

    def show(self, path: str) -> str:
        """Return a path as seen from the root."""
        return os.path.relpath(path, self.root).replace(os.sep, "/")


def recovery_part(plan: str) -> str:
    """Return `-recovery-D` of a recovery spec; nothing for any other file."""
    start, found, depth = os.path.splitext(os.path.basename(plan))[0].partition(RECOVERY)
    return RECOVERY + depth if found and depth.isdigit() and start.startswith("session-") else ""


def plan_at(path: str) -> str:
    """Return the plan that a path names, from here or from the root: a file, or the plan of a project directory."""
    path = from_here(path)
    path = os.path.join(path, PLAN_FILE) if os.path.isdir(path) else path
    _refuse_earlier(path)
    return path


def _refuse_earlier(path: str) -> None:
    """Refuse a plan or spec of a project that a later one has replaced: plan.2.md, session-1.2.md."""
    stem, ending = os.path.splitext(path)
    current, _, number = stem.rpartition(".")
    later = (current + ending).replace(os.sep, "/")
    is_ours = os.path.basename(later) == PLAN_FILE or session_number(later)
    if number.isdigit() and is_ours and os.path.join("", PROJECTS, "") in os.path.abspath(path):
        error = f"{one_line(path)} is an earlier version that is kept to be read"
        raise RefusedError(error, f"use {one_line(later)}, which replaced it")


def find_run_place(workspace: Workspace, path: str, directory: str | None, session: int | None) -> RunPlace:
    """Return the place of a run by its plan, or by the project directory that holds it."""
    plan = os.path.realpath(plan_at(path))
    if os.path.commonpath([workspace.root, plan]) != workspace.root:
        hint = "put the plan into the repository that it changes, and run this there"
        raise RefusedError(f"{one_line(path)} is outside the repository {one_line(workspace.root)}", hint)
    project = find_project(directory) if directory else _project_around(workspace.root, plan)
    number = session_number(plan.replace(os.sep, "/"))
    if number and session not in (None, int(number)):
        error = f"{one_line(path)} is the spec of session {number}, not of session {session}"
        raise RefusedError(error, "omit --session, or pass the plan instead of the spec")
    session = int(number) if number else session
    return RunPlace(workspace.root, plan, project, session)


def _project_around(root: str, plan: str) -> Project | None:
    parts = os.path.relpath(plan, root).split(os.sep)
    depth = len(PROJECTS.split(os.sep))
    if os.path.join(*parts[:depth]) == PROJECTS and len(parts) > depth + 1:
        return Project(root, parts[depth])
    return None


def ref_name(name: str) -> str:
    """Return a name that can be part of a ref; a changed name gets a few digits to stay unique."""
    plain = "".join(letter if letter in PLAIN else "-" for letter in name)[:100].strip("-") or "plan"
    return plain if plain == name else f"{plain}-{_short_hash(name)}"


def _short_hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape"))[:6]
