"""One line about the run of a working tree for a session that begins: in progress, interrupted, or nothing."""

from __future__ import annotations

import os

from ultra_runtime.files.root import PROJECTS
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.lock import Owner
from ultra_runtime.run.state.standing import Standing, read_json, read_standing
from ultra_runtime.text.timestamp import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.guard.site import Site

NAMES = ("progress", ".json")
PART = "-session-"


def line_of_lock(root: str, git_dir: str, lock: dict[str, Any], own: Site | None) -> str:
    """Return the line about the run that holds the tree."""
    standing = read_standing(root, git_dir, lock)
    if own is not None:
        return f"The run of {standing.plan} is in progress in this session: {standing.words}. To go on: {standing.next}"
    owner = Owner.of(lock.get("owner"))
    if owner.lives():
        return (
            f"The run of {standing.plan} is in progress in another session ({owner}): {standing.words}."
            f" Leave this working tree to it; `{verb('status')}` shows how far it is"
        )
    return f"Unfinished run of {standing.plan}: it was interrupted, {standing.words}. To go on: {standing.resume}"


def line_of_progress(root: str) -> str:
    """Return the line about the newest run that says it is in progress and that nobody holds any more."""
    found = [one for name in _folders(root) for one in _runs(root, name)]
    if not found:
        return ""
    standing = max(found, key=lambda pair: pair[0])[1]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return (
        f"Unfinished run of {standing.plan}{more}: it was interrupted, {standing.words}."
        f" To go on: {standing.resume}"
    )


def _folders(root: str) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(root, PROJECTS)))
    except OSError:
        return []


def _runs(root: str, name: str) -> list[tuple[int, Standing]]:
    """Return when and where each interrupted run of a project stands."""
    shown = "/".join([*PROJECTS.split(os.sep), name])
    folder = os.path.join(root, PROJECTS, name)
    try:
        files = [
            one for one in sorted(os.listdir(folder)) if one.startswith(NAMES[0]) and one.endswith(NAMES[1])
        ]
    except OSError:
        return []
    runs = []
    for file in files:
        progress = read_json(os.path.join(folder, file))
        if progress.get("status") != "in_progress":
            continue
        number = file[len(NAMES[0] + PART) : -len(NAMES[1])]
        session = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else None
        lock = {"plan": progress.get("plan") or f"{shown}/plan.md", "project": shown, "session": session}
        runs.append((instant(str(progress.get("updated_at"))) or 0, Standing(lock, progress, {})))
    return runs
