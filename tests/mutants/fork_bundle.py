"""Calls of a bundle and of the generator in forks of a server that has a fault, or that notes what its forks call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tests.kit import warm

RUNTIME = "plugin_src/runtime"
PLACES = {"ultra_runtime": RUNTIME, "ultra_plugin": "generator"}
"""Package -> the folder of its sources."""
SCRIPT = "server.py"
BUNDLE_SERVER = Path(__file__).with_name("bundle_server.py")


def serve_with(folder: Path, settings: dict[str, object]) -> None:
    """Let every call from now on, also the first of its kind, be a fork of a server with these settings."""
    (folder / "settings.json").write_text(json.dumps(settings))
    script = (
        f'import runpy\nrunpy.run_path({str(BUNDLE_SERVER)!r})["main"]({str(folder / "settings.json")!r})\n'
    )
    (folder / SCRIPT).write_text(script)
    warm.SERVER = folder / SCRIPT
    warm._server.cache_clear()
    warm._is_first = lambda call: False


def is_server(words: Sequence[object]) -> bool:
    """Tell whether a command starts the server."""
    return str(warm.SERVER) in map(str, words)


def source_of(module: str) -> str:
    """Return the path of a module below the root, from its path below the folder that Python searches."""
    return f"{PLACES.get(module.partition('/')[0], '')}/{module}"
