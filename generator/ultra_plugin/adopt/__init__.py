"""Turn existing plugins into a source tree that renders back to the same bytes, executable bits and links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from ultra_plugin.source import PLUGINS, SourceTree
from ultra_plugin.tree import staged_for

SOURCES = "plugin_src"
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Adopted:
    """The result of an adoption."""

    target: str
    plugins: tuple[str, ...]
    files: int
    size: int
    refused: tuple[Problem, ...]
    """What the client calls an error; the plugins were adopted with it, but they do not build."""
    left_out: tuple[str, ...] = ()
    """Files of git and Python, which are in no plugin of the new tree."""
    modes: tuple[str, ...] = ()
    """Files whose mode is neither 644 nor 755; their modes are not kept."""
    empty: tuple[str, ...] = ()
    """Empty folders, which are not kept."""
    shared: Shared | None = None


def adopt(
    source: Path, target: Path | None = None, fewest: int = 0, progress: Progress = lambda _: None
) -> Adopted:
    """Write a source tree for the plugins of a folder, zip or marketplace, proved equal; on a fault, leave nothing.

    With `fewest`, paragraphs that occur at least that often become fragments.
    """
    progress("read")
    with opened(source) as shelf:
        place = target or Path(shelf.name)
        _refuse_target(place)
        with staged_for(place) as staged:
            progress("write")
            write_sources(shelf, staged / SOURCES)
            progress("render and compare")
            _prove(shelf, staged / SOURCES)
            shared = None
            if fewest:
                progress("share")
                shared = share(shelf, staged / SOURCES, fewest)
            if shared:
                progress("render and compare")
                _prove(shelf, staged / SOURCES)
            progress("check")
            return _told(shelf, place, shared)


def _told(shelf: Shelf, place: Path, shared: Shared | None) -> Adopted:
    files = [file for one in shelf.plugins for file in one.bundle.files.values()]
    return Adopted(
        str(place),
        tuple(one.name for one in shelf.plugins),
        len(files),
        sum(len(file.content) for file in files),
        tuple(_refused(shelf)),
        _all(shelf, lambda one: one.left_out),
        _all(shelf, lambda one: one.modes),
        _all(shelf, lambda one: one.empty),
        shared,
    )


def _all(shelf: Shelf, paths: Callable[[Found], Sequence[str]]) -> tuple[str, ...]:
    return tuple(f"{one.name}/{path}" for one in shelf.plugins for path in paths(one))


def _refused(shelf: Shelf) -> list[Problem]:
    return [
        replace(problem, path=f"{one.name}/{problem.path}")
        for one in shelf.plugins
        for problem in check_offered(one.bundle, shelf.name)
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
        path = first.path.partition(f"{SOURCES}/{PLUGINS}/")[2] or first.path
        raise UltraError(f"{path}: cannot be adopted: {first.message}") from error
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
