"""The values that flow through the pipeline: frozen, typed, made once while loading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file of a plugin folder: where it goes, what it holds and what it was made from."""

    path: str
    """Relative to the plugin folder, forward slashes."""
    content: bytes
    executable: bool = False
    sources: tuple[str, ...] = ()
    """Source files that it was rendered from, the template first; empty in a folder we did not make."""
    symlink: bool = False
    """True only in folders that we did not make: we never write one."""

    @property
    def text(self) -> str:
        """The content as text; what is not UTF-8 shows as replacement characters."""
        return self.content.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A plugin folder in memory."""

    name: str
    version: str
    files: Mapping[str, BundleFile] = field(default_factory=lambda: MappingProxyType({}))
