"""ultra-plugin check: check the source tree or any plugin folders, then run the client's validator if there is one."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from ultra_plugin.check.validator import client_problems
from ultra_plugin.cli.options import default_source, json_option, source_option
from ultra_plugin.errors import Problem, ProblemsFound, UltraError
from ultra_plugin.lint import formats
from ultra_plugin.lint.baseline import new_problems, write_baseline
from ultra_plugin.lint.fixes import apply
from ultra_plugin.lint.places import folders, with_plugins
from ultra_plugin.lint.run import Order, Result, check_folders
from ultra_plugin.lint.settings import Settings, checked_codes, checked_levels
from ultra_plugin.source import SourceTree


@click.command("check")
@click.argument("places", nargs=-1, metavar="[FOLDER]...")
@source_option
@click.option("--strict", is_flag=True, help="Also fail on warnings.")
@click.option(
    "--client",
    default="auto",
    help="Also run this client's validator: auto (claude on the PATH), off, or a path.",
)
@click.option(
    "--select", default="", metavar="CODES", help="Only these codes; `*` at the end matches the rest."
)
@click.option("--ignore", default="", metavar="CODES", help="Not these codes.")
@click.option("--severity", multiple=True, metavar="CODE=LEVEL", help="error, warning or off.")
@click.option(
    "--config", type=click.Path(path_type=Path), help="Settings. [default: the nearest .ultra-check.yaml]"
)
@click.option(
    "--baseline", type=click.Path(path_type=Path), help="Report only warnings that are not in this file."
)
@click.option(
    "--write-baseline", type=click.Path(path_type=Path), help="Write the current warnings to a file."
)
@click.option("--fix", is_flag=True, help="Repair simple faults; shows a diff and asks first.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
@click.option(
    "--jobs", type=click.IntRange(min=0), default=1, show_default=True, help="Processes; 0: one per core."
)
@click.option("--format", "form", type=click.Choice(formats.FORMATS), default="text", show_default=True)
@json_option
def check_command(
    places: tuple[str, ...],
    source: Path | None,
    strict: bool,
    client: str,
    select: str,
    ignore: str,
    severity: tuple[str, ...],
    config: Path | None,
    baseline: Path | None,
    write_baseline: Path | None,
    fix: bool,
    yes: bool,
    jobs: int,
    form: str,
    as_json: bool,
) -> int:
    """Check the source tree, or the plugins in FOLDERs, including those of a marketplace.

    A FOLDER may be a pattern such as 'plugins/*', or - for a list on standard input.
    """
    asked = shutil.which("claude") if client == "auto" else None if client == "off" else client
    pairs = dict(_pair(word) for word in severity)
    settings = Settings(
        checked_codes("--select", select.split(",")),
        checked_codes("--ignore", ignore.split(",")),
        checked_levels("--severity", pairs),
        baseline=baseline,
    )
    if places:
        subject, problems = _folders(places, Order(settings, config, asked, fix), jobs, yes, write_baseline)
    else:
        from ultra_plugin.overlay.layers import open_tree  # late: a check of folders builds nothing

        tree = open_tree(source or default_source())
        found = [one for problem in _source_problems(tree, asked) if (one := settings.sorted_out(problem))]
        subject, problems = str(tree.root), _against(baseline, write_baseline, found)
    failed = any(strict or problem.severity == "error" for problem in problems)
    _tell(subject, problems, not failed, asked, "json" if as_json else form)
    return 1 if failed else 0


def _pair(word: str) -> tuple[str, str]:
    code, mark, level = word.partition("=")
    if not mark:
        raise UltraError(f"--severity: '{word}' is not CODE=LEVEL; write one such as icon-missing=off.")
    return code, level


def _folders(
    places: Sequence[str], order: Order, jobs: int, yes: bool, write_to: Path | None
) -> tuple[str, list[Problem]]:
    given = folders(places, sys.stdin if "-" in places else ())
    targets = list(dict.fromkeys(path for folder in given for path in with_plugins(folder)))
    if not targets:
        raise UltraError("no folder was named; name one, or check the source tree without FOLDER.")
    results = []
    for result in check_folders(targets, order, jobs or os.cpu_count() or 1):
        results.append(result)
        if len(targets) > 20 and sys.stderr.isatty():
            click.echo(
                f"\r  {len(results)} of {len(targets)} folders", nl=len(results) == len(targets), err=True
            )
    if order.fix and _repaired(results, yes):
        results = list(check_folders(targets, replace(order, fix=False), jobs or os.cpu_count() or 1))
    for note in dict.fromkeys(note for result in results for note in result.notes):
        click.echo(note, err=True)
    problems = list(dict.fromkeys(problem for result in results for problem in result.problems))
    baseline = next((result.baseline for result in results if result.baseline), None)
    subject = str(given[0]) if len(targets) == 1 else f"{len(targets)} folders"
    return subject, _against(baseline, write_to, problems)


def _repaired(results: Sequence[Result], yes: bool) -> bool:
    """Show what would be repaired, ask, and do it; say whether something was."""
    found = [(result.folder, change) for result in results for change in result.fixes]
    for folder, change in found:
        click.echo(change.diff(folder), nl=False, err=True)
    if not found:
        click.echo("nothing that --fix can repair", err=True)
        return False
    if not yes and not (sys.stdin.isatty() and click.confirm(f"Repair {len(found)} files?", err=True)):
        click.echo("nothing was changed; repeat with --yes to do it", err=True)
        return False
    for result in results:
        apply(result.folder, result.fixes)
    return True


def _against(baseline: Path | None, write_to: Path | None, problems: list[Problem]) -> list[Problem]:
    if write_to:
        count = write_baseline(write_to, [one for one in problems if one.severity == "warning"])
        click.echo(f"{write_to}: {count} warnings accepted", err=True)
        baseline = write_to
    return new_problems(baseline, problems) if baseline else problems


def _source_problems(tree: SourceTree, client: str | None) -> list[Problem]:
    from ultra_plugin.pipeline import judged  # late: a check of folders builds nothing
    from ultra_plugin.tree import write

    try:
        bundles, _, found_in = judged(tree, "dist")
    except ProblemsFound as refused:
        return [replace(problem, severity="error") for problem in refused.problems]
    warnings = [problem for found in found_in.values() for problem in found]
    if not client:
        return warnings
    with tempfile.TemporaryDirectory(prefix="ultra-check-") as place:
        write(bundles, Path(place))
        return warnings + [
            replace(problem, path=f"{bundle.name}/{problem.path}")
            for bundle in bundles
            for problem in client_problems(client, Path(place) / bundle.name)
        ]


def _tell(subject: str, problems: Sequence[Problem], passed: bool, client: str | None, form: str) -> None:
    if form == "json":
        answer = {"ok": passed, "client": client, "problems": [problem.as_dict() for problem in problems]}
        click.echo(json.dumps(answer, ensure_ascii=False))
    elif form == "sarif":
        click.echo(formats.sarif(problems), nl=False)
    elif form == "github":
        click.echo(formats.github(problems), nl=False)
    else:
        click.echo(formats.text(problems), nl=False)
        asked = f"; {client} found none either" if client else ""
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        click.echo(f"{subject}: {count if problems else f'no problems found{asked}'}")
