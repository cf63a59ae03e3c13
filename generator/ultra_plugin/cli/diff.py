"""ultra-plugin diff: show what a build would change."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

import click

from ultra_plugin.cli.options import default_source, out_option, source_option
from ultra_plugin.model import Bundle
from ultra_plugin.overlay.layers import open_tree
from ultra_plugin.pipeline import checked
from ultra_plugin.tree import changes


@click.command("diff")
@source_option
@out_option
@click.option("--stat", is_flag=True, help="Show only the names of the files.")
def diff_command(source: Path | None, out: Path, stat: bool) -> int:
    """Show how the rendered bundles differ from the output folder; exit 1 if they do."""
    bundles, _ = checked(open_tree(source or default_source()), out.name)
    differ = False
    for bundle in bundles:
        for change in changes(bundle, out / bundle.name):
            differ = True
            if stat:
                click.echo(f"{change.kind:8}{bundle.name}/{change.path}")
            else:
                click.echo("".join(_unified(bundle, change.path, out)), nl=False)
    return 1 if differ else 0


def _unified(bundle: Bundle, path: str, out: Path) -> Iterator[str]:
    place = out / bundle.name / path
    old = place.read_bytes() if place.is_file() else b""
    new = bundle.files[path].content if path in bundle.files else b""
    return unified(f"{bundle.name}/{path}", old, new)


def unified(label: str, old: bytes, new: bytes) -> Iterator[str]:
    """Yield the lines of a diff of one file."""
    if b"\0" in old + new:
        yield f"Binary file {label} differs\n"
        return
    before, after = (text.decode("utf-8", "replace").splitlines(keepends=True) for text in (old, new))
    found = False
    for line in difflib.unified_diff(before, after, f"a/{label}", f"b/{label}"):
        found = True
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
    if not found:
        yield f"mode of {label} differs\n"
