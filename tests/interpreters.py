"""Find the Python interpreters of this machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.kit.quick import SOAK

_TELL = "import sys; print(sys.version_info[0], sys.version_info[1], sys.executable)"
_NAME = re.compile(r"python3(\.\d+)?")


def interpreters(oldest: tuple[int, int] = (3, 9)) -> tuple[Path, ...]:
    """Return one interpreter for each minor version from the oldest on."""
    return tuple(path for version, path in every_interpreter().items() if version >= oldest)


def sampled(oldest: tuple[int, int] = (3, 9)) -> tuple[Path, ...]:
    """Return the interpreters that a test of all versions tries: the oldest and the newest, in `make soak` all of them."""
    found = interpreters(oldest)
    return found if SOAK else tuple(dict.fromkeys((found[0], found[-1])))


def too_old() -> tuple[Path, ...]:
    """Return the interpreters that the runtime refuses."""
    return tuple(path for version, path in every_interpreter().items() if version < (3, 9))


@cache
def every_interpreter() -> dict[tuple[int, int], Path]:
    """Return version -> interpreter; one that does not start is left out."""
    found: dict[tuple[int, int], Path] = {}
    for candidate in dict.fromkeys(_candidates()):
        asked: list[str | Path] = [candidate, "-I", "-S", "-c", _TELL]
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=30)
        if done.returncode == 0 and done.stdout.startswith("3 "):
            _, minor, executable = done.stdout.strip().split(" ", 2)
            found.setdefault((3, int(minor)), Path(executable).resolve())
    return dict(sorted(found.items()))


def python_on_path(interpreter: Path, folder: Path) -> Path:
    """Return a folder to put on PATH, in which `python3` is this interpreter."""
    (folder / "python3").symlink_to(interpreter)
    return folder


def _candidates() -> Iterator[Path]:
    yield Path(sys.executable)
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    # Instead of pyenv's shims take its versions: a shim is slow, and starts only the version that is chosen here.
    versions = [
        path for folder in folders if folder.name == "shims" for path in folder.parent.glob("versions/*/bin")
    ]
    for folder in [folder for folder in folders if folder.name != "shims"] + versions:
        yield from (path for path in sorted(folder.glob("python3*")) if _NAME.fullmatch(path.name))
