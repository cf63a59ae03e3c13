"""The report of a build, as a value to print, store or send as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ultra_plugin.bill import Item, always_on, bill, tokens
from ultra_plugin.errors import Problem
from ultra_plugin.excerpts import Saving, savings
from ultra_plugin.model import Budget, Bundle


@dataclass(frozen=True, slots=True)
class Cost:
    """The tokens of one command, agent or skill, with its budget."""

    name: str
    always_on: int
    on_invoke: int
    closure: int
    budget: Budget


@dataclass(frozen=True, slots=True)
class PluginReport:
    """One plugin in the output folder."""

    name: str
    version: str
    folder: str
    zip: str
    files: int
    size: int
    always_on: int
    costs: tuple[Cost, ...]
    savings: tuple[Saving, ...] = ()
    """What the dispatches to agents carry of the reference texts."""


@dataclass(frozen=True, slots=True)
class TargetReport:
    """One plugin in the format of another client."""

    plugin: str
    target: str
    folder: str
    losses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a build."""

    plugins: tuple[PluginReport, ...]
    packages: tuple[str, ...]
    written: int
    """Changed files; 0 if there was nothing to do."""
    removed: tuple[str, ...] = ()
    """Removed plugins of earlier builds that the sources no longer have."""
    left: tuple[str, ...] = ()
    """Folders that look like such plugins but were kept, because they may be somebody else's."""
    renamed: tuple[Problem, ...] = ()
    """Old names of an upstream that an overlay still uses."""
    unshipped: tuple[str, ...] = ()
    """Files and folders in the folders of plugins that do not ship."""
    warnings: Mapping[str, int] = field(default_factory=dict)
    """Code -> how often; problems that the profiles accept."""
    targets: tuple[TargetReport, ...] = ()
    suite: str = ""
    """The name of the marketplace that offers the plugins."""


def plugin_report(bundle: Bundle, folder: Path, archive: Path) -> PluginReport:
    """Return the report on one bundle."""
    items = bill(bundle)
    return PluginReport(
        name=bundle.name,
        version=bundle.version,
        folder=str(folder),
        zip=str(archive),
        files=len(bundle.files),
        size=sum(len(file.content) for file in bundle.files.values()),
        always_on=tokens(always_on(items)),
        costs=tuple(map(_cost, items)),
        savings=savings(bundle),
    )


def _cost(item: Item) -> Cost:
    return Cost(item.name, tokens(item.listed), tokens(item.body), tokens(item.closure), item.budget)
