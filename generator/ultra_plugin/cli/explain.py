"""ultra-plugin explain: what a code of the checks means and what to do about it."""

from __future__ import annotations

import click

from ultra_plugin.check.codes import CODES
from ultra_plugin.document import nearest
from ultra_plugin.errors import UltraError
from ultra_plugin.lint.page import entry, page


@click.command("explain")
@click.argument("code", required=False)
@click.option("--page", "as_page", is_flag=True, help="Print the page of all codes.")
def explain_command(code: str | None, as_page: bool) -> None:
    """Say what CODE means; without one, list all codes."""
    if as_page:
        click.echo(page(), nl=False)
    elif code is None:
        for name, known in CODES.items():
            click.echo(f"{name}: {known.means}")
    elif code not in CODES:
        raise UltraError(f"no check has the code '{code}' ({nearest(code, CODES)})")
    else:
        click.echo(entry(code), nl=False)
