"""Run what a plugin ships, outside the client: hooks, MCP servers, verbs, and the cases in tests/."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ultra_plugin.check.subject import subject_of
from ultra_plugin.exercise.cases import case_outcomes, refuse_faulty_cases
from ultra_plugin.exercise.hooks import hook_outcomes
from ultra_plugin.exercise.outcome import Outcome, Place
from ultra_plugin.exercise.servers import server_outcomes
from ultra_plugin.exercise.verbs import verb_outcomes
from ultra_plugin.model import Bundle
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import write

__all__ = ["Outcome", "exercise"]


def exercise(tree: SourceTree, bundles: Sequence[Bundle]) -> Iterator[Outcome]:
    """Write the bundles to a temporary folder and try every part of them."""
    refuse_faulty_cases(tree, [bundle.name for bundle in bundles])
    with tempfile.TemporaryDirectory(prefix="ultra-test-") as folder:
        write(bundles, Path(folder) / "dist")
        places = {bundle.name: _place(Path(folder), bundle) for bundle in bundles}
        for place in places.values():
            yield from hook_outcomes(place)
            yield from server_outcomes(place)
            yield from verb_outcomes(place)
        yield from case_outcomes(tree, places)


def _place(folder: Path, bundle: Bundle) -> Place:
    project, data, home = (folder / name / bundle.name for name in ("project", "data", "home"))
    for one in (project, data, home):
        one.mkdir(parents=True)
    return Place(subject_of(bundle), folder / "dist" / bundle.name, project, data, home)
