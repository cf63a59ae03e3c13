"""Run the commands of a proof one after the other, in a clean checkout of the end of the run."""

from __future__ import annotations

import os

from ultra_runtime.answer import said_by_the_machine
from ultra_runtime.checkout.copy import Copy, NotReady, copy_folder, make_copy, remove_copy
from ultra_runtime.checkout.put_back import KeptCheckout
from ultra_runtime.checkout.settings import OFF, REQUIRE, settings_of
from ultra_runtime.checkout.surroundings import Surroundings, added_conversions, differences
from ultra_runtime.checkout.trial import try_copy
from ultra_runtime.errors import UltraError
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.git import Git
from ultra_runtime.files.json_file import load_json, read_json
from ultra_runtime.files.project import Project
from ultra_runtime.files.seal import is_sealed, sealed
from ultra_runtime.proof.drift import CLEAN, FORGED
from ultra_runtime.proof.genuine import forged
from ultra_runtime.run.state.environment import environment_in_copy
from ultra_runtime.run.state.judging import why_blocked
from ultra_runtime.run.state.owner import start_time
from ultra_runtime.run.state.run_place import RunPlace
from ultra_runtime.run.state.shell_call import run_command
from ultra_runtime.run.state.supervised import supervise_beside
from ultra_runtime.run.tree.workspace import Workspace, put
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.tables.limits import PROOF_SECONDS
from ultra_runtime.text.jsontext import write
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.run.state.shell_call import Outcome

JOB, PROCESS, STATE, KEPT = "job.json", "process.json", "state.json", "kept"
FIRST_FEW = 5
"""How many of the objects that were written again are named."""
TURNED_OFF = "off: the settings of the project say so"


def note_process(common: str, folder: str, pid: int) -> None:
    """Write down which process does the work."""
    known = read_process(common, folder)
    write_process(common, folder, {**known, "pid": pid, "started": start_time(pid)})


def read_process(common: str, folder: str) -> dict[str, Any]:
    """Return which process does the work; records that the runtime did not write are ignored."""
    found = read_json(os.path.join(folder, PROCESS))
    return found if is_sealed(common, found) else {}


def write_process(common: str, folder: str, values: Mapping[str, Any]) -> None:
    """Replace what is known about the process."""
    write_values(os.path.join(folder, PROCESS), sealed(common, values))


def run_all(folder: str, git_dir: str, common: str) -> None:
    """Run what is left of the job in a folder, and write down how it ended; the git dir is that of the job's tree."""
    job = load_json(os.path.join(folder, JOB))
    state = {"key": key_of(job), "proof": CLEAN, "required": False, "notes": [], "changed": []}
    state.update(copy="", rows=[], done=False)
    commands = Commands(folder, job, state, Git(job["root"], git_dir, common, {}))
    earlier = read_state(commands.git, folder)
    if earlier.get("key") == state["key"]:
        state.update(earlier)
    done = len(commands.state["rows"])
    try:
        commands.look_around()
        commands.run()
        if done and commands.has_failed(done):
            state["rows"] = []
            commands.run()
        commands.look_around()
    except Exception as problem:
        needed = (job["root"], os.path.join(git_dir, "HEAD"), os.path.join(folder, JOB))
        if not all(map(os.path.exists, needed)):  # the repository is being removed
            return
        state.update(proof=_reason(problem), required=True, passing=bool(said_by_the_machine(problem)))
    state["done"] = True
    commands.save()


def _reason(problem: Exception) -> str:
    if isinstance(problem, UltraError):  # such as objects that cannot be fetched
        return one_line(str(problem), 300)
    if said := said_by_the_machine(problem):
        return f"{said}; fix this, then resume the run and finish it again"
    from ultra_runtime.files.unexpected import keep

    return f"internal error, see {keep(problem, ['proof'])}"


