"""The paths of one plugin in a fork, in its overlay and in its upstream."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paths:
    """The folder of the plugin in the whole tree of the fork, and in the upstream."""

    folder: str
    base_folder: str

    def own(self, path: str) -> str:
        """Return the fork's path of a path of the upstream."""
        return _moved(path, self.base_folder, self.folder)

    def base(self, path: str) -> str:
        """Return the upstream's path of a path of the fork."""
        return _moved(path, self.folder, self.base_folder)

    def short(self, path: str) -> str:
        """Return the path in the overlay of a path of the upstream."""
        return self.own(path).removeprefix(f"{self.folder}/")


def _moved(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if path.startswith(f"{old}/") else path
