"""The command line; it says which packages are missing if only the installer's are there."""

from __future__ import annotations

import sys

_NEEDED = ("click", "jinja2", "yaml")


def main() -> None:
    """Run the command line and exit with its status: 0 done, 1 refused, 2 wrong usage, 130 interrupted."""
    try:
        from ultra_plugin.cli.program import run

        status = run()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _NEEDED:
            raise
        sys.exit("ultra-plugin needs click, jinja2 and pyyaml: pip install ultra_suite-*.whl")
    sys.exit(status)
