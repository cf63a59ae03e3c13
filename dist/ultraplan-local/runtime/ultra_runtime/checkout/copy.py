"""Make a working copy of a commit in which the commands of the project run, and remove it without a trace."""

from __future__ import annotations

import os

from ultra_runtime.checkout.carried import copy_included, link_dependencies
from ultra_runtime.checkout.ready import NotReady, system_failed
from ultra_runtime.checkout.register import claim, record_of, release
from ultra_runtime.checkout.setup import mark_of, run_setup
from ultra_runtime.checkout.standalone import stand_alone
from ultra_runtime.checkout.submodules import DECLARED, fill_submodules
from ultra_runtime.checkout.surroundings import conversions
from ultra_runtime.checkout.worktree import add_worktree, copies_folder, registered, remove_worktree
from ultra_runtime.files.git import Git
from ultra_runtime.files.process import end_marked
from ultra_runtime.guard.site import FOLDER
from ultra_runtime.rendered import launcher
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.tables.limits import CHECKOUT_SECONDS
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ultra_runtime.checkout.settings import Settings

__all__ = ["Copy", "NotReady", "copy_folder", "make_copy", "remove_copy"]
SETUP_LOG = "setup.log"
LONGEST_NAME = 50
"""So much of the name of the user's folder is part of that of a copy: with all of it, it could be too long."""


class Copy(Struct):
    """A working copy: its root, what a person should know about it, and what converted its files."""

    root: str
    notes: list[str]
    conversions: dict[str, str]


def copy_folder(git: Git) -> str:
    """Return a new folder for a copy: among the temporary ones, since some tools skip everything below `.git`."""
    name = f"{launcher()}-{os.urandom(6).hex()}-{os.path.basename(git.root)[:LONGEST_NAME]}"
    return os.path.join(copies_folder(git.root), name)


def make_copy(
    git: Git,
    commit: str,
    folder: str,
    settings: Settings,
    env: Mapping[str, str],
    include: bytes | None = None,
    known: Collection[str] = (),
) -> Copy:
    """Return a ready working copy of a commit in a new folder; it belongs to this process until that ends.

    `include` are the lines of an uncommitted `.worktreeinclude`; without them, those of the user's tree count.
    `known` are paths among which dependency folders may be that are linked whatever a search finds.
    """
    seconds = settings.limits.get(fields.LIMITS_CHECKOUT_SECONDS, CHECKOUT_SECONDS)
    root = claim_folder(git, folder)
    try:
        add_worktree(git, commit, root, seconds)
        (own,) = registered(git, root)
        converted = conversions(Git(root, own, git.common, {}))
        stand_alone(git, commit, root)
        declared = os.path.lexists(os.path.join(root, DECLARED))
        notes = fill_submodules(git, commit, root, seconds) if declared else []
        notes += copy_included(git, commit, root, include)
        notes += link_dependencies(git, root, settings.dependencies, known)
        run_setup(root, settings, env, os.path.join(git.folder, FOLDER, SETUP_LOG))
    except BaseException:
        remove_copy(git, root)
        raise
    return Copy(root, notes, converted)


def claim_folder(git: Git, folder: str) -> str:
    """Create and register the folder of a copy, and return its plain path; copies left by killed processes go."""
    root = _plain(folder)
    claim(git, root, lambda stale: remove_copy(git, stale))
    try:
        os.mkdir(root, 0o700)
    except OSError as problem:
        remove_copy(git, root)
        raise system_failed(f"{one_line(root)} cannot be created", problem) from None
    return root


def unclaim_folder(git: Git, folder: str) -> None:
    """Remove a folder in which no copy was made; this looks for no processes, and so costs little."""
    root = _plain(folder)
    try:
        os.rmdir(root)
    except OSError:
        remove_copy(git, root)
    else:
        release(git, root)


def remove_copy(git: Git, folder: str) -> None:
    """Remove a working copy and its processes; a folder that was not made as one stays."""
    root = _plain(folder)
    if not os.path.exists(record_of(git, root)):
        return
    end_marked(mark_of(root))
    remove_worktree(git, root)
    if not os.path.lexists(root):  # or the next copy tries again
        release(git, root)


def _plain(folder: str) -> str:
    """Return a folder without links in the path to it, as git writes it down."""
    above, name = os.path.split(os.path.abspath(folder))
    return os.path.join(os.path.realpath(above), name)
