"""Keep secrets of a worker's machine on that machine: what it tells is searched for them first."""

from __future__ import annotations

import os

from ultra_runtime.files.secret_scan import find_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL")
SHORTEST = 8
MASK = "[secret]"


def masked(told: Any) -> Any:
    """Return a JSON value without the values of secret variables, and without texts that look like a secret."""
    return _masked(told, _secrets())


def _masked(told: Any, secrets: list[str]) -> Any:
    if isinstance(told, dict):
        return {name: _masked(value, secrets) for name, value in told.items()}
    if isinstance(told, list):
        return [_masked(value, secrets) for value in told]
    if not isinstance(told, str):
        return told
    for secret in secrets:
        told = told.replace(secret, MASK)
    lines = {line for line, _ in find_secrets(told)}
    rows = told.split("\n")
    return "\n".join(MASK if number in lines else row for number, row in enumerate(rows, 1))


def _secrets() -> list[str]:
    """Return the values of variables whose names say that they are secret, the longest first."""
    found = {
        value
        for name, value in os.environ.items()
        if len(value) >= SHORTEST and any(part in name.upper() for part in SECRET_NAMES)
    }
    return sorted(found, key=len, reverse=True)
