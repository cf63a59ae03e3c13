"""Return commands to type next: that of this program, and those that install the built plugins."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from ultra_plugin.manifest import LISTING
from ultra_plugin.report import Report

_CLONE = Path(__file__).resolve().parent.parent.parent.parent
_MOST = 5
"""How many plugins get a line of their own."""
_PROGRAM = "ultra-install"
_ITSELF = "ultra-plugin"


def install_lines(out: Path, report: Report) -> list[str]:
    """Return the commands that install the plugins; in a clone, `make install`, which installs all of dist/.

    The installer needs a listing; a plugin without one is installed by the client.
    """
    if (_CLONE / "Makefile").is_file() and out.resolve() == _CLONE / "dist":
        return ["make install" if Path.cwd() == _CLONE else f"make -C {shlex.quote(str(_CLONE))} install"]
    listed = [one for one in report.plugins if (Path(one.folder) / LISTING).is_file()]
    if len(report.plugins) > _MOST:
        place = shlex.quote(str(out.resolve().parent))
        return [f"claude plugin marketplace add {place}, then claude plugin install NAME@{report.suite}"]
    lines = [f"{_installer()} --from {shlex.quote(one.zip)}" for one in listed]
    if others := [one for one in report.plugins if one not in listed]:
        lines.append(f"claude plugin marketplace add {shlex.quote(str(out.resolve().parent))}")
        lines += [f"claude plugin install {shlex.quote(f'{one.name}@{report.suite}')}" for one in others]
    return lines


def itself() -> str:
    """Return how to call this program from any folder: by its name if that is on the PATH."""
    if shutil.which(_ITSELF):
        return _ITSELF
    beside = Path(sys.executable).with_name(_ITSELF)
    return shlex.quote(str(beside)) if os.access(beside, os.X_OK) else _ITSELF


def _installer() -> str:
    if shutil.which(_PROGRAM):
        return _PROGRAM
    beside = Path(sys.executable).with_name(_PROGRAM)
    if os.access(beside, os.X_OK):
        near = os.path.relpath(beside)
        return shlex.quote(str(beside) if near.startswith("..") else near)
    return f"{shlex.quote(sys.executable)} -m ultra_plugin.install.main"
