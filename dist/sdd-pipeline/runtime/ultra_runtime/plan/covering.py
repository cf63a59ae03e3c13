"""Decide whether a plan names a path: as a file, as part of a folder, or by a pattern.

A name is a name: only `*` and `?` make it a pattern, so `app/[id].tsx` is a file. What is forbidden is read as widely
as possible: there brackets are a choice of characters as well.
"""

from __future__ import annotations

from ultra_runtime.typed import Iterable

WILD = "*?"
WIDELY_WILD = "*?["
ANY_DEPTH = "**"


def is_pattern(name: str) -> bool:
    """Return whether a name of a plan is a pattern."""
    return any(sign in name for sign in WILD)


def means_folder(name: str) -> bool:
    """Return whether a name of a plan says by its last character that it is a folder."""
    return name.endswith("/")


def plain(path: str) -> str:
    """Return a path as git spells it, seen from the root; a path out of the tree keeps its dots."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def covers(names: Iterable[str], path: str, anywhere: bool = False) -> bool:
    """Return whether one of the names covers the path.

    With `anywhere`, for what is forbidden, a pattern without a slash matches at any depth, and brackets count.
    """
    return any(_covers(plain(name), path, anywhere) for name in names)


def _covers(name: str, path: str, anywhere: bool) -> bool:
    if not name:
        return True
    if path == name or path.startswith(name + "/"):
        return True
    if not any(sign in name for sign in (WIDELY_WILD if anywhere else WILD)):
        return False
    read = [name.replace("[", "[[]"), *([name] if anywhere else [])]
    depth = [ANY_DEPTH] if anywhere and "/" not in name else []
    return any(_matches([*depth, *one.split("/")], path.split("/")) for one in read)


def _matches(wanted: list[str], parts: list[str]) -> bool:
    """Match part by part; the rest of the path is below what the glob names."""
    from fnmatch import fnmatchcase

    reach = {0}
    for name in wanted:
        if name == ANY_DEPTH:
            reach = set(range(min(reach, default=len(parts) + 1), len(parts) + 1))
        else:
            reach = {at + 1 for at in reach if at < len(parts) and fnmatchcase(parts[at], name)}
    return bool(reach)
