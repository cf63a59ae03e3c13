"""Run the command line with `python -m ultra_plugin`."""

from ultra_plugin.cli import main

main()
