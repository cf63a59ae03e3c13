"""A plan that is run in waves: its files, its journal, and where it stands."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.settings import REQUIRE, read_settings, settings_of
from ultra_runtime.files.dead_lock import drop_dead_lock
from ultra_runtime.files.git import GitError
from ultra_runtime.rendered import launcher, names, verb
from ultra_runtime.run.state.around import read_around
from ultra_runtime.run.state.assignment import Assignment, check_plan, read_plan_bytes
from ultra_runtime.run.state.run_place import RECOVERY, SESSIONS, find_run_place
from ultra_runtime.run.state.wave_journal import Journal, journals
from ultra_runtime.run.state.wave_state import read_wave_state
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.words import listed, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.checkout.surroundings import Surroundings
    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.state.wave_state import SessionStand, WaveState
    from ultra_runtime.run.tree.workspace import Workspace
    from ultra_runtime.waves.branch_audit import BranchFacts

WORKTREES = os.path.join(".claude", "worktrees")
MERGING = "integration"
MOST_LOCKS = 5
SHARED_LOCK = "packed-refs.lock"
"""The lock that git of the user takes, too."""


class WaveRun:
    """A plan, the repository that it changes, and the journal of its waves."""

    def __init__(self, place: RunPlace, data: bytes, git: Git) -> None:
        self.git = git
        self.place = place
        self.data = data
        self.plan, self.checked = check_plan(data, place.shown)
        self.journal = Journal(self.git.common, place.slug)
        self.state = read_wave_state(self.journal)
        self.branches = names().branches
        self.facts: dict[int, BranchFacts] = {}
        """What git says about branches whose commands are running."""
        self.read_settings()
        self.around: Surroundings | None = read_around(self.git, self.state.begin)
        """What the sessions are pinned to; none before the waves begin."""
        if self.around:
            self.settings = _proving(self.around.settings)

    def read_settings(self) -> None:
        """Take the settings of the project as they are now."""
        self.given = read_settings(self.place.root).given
        self.settings = _proving(self.given)

    def note(self, act: str, **values: object) -> None:
        """Write a line to the journal, and take it."""
        self.state.take(self.journal.add(act, **values))

    def take_turn(self) -> int:
        """Return the lock under which a call writes to the journal, with the state as it is now."""
        held = self.journal.write_alone()
        self.state = read_wave_state(self.journal)
        return held

    def is_same(self) -> bool:
        """Take the state as it is now; tell whether the waves are those that were opened, with the same settings."""
        begin = self.state.begin
        self.state = read_wave_state(self.journal)
        return self.state.begin == begin

    def folder(self) -> str:
        """Return the folder of this plan's working trees."""
        return os.path.join(self.place.root, WORKTREES, self.place.slug)

    def tree_of(self, session: int) -> str:
        """Return the working tree of a session."""
        return os.path.join(self.folder(), f"session-{session}")

    def branch_of(self, session: int) -> str:
        """Return the branch of a session."""
        return f"{self.branches}/{self.place.slug}/session-{session}"

    def tip_of(self, session: int) -> str:
        """Return the commit of a session's branch; nothing if there is no such branch."""
        return self.git.ref(f"refs/heads/{self.branch_of(session)}")

    def update_ref(self, *words: str, given: bytes = b"") -> None:
        """Change refs of this run; the locks that a killed git left on them go first."""
        for turn in range(MOST_LOCKS, -1, -1):
            try:
                self.git.ask("update-ref", *words, given=given)
                return
            except GitError as problem:
                if not turn or not problem.lock or problem.lock.endswith(SHARED_LOCK):
                    raise
                drop_dead_lock(problem.lock)

    def set_refs(self, values: Mapping[str, str]) -> None:
        """Set refs of this run in one call; an empty value deletes one."""
        rows = [f"update {ref} {value}" if value else f"delete {ref}" for ref, value in values.items()]
        self.update_ref("--stdin", given="".join(f"{row}\n" for row in rows).encode())

    def assignment(self, session: int) -> Assignment:
        return Assignment(self.plan, session)

    def place_of(self, session: int, depth: int = 0) -> RunPlace:
        """Return the place of a session, or of a recovery of it."""
        place = self.place.of_session(session)
        return place.with_plan(os.path.join(place.root, self.spec_of(session, depth))) if depth else place

    def spec_of(self, session: int, depth: int) -> str:
        """Return the path of a recovery spec, seen from the root of a working tree."""
        folder = self.place.show(self.place.folder)
        return f"{folder}/{SESSIONS}/session-{session}{RECOVERY}{depth}.md"

    def slugs_of(self, one: SessionStand) -> list[str]:
        """Return the names in git of a session's runs: its own, and those of its recoveries."""
        return [self.place_of(one.number, depth).slug for depth in range(one.depth + 1)]

    def ref(self, *parts: str) -> str:
        """Return a ref of the waves of this plan."""
        return "/".join(("refs", launcher(), "wave", self.place.slug, *parts))

    def call(self, words: str) -> str:
        """Return a call of a verb on this plan."""
        return f"{verb(words)} {shell_word(self.place.shown)}"