class Commands:
    """The commands of a job, and the state that they leave."""

    def __init__(self, folder: str, job: dict[str, Any], state: dict[str, Any], git: Git) -> None:
        self.folder = folder
        self.job = job
        self.state = state
        self.git = git
        project = Project(job["root"], job["project"]) if job["project"] else None
        self.place = RunPlace(job["root"], job["plan"], project, job["session"])
        self.settings = settings_of(job["settings"])
        self.around = Surroundings.of(job["around"]) if job["around"] else None
        self.seconds = self.settings.limits.get(fields.LIMITS_PROOF_SECONDS, PROOF_SECONDS)

    def save(self) -> None:
        """Write down how far it is."""
        write_values(os.path.join(self.folder, STATE), sealed(self.git.common, self.state))

    def look_around(self) -> None:
        """Record what the checkout gets that differs from what the run was pinned to."""
        if self.around:
            self._note_changed(differences(self.git, self.around, self.settings))

    def _note_changed(self, found: list[list[str]]) -> None:
        self.state["changed"] += [one for one in found if one not in self.state["changed"]]

    def run(self) -> None:
        """Run every command in a clean checkout; without one only the exit conditions, in the working tree."""
        if self.settings.proof == OFF:
            self.state["proof"] = TURNED_OFF
            self._run_each("")
            return
        self._note_changed([[FORGED, name] for name in forged(self.git, self.job["end"])[:FIRST_FEW]])
        try:
            try_copy(self.git, self.job["end"], self.settings)
        except NotReady as problem:
            self._go_without(problem, self.settings.proof == REQUIRE)
            return
        try:
            self._run_in_copy()
        except (
            NotReady
        ) as problem:  # a commit that cannot be checked out or made ready is not what the plan asks for
            self._go_without(problem, required=True)

    def has_failed(self, done: int) -> bool:
        """Tell whether a command failed that may need what the first ones had built in a checkout which is gone."""
        rows = self.state["rows"][done:]
        return self.state["proof"] == CLEAN and any(row["problem"] or row["lacks"] for row in rows)

    def _go_without(self, problem: NotReady, required: bool) -> None:
        self.state.update(proof=f"{problem.reason}; {problem.remedy}", required=required)
        if not required:
            self._run_each("")

    def _run_in_copy(self) -> None:
        self.state["copy"] = copy_folder(self.git)
        self.save()
        try:
            copy = self._copy_of(self.job["end"], self.state["copy"])
            self.state["notes"] = copy.notes
            if self.around:  # settings of git may be meant for working copies alone
                self._note_changed(added_conversions(self.around, copy.conversions))
            kept, has_setup = os.path.join(self.folder, KEPT), bool(self.settings.setup)
            self._run_each(copy.root, KeptCheckout(copy.root, self.job["end"], kept, has_setup))
        finally:
            os.chdir("/")
            remove_copy(self.git, self.state["copy"])
            self.state["copy"] = ""

    def _copy_of(self, commit: str, folder: str) -> Copy:
        env = environment_in_copy(self.place.root, folder)
        if self.around is None:
            return make_copy(self.git, commit, folder, self.settings, env)
        include = self.around.include.encode("latin-1")
        return make_copy(self.git, commit, folder, self.settings, env, include, self.around.carried)

    def _run_each(self, root: str, committed: KeptCheckout | None = None) -> None:
        known = {row["command"] for row in self.state["rows"]}
        is_first = True
        for number, one in enumerate(self.job["commands"], 1):
            if one["command"] not in known and (root or one["exit"]):
                if committed and not is_first:
                    committed.put_back()
                is_first = False
                self.state["rows"].append(self._row(number, one, root))
                self.save()

    def _row(self, number: int, one: dict[str, Any], root: str) -> dict[str, Any]:
        """Run one command and return how it ended, here too when that tells what is missing."""
        name = f"{self.job['log']}-{number}"
        row = self._run_one(f"{name}.log", one, root)
        failed = bool(row["problem"] or row["lacks"])
        if failed and root and one["compare"] and row["log"]:
            here = self._run_one(f"{name}-working-tree.log", one, "")
            row["passes_here"] = not (here["problem"] or here["lacks"])
        commits = one["commits"] if failed and root else ()
        tried = {commit: self._lacks(commit, name, one) for commit in commits}
        row["held"] = {commit: lacks for commit, lacks in tried.items() if lacks is not None}
        return row

    def _lacks(self, commit: str, name: str, one: dict[str, Any]) -> list[str] | None:
        """Return what a command does not print in a clean checkout of an earlier commit, as git made it; None if it fails."""
        if forged(self.git, commit):
            return None
        folder = copy_folder(self.git)
        try:
            row = self._run_one(f"{name}-{commit[:10]}.log", one, self._copy_of(commit, folder).root)
        except NotReady:
            return None
        finally:
            os.chdir("/")
            remove_copy(self.git, folder)
        return None if row["problem"] else list(row["lacks"])

    def _run_one(self, name: str, one: dict[str, Any], root: str) -> dict[str, Any]:
        row = {"command": one["command"], "problem": "", "lacks": [], "log": "", "passes_here": False}
        reason = why_blocked(self.place, one["command"])
        if reason:
            return {**row, "problem": f"is blocked and was not run: {reason}"}
        outcome = self._outcome(name, one, root)
        row["log"] = outcome.log
        if outcome.late:
            row["problem"] = f"timed out after {self.seconds:g} s, see {outcome.log}"
        elif outcome.status:
            row["problem"] = f"failed with exit status {outcome.status}, see {outcome.log}"
        else:
            row["lacks"] = outcome.lacks
        return row

    def _outcome(self, name: str, one: dict[str, Any], root: str) -> Outcome:
        """Run a command in a copy; in the user's tree, what it changes there is put back."""

        def run() -> Outcome:
            return run_command(self.place, one["command"], name, self.seconds, one["expected"], root)

        if root:
            return run()
        ran = supervise_beside(Workspace(self.git), self.place, run)
        self.state["notes"] = [*self.state["notes"], *ran.notes(f"`{one_line(one['command'])}`")]
        return ran.outcome


def read_state(git: Git, folder: str) -> dict[str, Any]:
    """Return the progress of the commands; records that the runtime did not write are ignored."""
    state = read_json(os.path.join(folder, STATE))
    return state if is_sealed(git.common, state) else {}


def key_of(job: Mapping[str, Any]) -> str:
    """Return what tells one job from another."""
    return sha256(as_bytes(job))


def write_values(path: str, values: Mapping[str, Any]) -> None:
    """Replace a file of the folder."""
    put(path, as_bytes(values))


def as_bytes(values: Mapping[str, Any]) -> bytes:
    """Return values as a file of the folder has them."""
    return (write(dict(values)) + "\n").encode("utf-8", "surrogateescape")
