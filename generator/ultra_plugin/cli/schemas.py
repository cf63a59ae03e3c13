"""ultra-plugin schemas: the JSON Schemas of plugin.yaml, suite.yaml and overlay.yaml, for editors."""

from __future__ import annotations

from pathlib import Path

import click

from ultra_plugin.cli.options import default_source, source_option
from ultra_plugin.errors import UltraError
from ultra_plugin.scaffold import SCHEMAS
from ultra_plugin.tree import write_file


@click.command("schemas")
@source_option
@click.option("--page", "as_page", is_flag=True, help="Print the reference page instead.")
def schemas_command(source: Path | None, as_page: bool) -> None:
    """Write the JSON Schemas of plugin.yaml, suite.yaml and overlay.yaml to .schemas/ of the source tree.

    An editor uses them where a file begins with `# yaml-language-server: $schema=PATH`.
    """
    from ultra_plugin.reference import page, schemas  # late: a build with nothing to do does not need it

    if as_page:
        click.echo(page(), nl=False)
        return
    root = source or default_source()
    if not root.is_dir():
        raise UltraError(f"{root}: no such source folder; give it with --source")
    for name, content in schemas().items():
        write_file(root / SCHEMAS / name, content)
        click.echo(str(root / SCHEMAS / name))
