"""ultra-plugin diff: show what a build would change."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ultra_plugin.cli.options import default_source, out_option, source_option
from ultra_plugin.model import BundleFile
from ultra_plugin.overlay.layers import open_tree
from ultra_plugin.pipeline import checked
from ultra_plugin.tree import changes

if TYPE_CHECKING:
    from ultra_plugin.origin import Origins


@click.command("diff")
@source_option
@out_option
@click.option("--stat", is_flag=True, help="Show only the names of the files.")
def diff_command(source: Path | None, out: Path, stat: bool) -> int:
    """Show how the rendered bundles differ from the output folder; exit 1 if they do."""
    from ultra_plugin.origin import Origins  # late: a build with nothing to do needs no Jinja

    tree = open_tree(source or default_source())
    bundles, _ = checked(tree, out.name)
    origins = None if stat else Origins(tree)
    differ = False
    for bundle in bundles:
        for change in changes(bundle, out / bundle.name):
            differ = True
            if origins is None:
                click.echo(f"{change.kind:8}{bundle.name}/{change.path}")
                continue
            place = out / bundle.name / change.path
            old = place.read_bytes() if place.is_file() else b""
            shown = unified(bundle.name, change.path, old, bundle.files.get(change.path), origins)
            click.echo("".join(shown), nl=False)
    return 1 if differ else 0


def unified(plugin: str, path: str, old: bytes, file: BundleFile | None, origins: Origins) -> Iterator[str]:
    """Yield the lines of a diff of one file; each hunk names the source of its first changed line."""
    label, new = f"{plugin}/{path}", file.content if file else b""
    if b"\0" in old + new:
        yield f"Binary file {label} differs\n"
        return
    before, after = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (old, new))
    lines = list(difflib.unified_diff(before, after, f"a/{label}", f"b/{label}"))
    for number, line in enumerate(lines):
        if line.startswith("@@ ") and file is not None:
            at = origins.place(plugin, file, _first_changed(line, lines[number + 1 :]))
            line = f"{line.rstrip()} {at}\n"
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
    if not lines:
        yield f"mode of {label} differs\n"


def _first_changed(head: str, lines: Sequence[str]) -> int:
    """Return the new number of the first line that a hunk adds, or of the line where it removes some."""
    start = int(head.split("+")[1].split()[0].partition(",")[0])
    same = next((count for count, line in enumerate(lines) if not line.startswith(" ")), 0)
    return max(1, start + same)
