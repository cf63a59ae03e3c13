"""The order of the steps: load, render, check, write, package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ultra_plugin.errors import ProblemsFound, refuse
from ultra_plugin.leftovers import leftovers, sweep
from ultra_plugin.model import Bundle
from ultra_plugin.overlay.layers import LayeredTree, open_tree
from ultra_plugin.report import Report
from ultra_plugin.source import SourceTree
from ultra_plugin.stamp import inputs_digest, recall, remember, tried

Progress = Callable[[str], None]


def build(
    source: Path, out: Path, *, distributions: bool = False, progress: Progress = lambda _: None
) -> Report:
    """Build every plugin of a source tree into `out`; on any problem, leave `out` unchanged."""
    tree = open_tree(source)
    inputs = inputs_digest(tree, distributions)
    if (last := recall(out, inputs)) is not None:
        return replace(last, removed=(), left=leftovers(out, {plugin.name for plugin in last.plugins}))
    # Imported late: a build with nothing to do needs neither Jinja nor the checks.
    from ultra_plugin.check.trial import trial_digest
    from ultra_plugin.package import build_distributions, zip_bundle
    from ultra_plugin.report import plugin_report
    from ultra_plugin.tree import write, write_file

    bundles, offer = checked(tree, out.name, progress, tried(out))
    progress("write")
    changes = write(bundles, out)
    place = out.parent / ".claude-plugin" / "marketplace.json"
    removed = sweep(out, bundles, offer, place.read_bytes() if place.is_file() else b"")
    new_offer = write_file(place, offer)
    progress("package")
    plugins = [plugin_report(bundle, out / bundle.name, zip_bundle(bundle, out)) for bundle in bundles]
    packages = []
    if distributions:
        progress("build the wheel")
        packages = build_distributions(tree.project, out)
    written = sum(map(len, changes.values())) + new_offer
    left = leftovers(out, {bundle.name for bundle in bundles})
    report = Report(
        tuple(plugins), tuple(map(str, packages)), written, removed, left, renamed=tuple(tree.renamed)
    )
    remember(out, inputs, report, trial_digest(tree, bundles))
    return report


def checked(
    tree: SourceTree, folder: str, progress: Progress = lambda _: None, last_trial: str = ""
) -> tuple[list[Bundle], bytes]:
    """Load, render, check and try; return the bundles and the marketplace that offers them from a folder.

    A runtime with the digest of the last trial is not tried again.
    """
    try:
        return _checked(tree, folder, progress, last_trial)
    except ProblemsFound as error:
        raise ProblemsFound(map(tree.placed, error.problems)) from error


def _checked(
    tree: SourceTree, folder: str, progress: Progress, last_trial: str
) -> tuple[list[Bundle], bytes]:
    from ultra_plugin.check.markers import marker_problems
    from ultra_plugin.check.suite import check_suite
    from ultra_plugin.check.trial import trial_digest, trial_problems
    from ultra_plugin.config import load
    from ultra_plugin.overlay.lock import lock_problems
    from ultra_plugin.overlay.naming import left_names
    from ultra_plugin.render import marketplace, render

    progress("load")
    if marked := list(
        marker_problems(tree)
    ):  # first, because a file with markers is seldom valid YAML or Python
        raise ProblemsFound(marked)
    if isinstance(tree, LayeredTree):
        refuse(lock_problems(tree))
    suite = load(tree)
    progress("render")
    bundles = render(tree, suite)
    if isinstance(tree, LayeredTree):
        names, place = tree.old_names()
        refuse(left_names(names, bundles, place))
    offer = marketplace(suite, folder)
    progress("check")
    check_suite(tree, suite, bundles, offer)
    if last_trial != trial_digest(tree, bundles):
        progress("try")
        if problems := trial_problems(tree, suite, bundles):
            raise ProblemsFound(problems)
    return bundles, offer
