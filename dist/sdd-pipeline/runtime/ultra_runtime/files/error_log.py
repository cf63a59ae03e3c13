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
    yield os.path.join(_temporary(), f"{name}-{FOLDER}-{os.getuid()}")


def _temporary() -> str:
    """Return the folder for temporary files that the module tempfile would choose, whose import takes longer than a check."""
    places = (*(os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")), "/tmp", "/var/tmp")  # noqa: S108
    usable = (place for place in places if place and os.access(place, os.W_OK | os.X_OK))
    return os.path.abspath(next(usable, "."))


def _git_dir() -> str:
    """Return the git dir of the working tree around us, or nothing; without git, which may be what failed."""
    from ultra_runtime.files.root import git_dir_around

    try:
        return git_dir_around(os.getcwd())
    except OSError:
        return ""


def _data_folders() -> list[str]:
    """Return the folders in which the client keeps this plugin's data; it names them only to hooks."""
    from ultra_runtime.files.root import names_in

    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    data = os.path.join(config, "plugins", "data")
    own = f"{names().plugin}-"
    return [os.path.join(data, name, FOLDER) for name in names_in(data) if name.startswith(own)]


def logs_in(folder: str) -> list[str]:
    """Return the logs of a folder that belongs to us, oldest first: the names begin with the time."""
    try:
        mine = os.lstat(folder).st_uid == os.getuid() and not os.path.islink(folder)
        found = sorted(os.listdir(folder)) if mine else []
    except OSError:
        return []
    return [os.path.join(folder, name) for name in found if name.endswith(SUFFIX) and name[0] != "."]
