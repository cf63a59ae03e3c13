"""The order of the steps: load, render, check, write, package."""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ultra_plugin.errors import Problem, ProblemsFound, refuse
from ultra_plugin.leftovers import leftovers, sweep
from ultra_plugin.model import Bundle
from ultra_plugin.overlay.layers import LayeredTree, open_tree
from ultra_plugin.parts import FOLDER as RUNTIME
from ultra_plugin.report import Report
from ultra_plugin.source import PLUGINS, SourceTree, is_in_plugin
from ultra_plugin.stamp import abandoned, inputs_digest, kept_plugins, last_seen, recall, remember, tried

Progress = Callable[[str], None]

MOST_FORGOTTEN = 5
"""Up to this many unused files of the runtime are listed; a plugin without a room leaves more."""


def build(
    source: Path, out: Path, *, distributions: bool = False, progress: Progress = lambda _: None
) -> Report:
    """Build every plugin of a source tree into `out`; on any problem, leave `out` unchanged."""
    tree = open_tree(source)
    tree.seen = last_seen(out)
    inputs = inputs_digest(tree, distributions)
    if (last := recall(out, inputs)) is not None:
        return replace(last, removed=(), left=leftovers(out, {plugin.name for plugin in last.plugins}))
    # Imported late: a build with nothing to do needs neither Jinja nor the checks.
    from ultra_plugin.check.trial import trial_digest
    from ultra_plugin.compiled import kept as kept_templates
    from ultra_plugin.folder import LateFiles
    from ultra_plugin.package import build_distributions, zip_bundle
    from ultra_plugin.report import plugin_report
    from ultra_plugin.targets import write_targets
    from ultra_plugin.tree import discard, write, write_file

    kept = kept_plugins(tree, out)
    back = {
        name: Bundle(name, one.report.version, LateFiles(out / name), kept=one.sources)
        for name, one in kept.items()
    }
    with kept_templates(tree.root):
        bundles, offer, problems = judged(tree, out.name, progress, tried(out), back)
    new = [bundle for bundle in bundles if bundle.kept is None]
    progress("write")
    changes = write(new, out)
    place = out.parent / ".claude-plugin" / "marketplace.json"
    suite, names = str(json.loads(offer)["name"]), {bundle.name for bundle in bundles}
    gone = abandoned(out, suite, names)
    discard(out, gone)
    removed = (*gone[::3], *sweep(out, bundles, offer, place.read_bytes() if place.is_file() else b""))
    new_offer = write_file(place, offer)
    progress("package")
    reports = {one.name: plugin_report(one, out / one.name, zip_bundle(one, out)) for one in new}
    reports |= {name: one.report for name, one in kept.items()}
    counts = {name: Counter(problem.code for problem in found) for name, found in problems.items()}
    counts |= {name: Counter(one.part.warnings) for name, one in kept.items()}
    packages = []
    if distributions:
        progress("build the wheel")
        packages = build_distributions(tree.project, out)
    targets, new_targets = write_targets(bundles, out)
    written = sum(map(len, changes.values())) + new_offer + new_targets
    left = leftovers(out, names)
    report = Report(
        plugins=tuple(reports[bundle.name] for bundle in bundles),
        packages=tuple(map(str, packages)),
        written=written,
        removed=removed,
        left=left,
        renamed=tuple(tree.renamed),
        unshipped=unshipped(tree, bundles),
        warnings=dict(sum(counts.values(), Counter()).most_common()),
        targets=targets,
        suite=suite,
    )
    parts = {bundle.name: (bundle.sources, counts[bundle.name]) for bundle in new}
    remember(tree, out, inputs, report, trial_digest(tree, bundles), parts, kept)
    return report


def unshipped(tree: SourceTree, bundles: Sequence[Bundle]) -> tuple[str, ...]:
    """Return the files of plugins and of the runtime that no bundle is made from, settings aside."""
    used = {source for bundle in bundles for source in bundle.sources}
    used |= {f"{PLUGINS}/{bundle.name}/plugin.yaml" for bundle in bundles}
    every = sorted({*tree.files(PLUGINS), *tree.left_behind})
    left = [path for path in every if path not in used and is_in_plugin(path)]
    forgotten = [path for path in tree.files(RUNTIME) if path not in used]
    left += forgotten if len(forgotten) <= MOST_FORGOTTEN else []  # many: plugins that use a part of it
    return (*map(tree.shown, left), *tree.beside)


def checked(tree: SourceTree, folder: str) -> tuple[list[Bundle], bytes]:
    """Load, render, check and try; return the bundles and the marketplace that offers them from a folder."""
    bundles, offer, _ = judged(tree, folder)
    return bundles, offer


def judged(
    tree: SourceTree,
    folder: str,
    progress: Progress = lambda _: None,
    last_trial: str = "",
    kept: Mapping[str, Bundle] | None = None,
) -> tuple[list[Bundle], bytes, dict[str, list[Problem]]]:
    """Do what `checked` does, and also return the problems that the profiles accept, by plugin.

    A runtime with the digest of the last trial is not tried again, and the bundles in `kept` are neither rendered nor
    checked again.
    """
    was_on = gc.isenabled()
    gc.disable()  # it would take a fifth of the time, and nearly everything is needed to the end
    try:
        return _judged(tree, folder, progress, last_trial, kept)
    except ProblemsFound as error:
        raise ProblemsFound(map(tree.placed, error.problems)) from error
    finally:
        if was_on:
            gc.enable()


def _judged(
    tree: SourceTree, folder: str, progress: Progress, last_trial: str, kept: Mapping[str, Bundle] | None
) -> tuple[list[Bundle], bytes, dict[str, list[Problem]]]:
    from concurrent.futures import ThreadPoolExecutor

    from ultra_plugin.check.markers import marker_problems
    from ultra_plugin.check.suite import check_suite
    from ultra_plugin.check.trial import trial_digest, trial_problems
    from ultra_plugin.config import load
    from ultra_plugin.manifest import marketplace
    from ultra_plugin.overlay.lock import lock_problems
    from ultra_plugin.overlay.naming import left_names
    from ultra_plugin.render import render

    progress("load")
    if marked := list(
        marker_problems(tree, kept or ())
    ):  # first, because a file with markers is seldom valid YAML or Python
        raise ProblemsFound(marked)
    if isinstance(tree, LayeredTree):
        refuse(lock_problems(tree))
    suite = load(tree)
    progress("render")
    bundles = render(tree, suite, kept)
    if isinstance(tree, LayeredTree):
        names, place = tree.old_names()
        refuse(left_names(names, bundles, place))
    offer = marketplace(suite, folder, bundles)
    progress("check")
    with ThreadPoolExecutor(1) as beside:  # the trial waits for files and another process most of the time
        is_tried = last_trial == trial_digest(tree, bundles)
        trial = None if is_tried else beside.submit(trial_problems, tree, suite, bundles)
        warnings = check_suite(tree, suite, bundles, offer)
        if trial:
            progress("try")
            refuse(trial.result())
    return bundles, offer, warnings
