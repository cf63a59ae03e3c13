"""Bring what is not committed but needed into a working copy: files that the project names, and dependencies."""

from __future__ import annotations

import os
import re
import stat

from ultra_runtime.checkout.ready import git_failed, system_failed
from ultra_runtime.files.git import GitError, fields
from ultra_runtime.files.regular_file import UnreadableError, read_if_any, read_regular
from ultra_runtime.files.subfolders import Subfolders
from ultra_runtime.guard.realpath import inside
from ultra_runtime.rendered import launcher
from ultra_runtime.words import counted, first_of, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ultra_runtime.files.git import Git

INCLUDE = ".worktreeinclude"
SCOPE, PROGRAMS, GIT = "@", ".bin", ".git"
# What an environment of Python has above its packages, and the record of a package that is imported from a tree.
ENVIRONMENT, PARTS = "pyvenv.cfg", re.compile(r"bin|lib|python3[.\d]*|site-packages")
RECORD, ORIGIN, FROM_TREE = ".dist-info", "direct_url.json", b'"editable"'
LARGEST_COPIED = 4 * 1024 * 1024
ENVIRONMENTS, PACKAGES = ("VIRTUAL_ENV", "CONDA_PREFIX"), ("site-packages", "dist-packages")
SPECIAL = re.compile(rb"[\\*?\[\s]")
"""What means something in a rule of git."""
CACHE_TAG = "CACHEDIR.TAG"  # by which tools mark a folder that they can make again
# What tools keep in a dependency folder to do less the next time: a run changes it, and a clone does not have it.
CACHES = frozenset(
    (
        "__pycache__",
        ".astro",
        ".cache",
        ".pytest_cache",
        ".tmp",
        ".turbo",
        ".vite",
        ".vite-temp",
        "task-cache-v0",
    )
)
DEEPEST, MOST_FOLDERS = 5, 2_000
"""How far dependency folders are looked for: a longer search would slow down every start."""
FIRST_FEW = 3


def copy_included(git: Git, commit: str, root: str, pinned: bytes | None = None) -> list[str]:
    """Copy the ignored files that `.worktreeinclude` names; `pinned` lines replace the current ones."""
    try:
        lines = include_lines(git, commit, pinned)
        copied = [path for path in included_files(git, lines) if _copy(git.root, path, root)]
        _keep_out_of_status(root, copied)
    except GitError as problem:
        raise git_failed(f"the files that {INCLUDE} names cannot be found", problem) from None
    except OSError as problem:
        raise system_failed(f"the files that {INCLUDE} names cannot be copied", problem) from None
    return (
        [f"{counted(len(copied), 'ignored file')} copied, as {INCLUDE} says: {_few(copied)}"]
        if copied
        else []
    )


def include_lines(git: Git, commit: str, pinned: bytes | None = None) -> bytes:
    """Return the pinned lines; without any, the committed `.worktreeinclude`, or else that of the user's tree."""
    if pinned is not None:
        return pinned
    committed = git.done("cat-file", "blob", f"{commit}:{INCLUDE}")
    if not committed.status:
        return committed.out
    try:
        return read_regular(os.path.join(git.root, INCLUDE))
    except UnreadableError:
        return b""


def included_files(git: Git, lines: bytes) -> list[str]:
    """Return the untracked files that match one of these patterns and that the user's git ignores."""
    if not lines.strip():
        return []
    patterns = os.path.join(git.folder, f"{launcher()}-include.{os.getpid()}")
    words = ("-c", "core.fsmonitor=false", "ls-files", "-z", "--others", "--ignored")
    try:
        with open(patterns, "wb") as file:
            file.write(lines)
        matched = git.ask(*words, f"--exclude-from={patterns}")
    finally:
        if os.path.exists(patterns):
            os.unlink(patterns)
    if not matched:
        return []
    ignored = git.done("check-ignore", "-z", "--stdin", given=matched)
    if ignored.status > 1:
        raise GitError(["check-ignore"], ignored)
    return fields(ignored.out)


