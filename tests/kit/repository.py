"""Real repositories, of files that a test shows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
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


def make_repository(
    folder: Path,
    files: Mapping[str, Content] | None = None,
    message: str = "Begin",
    env: Mapping[str, str] = ENVIRONMENT,
) -> Path:
    """Make a repository in which anybody may commit, with these files in its first commit, if there are any."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main", env=env)
    with (folder / ".git/config").open("a") as config:
        config.write("[user]\n\tname = A Person\n\temail = person@example.com\n[commit]\n\tgpgsign = false\n")
    if files:
        write_tree(folder, files)
        git(folder, "add", "--all", env=env)
        git(folder, "commit", "--quiet", f"--message={message}", env=env)
    return folder.resolve()
