"""ultra-plugin adopt: make a source tree from an existing plugin or marketplace."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from ultra_plugin.cli.installer import itself
from ultra_plugin.cli.options import json_option, progress

if TYPE_CHECKING:
    from ultra_plugin.adopt import Adopted

_SHOWN = 10


@click.command("adopt")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", required=False, type=click.Path(path_type=Path))
@click.option(
    "--share",
    type=click.IntRange(min=2),
    metavar="N",
    help="Turn passages that occur at least N times in the prompts into fragments.",
)
@json_option
def adopt_command(source: Path, target: Path | None, share: int | None, as_json: bool) -> None:
    """Make a source tree in TARGET from the plugin or marketplace SOURCE, a folder or a zip.

    The tree renders to the same bytes, executable bits and links; this is proved before anything is written to TARGET.
    Other mode bits and empty folders are not kept, but named. TARGET must be new or empty; without it, a folder with
    the name of the plugin is made here.
    """
    from ultra_plugin.adopt import adopt  # late: a build with nothing to do does not need it

    adopted = adopt(source, target, share or 0, progress)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(adopted)))
    else:
        click.echo("\n".join(_lines(adopted)))


def _lines(adopted: Adopted) -> Iterator[str]:
    names = adopted.plugins
    what = names[0] if len(names) == 1 else f"{len(names)} plugins"
    size = f"{adopted.files} files, {adopted.size / 1000:.0f} kB"
    yield f"{adopted.target}/plugin_src: {what}, {size}; it renders to the same bytes, executable bits and links"
    if shared := adopted.shared:
        many = f"{shared.fragments} fragments" if shared.fragments > 1 else "1 fragment"
        yield f"{many}, used {shared.uses} times; lines saved: {shared.lines}"
    if adopted.left_out:
        yield f"left out, because git or Python made it: {_some(adopted.left_out)}"
    if adopted.modes:
        yield f"modes that become 644 or 755: {_some(adopted.modes)}"
    if adopted.empty:
        yield f"empty folders, which are not kept: {_some(adopted.empty)}"
    if adopted.refused:
        yield "The client calls this an error, so the build refuses it:"
        yield from (f"  {problem}" for problem in adopted.refused)
    yield ""
    yield f"Build it: cd {quote(str(adopted.target))} && {itself()} build"


def _some(paths: Sequence[str]) -> str:
    """Return the first paths, and how many more there are."""
    more = [f"and {len(paths) - _SHOWN} more"] if len(paths) > _SHOWN else []
    return ", ".join([*paths[:_SHOWN], *more])
