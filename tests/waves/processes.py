"""The processes of a repository's waves."""

from __future__ import annotations

import os
from pathlib import Path

from tests.waves.sample import Waves


def processes_of(repo: Waves) -> list[int]:
    """Return the processes that know this repository's play: supervisor, keepers, clients and what they started."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            known = (
                folder.name.isdigit() and str(repo.play_file).encode() in (folder / "environ").read_bytes()
            )
        except OSError:
            continue
        if known and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found
