"""Options that several subcommands share, and the default source tree."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ultra_plugin.overlay.settings import is_overlay
from ultra_plugin.source import PACKAGED


def default_source() -> Path:
    """Return the overlay or the source tree in the current folder, or the packaged one."""
    if is_overlay(Path()):
        return Path()
    here = Path("plugin_src")
    return here if here.is_dir() or not PACKAGED.is_dir() else PACKAGED


def source_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --source."""
    packaged = ", or else the one in this package" if PACKAGED.is_dir() else ""
    return click.option(
        "--source",
        type=click.Path(path_type=Path),
        help=f"Source tree, or overlay.  [default: plugin_src{packaged}]",
    )(command)


def out_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --out."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path),
        default=Path("dist"),
        show_default=True,
        help="Output folder.",
    )(command)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def progress(step: str) -> None:
    """Print the current step on standard error if that is a terminal."""
    if sys.stderr.isatty():
        click.echo(f"  {step} ...", err=True)
