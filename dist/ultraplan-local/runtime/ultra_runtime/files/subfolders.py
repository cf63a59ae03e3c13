"""Find the folders in a folder without reading those that have none, which are most."""

from __future__ import annotations

import os

NONE = 2
"""The links of a folder that has no folder in it: from itself and from above. Each folder in it adds one."""


class Subfolders:
    """The folders below one folder. Whether its file system counts links is found out along the way."""

    def __init__(self, top: str) -> None:
        self.device = os.stat(top).st_dev
        self.counts = True

    def of(self, path: str, status: os.stat_result) -> list[str]:
        """Return the names of the folders in a folder, links left out."""
        if self.counts and status.st_nlink == NONE and status.st_dev == self.device:
            return []
        with os.scandir(path) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        self.counts = self.counts and status.st_nlink == NONE + len(names)
        return names
