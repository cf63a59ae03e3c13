"""Real repositories, of files that a test shows."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.kit.files import Content, write_tree

# Nobody's settings and nobody's home: the same commits on every machine.
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.invalid",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.invalid",
}


def git(folder: Path, *words: str | Path, check: bool = True, env: Mapping[str, str] = ENVIRONMENT) -> str:
    """Run git in a folder and return what it printed, without the last line break."""
    done = subprocess.run(
        ["git", *words], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60
    )  # fmt: skip
    assert not check or done.returncode == 0, done.stderr
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


# Nothing clears up behind a commit: that is one process more for each, and no test waits for it.
SETTINGS = """\
[user]
\tname = A Person
\temail = person@example.com
[commit]
\tgpgsign = false
[maintenance]
\tauto = false
"""


def make_repository(
    folder: Path,
    files: Mapping[str, Content] | None = None,
    message: str = "Begin",
    env: Mapping[str, str] = ENVIRONMENT,
) -> Path:
    """Make a repository in which anybody may commit, with these files in its first commit, if there are any."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()) or (Path(env["HOME"]) / ".gitconfig").exists():
        return _begin(folder, files or {}, message, env)
    of_git = {name: value for name, value in env.items() if name.startswith("GIT_")}
    made = _template(repr((files, message, of_git)))
    if not made.exists():
        _begin(made, files or {}, message, {**env, "HOME": str(made.parent)})
    subprocess.run(["cp", "-a", f"{made}/.", folder], check=True)
    return folder.resolve()


@cache
def _template(key: str) -> Path:
    """Return where the repository that is copied for the same key is, or will be made."""
    folder = tempfile.mkdtemp(prefix="ultra-template-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder) / "repo"


def _begin(folder: Path, files: Mapping[str, Content], message: str, env: Mapping[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main", env=env)
    with (folder / ".git/config").open("a") as config:
        config.write(SETTINGS)
    if files:
        write_tree(folder, files)
        git(folder, "add", "--all", env=env)
        git(folder, "commit", "--quiet", f"--message={message}", env=env)
    return folder.resolve()
