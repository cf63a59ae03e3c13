"""ultra-plugin build: everything from templates to packages."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from ultra_plugin.cli.installer import install_lines
from ultra_plugin.cli.options import default_source, json_option, out_option, progress, source_option
from ultra_plugin.pipeline import build
from ultra_plugin.report import Cost, PluginReport, Report

_MOST_TRIED = 5
_WHOLE = "the whole plugin"


@click.command("build")
@source_option
@out_option
@click.option("--wheel", is_flag=True, help="Also build the sdist and the wheel of the project.")
@json_option
def build_command(source: Path | None, out: Path, wheel: bool, as_json: bool) -> None:
    """Render, check, write and package every plugin of the source tree."""
    begun = []

    def note(step: str) -> None:
        begun.append(step)
        progress(step)

    try:
        report = build(source or default_source(), out, distributions=wheel, progress=note)
    except KeyboardInterrupt:
        if "write" in begun:
            raise KeyboardInterrupt(f"interrupted while writing {out}; build again to complete it") from None
        raise
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(report)))
    else:
        click.echo("\n".join(_lines(report, out)))


def _lines(report: Report, out: Path) -> Iterator[str]:
    for plugin in report.plugins:
        yield f"{plugin.name} {plugin.version}: {plugin.files} files, {plugin.size / 1000:.0f} kB"
        yield from _bill(plugin)
        yield f"  folder  {plugin.folder}"
        yield f"  zip     {plugin.zip}"
    for package in report.packages:
        yield f"  {'wheel' if package.endswith('.whl') else 'sdist'}   {package}"
    for name in report.removed:
        yield f"{out / name}: removed, because the sources no longer have this plugin"
    for name in report.left:
        place = shlex.quote(str(out / name))
        yield f"{out / name}: from an earlier build, not in these sources; to remove it: rm -r {place}"
    for old in report.renamed:
        yield f"{old} [warning]"
    for target in report.targets:
        yield f"{target.plugin} for {target.target}: {target.folder}"
        yield from (f"  lost: {loss}" for loss in target.losses)
    for path in report.unshipped:
        yield f"not shipped: {path}"
    if report.warnings:
        codes = ", ".join(f"{code} {count}" for code, count in report.warnings.items())
        yield f"{sum(report.warnings.values())} warnings (ultra-plugin check lists them): {codes}"
    yield f"{report.written} files changed" if report.written else "nothing changed"
    yield ""
    folders = [shlex.quote(plugin.folder) for plugin in report.plugins[:_MOST_TRIED]]
    yield "Try it:     claude --plugin-dir " + " --plugin-dir ".join(folders)
    for line in install_lines(out, report):
        yield f"Install it: {line}"


def _bill(plugin: PluginReport) -> Iterator[str]:
    width = max([len(_WHOLE), *(len(cost.name) for cost in plugin.costs)])
    yield f"  {'tokens'.ljust(width)}   always-on   on-invoke     closure   (used/budget)"
    for cost in plugin.costs:
        figures = (_of(cost, name) for name in ("always_on", "on_invoke", "closure"))
        yield f"  {cost.name.ljust(width)} " + " ".join(figure.rjust(11) for figure in figures)
    yield f"  {_WHOLE.ljust(width)} {str(plugin.always_on).rjust(11)}"
    for one in plugin.savings:
        less = f"{100 - 100 * one.cut // one.whole} % less"
        yield f"  references for {one.agent}: {one.cut} of {one.whole} tokens, {less}"


def _of(cost: Cost, name: str) -> str:
    limit = getattr(cost.budget, name)
    return f"{getattr(cost, name)}" + (f"/{limit}" if limit is not None else "")
