"""Render the limits."""

from __future__ import annotations

from collections.abc import Mapping

from ultra_plugin.declared import Limit


def limits_module(limits: Mapping[str, Limit]) -> str:
    """Return the module that holds every limit as a plain number."""
    body = "".join(f"{name.upper()} = {limit.value}\n" for name, limit in limits.items())
    return f'"""Rendered from limits.yaml: edit that file, not this one."""\n\n{body}'
