"""Prepare a repository with the program of an installed plugin, which does the same as its init command."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ultra_plugin.errors import UltraError
from ultra_plugin.install.archive import Package
from ultra_plugin.install.place import Place

VERB = ("work", "init")
_SOURCE = f"runtime/ultra_runtime/verbs/{'_'.join(VERB)}.py"
_LIMIT = 60


def preparers(packages: Sequence[Package]) -> list[Package]:
    """Return the packages whose program prepares a repository."""
    return [package for package in packages if _SOURCE in package.files and package.programs]


def prepare(
    place: Place, package: Package, root: Path, permitted: bool, ask: Callable[[str], bool]
) -> list[str]:
    """Prepare a repository and return what was done; missing permissions are added if the call or the user says so."""
    said = _run(place, package, root, permitted)
    missing = said.get("missing", [])
    if missing and ask(f"Add {', '.join(missing)} to {root / said['file']}?"):
        said["made"] += _run(place, package, root, True)["made"]
        missing = []
    lines = [f"{root}: made {one}" for one in said["made"]] + [f"{root}: kept {one}" for one in said["kept"]]
    return [*lines, *(f"{root}: not permitted yet: {one}" for one in missing)]


def _run(place: Place, package: Package, root: Path, permitted: bool) -> dict[str, Any]:
    program = place.plugin(package.plugin) / "bin" / package.programs[0]
    command = [str(program), *VERB, "--json", *(["--permissions"] if permitted else [])]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, timeout=_LIMIT, check=False)
        said = json.loads(done.stdout)
        if said["ok"] is True:
            return dict(said)
        reason = said["error"]
    except (OSError, subprocess.TimeoutExpired, ValueError, LookupError, TypeError) as problem:
        reason = str(problem)
    raise UltraError(f"{package.plugin} is installed, but {root} is not prepared: {reason}")
