"""Name the pipe that git waits for: it opens the files with its rules and settings whatever they are."""

from __future__ import annotations

import errno
import os
import stat

from ultra_runtime.files.subfolders import Subfolders

ANYWHERE = (".gitignore", ".gitattributes", ".gitmodules", ".mailmap")
AT_ROOT = (".git/config", ".git/index", ".git/info/exclude", ".git/info/attributes")
MOST_FOLDERS = 300_000


def awaited_pipe(top: str) -> str:
    """Return the path of such a pipe below a folder from which somebody reads now; empty if there is none."""
    below, queue = Subfolders(top), [""]
    for folder in queue:
        full = os.path.join(top, folder)
        for name in ANYWHERE if folder else (*ANYWHERE, *AT_ROOT):
            if _is_awaited(os.path.join(full, name)):
                return os.path.join(folder, name)
        try:
            names = below.of(full, os.lstat(full)) if len(queue) < MOST_FOLDERS else []
        except OSError:
            continue
        queue += [os.path.join(folder, name) for name in names if name != ".git"]
    return ""


def _is_awaited(path: str) -> bool:
    """Tell whether this is a pipe that somebody reads: only then can it be opened for writing without waiting."""
    try:
        if not stat.S_ISFIFO(os.stat(path).st_mode):
            return False
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as problem:
        return problem.errno == errno.EACCES and os.path.lexists(path)
    return True
