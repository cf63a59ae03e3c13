"""What a working copy takes from around its commit: settings, git's conversions, included files, dependencies.

A run is pinned to them at its start, so that a later change is named instead of trusted.
"""

from __future__ import annotations

import os
import re

from ultra_runtime.checkout.carried import (
    CACHES,
    INCLUDE,
    PACKAGES,
    dependency_folders,
    entries_of,
    environments,
    include_lines,
    included_files,
    led_into,
    packages_of,
)
from ultra_runtime.checkout.variables import paths_in
from ultra_runtime.checkout.worktree import copies_folder
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.regular_file import LARGEST, read_if_any
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.files.git import Git

CONVERSIONS = re.compile(r"(filter|lfs)\..*|core\.(autocrlf|eol|symlinks|attributesfile)", re.DOTALL)
# Settings of one repository reach its working copies only if they convert files. Those of the user and of the machine
# reach them all, also when a command of the plan asks git. Settings that change nothing there may change any day.
OF_REPOSITORY = ("local", "worktree")
EVERYDAY = re.compile(
    r"(advice|branch|color|credential|gc|gui|maintenance|remote|safe|user)\..*|core\.(editor|pager)",
    re.DOTALL,
)
ATTRIBUTES_FILE = "core.attributesfile"
READING, CARRIED, SEARCHED = "reading", "carried", "searched"
MOST_ENTRIES = 5_000
OTHERS = f"the rest of what {INCLUDE} names"
READ_DEPTH, LARGEST_READ = 2, 256 * 1024
# What tools look for in the folders above that in which they run.
LOOKED_FOR = (
    "node_modules", "package.json", "tsconfig.json", "jsconfig.json", ".npmrc", ".eslintrc", ".eslintrc.js",
    ".eslintrc.json", "eslint.config.js", ".babelrc", "babel.config.js", "jest.config.js", "deno.json", "nx.json",
    "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "conftest.py", ".coveragerc", "Cargo.toml", ".cargo",
    "go.mod", "go.work", "pom.xml", ".mvn", "build.gradle", "settings.gradle", "Gemfile", ".bundle", ".rspec",
    "composer.json", "mix.exs", "WORKSPACE", "MODULE.bazel", ".bazelrc", ".tool-versions", ".editorconfig",
    "Directory.Build.props", "global.json",
)  # fmt: skip


class Surroundings(Struct):
    """What a run is pinned to beside its plan and its start."""

    given: Mapping[str, Any]
    """The settings as the project's file has them."""
    settings: Mapping[str, Any]
    """The settings that the run uses."""
    include: str
    """The lines of `.worktreeinclude`, one character per byte."""
    reading: dict[str, str]
    """Settings and files of git that change bytes on their way into or out of the tree -> digest."""
    carried: dict[str, str]
    """Dependency folders and included files -> digest."""

    searched: dict[str, str]
    """What commands find by variables in the user's tree, and by looking upwards from a working copy -> digest."""

    def as_data(self) -> dict[str, Any]:
        return dict(self.__dict__)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Surroundings:
        """Read what `as_data` wrote."""
        return cls(
            data["given"],
            data["settings"],
            data["include"],
            data[READING],
            data[CARRIED],
            data.get(SEARCHED) or {},
        )


def look_around(
    git: Git, given: Mapping[str, Any], settings: Settings, known: Collection[str] = ()
) -> Surroundings:
    """Return the surroundings as they are now, with the dependency folders that are known."""
    include = include_lines(git, "HEAD").decode("latin-1")
    found = carried(git, include, settings, known)
    return Surroundings(given, settings.given, include, conversions(git), found, searched(git.root, settings))


def changed_names(was: Surroundings, now: Surroundings) -> list[str]:
    """Return what differs between two looks, settings of the project first."""
    names = [f"`{name}`" for name in {**was.given, **now.given} if was.given.get(name) != now.given.get(name)]
    names += [INCLUDE] if was.include != now.include else []
    names += [*_differing(was.reading, now.reading), *_differing(was.carried, now.carried)]
    return [*names, *_newly_found(was.searched, now.searched)]


def differences(git: Git, pinned: Surroundings, settings: Settings) -> list[list[str]]:
    """Return what a working copy would get that differs from the start: pairs of kind and name."""
    now = {READING: conversions(git), CARRIED: carried(git, pinned.include, settings, pinned.carried)}
    was = {READING: pinned.reading, CARRIED: pinned.carried}
    found = [[kind, name] for kind in now for name in _differing(was[kind], now[kind])]
    names = _newly_found(pinned.searched, searched(git.root, settings))
    return found + [[SEARCHED, name] for name in names]


def added_conversions(pinned: Surroundings, found: Mapping[str, str]) -> list[list[str]]:
    """Return what converted files in a working copy and not in the user's tree: pairs of kind and name."""
    return [[READING, name] for name in _new_in(pinned.reading, found)]


