"""Judge a path that is to be written."""

from __future__ import annotations

import os

from ultra_runtime.guard.policy import ALLOW, Policy, Verdict, ruled
from ultra_runtime.guard.realpath import components, inside, real_path
from ultra_runtime.guard.shell.marks import HOME, OPAQUE, USER_HOME, known
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    Protected = tuple[str, list[str], list[tuple[list[str], bool]], list[list[str]]]


class PathContext(Struct):
    """The folders of a run, and what is protected there in addition to the policy's patterns."""

    cwd: str
    repo_root: str
    home: str
    boundary: bool = True  # whether paths outside the repository are refused
    hook_files: tuple[str, ...] = ()  # files and folders that settings name as hooks

    def protected(self, policy: Policy) -> list[Protected]:
        """Return what each rule protects: exceptions, real places with all below or not, patterns of names."""
        found: list[Protected] = self.__dict__.setdefault("_protected", [])
        if not found:
            for rule, (patterns, unless) in policy.paths.items():
                folders = [
                    (folder, pattern.endswith("/**"))
                    for pattern in patterns
                    if pattern[0] in "~/" or "*" not in pattern.removesuffix("/**")
                    if (folder := self._place_of(pattern.removesuffix("/**"))) is not None
                ]
                names = [components(pattern) for pattern in patterns if pattern[0] not in "~/"]
                found.append((rule, [free.casefold() for free in unless], folders, names))
        return found

    def _place_of(self, pattern: str) -> list[str] | None:
        """Return where a pattern without a star leads: in the home, at the root, or in the repository."""
        if pattern[0] == "~":
            return self.folder(self.home + pattern[1:])
        return self.folder(pattern if pattern[0] == "/" else self.repo_root + "/" + pattern)

    def folder(self, path: str) -> list[str] | None:
        """Return the components of the real path of a fixed place, which is looked up once."""
        found: dict[str, list[str] | None] = self.__dict__.setdefault("_found", {})
        if path not in found:
            real = real_path(path)
            found[path] = None if real is None else components(real)
        return found[path]


def path_verdict(path: str, place: PathContext, policy: Policy) -> Verdict:
    """Judge a path by where it really leads."""
    if not path or "\0" in path:
        return ruled(policy, "bad_path")
    user, path = _expanded(path, place.home)
    if user:
        return _of_user(path, place, policy)
    if not known(path):
        return _partly_known(path, place, policy)
    real = real_path(os.path.join(place.cwd, path))
    if real is None:
        return ruled(policy, "bad_path", path)
    rule = _protected(real, place, policy)
    if rule:
        return ruled(policy, rule, path)
    if place.boundary and not _allowed(real, place):
        return ruled(policy, "outside_repository", path)
    return ALLOW


def protected_name(path: str, policy: Policy) -> str:
    """Return the rule that protects a path of any repository by its name alone, or nothing."""
    names = components(path)
    for rule, (patterns, unless) in policy.paths.items():
        if not names or any(_like(names[-1], free.casefold()) for free in unless):
            continue
        if any(pattern[0] not in "~/" and _fits(names, components(pattern), False) for pattern in patterns):
            return rule
    return ""


def _expanded(path: str, home: str) -> tuple[bool, str]:
    """Resolve a home at the start of a path, and say whether it belongs to a named user."""
    for spelling in (HOME, "~", "$HOME", "${HOME}"):
        rest = path[len(spelling) :]
        if path.startswith(spelling) and rest[:1] in ("", "/"):
            return False, home + rest
    if path[0] in ("~", USER_HOME):
        return True, path[1:].partition("/")[2]
    return False, path


def _of_user(rest: str, place: PathContext, policy: Policy) -> Verdict:
    """Judge a path in the home of a named user: outside, and protected like our own."""
    for rule, (patterns, _) in policy.paths.items():
        if any(p.startswith("~/") and _fits(components(rest), components(p[2:]), True) for p in patterns):
            return ruled(policy, rule, "~user/" + rest)
    return ruled(policy, "outside_repository", "~user/" + rest) if place.boundary else ALLOW


