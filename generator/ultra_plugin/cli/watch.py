"""ultra-plugin watch: build after every change of a source."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import click

from ultra_plugin.cli.options import default_source, json_option, out_option, source_option
from ultra_plugin.errors import UltraError
from ultra_plugin.overlay.layers import open_tree
from ultra_plugin.pipeline import build

_PAUSE = 0.3


@click.command("watch")
@source_option
@out_option
@json_option
def watch_command(source: Path | None, out: Path, as_json: bool) -> None:
    """Build now, and again after every change, until interrupted; with --json, an object for each build."""
    root = source or default_source()
    seen: object = None
    while True:
        now = _signature(root)
        if now != seen:
            seen = now
            _build_and_tell(root, out, as_json)
        time.sleep(_PAUSE)


def _signature(root: Path) -> list[tuple[str, int, int]]:
    found = []
    for path in open_tree(root).watched:
        try:
            status = os.stat(path)
        except FileNotFoundError:  # removed meanwhile; the next look notices
            continue
        found.append((str(path), status.st_mtime_ns, status.st_size))
    return found


def _build_and_tell(root: Path, out: Path, as_json: bool) -> None:
    clock, error = time.strftime("%H:%M:%S"), ""
    try:
        report = build(root, out)
    except UltraError as problem:
        error = str(problem)
        text = f"{clock} {error}\n{clock} not built; the last good build is unchanged"
    else:
        names = ", ".join(f"{plugin.name} {plugin.version}" for plugin in report.plugins)
        text = f"{clock} built {names}: {report.written} files changed"
    told = {"ok": not error, "lines": text.splitlines(), **({"error": error} if error else {})}
    click.echo(json.dumps(told, ensure_ascii=False) if as_json else text)
