"""Find out before a run whether a working copy can be made; hardly anything is checked out, so this costs little."""

from __future__ import annotations

import os

from ultra_runtime.checkout.copy import claim_folder, copy_folder, unclaim_folder
from ultra_runtime.checkout.filters import try_filters
from ultra_runtime.checkout.ready import NotReady
from ultra_runtime.checkout.setup import refuse_blocked
from ultra_runtime.checkout.submodules import DECLARED, submodule_notes
from ultra_runtime.checkout.worktree import runs_programs
from ultra_runtime.tables.limits import CHECKOUT_MEGABYTES
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.files.git import Git

MEGABYTE = 1024 * 1024


def try_copy(git: Git, commit: str, settings: Settings) -> list[str]:
    """Refuse what would keep a copy from being made: the setup, a submodule, a filter, the folder or the disk."""
    refuse_blocked(git.root, settings)
    declared = os.path.lexists(os.path.join(git.root, DECLARED))
    notes = submodule_notes(git, commit) if declared else []
    folder = claim_folder(git, copy_folder(git))
    try:
        space = os.statvfs(folder)
        free = space.f_bavail * space.f_frsize // MEGABYTE
        notes += try_filters(git, commit, folder)
    finally:
        unclaim_folder(git, folder)
    above = os.path.dirname(folder)
    if runs_programs(git.root) and not runs_programs(above):
        reason = f"no program can run in {one_line(above)}, because it is mounted with noexec"
        raise NotReady(reason, "set TMPDIR to a folder in which programs can run")
    if free < CHECKOUT_MEGABYTES:
        reason = f"{one_line(above)} has {free} MB left; a copy needs {CHECKOUT_MEGABYTES} MB or more"
        raise NotReady(reason, "free space there, or set TMPDIR to a folder with more")
    return notes
