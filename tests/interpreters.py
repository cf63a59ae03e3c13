"""The Python interpreters of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

VERSIONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")


@cache
def interpreters(oldest: str = "3.9") -> tuple[Path, ...]:
    """Return one real interpreter (no shim) a minor version, oldest first."""
    wanted = VERSIONS[VERSIONS.index(oldest) :]
    found = (_resolve(version) for version in wanted)
    return tuple(path for path in found if path)


def _resolve(version: str) -> Path | None:
    """Ask the command of that name which interpreter it starts: a version manager's shim may start none."""
    pyenv = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/python3")
    )
    for command in (shutil.which(f"python{version}"), *map(str, pyenv)):
        if command is None:
            continue
        ask = [command, "-I", "-c", "import sys; print(sys.version_info[:2], sys.executable)"]
        done = subprocess.run(ask, capture_output=True, text=True, check=False, timeout=30)
        major, minor = version.split(".")
        if done.returncode == 0 and done.stdout.startswith(f"({major}, {minor})"):
            return Path(done.stdout.split(") ", 1)[1].strip())
    return None
