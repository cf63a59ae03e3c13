"""Check folders one after another or side by side, each with its settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ultra_plugin.check import check_bundle
from ultra_plugin.check.codes import error
from ultra_plugin.check.javascript import unchecked
from ultra_plugin.check.subject import MANIFEST
from ultra_plugin.check.validator import client_problems
from ultra_plugin.errors import Problem
from ultra_plugin.folder import may_be_plugin, read_for_check
from ultra_plugin.lint.fixes import Change, changes
from ultra_plugin.lint.settings import Settings, read_settings
from ultra_plugin.lint.suppression import without_accepted

_CHUNK = 8


@dataclass(frozen=True, slots=True)
class Order:
    """How every folder is checked."""

    settings: Settings = field(default_factory=Settings)
    """Those of the command line."""
    config: Path | None = None
    client: str | None = None
    fix: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The result for one folder."""

    folder: Path
    problems: tuple[Problem, ...]
    """With paths that begin with the folder."""
    fixes: tuple[Change, ...] = ()
    baseline: Path | None = None
    notes: tuple[str, ...] = ()
    """What was not checked."""


def check_folders(folders: Sequence[Path], order: Order, jobs: int) -> Iterator[Result]:
    """Check folders, in `jobs` processes if there are several."""
    if jobs < 2 or len(folders) < 2:
        for folder in folders:
            yield check_folder(folder, order)
        return
    from concurrent.futures import ProcessPoolExecutor  # late: most calls check one folder

    with ProcessPoolExecutor(min(jobs, len(folders))) as pool:
        chunk = max(1, min(_CHUNK, len(folders) // jobs))
        yield from pool.map(check_folder, folders, [order] * len(folders), chunksize=chunk)


def check_folder(folder: Path, order: Order) -> Result:
    """Check one folder."""
    if not may_be_plugin(folder):
        missing = error(str(folder / MANIFEST), 0, "no-manifest", "does not exist")
        return Result(folder, (missing,))
    settings = read_settings(folder, order.config).merged(order.settings)
    bundle = read_for_check(folder)
    found = without_accepted(check_bundle(bundle), bundle.files)
    if order.client:
        found += client_problems(order.client, folder)
    kept = [one for problem in found if (one := settings.sorted_out(problem))]
    fixes = tuple(changes(bundle, kept)) if order.fix else ()
    shown = tuple(replace(problem, path=str(folder / problem.path)) for problem in kept)
    return Result(folder, shown, fixes, settings.baseline, tuple(unchecked(bundle)))
