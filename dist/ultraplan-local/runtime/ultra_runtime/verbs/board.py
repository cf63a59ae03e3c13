"""Show all projects on a page that refreshes itself, in your browser, until you press Ctrl-C or close the terminal.

The page is served on this machine alone, under an address with a token, and changes nothing.
"""

from __future__ import annotations

import sys

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.artifacts.places import number
from ultra_runtime.files.root import working_root
from ultra_runtime.usage import Args

USAGE = "board [--port N] [--json]"
FOR_PEOPLE = "look"


def run(args: Args) -> Answer:
    """Serve until interrupted."""
    from ultra_runtime.status.board import Board
    from ultra_runtime.text.jsontext import write

    port = number(args, "--port", 0) if args.get("--port") else 0
    try:
        board = Board(working_root(), port)
    except (OSError, OverflowError) as problem:
        why = getattr(problem, "strerror", None) or "no such port"
        raise RefusedError(
            f"port {port} cannot be used: {why}", "leave out --port, or name a free one"
        ) from None
    shown = board.address
    sys.stdout.write(
        (write({"ok": True, "address": shown}) if args.flag("--json") else f"{shown}\nCtrl-C ends it.") + "\n"
    )
    sys.stdout.flush()
    try:
        board.server.serve_forever()
    except KeyboardInterrupt:
        board.server.server_close()
    return Answer({"ok": True, "ended": shown}, "The board has ended.")
