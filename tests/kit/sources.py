"""Copies of the sources that a test may change, and what the generator says of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.kit.names import SOURCES
from ultra_plugin.errors import ProblemsFound
from ultra_plugin.source import SourceTree


def copy_of_sources(folder: Path) -> Path:
    """Return a copy of the sources below a folder."""
    return shutil.copytree(SOURCES, folder / "plugin_src", ignore=shutil.ignore_patterns("__pycache__"))


def change(path: Path, old: str, new: str) -> int:
    """Replace a text that a file has once, and return its line."""
    text = path.read_text()
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new))
    return text[: text.index(old)].count("\n") + 1


def faults(root: Path, action: Callable[[SourceTree], object]) -> list[str]:
    """Return the problems that an action finds in a source tree, with the paths in it; none if it succeeds."""
    try:
        action(SourceTree(root))
    except ProblemsFound as error:
        return [str(problem).replace(f"{root}/", "") for problem in error.problems]
    return []
