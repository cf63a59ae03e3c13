"""Fill the submodules of a working copy from the repositories that the user has; nothing is fetched."""

from __future__ import annotations

import os

from ultra_runtime.checkout.ready import NotReady, git_failed
from ultra_runtime.checkout.worktree import PLAINLY
from ultra_runtime.files.git import Git, GitError, run_git
from ultra_runtime.guard.site import trees
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ultra_runtime.files.process import Done

GITLINK, DECLARED = "commit", ".gitmodules"


class Submodule(Struct):
    """A submodule of a commit: its path and its commit, and the git dir that the user has of it, if any."""

    path: str
    commit: str
    git_dir: str


def fill_submodules(git: Git, commit: str, root: str, seconds: float, above: str = "") -> list[str]:
    """Check out every submodule of a commit below a root, and return which ones are missing because the user lacks them too."""
    notes = []
    for found in submodules(git, commit):
        shown = above + found.path
        if not found.git_dir:
            notes.append(not_here(shown))
            continue
        refuse_lacking(found, shown)
        place = os.path.join(root, found.path)
        _clone(found, place, shown, seconds)
        inner = Git(os.path.join(git.root, found.path), found.git_dir, found.git_dir, {})
        notes += fill_submodules(inner, found.commit, place, seconds, f"{shown}/")
    return notes


def submodule_notes(git: Git, commit: str) -> list[str]:
    """Return which submodules of a commit the user has not initialised; refuse one whose commit is missing."""
    notes = []
    for found in submodules(git, commit):
        if not found.git_dir:
            notes.append(not_here(found.path))
        else:
            refuse_lacking(found, found.path)
    return notes


def not_here(shown: str) -> str:
    """Return the note on a submodule that the user has not initialised."""
    name = one_line(shown)
    return f"the submodule {name} is empty here, and so in a clean checkout: `git submodule update --init` fills it"


def refuse_lacking(found: Submodule, shown: str) -> None:
    """Refuse a submodule that is here without the commit that the repository names."""
    if _read(found.git_dir, "cat-file", "-e", f"{found.commit}^{{commit}}").status:
        reason = f"the submodule {one_line(shown)} does not have its commit {found.commit[:12]}"
        raise NotReady(reason, f"run `git submodule update --init --recursive {shell_word(shown)}`")


def submodules(git: Git, commit: str) -> Iterator[Submodule]:
    """Yield the submodules that a commit declares and has."""
    wanted = ("-z", "--get-regexp", r"^submodule\..*\.path$")
    declared = _read(git.folder, "config", "--blob", f"{commit}:{DECLARED}", *wanted)
    rows = [os.fsdecode(row).partition("\n") for row in declared.out.split(b"\0") if row]
    names = {path: key[len("submodule.") : -len(".path")] for key, _, path in rows}
    if not names:
        return
    listed = _read(git.folder, "ls-tree", "-z", "--full-tree", commit, "--", *names)
    for row in listed.out.split(b"\0")[:-1]:
        fields, _, path = os.fsdecode(row).partition("\t")
        _, kind, name = fields.split(" ")
        if kind == GITLINK and path in names:
            yield Submodule(path, name, _git_dir(git, path, names[path]))


def _git_dir(git: Git, path: str, name: str) -> str:
    """Return the user's git dir of a submodule: the one of its folder, or the one that git keeps."""
    folder = os.path.realpath(os.path.join(git.root, path))
    for tree, git_dir in trees(folder):
        if tree == folder:
            return git_dir
    if ".." in name.split("/"):  # git refuses such a name too
        return ""
    kept = [os.path.join(base, "modules", name) for base in (git.folder, git.common)]
    return next((one for one in kept if os.path.isdir(os.path.join(one, "objects"))), "")


def _read(git_dir: str, *words: str) -> Done:
    """Read from a repository whose working tree may be gone."""
    return run_git(git_dir, [f"--git-dir={git_dir}", f"--work-tree={git_dir}", *PLAINLY, *words])


def _clone(found: Submodule, place: str, shown: str, seconds: float) -> None:
    """Check out a submodule in a repository of its own that borrows the user's objects."""
    clone = ["clone", "--quiet", "--shared", "--no-checkout", "--template=", found.git_dir, place]
    checkout = ["checkout", "--quiet", "--detach", "--force", found.commit]
    anyway = ("-c", "protocol.file.allow=always", "-c", "clone.rejectShallow=false")
    for folder, words in ((os.path.dirname(place), clone), (place, checkout)):
        done = run_git(folder, [*PLAINLY, *anyway, *words], seconds=seconds)
        if done.status:
            what = f"the submodule {one_line(shown)} cannot be checked out"
            raise git_failed(what, GitError(words, done))
