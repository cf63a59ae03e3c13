"""Find the run to abort and end it, in whatever state it is."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.run.life.finish import abort
from ultra_runtime.run.state.assignment import Assignment, read_plan_bytes, read_valid_plan
from ultra_runtime.run.state.live import Live, place_of, refuse_other
from ultra_runtime.run.state.lock import Busy, drop_lock, read_lock
from ultra_runtime.run.state.owner import Owner, this_owner
from ultra_runtime.run.state.past import keep_findings
from ultra_runtime.run.state.repair import reconcile
from ultra_runtime.run.state.statuses import STOPPED
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.words import one_line


def abort_live(plan: str | None, project: str | None, force: bool) -> tuple[str, list[str], str]:
    """End the live run; return its status, what was saved of the user's, and the command that continues it."""
    workspace = find_workspace()
    lock = read_lock(workspace)
    if lock is None:
        raise RefusedError("no run is in progress in this working tree", "there is nothing to abort")
    place = place_of(workspace, lock)
    refuse_other(workspace, place, plan, project)
    owner = Owner.of(lock.get("owner"))
    caller = this_owner()
    if not force and owner.lives() and not owner.is_same(caller):
        whose = owner.seen_by(caller)
        error = f"the run of {one_line(place.shown)} belongs to {whose} that is alive ({owner})"
        raise RefusedError(error, "ask the user; --force ends it anyway")
    with Busy(workspace, "run abort"):
        live = Live(workspace, place, lock)
        live.is_recorded = True
        try:
            # The pinned plan: an edit since then must not keep the run stuck.
            pinned = live.git.refs(place.slug).get("plan", "")
            data = live.git.blob(pinned) if pinned else read_plan_bytes(place.plan)
            live.assignment = Assignment(read_valid_plan(data, place.shown)[0], place.session)
            reconcile(live)
        except RefusedError:
            keep_findings(workspace, lock)
            drop_lock(workspace)
            return STOPPED, [], live.command("--resume")
        return (*abort(live), live.command("--resume"))