def _copy(source: str, path: str, root: str) -> bool:
    """Copy one file with its mode, or a link as it is; what is committed stays, and so does anything else."""
    from shutil import copy2

    old, new = os.path.join(source, path), os.path.join(root, path)
    above = os.path.dirname(new)
    found = os.lstat(old)
    if os.path.lexists(new) or not inside(os.path.realpath(above), root):
        return False
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
        return False
    os.makedirs(above, exist_ok=True)
    copy2(old, new, follow_symlinks=False)
    return True


def link_dependencies(git: Git, root: str, names: Collection[str], known: Collection[str] = ()) -> list[str]:
    """Make the user's dependency folders available wherever the commit has the folder above them.

    Each is a folder of links and of copies of small files: removing it, or an entry of it, takes nothing from the user,
    and neither does a program that installs the project again from where it is called. A link of the user's that leads
    to another place of the tree, as workspaces have them, leads to the same place of the copy.
    """
    try:
        found = dependency_folders(git.root, names, known)
        linked = [path for path in found if _link_folder(git.root, path, root)]
        _keep_out_of_status(root, linked)
    except OSError as problem:
        raise system_failed("dependency folders cannot be linked", problem) from None
    notes = [f"dependencies as you have them: {_few(linked)}"] if linked else []
    editable = [path for path in [*linked, *environments(git.root)] if _leads_back(git.root, path)]
    if editable:
        notes.append(
            f"{_few(editable)} imports from your working tree: let `setup` install the project to test what is committed"
        )
    return notes


def _keep_out_of_status(root: str, paths: list[str]) -> None:
    """Let the git of a copy ignore what was brought: the rule may be one that only the user's repository has."""
    info = os.path.join(root, GIT, "info")
    if not paths or not os.path.isdir(os.path.dirname(info)):  # a worktree has the rules of its repository
        return
    os.makedirs(info, exist_ok=True)
    with open(os.path.join(info, "exclude"), "ab") as file:
        file.write(b"".join(b"/" + SPECIAL.sub(rb"\\\g<0>", os.fsencode(path)) + b"\n" for path in paths))


def dependency_folders(root: str, names: Collection[str], known: Collection[str] = ()) -> list[str]:
    """Return the folders with these names and the links to such, down to a few levels.

    Other repositories are left out, and what a tool marks as its cache: cargo builds into target/debug/deps. Those that
    are known need not be found: new folders may have made the search end earlier.
    """
    found, queue = [], [""] if names else []
    below = Subfolders(root)
    for folder in queue:
        full = os.path.join(root, folder)
        try:
            folders = below.of(full, os.lstat(full))
        except OSError:  # removed meanwhile, or somebody else's
            continue
        links = [name for name in names if name not in folders and _is_folder(os.path.join(full, name))]
        # Those of tools come last: the caches of some have more folders than are looked at.
        for name in sorted([*folders, *links], key=lambda name: (name.startswith("."), name)):
            path = os.path.join(folder, name)
            if name in names:
                found.append(path)
            elif (
                name != GIT
                and path.count(os.sep) < DEEPEST
                and len(queue) < MOST_FOLDERS
                and not any(os.path.lexists(os.path.join(full, name, mark)) for mark in (GIT, CACHE_TAG))
            ):
                queue.append(path)
    late = {path for path in known if os.path.basename(path) in names}.difference(found)
    return [*found, *(path for path in sorted(late) if _is_folder(os.path.join(root, path)))]


def _is_folder(path: str) -> bool:
    """Tell whether a folder or a link to one is there; most often nothing is, which this finds out quickly."""
    return os.access(path, os.F_OK) and os.path.isdir(path)


