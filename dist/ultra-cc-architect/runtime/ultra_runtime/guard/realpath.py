"""Where a path really leads: links component by component, then `..`."""

from __future__ import annotations

import os

from ultra_runtime.guard.shell.marks import HOME

MAX_LINKS = 40
MAX_PATH = 4096  # no system opens a longer one


def real_path(path: str) -> str | None:
    """Return the path behind all links of an absolute path, or None when links form a loop or it is too long.

    Parts that do not exist yet stay as written, so new files in new folders have a
    real path too.
    """
    if os.name == "nt":
        return os.path.realpath(path)
    if len(path) > MAX_PATH:
        return None
    links = 0
    found: list[str] = []
    missing = 0  # at this depth nothing is there, so nothing below it is a link
    waiting = path.split("/")[::-1]
    while waiting:
        name = waiting.pop()
        if name in ("", "."):
            continue
        if name == "..":
            del found[-1:]
            missing = missing if len(found) >= missing else 0
            continue
        found.append(name)
        if missing:
            continue
        try:
            target = os.readlink("/" + "/".join(found))
        except FileNotFoundError:
            missing = len(found)
            continue
        except (OSError, ValueError):  # no link
            continue
        links += 1
        if links > MAX_LINKS:
            return None
        if target.startswith("/"):
            found.clear()
        else:
            found.pop()
        waiting += target.split("/")[::-1]
    return "/" + "/".join(found)


def real_place(path: str, cwd: str, home: str) -> str | None:
    """Return the path behind all links of a path in a command, which may start at the home."""
    if path.startswith(HOME):
        path = home + path[len(HOME) :]
    return real_path(os.path.join(cwd, path))


def components(path: str) -> list[str]:
    """Split a path into its components, spelled for comparison."""
    return [name.casefold() for name in path.replace(os.sep, "/").split("/") if name]


def inside(path: str, folder: str) -> bool:
    """Tell whether a real path is the folder or inside it.

    When only the case of letters differs, the file system decides: on most systems
    REPO and repo are two folders, on some they are one.
    """
    if path == folder or path.startswith(folder.rstrip("/") + "/"):
        return True
    ours, theirs = components(path), components(folder)
    if ours[: len(theirs)] != theirs:
        return False
    beginning = "/" + "/".join(path.split("/")[1 : len(theirs) + 1])
    try:
        return os.path.samefile(beginning, folder)
    except OSError:
        return False
