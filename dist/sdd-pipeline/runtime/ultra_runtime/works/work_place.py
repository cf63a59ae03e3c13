"""Where a work is: its folder, its files, and what the runtime remembers of it in the git dir."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.forms import is_work_id
from ultra_runtime.contract.stages import file_of
from ultra_runtime.files.project import Project
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import PROJECTS, names_in
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.lock import read_lock
from ultra_runtime.run.state.run_place import RunPlace
from ultra_runtime.run.tree.workspace import Workspace, find_workspace, make_folder, put
from ultra_runtime.struct import Struct
from ultra_runtime.typed import Any
from ultra_runtime.words import listed, one_line

STATE = "works"
WORK = "work"
"""The member of the lock of a run that names the work."""
LIST = "WORK-LIST.md"
RUN = "run"
IGNORE_FILE = ".gitignore"
IGNORED = "# Works are kept out of the commits of their tasks; delete this file to keep them in git.\n*\n"


class WorkOrder(Struct):
    """One work of a working tree."""

    workspace: Workspace
    name: str

    @property
    def folder(self) -> str:
        return os.path.join(self.workspace.root, PROJECTS, self.name)

    def path(self, kind: str, task: str = "") -> str:
        """Return the file of a kind; a task names its files."""
        return os.path.join(self.folder, file_name(kind, task))

    def show(self, kind: str, task: str = "") -> str:
        """Return the same file as seen from the root."""
        return "/".join([*PROJECTS.split(os.sep), self.name, file_name(kind, task)])

    @property
    def run_place(self) -> RunPlace:
        """The run of the work: its tasks, written as the steps of a plan."""
        root = self.workspace.root
        return RunPlace(root, os.path.join(self.folder, RUN, "plan.md"), Project(root, self.name), None)

    def refusal(self, error: str) -> RefusedError:
        """Return the refusal of a call that does not fit where the work stands."""
        return RefusedError(error, f"ask what comes next: `{verb('work next')} {self.name}`")

    def read_state(self) -> dict[str, Any]:
        """Return what the runtime remembers of the work."""
        found = self.workspace.read_sealed(STATE, f"{self.name}.json")
        if not found:
            hint = f"make the work with `{verb('work new')}`; a work of another clone has no record here"
            raise RefusedError(f"there is no record of {self.name} in this working tree", hint)
        return found

    def write_state(self, state: dict[str, Any]) -> None:
        """Remember the state of the work, so that a change by somebody else is recognised."""
        self.workspace.write_sealed(state, STATE, f"{self.name}.json")

    def keep_message(self, number: int, text: str, kind: str = "dispatch") -> None:
        """Keep the text of a dispatch, or of the answer to it."""
        path = self._message(number, kind)
        make_folder(os.path.dirname(path))
        put(path, text.encode("utf-8", "replace"))

    def read_message(self, number: int, kind: str = "dispatch") -> str:
        """Return a kept text; nothing if there is none."""
        try:
            return read_regular(self._message(number, kind)).decode("utf-8", "replace")
        except UnreadableError:
            return ""

    def _message(self, number: int, kind: str) -> str:
        return self.workspace.path(STATE, self.name, f"{number}-{kind}.xml")


def file_name(kind: str, task: str = "") -> str:
    """Return the name of a file of a work."""
    return file_of(kind).replace("TASK-{topic}", task)


def works_folder(root: str, *inner: str) -> str:
    """Return the folder of the works, or one in it; a symbolic link is refused: everything in it would be elsewhere."""
    path = os.path.join(root, PROJECTS, *inner)
    if os.path.islink(path):
        error = f"{'/'.join([PROJECTS, *inner])} is a symbolic link"
        raise RefusedError(error, "make it a folder of the repository, then retry")
    return path


def list_works(root: str) -> list[str]:
    """Return the works of a repository in the order of their numbers."""
    parent = works_folder(root)
    found = [name for name in names_in(parent) if is_work_id(name)]
    found = [name for name in found if not os.path.islink(os.path.join(parent, name))]
    return sorted(found, key=lambda name: int(name[5:]))


def make_work(workspace: Workspace) -> WorkOrder:
    """Make the folder of a new work under the next number; that of a deleted work is not reused."""
    parent = works_folder(workspace.root)
    names = [name.partition(".")[0] for name in names_in(workspace.path(STATE))]
    used = [int(name[5:]) for name in [*names, *list_works(workspace.root)] if is_work_id(name)]
    number = max(used, default=0) + 1
    while True:
        work = WorkOrder(workspace, f"WORK-{number:02}")
        try:
            if not os.path.isdir(parent):
                make_folder(parent)
                put(os.path.join(parent, IGNORE_FILE), IGNORED.encode())
            os.mkdir(work.folder)
            return work
        except FileExistsError:
            number += 1
        except OSError as problem:
            error = f"{one_line(work.folder)} cannot be made: {problem.strerror}"
            raise RefusedError(error, "fix this and retry") from None


def find_work(given: str | None, in_progress: bool = False) -> WorkOrder:
    """Return the named work; without a name, the one in progress here or, unless only that will do, the only one."""
    workspace = find_workspace()
    works = list_works(workspace.root)
    asked = next((part for part in (given or "").split("/") if is_work_id(part)), "")
    if asked:
        if asked not in works:
            hint = f"there is {listed(works)}" if works else f"make one with `{verb('work new')}`"
            raise RefusedError(f"there is no {asked} in {PROJECTS}", hint)
        return WorkOrder(workspace, asked)
    if given and not given.isdigit():  # a number is that of a step, in a hint of the executor
        error = f"{one_line(given)} is not a work"
        raise RefusedError(error, "name it as WORK-01")
    name = (read_lock(workspace) or {}).get(WORK)
    if isinstance(name, str) and name in works:
        return WorkOrder(workspace, name)
    if in_progress:
        hint = f"start or resume one: `{verb('work start')} WORK-NN`"
        raise RefusedError("no work is in progress in this working tree", hint)
    if len(works) != 1:
        hint = f"there is {listed(works)}" if works else f"make one with `{verb('work new')}`"
        raise RefusedError("name the work", hint)
    return WorkOrder(workspace, works[0])
