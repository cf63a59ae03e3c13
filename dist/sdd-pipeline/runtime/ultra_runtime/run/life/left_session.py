"""Record in the lock of a run that the client's process has left the session that owns the run, or is back in it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def note_session(root: str, lock: Mapping[str, Any], session: str) -> None:
    """Record, when a session of the client starts, whether its process has left the session that owns the run."""
    from ultra_runtime.run.state.owner import CLIENT, Owner, this_owner

    owner = Owner.of(lock.get("owner"))
    left = owner.session != session
    if not session or owner.kind != CLIENT or owner.left == left or not owner.has_process_of(this_owner()):
        return
    from ultra_runtime.guard.site import LOCK
    from ultra_runtime.run.state.lock import Busy, read_lock
    from ultra_runtime.run.tree.workspace import find_workspace

    workspace = find_workspace(root)
    with Busy(workspace, "session start"):
        now = read_lock(workspace)
        if now and now.get("owner") == lock.get("owner"):
            owner.left = left
            workspace.write_sealed({**now, "owner": owner.as_data()}, LOCK)
