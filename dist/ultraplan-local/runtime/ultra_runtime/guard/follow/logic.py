"""Find the function that a rule of the policy names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_found: dict[str, Callable[..., bool]] = {}


def logic(place: str) -> Callable[..., bool]:
    """Return the function at `module.name` of guard/rules; its module is loaded on first use."""
    if place not in _found:
        module, _, name = place.partition(".")
        _found[place] = getattr(__import__("ultra_runtime.guard.rules." + module, fromlist=["*"]), name)
    return _found[place]