def entries_of(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield what is in a folder, by name; nothing if it was removed meanwhile or is somebody else's."""
    try:
        with os.scandir(folder) as found:
            yield from sorted(found, key=lambda entry: entry.name)
    except OSError:
        return


def _link_folder(source: str, path: str, root: str) -> bool:
    old, new = os.path.join(source, path), os.path.join(root, path)
    above = os.path.dirname(new)
    if os.path.lexists(new) or not os.path.isdir(old):
        return False
    if not os.path.isdir(above) or not inside(os.path.realpath(above), root):
        return False
    _link_entries(old, new, source, root)
    return True


def _link_entries(old: str, new: str, source: str, root: str, is_python: bool = False) -> None:
    is_python = is_python or os.path.lexists(os.path.join(old, ENVIRONMENT))
    os.mkdir(new)
    for entry in os.scandir(old):
        if entry.name in CACHES:  # it may say that a test has passed
            continue
        target = os.path.join(new, entry.name)
        leads_to = os.readlink(entry.path) if entry.is_symlink() else ""
        there = os.path.join(root, leads_to[len(source) + 1 :]) if inside(leads_to, source) else ""
        if leads_to and not os.path.isabs(leads_to):
            os.symlink(leads_to, target)
        elif there and os.path.lexists(there):
            os.symlink(there, target)
        elif entry.is_dir() and (_is_split(entry.name) or (is_python and _is_of_python(entry))):
            _link_entries(entry.path, target, source, root, is_python)
        elif not leads_to and entry.is_file() and entry.stat().st_size <= LARGEST_COPIED:
            _copy(old, entry.name, new)
        else:
            os.symlink(entry.path, target)


def _is_of_python(entry: os.DirEntry[str]) -> bool:
    """Tell whether a tool that installs the project again writes into a folder of an environment of Python."""
    if not entry.name.endswith(RECORD):
        return bool(PARTS.fullmatch(entry.name))
    return FROM_TREE in read_if_any(os.path.join(entry.path, ORIGIN))


def _is_split(name: str) -> bool:
    """Tell whether a folder in a dependency folder is a folder of links, too; a link in it may lead to its neighbours."""
    return name.startswith(SCOPE) or name == PROGRAMS


def led_into(source: str, folder: str, links: Iterable[str]) -> Iterator[str]:
    """Yield the places of the user's tree to which links in a dependency folder lead, outside of that.

    A relative link that a copy has as well leads to a place of the copy, and does not count.
    """
    top = os.path.join(source, folder)
    for link in links:
        above, text = os.path.dirname(link), os.readlink(os.path.join(top, link))
        if not os.path.isabs(text) and (not above or (os.sep not in above and _is_split(above))):
            continue
        target = os.path.normpath(os.path.join(top, above, text))
        if target.startswith(source + os.sep) and not f"{target}/".startswith(f"{top}/"):
            yield target[len(source) + 1 :]


def environments(root: str) -> list[str]:
    """Return the Python environments outside a tree that its commands use as they are.

    Variables name them, the user has one, and so has the first `python3` on PATH.
    """
    search = (os.environ.get("PATH") or "").split(os.pathsep)
    python = next((one for one in search if os.access(os.path.join(one, "python3"), os.X_OK)), "")
    named = [os.environ.get(name) or "" for name in ENVIRONMENTS]
    named += [os.environ.get("PYTHONUSERBASE") or os.path.expanduser("~/.local"), os.path.dirname(python)]
    real = (os.path.realpath(folder) for folder in named if os.path.isabs(folder))
    return [folder for folder in dict.fromkeys(real) if not inside(folder, root)]


def _leads_back(source: str, path: str) -> bool:
    """Tell whether a Python environment imports the project from the user's tree."""
    wanted = os.fsencode(source)
    for name in _import_files(os.path.join(source, path, "lib")):
        try:
            if wanted in read_regular(name):
                return True
        except UnreadableError:
            continue
    return False


def packages_of(lib: str) -> Iterator[str]:
    """Yield the folders of a Python environment in which packages are installed."""
    for version in os.listdir(lib) if os.path.isdir(lib) else ():
        if version.startswith("python"):
            places = (os.path.join(lib, version, name) for name in PACKAGES)
            yield from filter(os.path.isdir, places)


def _import_files(lib: str) -> Iterator[str]:
    for packages in packages_of(lib):
        for name in os.listdir(packages):
            if name.endswith((".pth", ".egg-link")) or (
                name.startswith("__editable__") and name.endswith(".py")
            ):
                yield os.path.join(packages, name)


def _few(paths: list[str]) -> str:
    return first_of((one_line(path) for path in paths), FIRST_FEW)
