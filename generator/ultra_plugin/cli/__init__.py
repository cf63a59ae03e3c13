"""The command line; it says which packages are missing if only those of the installer are installed."""

from __future__ import annotations

import signal
import sys

_NEEDED = ("click", "jinja2", "yaml")
TERMINATED = 128 + signal.SIGTERM


def main() -> None:
    """Run the command line and exit with its status: 0 done, 1 refused, 2 wrong usage, 130 interrupted."""
    if sys.version_info < (3, 10):  # noqa: UP036 - the wheel installs on 3.9, for ultra-install
        running = ".".join(map(str, sys.version_info[:2]))
        sys.exit(f"ultra-plugin: Python 3.10 or newer is required, but {sys.executable} is {running}")
    signal.signal(signal.SIGTERM, _terminated)
    try:
        from ultra_plugin.cli.program import run

        status = run()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _NEEDED:
            raise
        sys.exit("ultra-plugin needs click, jinja2 and pyyaml: pip install click jinja2 pyyaml")
    except KeyboardInterrupt:  # while the modules are loaded; later, `run` reports it
        print("ultra-plugin: interrupted; nothing was changed", file=sys.stderr)
        status = 130
    sys.exit(status)


def _terminated(*_: object) -> None:
    """End in the ordinary way, so that temporary folders are removed."""
    sys.exit(TERMINATED)
