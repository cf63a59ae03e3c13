"""Name the pipe that git waits for: it opens the files with its rules and settings whatever they are."""

from __future__ import annotations

import errno
import os
import stat

from ultra_runtime.files.subfolders import Subfolders

RULES, GIT = (".gitignore", ".gitattributes", ".gitmodules"), ".git"
MOST_FOLDERS = 300_000


def awaited_pipe(top: str) -> str:
    """Return the path of such a pipe below a folder from which somebody reads now; empty if there is none."""
    below, queue = Subfolders(top), [""]
    for folder in queue:
        full = os.path.join(top, folder)
        try:
            inside = below.of(full, os.lstat(full)) if len(queue) < MOST_FOLDERS else []
            of_git = folder.split(os.sep)[0] == GIT
            names = os.listdir(full) if of_git else RULES
        except OSError:
            continue
        for name in names:
            if _is_awaited(os.path.join(full, name)):
                return os.path.join(folder, name)
        # Objects are many; a repository inside the tree has a git of its own.
        queue += [os.path.join(folder, name) for name in inside if _may_have_one(folder, name, of_git)]
    return ""


def _may_have_one(folder: str, name: str, of_git: bool) -> bool:
    return len(name) > 2 if of_git else not (folder and name == GIT)


def _is_awaited(path: str) -> bool:
    """Tell whether this is a pipe that somebody reads: only then can it be opened for writing without waiting."""
    try:
        if not stat.S_ISFIFO(os.stat(path).st_mode):
            return False
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as problem:
        return problem.errno == errno.EACCES and os.path.lexists(path)
    return True
