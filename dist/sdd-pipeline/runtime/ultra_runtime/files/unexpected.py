"""Keep a log of each unexpected error: the call, the versions and the traceback, without secrets and without input.

The log is written to the plugin's data folder, else to the git dir, else to a folder for temporary files.
"""

from __future__ import annotations

import os
import sys

from ultra_runtime.files.error_log import SUFFIX, folders, logs_in
from ultra_runtime.rendered import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEPT = 10
LONGEST_WORD = 80
LONGEST_NAME = 24
LONGEST_MESSAGE = 300
SECONDS = 5
# A word that assigns to one of these is masked, whatever the value is.
SECRET_NAMES = ("auth", "key", "passw", "secret", "token")


def keep(problem: BaseException, call: Sequence[str]) -> str:
    """Log an error and return the path of the log, or nothing when it cannot be written; never fail."""
    try:
        data = _text(problem, call).encode("utf-8", "replace")
        places = list(folders())
    except Exception:
        return ""
    for folder in places:
        if path := _written(folder, data):
            return path
    return ""


def keep_of_hook(problem: BaseException, hook: str) -> None:
    """Log an error of a hook, unless its folder was deleted, which is not a defect."""
    try:
        os.getcwd()
    except OSError:
        return
    keep(problem, ["hook", hook])


def _written(folder: str, data: bytes) -> str:
    """Return the path of a new log in a folder, or nothing when it cannot be written."""
    try:
        return _write(folder, data)
    except Exception:
        return ""


def _write(folder: str, data: bytes) -> str:
    from time import gmtime, strftime, time_ns

    from ultra_runtime.files.atomic import write_file

    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.path.islink(folder) or os.lstat(folder).st_uid != os.getuid():
        raise PermissionError(folder)
    path = os.path.join(folder, f"{strftime('%Y%m%dT%H%M%S', gmtime())}-{time_ns()}-{os.getpid()}{SUFFIX}")
    write_file(path, data)
    for old in logs_in(folder)[:-KEPT]:
        try:
            os.unlink(old)
        except OSError:
            continue
    return path


def _text(problem: BaseException, call: Sequence[str]) -> str:
    from time import gmtime, strftime

    system = os.uname()
    head = {
        "time": strftime("%Y-%m-%dT%H:%M:%SZ", gmtime()),
        "call": " ".join(map(_masked, call)),
        "error": _named(problem),
        "plugin": f"{names().plugin} {names().version}",
        "python": f"{sys.version.split()[0]} at {sys.executable}",
        "platform": f"{system.sysname} {system.release} {system.machine}",
        "git": _git_version(),
    }
    lines = [f"{name}: {value}" for name, value in head.items()]
    return "\n".join([*lines, "", *_traceback(problem)]) + "\n"


def _git_version() -> str:
    import subprocess

    try:
        command = ["git", "--version"]
        done = subprocess.run(
            command, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return "none"
    return done.stdout.decode("utf-8", "replace").strip()


def _traceback(problem: BaseException) -> Iterator[str]:
    """Yield where an error and its causes were raised; their messages are masked like the call."""
    from traceback import format_tb

    seen: set[int] = set()
    found: BaseException | None = problem
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield _named(found)
        yield from (line.rstrip("\n") for line in format_tb(found.__traceback__))
        found = found.__cause__ or found.__context__


def _named(problem: BaseException) -> str:
    from ultra_runtime.words import one_line

    said = " ".join(map(_masked, str(problem).split()))
    return f"{type(problem).__name__}: {one_line(said, LONGEST_MESSAGE)}"


def _masked(word: str) -> str:
    """Return a word of a call, or only its length when it is a text or may be a secret."""
    from ultra_runtime.files.secret_scan import find_secrets

    low = word.lower()
    assigns = any(mark in word for mark in "=:@") and any(name in low for name in SECRET_NAMES)
    is_plain = word.isprintable() and " " not in word and len(word) <= LONGEST_WORD and "://" not in word
    hidden = assigns or _looks_random(word) or find_secrets(word)
    return word if is_plain and not hidden else f"<{len(word)} characters>"


def _looks_random(word: str) -> bool:
    """Tell whether a word is long and mixes letters and digits as a token does, and not as a path or a date does."""
    bare = word.replace("_", "").replace("-", "")
    return len(bare) >= LONGEST_NAME and bare.isalnum() and not bare.isalpha()
