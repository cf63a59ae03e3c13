"""Save files as they are, before they are changed or taken away, and write saved ones back.

A save is a commit outside the history, under a ref of its own, so that no gc takes it: its tree has the bytes of the
files without any conversion, and its message has their modes, folders and special files, and the paths that were not
there. If the index had changed as well, a second parent has what was staged, as in git's own stash.
"""

from __future__ import annotations

import os
import stat

from ultra_runtime.errors import UltraError
from ultra_runtime.files.git import GitError
from ultra_runtime.rendered import launcher
from ultra_runtime.run.tree.placing import is_behind_a_link
from ultra_runtime.struct import EMPTY, Struct
from ultra_runtime.text.jsontext import JsonError, read_object, write
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ultra_runtime.files.git import Git

RESCUE = f"refs/{launcher()}/rescue"
LINK, FILE, EXECUTABLE = "120000", "100644", "100755"
ESCAPES = ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n"), (b"\r", b"\\r"))
# A save is nobody's work, and it must not fail where nobody has said who they are.
NOBODY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", launcher()), ("EMAIL", f"{launcher()}@localhost"))
}


class NotSavedError(UltraError):
    """Why files could not be saved; nothing was changed."""


class SavedFile(Struct):
    """A file or a symbolic link: its permission bits (-1: a link) and the object with its bytes or target."""

    bits: int
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SavedFile) and (self.bits, self.name) == (other.bits, other.name)

    def __hash__(self) -> int:
        return hash((self.bits, self.name))

    @property
    def mode(self) -> str:
        """The mode that git has for it."""
        return LINK if self.bits < 0 else EXECUTABLE if self.bits & 0o100 else FILE


class Save(Struct):
    """A save: its ref and commit, and path -> what was there, or nothing."""

    ref: str
    commit: str
    items: dict[str, SavedFile | None]
    others: Mapping[str, Sequence[int]] = EMPTY
    """Folders and special files, which no tree of git has: mode and device number."""

    @property
    def slug(self) -> str:
        """The name of its run."""
        return self.ref[len(RESCUE) + 1 :].rpartition("/")[0]


