"""ultra-plugin new: start a plugin."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shlex import quote

import click

from ultra_plugin.cli.installer import itself
from ultra_plugin.scaffold import DEFAULT_PARTS, LICENCES, PARTS, Wanted
from ultra_plugin.source import packaged_source

_UNNAMED = "Nobody"


@click.command("new")
@click.argument("name")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Folder to make.  [default: NAME]")
@click.option("--description", help="What the plugin does, in one sentence.")
@click.option("--author", help="Who makes it.  [default: git config user.name]")
@click.option("--license", "licence", type=click.Choice(list(LICENCES)), default="MIT", show_default=True)
@click.option(
    "--with",
    "parts",
    multiple=True,
    type=click.Choice([*PARTS, "all"]),
    help=f"A component to begin with; repeat it for more.  [default: {', '.join(DEFAULT_PARTS)}]",
)
@click.option("--runtime", "rooms", metavar="ROOM,...", help="Include these rooms of the bundled runtime.")
def new_command(
    name: str,
    target: Path | None,
    description: str | None,
    author: str | None,
    licence: str,
    parts: tuple[str, ...],
    rooms: str | None,
) -> None:
    """Start the plugin NAME: a source tree that builds at once, with examples to change.

    On a terminal it asks for what no option says.
    """
    from ultra_plugin.creating import create  # late: a build with nothing to do does not need it

    author = author or _asked("Author", _git_name() or _UNNAMED)
    description = description or _asked(
        "What does it do, in one sentence?", f"Helps with {name}, in plain words."
    )
    chosen = tuple(PARTS) if "all" in parts else parts or tuple(DEFAULT_PARTS)
    named = tuple(room.strip() for room in rooms.split(",")) if rooms else ()
    place = target or Path(name)
    create(Wanted(name, description, author, licence, chosen, named), place, packaged_source())
    click.echo(f"{place}: a plugin with {', '.join(chosen)}; change what is in plugin_src/plugins/{name}")
    if author == _UNNAMED:
        click.echo(
            f"the author is {_UNNAMED}: put a name into plugin_src/suite.yaml and plugin_src/LICENSE, or use --author"
        )
    click.echo("")
    click.echo(f"Build it: cd {quote(str(place))} && {itself()} build")
    click.echo(f"Test it:  {itself()} test")


def _asked(question: str, default: str) -> str:
    """Ask on a terminal; elsewhere take the default."""
    if not sys.stdin.isatty():
        return default
    return str(click.prompt(question, default=default))


def _git_name() -> str:
    try:
        done = subprocess.run(
            ["git", "config", "user.name"],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError:
        return ""
    return done.stdout.strip()
