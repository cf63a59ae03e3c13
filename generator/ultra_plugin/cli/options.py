"""Options that several subcommands share, and where a source tree is looked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

_PACKAGED = Path(__file__).parent.parent / "plugin_src"


def default_source() -> Path:
    """Return the source tree in the current folder, or else the one that came with the package."""
    here = Path("plugin_src")
    return here if here.is_dir() or not _PACKAGED.is_dir() else _PACKAGED


def source_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --source."""
    packaged = ", or where there is none, the one in this package" if _PACKAGED.is_dir() else ""
    return click.option(
        "--source",
        type=click.Path(path_type=Path),
        help=f"Source tree.  [default: plugin_src{packaged}]",
    )(command)


def out_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --out."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path),
        default=Path("dist"),
        show_default=True,
        help="Folder for the built bundles.",
    )(command)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def progress(step: str) -> None:
    """Tell on standard error what is being done, where somebody is watching."""
    if sys.stderr.isatty():
        click.echo(f"  {step} ...", err=True)
