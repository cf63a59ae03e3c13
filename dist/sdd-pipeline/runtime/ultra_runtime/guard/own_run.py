"""Read the input of a hook, and find the run of its session."""

from __future__ import annotations

import os
import sys

from ultra_runtime.guard.site import Site, find_site, places, run_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def find_own_run() -> tuple[Site | None, dict[str, Any]]:
    """Return the run of the calling session, if this tree has one, and the client's input, which is read only then."""
    if run_file(os.getcwd()) is None:
        return None, {}
    payload = read_payload()
    return find_site(places(), str(payload.get("session_id") or "")), payload


def read_payload() -> dict[str, Any]:
    """Return the JSON object on standard input; nothing when there is none."""
    from ultra_runtime.text.jsontext import JsonError, read_object

    try:
        return read_object(sys.stdin.buffer.read()).values if sys.stdin else {}
    except (JsonError, OSError):
        return {}
