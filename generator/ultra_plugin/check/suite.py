"""Check a rendered suite before writing, and name the source line of each problem."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ultra_plugin.bill import bill
from ultra_plugin.check import check_offered
from ultra_plugin.check.jsontext import read_json
from ultra_plugin.check.launcher import launcher_problems
from ultra_plugin.check.layout import layout_problems
from ultra_plugin.check.listing import ICON
from ultra_plugin.check.manifest_lines import manifest_line
from ultra_plugin.check.markers import copied_marker_problems
from ultra_plugin.check.marketplace import ENTRY_MISMATCH, check_marketplace
from ultra_plugin.check.profile import Verdict, code_name_problems
from ultra_plugin.check.prompts import prompt_problems
from ultra_plugin.check.protocol import protocol_problems
from ultra_plugin.check.raised import code_problems
from ultra_plugin.check.roles import role_problems
from ultra_plugin.check.runtime_names import runtime_problems
from ultra_plugin.check.spelling import Words
from ultra_plugin.check.subject import MANIFEST, MARKETPLACE
from ultra_plugin.check.unused import unused_agents, unused_problems
from ultra_plugin.errors import Problem, refuse
from ultra_plugin.model import Bundle, Plugin, Suite
from ultra_plugin.per_plugin import own_suite
from ultra_plugin.render import templates_of
from ultra_plugin.source import SourceTree, is_in_plugin
from ultra_plugin.templates import Templates

OVER_BUDGET = "over-budget"
_SOURCE_OF = {ICON: "icon/icon.png", "README.md": "README.md.j2"}
"""File that every bundle should have -> its path in the plugin's source folder."""


def check_suite(
    tree: SourceTree, suite: Suite, bundles: Sequence[Bundle], offer: bytes
) -> dict[str, list[Problem]]:
    """Raise every problem that the profiles do not accept; return the others by plugin, those of the suite under ""."""
    warnings: dict[str, list[Problem]] = {}
    verdict, words = Verdict(), Words(suite)
    problems = [
        *code_name_problems(tree, suite),
        *words.problems(tree, (path for path in tree.files() if not is_in_plugin(path))),
        *unused_problems(tree, suite, bundles),
        *code_problems(tree, suite),
        *protocol_problems(tree, suite),
        *runtime_problems(tree, suite, bundles),
        *launcher_problems(tree, suite, bundles),
    ]
    for plugin, bundle in zip(suite.plugins, bundles, strict=True):
        if bundle.kept is not None:
            continue
        own = own_suite(suite, plugin)
        if found := _found(own, plugin, bundle):
            found = _at_source(tree, own, plugin, bundle, found)
        if not plugin.settings.exact:
            found += words.problems(tree, tree.files(plugin.folder))
        found += unused_agents(tree, suite, plugin, bundle)
        found += copied_marker_problems(tree, plugin.folder)
        verdict.add(found, suite.settings, plugin.settings)
        warnings[bundle.name], verdict.warnings = verdict.warnings, []
    by_name: Mapping[str, Bundle] = {bundle.name: bundle for bundle in bundles}
    problems += check_marketplace(offer, MARKETPLACE, by_name)
    problems += _changelog_problems(tree, suite)
    verdict.add(problems, suite.settings)
    refuse(verdict.errors)
    warnings[""] = []
    for problem, name in zip(verdict.warnings, _offered(verdict.warnings, suite, offer), strict=True):
        warnings.get(name, []).append(problem)  # those of a plugin that was not built again are known
    return warnings


def _offered(problems: Sequence[Problem], suite: Suite, offer: bytes) -> Iterator[str]:
    """Yield for each problem the plugin whose entry in the marketplace does not match it, or ""."""
    found = [problem.code == ENTRY_MISMATCH for problem in problems]
    document = read_json(offer.decode()) if any(found) else None
    lines = [document.line_of("plugins", number) for number in range(len(suite.plugins))] if document else []
    for problem, is_of_entry in zip(problems, found, strict=True):
        number = bisect(lines, problem.line) - 1
        yield suite.plugins[number].settings.name if is_of_entry else ""


