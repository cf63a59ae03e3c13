"""Before a compaction: update the progress file from git, and print what the summary must keep."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.digest import sha256
from ultra_runtime.rendered import launcher, verb
from ultra_runtime.run.life.recorded import read_facts, stray_commits
from ultra_runtime.run.state.assignment import Assignment, check_plan, read_plan_bytes
from ultra_runtime.run.state.live import Live, place_of
from ultra_runtime.run.state.lock import Busy, read_lock
from ultra_runtime.run.state.repair import reconcile
from ultra_runtime.run.state.standing import read_standing
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.guard.site import Site
    from ultra_runtime.run.state.standing import Standing

RULE = (
    f"Only `{launcher()}` moves the run (step begin, verify, commit; run finish): after the summary continue with that command;"
    " never edit the plan or progress.json."
)


class CaughtUp(Struct):
    """What the summary must say beside the lock: the title of the current step, and commits that no step made."""

    title: str = ""
    strays: Sequence[str] = ()


def catch_up(folder: str) -> CaughtUp:
    """Update the progress file from git, forwards only, and compare the commits since the start with the steps."""
    workspace = find_workspace(folder)
    lock = read_lock(workspace)
    if lock is None:
        return CaughtUp()
    live = Live(workspace, place_of(workspace, lock), lock)
    live.is_recorded = True
    live.assignment = Assignment(check_plan(_pinned_plan(live), live.place.shown)[0], live.place.session)
    try:
        with Busy(workspace, "compaction"):
            reconcile(live, only_forwards=True)
    except RefusedError:  # a verb is running, or the folder is not writable: report the file as it is
        pass
    turn = read_standing(live.place.root, workspace.git.folder, lock).step
    title = next((step.title for step in live.assignment.steps if step.number == turn), "")
    facts = read_facts(live.git, live.place)
    return CaughtUp(title, stray_commits(live.git, facts) if facts else ())


def _pinned_plan(live: Live) -> bytes:
    """Return the plan as it was at the start: the file, or what git has of it if the file was edited."""
    try:
        data = read_plan_bytes(live.place.plan)
    except RefusedError:
        data = b""
    if sha256(data) == live.lock.get("digest"):
        return data
    pinned = live.git.refs(live.place.slug).get("plan", "")
    return live.git.blob(pinned) if pinned else read_plan_bytes(live.place.plan)


def words_for_summary(site: Site, found: CaughtUp) -> str:
    """Return what the summary of the conversation must keep."""
    standing = read_standing(site.root, site.git_dir, site.lock)
    lines = [
        f"A run of {launcher()} is in progress. Keep these lines in the summary:",
        f"- Plan: {standing.plan}",
        f"- Status: {_where(standing, found.title)}; {standing.done} of {standing.total} steps are over",
        *(f"- Git: {one_line(stray)}" for stray in found.strays),
        f"- Next command: `{standing.next}`{_hint(standing)}",
        f"- {RULE}",
        f"- A new session continues with: {standing.resume}",
    ]
    return "\n".join(lines)


def _where(standing: Standing, title: str) -> str:
    return f'{standing.words} ("{one_line(title, 100)}")' if title else standing.words


def _hint(standing: Standing) -> str:
    return ", once the step's edits are made" if standing.next.startswith(verb("step verify")) else ""
