"""The runtime that a plugin bundle carries: standard library only, Python 3.9 and newer."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from typing import Any

# The classes themselves: an import of importlib.machinery would take longer than this saves.
SPEC: Any = type(__spec__)
LOADER: Any = type(__spec__.loader)
# The end of a file of byte code; where Python would put it elsewhere, Python works out its name.
CACHED = "" if sys.pycache_prefix or sys.flags.optimize else f".{sys.implementation.cache_tag}.pyc"
TABLES = "ultra_runtime.tables"


class Finder:
    """Find the runtime's modules by their path; the usual search through folders and suffixes is 5 % of a call."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _: object = None) -> ModuleSpec | None:
        """Return where a module of the runtime is; any other, or one that is missing, is left to the usual search."""
        if not path or not name.startswith("ultra_runtime."):
            return None
        folder, stem = path[0], name.rpartition(".")[2]
        place = f"{folder}/{stem}"
        file = f"{place}.py"
        is_room = not os.path.exists(file)
        if is_room:
            folder, stem, file = place, "__init__", f"{place}/__init__.py"
            if not os.path.exists(file):
                return None
        # The __init__.py of a room is a docstring, which is not worth reading; only that of the tables has more.
        loader = None if is_room and name != TABLES else LOADER(name, file)
        spec: ModuleSpec = SPEC(name, loader, origin=file, is_package=is_room)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(place)
        spec.has_location = True
        if CACHED:
            spec.cached = f"{folder}/__pycache__/{stem}{CACHED}"
        return spec


sys.meta_path.insert(0, Finder)
