"""Find the client, and whether it is new enough for this bundle."""

from __future__ import annotations

import os

from ultra_runtime.files.process import NotStartedError, capture, which
from ultra_runtime.rendered import names
from ultra_runtime.words import one_line

CLIENT = "claude"


def find_client() -> str | None:
    """Return the path of the client on PATH."""
    return which(CLIENT)


def client_version(client: str, seconds: float) -> str:
    """Return the version that a client prints; empty when it prints none."""
    try:
        done = capture([client, "--version"], os.environ, seconds=seconds)
    except NotStartedError:
        return ""
    said = "" if done.status else done.out.decode("utf-8", "replace")
    version = one_line((said.split() or [""])[0], 40)
    return version if _numbers(version) else ""


def is_too_old(version: str) -> bool:
    """Tell whether a version is older than the oldest that this bundle is tested with."""
    return _numbers(version) < _numbers(names().oldest_client)


def _numbers(version: str) -> list[int]:
    parts = version.partition("-")[0].split(".")
    return [int(part) for part in parts] if all(part.isascii() and part.isdigit() for part in parts) else []
