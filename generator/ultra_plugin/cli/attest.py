"""ultra-plugin attest: write the files with which others verify a release."""

from __future__ import annotations

from pathlib import Path

import click

from ultra_plugin.cli.options import default_source, out_option, progress, source_option
from ultra_plugin.pipeline import build

_LOCAL = "urn:ultra-suite:builder:local"


@click.command("attest")
@source_option
@out_option
@click.option("--wheel", is_flag=True, help="Also build and describe the sdist and the wheel of the project.")
@click.option("--sign", "key", type=click.Path(path_type=Path), help="Sign the checksums with this SSH key.")
@click.option(
    "--builder", default=_LOCAL, show_default=True, help="URI of the machine or service that builds."
)
def attest_command(source: Path | None, out: Path, wheel: bool, key: Path | None, builder: str) -> None:
    """Build, then write a parts list (CycloneDX), a provenance statement (in-toto, SLSA) and SHA256SUMS.

    `ultra-plugin verify` and `ultra-install` check a download against them.
    """
    from ultra_plugin.provenance.attesting import attest  # late: only this command needs its libraries

    tree = source or default_source()
    report = build(tree, out, distributions=wheel, progress=progress)
    command = ["ultra-plugin", "build", *(["--wheel"] if wheel else [])]
    for written in attest(report, tree, out, command, builder, key):
        click.echo(str(written))