def item_at(root: str, path: str) -> SavedFile | None:
    """Return what is at a path, without its object; nothing for a folder, behind a link, or where nothing is."""
    if is_behind_a_link(root, path):
        return None
    try:
        mode = os.lstat(os.path.join(root, path)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        raise NotSavedError(f"{one_line(path)} cannot be read: {problem.strerror}") from None
    if stat.S_ISLNK(mode):
        return SavedFile(-1, "")
    return SavedFile(stat.S_IMODE(mode), "") if stat.S_ISREG(mode) else None


def save_items(git: Git, items: Mapping[str, SavedFile | None], env: Mapping[str, str] | None = None) -> None:
    """Write the bytes of files and the targets of links into the object store, and name the objects."""
    files = [path for path, item in items.items() if item and item.bits >= 0]
    if files:
        given = b"".join(_line(os.path.join(git.root, path)) for path in files)
        words = ("hash-object", "-w", "--no-filters", "--stdin-paths")
        names = git.ask(*words, given=given, env=env).decode().split()
        if len(names) != len(files):
            raise NotSavedError(f"git saved {len(names)} of {len(files)} files")
        for path, name in zip(files, names):
            items[path].name = name  # type: ignore[union-attr]
    for path, item in items.items():
        if item and item.bits < 0:
            target = os.fsencode(os.readlink(os.path.join(git.root, path)))
            said = git.ask("hash-object", "-w", "--no-filters", "--stdin", given=target, env=env)
            item.name = said.decode().strip()


def _line(path: str) -> bytes:
    """Return a full path as a line for git, which reads one in quotes as C does, and drops a CR at the end."""
    name = os.fsencode(path)
    if b"\n" in name or name.endswith(b"\r"):
        for sign, written in ESCAPES:
            name = name.replace(sign, written)
        name = b'"%b"' % name
    return name + b"\n"


def save(
    git: Git,
    slug: str,
    number: int,
    start: str,
    paths: Iterable[str],
    onto: Save | None = None,
    items: Mapping[str, SavedFile | None] | None = None,
    staged: str = "",
    folders: Iterable[str] = (),
) -> Save:
    """Save what is at these paths now, in a new save or on top of one; all of it or an error.

    What the save has of a path already stays: since then the path has been restored. `folders` will be taken away too.
    `items` when that is known already, and the repository has it; `staged` is the tree of the index.
    """
    try:
        if items is None:
            items = {path: item_at(git.root, path) for path in paths if not onto or path not in onto.items}
            save_items(git, items)
        both = {**(onto.items if onto else {}), **items}
        without = [path for path, item in items.items() if item is None]
        others = {**_others_at(git.root, [*folders, *without]), **(onto.others if onto else {})}
        tree = _tree(git, onto.commit if onto else start, items)
        kept: dict[str, Any] = {spelled(path): item.bits if item else None for path, item in both.items()}
        kept.update((spelled(path), mode) for path, mode in others.items())
        message = f"changes of step {number} of {slug} before they were undone\n\n{write(kept)}\n"
        parents = [start, *([_commit(git, staged, [start], "what was staged")] if staged else [])]
        commit = _commit(git, tree, parents, message)
        ref = onto.ref if onto else _free(git, f"{RESCUE}/{slug}/step-{number}")
        git.ask("update-ref", ref, commit, onto.commit if onto else "0" * len(commit))
    except GitError as problem:
        raise NotSavedError(str(problem)) from None
    except OSError as problem:
        raise NotSavedError(one_line(str(problem.strerror or problem))) from None
    return Save(ref, commit, both, others)


def _others_at(root: str, paths: Iterable[str]) -> dict[str, list[int]]:
    """Return the folders and special files at these paths: mode and device number."""
    found = {}
    for path in paths:
        if not is_behind_a_link(root, path) and os.path.lexists(os.path.join(root, path)):
            status = os.lstat(os.path.join(root, path))
            if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
                found[path] = [status.st_mode, status.st_rdev]
    return found


def save_once(git: Git, slug: str, number: int, start: str, items: Mapping[str, SavedFile | None]) -> Save:
    """Save what is known of some paths, unless a save of the step has just that: a commit may be tried more than once."""
    for one in find_saves(git, number).get(slug, ()):
        if read_save(git, one).items == items:
            return one
    return save(git, slug, number, start, items, items=items)


def _commit(git: Git, tree: str, parents: Iterable[str], message: str) -> str:
    """Make a commit that no branch has."""
    above = [word for parent in parents for word in ("-p", parent)]
    return git.ask("commit-tree", tree, *above, given=message.encode(), env=NOBODY).decode().strip()


def _tree(git: Git, base: str, items: Mapping[str, SavedFile | None]) -> str:
    """Return the tree of a commit with these files instead of its own."""
    index = os.path.join(git.folder, f"{launcher()}-rescue.{os.getpid()}")
    env = {"GIT_INDEX_FILE": index}
    none = "0" * len(base)
    rows = [f"0 {none} 0\t".encode() + os.fsencode(path) + b"\0" for path in items]
    for path, item in items.items():
        if item:
            rows.append(f"{item.mode} {item.name} 0\t".encode() + os.fsencode(path) + b"\0")
    try:
        git.ask("read-tree", base, env=env)
        git.ask("update-index", "--replace", "-z", "--index-info", given=b"".join(rows), env=env)
        return git.ask("write-tree", env=env).decode().strip()
    finally:
        for path in (index, index + ".lock"):
            if os.path.exists(path):
                os.unlink(path)


def _free(git: Git, ref: str) -> str:
    """Return an unused ref: earlier saves stay."""
    said = git.ask("for-each-ref", "--format=%(refname)", f"{ref}", f"{ref}-*").decode().split()
    number, free = 1, ref
    while free in said:
        number += 1
        free = f"{ref}-{number}"
    return free


def find_saves(git: Git, number: int) -> dict[str, list[Save]]:
    """Return the saves of a step, the newest first, by the name of the run."""
    found: dict[str, list[Save]] = {}
    said = git.ask("for-each-ref", "--format=%(refname) %(objectname)", RESCUE).decode()
    for ref, commit in (row.split(" ") for row in said.splitlines()):
        slug, _, name = ref[len(RESCUE) + 1 :].rpartition("/")
        step, _, turn = name.removeprefix("step-").partition("-")
        if slug and step == str(number) and (turn or "1").isdigit():
            found.setdefault(slug, []).append(Save(ref, commit, {}))
    for saves in found.values():
        saves.sort(key=lambda one: int(one.ref.partition("/step-")[2].partition("-")[2] or 1), reverse=True)
    return found


def read_save(git: Git, found: Save) -> Save:
    """Return a save with its content; empty if it is not one of ours."""
    _, _, body = git.ask("cat-file", "commit", found.commit).partition(b"\n\n")[2].partition(b"\n\n")
    try:
        bits = {unspelled(key): value for key, value in read_object(body).values.items()}
    except JsonError:
        return found
    others = {path: value for path, value in bits.items() if isinstance(value, list)}
    items: dict[str, SavedFile | None] = dict.fromkeys(bits)
    for row in git.ask("ls-tree", "-r", "-z", "--full-tree", found.commit).split(b"\0")[:-1]:
        fields, _, name = row.partition(b"\t")
        path = os.fsdecode(name)
        if bits.get(path) is not None:
            items[path] = SavedFile(bits[path], fields.decode().split(" ")[2])
    return Save(found.ref, found.commit, items, others)


def spelled(path: str) -> str:
    """Return a path, which may have any bytes, as text for JSON, which may not."""
    return os.fsencode(path).decode("latin-1")


def unspelled(text: str) -> str:
    return os.fsdecode(text.encode("latin-1"))
