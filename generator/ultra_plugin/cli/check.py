"""ultra-plugin check: check the source tree or any plugin folder, then run the client's validator if there is one."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from ultra_plugin.check import check_bundle
from ultra_plugin.check.codes import error
from ultra_plugin.check.subject import MANIFEST
from ultra_plugin.check.validator import client_problems
from ultra_plugin.cli.options import default_source, json_option, source_option
from ultra_plugin.errors import Problem, ProblemsFound
from ultra_plugin.folder import may_be_plugin, read_folder
from ultra_plugin.overlay.layers import open_tree
from ultra_plugin.pipeline import judged
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import write


@click.command("check")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@source_option
@click.option("--strict", is_flag=True, help="Also fail on warnings.")
@click.option(
    "--client",
    default="auto",
    help="Also run this client's validator: auto (claude on the PATH), off, or a path.",
)
@json_option
def check_command(folder: Path | None, source: Path | None, strict: bool, client: str, as_json: bool) -> int:
    """Check the source tree, or any plugin in FOLDER."""
    asked = shutil.which("claude") if client == "auto" else None if client == "off" else client
    if folder is not None:
        subject, problems = str(folder), _folder_problems(folder, asked)
    else:
        tree = open_tree(source or default_source())
        subject, problems = str(tree.root), _source_problems(tree, asked)
    failed = any(strict or problem.severity == "error" for problem in problems)
    _tell(subject, problems, not failed, asked, as_json)
    return 1 if failed else 0


def _folder_problems(folder: Path, client: str | None) -> list[Problem]:
    if not may_be_plugin(folder):
        return [error(str(folder / MANIFEST), 0, "no-manifest", "does not exist")]
    try:
        problems = check_bundle(read_folder(folder))
    except ProblemsFound as found:
        return list(found.problems)
    if client:
        problems += client_problems(client, folder)
    return [replace(problem, path=str(folder / problem.path)) for problem in problems]


def _source_problems(tree: SourceTree, client: str | None) -> list[Problem]:
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


def _tell(subject: str, problems: Sequence[Problem], passed: bool, client: str | None, as_json: bool) -> None:
    if as_json:
        answer = {"ok": passed, "client": client, "problems": [problem.as_dict() for problem in problems]}
        click.echo(json.dumps(answer, ensure_ascii=False))
        return
    for problem in problems:
        click.echo(f"{problem}{' [warning]' if problem.severity == 'warning' else ''}")
    asked = f", also not by {client}" if client else ""
    count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
    click.echo(f"{subject}: {count if problems else f'no problems found{asked}'}")
