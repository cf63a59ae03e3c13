"""Ask git what is there; nothing here changes a repository, and none of it waits for a person."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 120
# What a caller inside a hook of git has in its environment would send every call elsewhere.
FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY")
QUIET = ("-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "diff.external=", "--no-pager")


def ask_git(root: str, words: Sequence[str], given: bytes = b"") -> bytes | None:
    """Return what a git command prints, or nothing when it fails."""
    import subprocess

    env = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    env.update(GIT_TERMINAL_PROMPT="0", GIT_OPTIONAL_LOCKS="0", LC_ALL="C")
    try:
        done = subprocess.run(
            ["git", "-C", root, *QUIET, *words],
            input=given,
            capture_output=True,
            env=env,
            timeout=SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise RefusedError("there is no git on the PATH", "install git, or put it on PATH") from None
    except subprocess.TimeoutExpired:
        raise RefusedError(f"git {one_line(words[0])} took more than {SECONDS} s", "try again") from None
    return done.stdout if done.returncode == 0 else None


def commit_of(root: str, name: str) -> str | None:
    """Return the whole name of a commit that this repository holds."""
    if not name or name.startswith("-"):
        return None
    said = ask_git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"])
    # Before git 2.30 the mark that ends the options is printed as well.
    lines = os.fsdecode(said or b"").split()
    return lines[-1] if lines else None


def fields(said: bytes | None) -> list[str]:
    """Return the parts of an answer that are divided by NUL."""
    return [os.fsdecode(part) for part in (said or b"").split(b"\0") if part]
