"""The shape of hooks that the pinned client requires.

It ignores a faulty hook with a warning, unless it is of a guard event (PreToolUse, PermissionRequest) or
looks like one in the wrong place: then the plugin does not load. Tested case by case on 2.1.325.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ultra_plugin.check.client import GUARD_EVENTS, HOOK_EVENTS, SHELLS
from ultra_plugin.check.codes import quote
from ultra_plugin.check.jsontext import Path
from ultra_plugin.check.shapes import (
    Fault,
    Shape,
    anything,
    boolean,
    kind,
    list_of,
    one_of,
    positive,
    record,
    table,
    text,
    url,
)
from ultra_plugin.errors import Severity

HookFault = tuple[Severity, str, Path, str]
"""Severity, code, path and message."""

_COMMON: Mapping[str, Shape] = MappingProxyType(
    {"if": text(), "timeout": positive, "statusMessage": text(), "once": boolean}
)
_ON_FAILURE = one_of("continue", "block")
HANDLERS: Mapping[str, Shape] = MappingProxyType({
    "command": table(
        {
            **_COMMON,
            "command": text(),
            "args": list_of(text()),
            "shell": one_of(*SHELLS),
            "onFailure": _ON_FAILURE,
            "async": boolean,
            "asyncRewake": boolean,
            "rewakeMessage": text(1),
            "rewakeSummary": text(1),
        },
        ("command",),
    ),
    "prompt": table(
        {**_COMMON, "prompt": text(), "model": text(), "continueOnBlock": boolean}, ("prompt",)
    ),
    "agent": table({**_COMMON, "prompt": text(), "model": text()}, ("prompt",)),
    "mcp_tool": table(
        {**_COMMON, "server": text(), "tool": text(), "input": record(anything)}, ("server", "tool")
    ),
    "http": table(
        {
            **_COMMON,
            "url": url,
            "headers": record(text()),
            "allowedEnvVars": list_of(text()),
            "onFailure": _ON_FAILURE,
        },
        ("url",),
    ),
})  # fmt: skip
_FILE = table({"description": text(), "hooks": record(anything), "modules": list_of(text(), most=1)})


def file_faults(value: object) -> Iterator[HookFault]:
    """Check a whole hooks file."""
    if isinstance(value, dict) and (holds_guard_outside(value, frozenset()) or _is_matcher(value)):
        yield "error", "hooks-wrapper", (), "has hooks outside the 'hooks' object"
        return
    for where, what in _FILE(value):
        yield "error", "hooks-value", where, _named(where, what)
    if not isinstance(value, dict):
        return
    if "hooks" not in value and not value.get("modules"):
        yield "error", "hooks-wrapper", (), "has no 'hooks' object"
    if "surface" in value:
        yield "error", "hooks-value", ("surface",), "'surface' is no longer read"
    if isinstance(value.get("hooks"), dict):
        yield from event_faults(value["hooks"], ("hooks",))


def event_faults(events: Mapping[str, object], where: Path) -> Iterator[HookFault]:
    """Check hooks by event, from a file or the manifest."""
    if _is_matcher(events):
        yield "error", "hooks-value", where, "must map events to lists of matchers, not be a single matcher"
        return
    for event, matchers in events.items():
        here = (*where, event)
        if event not in HOOK_EVENTS:
            if _holds_guard(matchers, 3, matchers_count=not isinstance(matchers, list)):
                what = f"{quote(event)} is not an event, but holds hooks that may be guards"
                yield "error", "unknown-event", here, what
            else:
                yield "warning", "unknown-event", here, f"the client does not know the event {quote(event)}"
        elif isinstance(matchers, list):
            yield from _matchers(event, matchers, here)
        else:
            is_guard = (event in GUARD_EVENTS and matchers is not None) or _holds_guard(matchers, 3, False)
            what = f"{event} must be a list of matchers, not {kind(matchers)}"
            yield "error" if is_guard else "warning", "hooks-value", here, what


def _matchers(event: str, matchers: list[object], where: Path) -> Iterator[HookFault]:
    severity: Severity = "error" if event in GUARD_EVENTS else "warning"
    for index, matcher in enumerate(matchers):
        here = (*where, index)
        if _holds_guard(matcher, 3, matchers_count=False):
            yield "error", "hooks-value", here, f"{event} holds PreToolUse hooks where a matcher belongs"
        elif not isinstance(matcher, dict):
            what = f"a matcher of {event} must be an object, not {kind(matcher)}"
            yield severity, "hooks-value", here, what
        elif not isinstance(matcher.get("hooks"), list):
            yield severity, "hooks-value", here, f"a matcher of {event} lacks its list of 'hooks'"
        elif "matcher" in matcher and not isinstance(matcher["matcher"], str):
            what = f"the matcher of {event} must be text, not {kind(matcher['matcher'])}"
            yield severity, "hooks-value", (*here, "matcher"), what
        else:
            for number, handler in enumerate(matcher["hooks"]):
                for deep, what in handler_faults(handler):
                    code = "unknown-hook-type" if deep == ("type",) else "hooks-value"
                    yield severity, code, (*here, "hooks", number, *deep), f"{event}: {what}"


def handler_faults(handler: object) -> Iterator[Fault]:
    """Check one hook."""
    if not isinstance(handler, dict):
        yield (), f"a hook must be an object, not {kind(handler)}"
    elif not isinstance(handler.get("type"), str) or handler["type"] not in HANDLERS:
        yield ("type",), f"'type' must be one of {', '.join(sorted(HANDLERS))}"
    else:
        for where, what in HANDLERS[handler["type"]](handler):
            yield where, _named(where, what)


def holds_guard_outside(value: Mapping[str, object], unread: frozenset[str]) -> bool:
    """Say whether keys other than 'hooks' may hold guards, among those that the client scans."""
    return _has_guard_key(value) or any(
        _holds_guard(inner, 3, matchers_count=key not in HOOK_EVENTS)
        for key, inner in value.items()
        if key != "hooks" and key not in unread
    )


def _named(where: Path, what: str) -> str:
    return f"{quote('.'.join(map(str, where)))} {what}" if where else what


def _has_guard_key(value: object) -> bool:
    return isinstance(value, Mapping) and any(
        value[event] is not None and value[event] != [] for event in GUARD_EVENTS if event in value
    )


def _is_matcher(value: object) -> bool:
    """Say whether an object looks like a matcher with hooks rather than a table of events."""
    if not isinstance(value, Mapping) or ("matcher" not in value and not HOOK_EVENTS.isdisjoint(value)):
        return False
    hooks = value.get("hooks")
    if isinstance(hooks, list):
        return bool(hooks)
    return isinstance(hooks, dict) and ("matcher" in value or isinstance(hooks.get("type"), str))


def _holds_guard(value: object, levels: int, matchers_count: bool, in_hooks: bool = False) -> bool:
    """Say whether a guard, or with `matchers_count` any matcher, is within some levels."""
    if _has_guard_key(value) or (matchers_count and _is_matcher(value)):
        return True
    if levels == 0:
        return False
    if isinstance(value, list):
        return any(_holds_guard(item, levels - 1, matchers_count, in_hooks) for item in value)
    if not isinstance(value, dict) or (in_hooks and isinstance(value.get("type"), str)):
        return False
    for key, inner in value.items():
        counts, is_hooks = (
            matchers_count and key not in HOOK_EVENTS,
            key == "hooks" and isinstance(inner, list),
        )
        if _holds_guard(inner, levels - 1, counts, is_hooks):
            return True
    return False
