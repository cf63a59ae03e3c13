"""Turn existing plugins into a source tree that renders back to the same bytes, modes and links."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ultra_plugin.adopt.reading import Found, Shelf, opened
from ultra_plugin.adopt.sharing import Shared, share
from ultra_plugin.adopt.writing import write_sources
from ultra_plugin.check import check_offered
from ultra_plugin.config import load
from ultra_plugin.errors import Problem, ProblemsFound, UltraError
from ultra_plugin.model import Bundle
from ultra_plugin.render import render
from ultra_plugin.source import SourceTree

SOURCES = "plugin_src"


@dataclass(frozen=True, slots=True)
class Adopted:
    """The result of an adoption."""

    target: str
    plugins: tuple[str, ...]
    files: int
    size: int
    refused: tuple[Problem, ...]
    """What the client calls an error; the plugins were adopted with it, but they do not build."""
    shared: Shared | None = None


def adopt(source: Path, target: Path | None = None, fewest: int = 0) -> Adopted:
    """Write a source tree for the plugins of a folder, zip or marketplace, proved equal; on a fault, leave nothing.

    With `fewest`, paragraphs that occur at least that often become fragments.
    """
    with opened(source) as shelf:
        place = target or Path(shelf.name)
        _refuse_target(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(prefix=".adopt-", dir=place.parent))
        try:
            write_sources(shelf, staged / SOURCES)
            _prove(shelf, staged / SOURCES)
            shared = share(shelf, staged / SOURCES, fewest) if fewest else None
            if shared:
                _prove(shelf, staged / SOURCES)
            os.chmod(staged, 0o755)
            if place.is_dir():
                place.rmdir()
            os.rename(staged, place)
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            raise
        return _told(shelf, place, shared)


def _told(shelf: Shelf, place: Path, shared: Shared | None) -> Adopted:
    files = [file for one in shelf.plugins for file in one.bundle.files.values()]
    return Adopted(
        str(place),
        tuple(one.name for one in shelf.plugins),
        len(files),
        sum(len(file.content) for file in files),
        tuple(_refused(shelf.plugins)),
        shared,
    )


def _refused(plugins: Sequence[Found]) -> list[Problem]:
    return [
        replace(problem, path=f"{one.name}/{problem.path}")
        for one in plugins
        for problem in check_offered(one.bundle)
        if problem.severity == "error"
    ]


def _refuse_target(place: Path) -> None:
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        raise UltraError(f"{place}: is not a folder; name another target")
    if place.is_dir() and any(place.iterdir()):
        raise UltraError(f"{place}: is not empty; name another target, or empty it")


def _prove(shelf: Shelf, sources: Path) -> None:
    """Render the sources and compare every file with the original."""
    tree = SourceTree(sources)
    try:
        bundles = {bundle.name: bundle for bundle in render(tree, load(tree))}
    except ProblemsFound as error:
        first = error.problems[0]
        raise UltraError(f"{first.path}: cannot be adopted: {first.message}") from error
    for one in shelf.plugins:
        if path := different(one.bundle, bundles.get(one.name)):
            sentence = "would not be the same after rendering, so nothing was adopted; please report this"
            raise UltraError(f"{one.name}/{path}: {sentence}")


def different(original: Bundle, rendered: Bundle | None) -> str:
    """Return the first file whose bytes, executable bit or link differ, or empty text."""
    made = rendered.files if rendered else {}
    for path in sorted({*original.files, *made}):
        old, new = original.files.get(path), made.get(path)
        if old is None or new is None or old.content != new.content or old.symlink != new.symlink:
            return path
        if old.executable != new.executable:
            return path
    return ""