def _found(suite: Suite, plugin: Plugin, bundle: Bundle) -> list[Problem]:
    return [
        *check_offered(bundle, suite.settings.name),
        *prompt_problems(suite, plugin.launcher, bundle),
        *role_problems(plugin, bundle),
        *layout_problems(bundle),
        *_budget_problems(bundle),
    ]


def _at_source(
    tree: SourceTree, suite: Suite, plugin: Plugin, bundle: Bundle, found: Sequence[Problem]
) -> list[Problem]:
    """Return the problems of a bundle with their places in the sources.

    A filled line may hold words from several template lines, so the checks run again on the
    unfilled text. A problem found only in the filled text gets the template line where that line begins.
    """
    templates = templates_of(tree, suite, plugin)
    if not any(file.unfilled for file in bundle.files.values()):
        return _traced(tree, templates, plugin, bundle, found)
    before = replace(bundle, files={path: file.unfilled or file for path, file in bundle.files.items()})
    exact = _found(suite, plugin, before)
    wrong, wrong_before = set(map(_what, found)), set(map(_what, exact))
    return [
        *_traced(tree, templates, plugin, before, [problem for problem in exact if _what(problem) in wrong]),
        *_traced(
            tree,
            templates,
            plugin,
            bundle,
            [problem for problem in found if _what(problem) not in wrong_before],
        ),
    ]


def _what(problem: Problem) -> Problem:
    return replace(problem, line=0)


def _traced(
    tree: SourceTree, templates: Templates, plugin: Plugin, bundle: Bundle, found: Sequence[Problem]
) -> list[Problem]:
    """Move problems from lines of the bundle to lines of the templates."""
    traces: dict[str, list[tuple[str, int]]] = {}
    moved = []
    for problem in found:
        file = bundle.files.get(problem.path)
        if file is None or not file.sources:
            moved.append(_lacking(tree, bundle, problem))
            continue
        source, line = file.sources[0], problem.line
        if problem.path == MANIFEST and source == plugin.file and not plugin.settings.exact:
            line = manifest_line(tree.read(source), file.text, line)
            moved.append(replace(problem, path=tree.shown(source), line=line))
            continue
        if not source.endswith(".j2"):
            is_copy = tree.find(source) is not None and tree.read(source) == file.content
            moved.append(replace(problem, path=tree.shown(source), line=line if is_copy else 0))
            continue
        if line:
            trace = traces.setdefault(source, []) or templates.trace(source)
            traces[source] = trace
            raw = file.source_lines[line - 1] if line <= len(file.source_lines) else line - 1
            raw = file.budget_line if problem.code == OVER_BUDGET else raw
            source, line = trace[min(raw, len(trace) - 1)]
        moved.append(replace(problem, path=tree.shown(source), line=line))
    return moved


def _lacking(tree: SourceTree, bundle: Bundle, problem: Problem) -> Problem:
    """Move the problem of a missing file to its place in the sources."""
    source = _SOURCE_OF.get(problem.path)
    if source is None:
        return replace(problem, path=f"{bundle.name}/{problem.path}")
    path = tree.shown(f"plugins/{bundle.name}/{source}")
    return replace(problem, path=path, remedy=f"add {path}")


def _budget_problems(bundle: Bundle) -> list[Problem]:
    found = []
    for item in bill(bundle):
        for figure, used, limit in item.over():
            message = f"{figure} is {used} tokens; the budget is {limit}"
            remedy = f"shorten it, or raise {figure} in `budget:`"
            found.append(Problem(item.path, 1, OVER_BUDGET, message, remedy))
    return found


def _changelog_problems(tree: SourceTree, suite: Suite) -> list[Problem]:
    """Find a changelog next to the sources that lacks the current version."""
    changelog = tree.project / "CHANGELOG.md"
    if not changelog.is_file() or f"## [{suite.version}]" in changelog.read_text(encoding="utf-8"):
        return []
    message = f"has no section for version {suite.version}"
    return [Problem(str(changelog), 0, "changelog", message, f"add '## [{suite.version}] - YYYY-MM-DD'")]
