"""ultra-plugin verify: check whether a file belongs to a release, and show what it was made of."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from pathlib import Path

import click

from ultra_plugin.cli.options import json_option, progress
from ultra_plugin.install.released import SUMS, keys_file
from ultra_plugin.provenance.verifying import Verified, verify


@click.command("verify")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--release",
    "folder",
    type=click.Path(path_type=Path),
    help=f"Folder with {SUMS}.  [default: that of FILE]",
)
@click.option(
    "--keys",
    type=click.Path(path_type=Path),
    help="Allowed signers, in the form of ssh-keygen.  [default: $ULTRA_RELEASE_KEYS, then ~/.config/ultra-suite/allowed_signers]",
)
@click.option("--rebuild", is_flag=True, help="Build it again from the sources and compare the bytes.")
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    help="Sources for --rebuild.  [default: the sdist of the release]",
)
@json_option
def verify_command(
    file: Path, folder: Path | None, keys: Path | None, rebuild: bool, source: Path | None, as_json: bool
) -> None:
    """Verify a zip, wheel, sdist or plugin folder against the checksums, signature and provenance of its release.

    Exit status 1 if anything differs, or if keys are configured and none of them signed the release.
    """
    if source and not rebuild:
        raise click.UsageError("--source needs --rebuild")
    if rebuild:
        progress("verify and build again")
    result = verify(file, folder, keys_file(keys, os.environ), rebuild, source)
    click.echo(json.dumps(dataclasses.asdict(result)) if as_json else "\n".join(_lines(result)))


def _lines(result: Verified) -> Iterator[str]:
    yield f"{result.file}: its SHA-256 is the one in {Path(result.release, SUMS)}"
    if result.signer:
        yield f"  signed by   {result.signer}"
    elif result.is_signed:
        yield "  signed by   not checked: name the allowed signers with --keys"
    else:
        yield "  signed by   nobody"
    yield f"  sources     sha256:{result.sources}" + (f", commit {result.commit}" if result.commit else "")
    yield f"  built by    {result.builder}: {' '.join(result.command)}"
    if result.rebuilt:
        yield f"  built again from {result.rebuilt}: the same bytes"