def find_wave_run(path: str, project: str | None = None) -> WaveRun:
    """Return the run of a plan, which must have sessions."""
    workspace = find_workspace()
    place = find_run_place(workspace, path, project, None)
    run = WaveRun(place, read_plan_bytes(place.plan), workspace.git)
    if place.session is not None or not run.plan.sessions:
        error = f"{one_line(place.shown)} has no sessions"
        hint = "run it in this session, or divide its steps with ## Execution Strategy"
        raise RefusedError(error, hint)
    _refuse_elsewhere(run.git, run.state)
    return run


def _refuse_elsewhere(git: Git, state: WaveState) -> None:
    """Refuse a call in a worktree of a session: only the tree that the waves were started in controls them."""
    if state.begun and git.folder != git.common and git.root != state.begin["root"]:
        error = "the waves of this plan were started in another working tree"
        raise RefusedError(
            error, f"`cd {shell_word(state.begin['root'])}` first; a session cannot start waves"
        )


def find_for_hand(path: str | None, project: str | None) -> WaveRun:
    """Return the run of the plan, begun or not, or the only unfinished one of this repository."""
    if path or project:
        return find_wave_run(path or str(project), project)
    return find_begun(None, None, "name the plan with --plan PATH")


def find_begun(path: str | None, project: str | None, remedy: str = "") -> WaveRun:
    """Return a run that has begun: that of the plan, or the only unfinished one of this repository."""
    if path or project:
        run = find_wave_run(path or str(project), project)
        if not run.state.begun:
            raise RefusedError(f"no waves of {run.place.shown} have begun", f"`{run.call('waves start')}`")
        return pinned(run)
    workspace = find_workspace()
    git = workspace.git
    found = [one for one in journals(git.common) if read_wave_state(one).begun]
    unfinished = [one for one in found if read_wave_state(one).unfinished] or found[-1:]
    if not unfinished:
        raise RefusedError(
            "no waves have begun in this repository",
            remedy or f"start them with `{verb('waves start')} PLAN`",
        )
    if len(unfinished) > 1:
        names = listed(one.slug for one in unfinished)
        raise RefusedError(f"there are unfinished waves of {names}", "name one with --plan PATH")
    state = read_wave_state(unfinished[0])
    _refuse_elsewhere(git, state)
    root, begin = state.begin["root"], state.begin
    if root != workspace.root:
        workspace = find_workspace(root)
    return reopened(workspace, begin["plan"], begin["project"])


def reopened(workspace: Workspace, plan: str, project: str | None) -> WaveRun:
    """Return the run that a journal describes."""
    root = workspace.root
    place = find_run_place(workspace, os.path.join(root, plan), _within(root, project), None)
    return pinned(WaveRun(place, b"", workspace.git))


def pinned(run: WaveRun) -> WaveRun:
    """Let a run follow the plan as it was pinned at its begin."""
    run.data = run.git.blob(run.state.begin["blob"])
    run.plan, run.checked = check_plan(run.data, run.place.shown)
    return run


def _proving(given: Mapping[str, Any]) -> Settings:
    """Return settings with the proof required: sessions and their commands need fresh checkouts anyway."""
    return settings_of({**given, fields.PROOF: REQUIRE})


def _within(root: str, project: str | None) -> str | None:
    return os.path.join(root, project) if project else None
