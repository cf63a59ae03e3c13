"""Return the command that installs the built plugins, for the current folder."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_CLONE = Path(__file__).resolve().parent.parent.parent.parent
_PROGRAM = "ultra-install"


def install_lines(out: Path, archives: Sequence[str]) -> list[str]:
    """Return the commands that install some zips; in a clone, `make install`, which installs all of dist/."""
    if (_CLONE / "Makefile").is_file() and out.resolve() == _CLONE / "dist":
        return ["make install" if Path.cwd() == _CLONE else f"make -C {shlex.quote(str(_CLONE))} install"]
    return [f"{_installer()} --from {shlex.quote(archive)}" for archive in archives]


def _installer() -> str:
    if shutil.which(_PROGRAM):
        return _PROGRAM
    beside = Path(sys.executable).with_name(_PROGRAM)
    if os.access(beside, os.X_OK):
        near = os.path.relpath(beside)
        return shlex.quote(str(beside) if near.startswith("..") else near)
    return f"{shlex.quote(sys.executable)} -m ultra_plugin.install.main"
