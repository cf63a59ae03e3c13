"""Find the logs of unexpected errors, which are kept for a report."""

from __future__ import annotations

import os

from ultra_runtime.rendered import launcher, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER, SUFFIX = "errors", ".log"


class Logged:
    """An error that was logged: when, in which call, what it was, and where the log is."""

    __slots__ = ("call", "error", "path", "time")

    def __init__(self, path: str, head: dict[str, str]) -> None:
        self.path = path
        self.time = head.get("time", "")
        self.call = head.get("call", "")
        self.error = head.get("error", "")


def newest() -> Logged | None:
    """Return the newest error of this plugin that was logged for this user and this repository."""
    logs = [path for folder in [*folders(), *_data_folders()] for path in logs_in(folder)]
    path = max(logs, key=os.path.basename, default=None)
    if path is None:
        return None
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            head = file.read(100_000).partition("\n\n")[0]
    except OSError:
        return None
    return Logged(path, dict(line.partition(": ")[::2] for line in head.split("\n")))


def folders() -> Iterator[str]:
    """Yield the folders for logs, the best first: plugin's data, git dir, temporary files."""
    data = os.environ.get("CLAUDE_PLUGIN_DATA", "")
    if os.path.isabs(data):
        yield os.path.join(data, FOLDER)
    name = launcher()
    if git_dir := _git_dir():
        yield os.path.join(git_dir, name, FOLDER)
    from tempfile import gettempdir

    yield os.path.join(gettempdir(), f"{name}-{FOLDER}-{os.getuid()}")


def _git_dir() -> str:
    """Return the git dir of the working tree around us, or nothing; without git, which may be what failed."""
    from ultra_runtime.files.root import git_dir_around

    try:
        return git_dir_around(os.getcwd())
    except OSError:
        return ""


def _data_folders() -> list[str]:
    """Return the folders in which the client keeps this plugin's data; it names them only to hooks."""
    from glob import escape, glob

    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    return glob(os.path.join(escape(config), "plugins", "data", f"{names().plugin}-*", FOLDER))


def logs_in(folder: str) -> list[str]:
    """Return the logs of a folder that belongs to us, oldest first: the names begin with the time."""
    try:
        mine = os.lstat(folder).st_uid == os.getuid() and not os.path.islink(folder)
        found = sorted(os.listdir(folder)) if mine else []
    except OSError:
        return []
    return [os.path.join(folder, name) for name in found if name.endswith(SUFFIX) and name[0] != "."]
