"""ultra-plugin overlay: keep a fork as a few files on top of an upstream."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

import click

from ultra_plugin.cli.diff import unified
from ultra_plugin.cli.installer import itself
from ultra_plugin.cli.options import json_option
from ultra_plugin.errors import Problem, UltraError
from ultra_plugin.overlay.layers import LayeredTree, open_tree
from ultra_plugin.overlay.lock import Standing, standings
from ultra_plugin.overlay.settings import SETTINGS, read_settings
from ultra_plugin.overlay.work import SCHEMA, accept, begin, moved, pin, take

_NEEDS_LOOK = ("stale", "orphaned", "new")
folder_option = click.option(
    "--overlay",
    "root",
    type=click.Path(path_type=Path),
    default=Path(),
    help="Folder of the overlay.  [default: here]",
)


@click.group("overlay")
def overlay_command() -> None:
    """Keep a fork as a few files on top of an upstream."""


@overlay_command.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--upstream", required=True, help="A folder, a wheel, or FOLDER@TAG of a git repository.")
@click.option("--name", help="Name of the plugin.  [default: that of the folder]")
@click.option("--launcher", help="Name of its program.  [default: that of the plugin]")
@click.option("--plugin", help="The upstream's plugin to fork, if it has several.")
def new_command(
    folder: Path, upstream: str, name: str | None, launcher: str | None, plugin: str | None
) -> None:
    """Start an overlay in FOLDER that renames the upstream's plugin."""
    from ultra_plugin.reference import schemas  # late: a build with nothing to do does not need it

    called = name or folder.resolve().name
    begin(folder, upstream, called, launcher or called, plugin, schemas()[Path(SCHEMA).name])
    click.echo(f"{folder / SETTINGS}: written\nBuild it: cd {quote(str(folder))} && {itself()} build")


@overlay_command.command("take")
@click.argument("path")
@folder_option
def take_command(path: str, root: Path) -> None:
    """Copy a file, FILE#BLOCK or FILE#KEY of the upstream into the overlay, to change it there."""
    tree = _opened(root)
    click.echo(f"{tree.label(take(tree, path))}: written; change it, then build")


@overlay_command.command("status")
@folder_option
@json_option
def status_command(root: Path, as_json: bool) -> int:
    """List what the overlay overrides: fresh, stale, orphaned, new or added; exit 1 if something needs attention."""
    tree = _opened(root)
    found = standings(tree)
    if as_json:
        rows = [{"part": one.part.id, "state": one.state} for one in found]
        click.echo(json.dumps({"upstream": tree.settings.upstream.version, "parts": rows}))
    else:
        click.echo("\n".join(_listed(tree, found)))
    return 1 if any(one.state in _NEEDS_LOOK for one in found) else 0


@overlay_command.command("diff")
@folder_option
def diff_command(root: Path) -> int:
    """Show how the rendered plugin differs from the upstream's with the same names; exit 1 if it does."""
    from ultra_plugin.config import load  # late: a build with nothing to do needs no Jinja
    from ultra_plugin.origin import Origins
    from ultra_plugin.render import render

    tree = _opened(root)
    bare = LayeredTree(root, tree.settings, tree.upstream, with_files=False)
    (ours, theirs) = ({one.name: one for one in render(each, load(each))} for each in (tree, bare))
    origins = Origins(tree)
    differ = False
    for name, bundle in ours.items():
        before = theirs[name].files if name in theirs else {}
        for path in sorted({*before, *bundle.files} - {"bundle.json"}):
            old, new = before.get(path), bundle.files.get(path)
            if old is None or new is None or old.content != new.content:
                differ = True
                shown = unified(name, path, old.content if old else b"", new, origins)
                click.echo("".join(shown), nl=False)
    return 1 if differ else 0


@overlay_command.command("upgrade")
@click.argument("version")
@click.option(
    "--dry-run", is_flag=True, help="Only show what would need attention; exit 1 if something does."
)
@folder_option
def upgrade_command(version: str, dry_run: bool, root: Path) -> int:
    """Move the overlay to another VERSION of its upstream, and show every override that it changed."""
    before = read_settings(root)
    tree, found = moved(root, version)
    click.echo("\n".join(_listed(tree, found)))
    if dry_run:
        return 1 if any(one.state in _NEEDS_LOOK for one in found) else 0
    pin(root, before, tree.settings)
    click.echo(f"{tree.label(SETTINGS)}: now on {version}; it was {before.upstream.version}")
    return 0


@overlay_command.command("accept")
@click.argument("path", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Accept every override as it is.")
@folder_option
def accept_command(path: tuple[str, ...], everything: bool, root: Path) -> None:
    """Record that an override (FILE, FILE#BLOCK or FILE#KEY) fits the upstream as it is now."""
    if bool(path) == everything:
        raise click.UsageError("name what to accept, or give --all")
    accepted = accept(_opened(root), path)
    for part in accepted:
        click.echo(f"{part}: accepted")
    if not accepted:
        click.echo("nothing to accept")


def _opened(root: Path) -> LayeredTree:
    read_settings(root)  # says what is missing if this is no overlay
    tree = open_tree(root)
    if not isinstance(tree, LayeredTree):
        raise UltraError(f"{root}: is not an overlay")
    return tree


def _listed(tree: LayeredTree, found: Sequence[Standing]) -> Iterator[str]:
    yield from map(_warning, tree.renamed)
    for one in found:
        yield f"{one.state:10}{one.part.id}"
        if one.state in ("stale", "orphaned"):
            yield from _three_texts(tree, one)
    if not found:
        yield "the overlay overrides nothing"


def _three_texts(tree: LayeredTree, one: Standing) -> Iterator[str]:
    record, now = one.record, tree.settings.upstream.version
    texts = (
        (f"upstream {record.version if record else ''}", record.text if record else None),
        (f"upstream {now}", one.part.upstream),
        ("yours", one.part.own),
    )
    for title, text in texts:
        yield f"  --- {title}"
        shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        yield textwrap.indent("(nothing)" if shown is None else shown.rstrip("\n"), "  ")


def _warning(problem: Problem) -> str:
    return f"{problem} [warning]"