def _differing(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(name for name in {*was, *now} if was.get(name) != now.get(name))


def _new_in(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return what is new or has changed; what nothing leads to any more has no effect."""
    return sorted(name for name, digest in now.items() if was.get(name, "") != digest)


def _newly_found(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return what commands find that is new or has changed; another environment of Python shows by its variables."""
    return [name for name in _new_in(was, now) if name in was or not name.endswith(PACKAGES)]


def conversions(git: Git) -> dict[str, str]:
    """Return what changes bytes between the tree and the commits, or what git says, each with a digest of its value."""
    found: dict[str, str] = {}
    values = {}
    said = _text(git.done("config", "-z", "--list", "--show-scope").out).split("\0")
    for scope, row in zip(said[::2], said[1::2]):
        name, _, value = row.partition("\n")
        if CONVERSIONS.fullmatch(name) or not (scope in OF_REPOSITORY or EVERYDAY.fullmatch(name)):
            found[name] = _digest(found.get(name, "") + value)
            values[name] = value
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    usual = os.path.join(home, "git", "attributes")
    for path in (values.get(ATTRIBUTES_FILE) or usual, os.path.join(git.common, "info", "attributes")):
        text = read_if_any(os.path.join(git.root, os.path.expanduser(path)))
        if text:
            found[_text(os.fsencode(path))] = sha256(text)[:16]
    return found


def carried(git: Git, include: str, settings: Settings, known: Collection[str] = ()) -> dict[str, str]:
    """Return the dependency folders and the included files, each with a digest of what is cheap to see."""
    found: dict[str, str] = {}
    targets: set[str] = set()
    for path in dependency_folders(git.root, settings.dependencies, known):
        links: list[str] = []
        found[path] = _folder_digest(os.path.join(git.root, path), links)
        targets.update(led_into(git.root, path, links))
    for path in targets - _tracked(git, targets):
        found[path] = _any_digest(os.path.join(git.root, path))
    included = included_files(git, include.encode("latin-1"))
    for path in included[:MOST_ENTRIES]:
        found[path] = _any_digest(os.path.join(git.root, path))
    if included[MOST_ENTRIES:]:
        marks = [f"{path} {_any_digest(os.path.join(git.root, path))}" for path in included[MOST_ENTRIES:]]
        found[OTHERS] = _digest("\0".join(marks))
    return {_text(os.fsencode(path)): digest for path, digest in found.items()}


def _tracked(git: Git, paths: Collection[str]) -> set[str]:
    """Return which of some files and folders are in the index: a working copy has its own."""
    said = git.done("ls-files", "-z", "--", *paths, env={"GIT_LITERAL_PATHSPECS": "1"}).out if paths else b""
    rows = [os.fsdecode(row) for row in said.split(b"\0")[:-1]]
    return {path for path in paths if any(row == path or row.startswith(f"{path}/") for row in rows)}


def searched(root: str, settings: Settings) -> dict[str, str]:
    """Return what the plan's commands find although no commit has it, each with a digest.

    These are the folders of the user's tree on PATH, the files in it that other variables name, what is installed in a
    Python environment outside of it, and what tools look for above a working copy.
    """
    found = {}
    for name, value in os.environ.items():
        for part in paths_in(value, root) if name != "_" else ():
            inside = part[len(root) + 1 :]
            if not inside or set(inside.split(os.sep)) & set(settings.dependencies):
                continue
            if name == "PATH" or not os.path.isdir(part):
                found[_text(os.fsencode(inside))] = _any_digest(part)
    for environment in environments(root):
        for packages in packages_of(os.path.join(environment, "lib")):
            names = sorted(name for name in os.listdir(packages) if name not in CACHES)
            found[_text(os.fsencode(packages))] = _digest("\0".join(names))
    folder = copies_folder(root)
    while True:
        for name in LOOKED_FOR:
            path = os.path.join(folder, name)
            if os.path.lexists(path):
                found[_text(os.fsencode(path))] = _any_digest(path)
        if folder == os.path.dirname(folder):
            return found
        folder = os.path.dirname(folder)


def _any_digest(path: str) -> str:
    """Return a digest of a file or a folder; of a link, also of what it leads to."""
    real = os.path.realpath(path)
    text = os.readlink(path) if os.path.islink(path) else ""
    return text + (_folder_digest(real) if os.path.isdir(real) else _file_digest(real))


def _folder_digest(top: str, links: list[str] | None = None) -> str:
    """Return a digest of names, sizes and links, and of the content of small files in the top two levels.

    A reinstallation of the same versions does not change it. It does not see an edit deeper down that keeps the size,
    nor anything beyond the first few thousand entries, those near the top first.
    """
    rows = [os.readlink(top)] if os.path.islink(top) else []
    queue = [""]
    for folder in queue:
        for entry in entries_of(top + folder):
            path = f"{folder}/{entry.name}"
            if entry.name in CACHES:
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder:
                queue.append(path)
            elif links is not None and entry.is_symlink():
                links.append(path[1:])
            most = LARGEST_READ if path.count("/") <= READ_DEPTH else -1
            mark = "" if is_folder else _file_digest(entry.path, most)
            rows.append(f"{path} {mark}")
        if len(rows) >= MOST_ENTRIES:
            break
    return _digest("\0".join(rows))


def _file_digest(path: str, most: int = LARGEST) -> str:
    """Return a digest of a file, of its size alone beyond `most` bytes; one that is too large to read has a time too."""
    try:
        if os.path.islink(path):
            return os.readlink(path)
        found = os.lstat(path)
    except OSError:
        return ""
    if found.st_size > LARGEST and most == LARGEST:
        return f"{found.st_size}.{found.st_mtime_ns}"
    return _digest(os.fsdecode(read_if_any(path))) if found.st_size <= most else str(found.st_size)


def _text(data: bytes) -> str:
    """Return bytes as text that JSON can have."""
    return data.decode("utf-8", "replace")


def _digest(text: str) -> str:
    return sha256(os.fsencode(text))[:16]
