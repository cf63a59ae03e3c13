"""Find the Python interpreters of this machine."""

from __future__ import annotations

import glob
import os
import re
import subprocess
import sys
from pathlib import Path

TELL = "import sys; print(sys.version_info[0], sys.version_info[1], sys.executable)"


def _candidates() -> list[str]:
    folders = os.environ.get("PATH", "").split(os.pathsep)
    folders += glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin"))
    names = [name for folder in folders for name in glob.glob(os.path.join(folder, "python3*"))]
    return [
        sys.executable,
        *(name for name in names if re.fullmatch(r"python3(\.\d+)?", os.path.basename(name))),
    ]


def _find() -> dict[tuple[int, int], str]:
    """Return version -> interpreter; a pyenv shim of a version that is not chosen does not start."""
    found: dict[tuple[int, int], str] = {}
    seen: set[str] = set()
    for candidate in _candidates():
        real = os.path.realpath(candidate)
        if real in seen:
            continue
        seen.add(real)
        done = subprocess.run(
            [candidate, "-I", "-S", "-c", TELL], capture_output=True, text=True, check=False
        )
        if done.returncode == 0 and done.stdout.startswith("3 "):
            _, minor, executable = done.stdout.strip().split(" ", 2)
            found.setdefault((3, int(minor)), os.path.realpath(executable))
    return dict(sorted(found.items()))


ALL = _find()
SUPPORTED = {version: path for version, path in ALL.items() if version >= (3, 9)}
TOO_OLD = {version: path for version, path in ALL.items() if version < (3, 9)}
NEWEST = SUPPORTED[max(SUPPORTED)]


def python_on_path(interpreter: str, folder: Path) -> Path:
    """Return a folder to put on PATH, in which `python3` is this interpreter."""
    (folder / "python3").symlink_to(interpreter)
    return folder
