"""Keep what outlives a run: its findings for a resume, and its files after a restart."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.atomic import free_name
from ultra_runtime.run.tree.workspace import make_folder, put
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.tree.workspace import Workspace

FOUND = "found"
PLAN_CHANGE = "plan-change.diff"
LOGS = ("step-", "proof-", "exit-condition-", "entry-condition", "report.", "plan-change.")


def keep_findings(workspace: Workspace, lock: dict[str, Any]) -> None:
    """Save the findings of a run before its lock is removed."""
    if lock.get("findings"):
        workspace.write({"findings": lock["findings"]}, FOUND, f"{lock.get('slug')}.json")


def kept_findings(workspace: Workspace, slug: str) -> list[str]:
    """Return the saved findings of a run."""
    findings = workspace.read(FOUND, f"{slug}.json").get("findings")
    return findings if isinstance(findings, list) else []


def drop_findings(live: Live) -> None:
    """Remove the saved findings: the run is completed or starts over."""
    live.workspace.remove(FOUND, f"{live.place.slug}.json")


def free_path(path: str) -> str:
    """Return a path, or one with a number if it exists: logs are never overwritten."""
    folder, name = os.path.split(path)
    return os.path.join(folder, free_name(name, _names(folder)))


def put_aside(live: Live, pinned: bytes | None) -> str:
    """Move plan, progress, report and logs of the earlier run into a separate folder and return it."""
    place = live.place
    names = [name for name in _names(place.logs) if name.startswith(LOGS)]
    files = {os.path.join(place.logs, name): name for name in names}
    if os.path.isfile(place.progress):
        files[place.progress] = os.path.basename(place.progress)
    if not files and pinned is None:
        return ""
    folder = _free(os.path.join(place.logs, "run"))
    try:
        make_folder(folder)
        for path, name in files.items():
            os.replace(path, os.path.join(folder, name))
    except OSError as problem:
        error = f"the earlier run cannot be moved to {one_line(place.show(folder))}: {problem.strerror}"
        raise RefusedError(error, "fix this and start again") from None
    if pinned is not None:
        put(os.path.join(folder, os.path.basename(place.plan)), pinned)
    return place.show(folder)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _free(stem: str) -> str:
    number = 1
    while os.path.lexists(f"{stem}-{number}"):
        number += 1
    return f"{stem}-{number}"
