"""renames.yaml of an upstream: files, blocks and keys that have a new name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ultra_plugin.document import read_document
from ultra_plugin.source import SourceTree

RENAMES = "renames.yaml"


@dataclass(frozen=True, slots=True)
class Renames:
    """Old name -> new name; blocks and keys by the file that has them."""

    files: Mapping[str, str] = field(default_factory=dict)
    blocks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    keys: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Keys are joined by slashes, ids of rules included: fields/mood."""

    def file(self, path: str) -> str:
        """Return the present name of a file."""
        return _latest(self.files, path)

    def block(self, path: str, name: str) -> str:
        """Return the present name of a block of a file."""
        return _latest(self.blocks.get(path, {}), name)

    def key(self, path: str, part: str) -> str:
        """Return the present name of a key of a file."""
        return _latest(self.keys.get(path, {}), part)


def read_renames(upstream: SourceTree) -> Renames:
    """Return what an upstream has renamed."""
    if upstream.find(RENAMES) is None:
        return Renames()
    return read_document(upstream.shown(RENAMES), upstream.read(RENAMES), Renames)


def _latest(renamed: Mapping[str, str], name: str) -> str:
    """Follow a name through every rename; a loop ends where it began."""
    seen = {name}
    while (following := renamed.get(name, name)) not in seen:
        seen.add(following)
        name = following
    return name