def _protected(real: str, place: PathContext, policy: Policy) -> str:
    """Return the rule that protects a real path, or nothing."""
    names = components(real)
    if _is_git_hook(real, names, place) or _is_named(real, place):
        return "hook_script"
    for rule, unless, folders, patterns in place.protected(policy):
        if names and any(_like(names[-1], free) for free in unless):
            continue
        if any(_fits(names, pattern, False) for pattern in patterns):
            return rule
        for folder, whole in folders:
            if names == folder or (whole and names[: len(folder)] == folder):
                return rule
    return ""


def _same_or_below(names: list[str], folder: list[str] | None, whole: bool) -> bool:
    return folder is not None and (names == folder or (whole and names[: len(folder)] == folder))


def _fits(names: list[str], pattern: list[str], from_start: bool) -> bool:
    """Tell whether components fit those of a pattern: at the end, or with ** anywhere."""
    whole = pattern[-1] == "**"
    fixed = pattern[:-1] if whole else pattern
    last = len(names) - len(fixed)
    if last < 0:
        return False
    if not from_start and "*" not in fixed[0] and fixed[0] not in names:
        return False
    starts = [0] if from_start else range(last + 1) if whole else [last]
    if from_start and not whole and last:
        return False
    return any(all(map(_like, names[at : at + len(fixed)], fixed)) for at in starts)


def _like(name: str, pattern: str) -> bool:
    """Compare one component with a pattern that has at most one star."""
    head, star, tail = pattern.partition("*")
    if not star:
        return name == pattern
    return len(name) >= len(head) + len(tail) and name.startswith(head) and name.endswith(tail)


def _is_git_hook(real: str, names: list[str], place: PathContext) -> bool:
    """Tell whether a path is in the hooks folder of a git dir; elsewhere such a folder is ordinary."""
    if "hooks" in names:
        if ".git" in names and "hooks" in names[names.index(".git") :]:
            return True
        parts = real.split("/")
        for at, name in enumerate(names):
            folder = "/".join(parts[: at + 1])
            if name == "hooks" and os.path.isfile(folder + "/HEAD") and os.path.isdir(folder + "/objects"):
                return True
    return _same_or_below(names, place.folder(place.repo_root + "/.git/hooks"), True)


def _is_named(real: str, place: PathContext) -> bool:
    """Tell whether a path is one that settings name as a hook."""
    names = components(real)
    return any(
        _same_or_below(names, place.folder(os.path.join(place.repo_root, path)), True)
        for path in place.hook_files
    )


def _allowed(real: str, place: PathContext) -> bool:
    """Tell whether a real path is inside the repository."""
    root = real_path(place.repo_root)
    return root is not None and inside(real, root)


def _partly_known(path: str, place: PathContext, policy: Policy) -> Verdict:
    """Judge a path with an unknown part by its known parts."""
    names = path.split("/")
    first = next(at for at, name in enumerate(names) if not known(name))
    last = next(at for at in range(len(names) - 1, -1, -1) if not known(names[at]))
    tail = components("/".join(names[last + 1 :]))
    for rule, (patterns, unless) in policy.paths.items():
        if not tail or any(_like(tail[-1], free.casefold()) for free in unless):
            continue
        for pattern in patterns:
            bare = pattern[2:] if pattern.startswith("~/") else pattern
            if pattern[0] == "/" or (bare != pattern and not pattern.endswith("/**")):
                continue
            if _fits(tail, components(bare), bare != pattern):
                return ruled(policy, rule, _shown(path))
    if place.boundary and first:
        known_part = real_path(os.path.join(place.cwd, "/".join(names[:first]) or "/"))
        root = real_path(place.repo_root)
        if known_part and root and not _allowed(known_part, place) and not inside(root, known_part):
            return ruled(policy, "outside_repository", _shown(path))
    return ALLOW


def _shown(path: str) -> str:
    for mark in OPAQUE:
        path = path.replace(mark, "...")
    return path
