"""The shape of marketplace.json that the pinned client requires: each fault is an error there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ultra_plugin.check.hooks_shape import event_faults
from ultra_plugin.check.manifest_shape import FIELDS, PERSON
from ultra_plugin.check.shapes import (
    Fault,
    Shape,
    anything,
    boolean,
    kind,
    list_of,
    one_of,
    path,
    positive,
    record,
    table,
    text,
    url,
    word,
)

_PATH = path()
BARE_SOURCE = re.compile(r"[A-Za-z0-9][-A-Za-z0-9._]*")
_SHA = word("[a-f0-9]{40}", "a full commit id")
_SOURCES: Mapping[str, Shape] = MappingProxyType({
    "npm": table({"package": text(), "version": text(), "registry": url}, ("package",)),
    "url": table({"url": text(), "ref": text(), "sha": _SHA}, ("url",)),
    "github": table({"repo": text(), "ref": text(), "sha": _SHA}, ("repo",)),
    "git-subdir": table({"url": text(), "path": text(1), "ref": text(), "sha": _SHA}, ("url", "path")),
    "archive": table({"url": word("(?i:https)://.+", "an https URL")}, ("url",)),
    "command": table(
        {"command": text(1), "timeout": positive, "mode": one_of("copy", "link")}, ("command",)
    ),
})  # fmt: skip


def source(value: object) -> Iterator[Fault]:
    """Accept the source of a plugin; the caller checks a bare name."""
    if isinstance(value, dict):
        name = value.get("source")
        if isinstance(name, str) and name in _SOURCES:
            yield from _SOURCES[name](value)
        else:
            yield ("source",), f"must be one of {', '.join(sorted(_SOURCES))}"
    elif value != "." and not is_bare(value):
        yield from _PATH(value)


def is_bare(value: object) -> bool:
    """Say whether a source is a bare name below metadata.pluginRoot."""
    return isinstance(value, str) and BARE_SOURCE.fullmatch(value) is not None and ".." not in value


def _entry_hooks(value: object) -> Iterator[Fault]:
    """Accept hooks in an entry, where the client does not ignore a faulty one."""
    yield from FIELDS["hooks"](value)
    if isinstance(value, dict):
        for _, code, where, what in event_faults(value, ()):
            if code != "unknown-event":
                yield where, what


def _name_or_null(value: object) -> Iterator[Fault]:
    if value is not None and not isinstance(value, str):
        yield (), f"must be a plugin's name or null, not {kind(value)}"


def _relevance(value: object) -> Iterator[Fault]:
    if isinstance(value, dict) and not (isinstance(value.get("signals"), dict) and value["signals"]):
        yield (), "lacks 'signals'"


_ENTRY = table(
    {
        **FIELDS,
        "hooks": _entry_hooks,
        "source": source,
        "category": text(),
        "tags": list_of(text()),
        "strict": boolean,
        "headers": record(text()),
        "relevance": _relevance,
    },
    ("name", "source"),
)
MARKETPLACE_FIELDS: dict[str, Shape] = {
    "$schema": text(),
    "name": text(1),
    "version": text(),
    "description": text(),
    "owner": PERSON,
    "plugins": list_of(_ENTRY),
    "metadata": table({"pluginRoot": text(), "version": text(), "description": text()}),
    "forceRemoveDeletedPlugins": boolean,
    "allowCrossMarketplaceDependenciesOn": list_of(text()),
    "renames": record(_name_or_null, anything),
}
MARKETPLACE_SHAPE = table(MARKETPLACE_FIELDS, ("name", "owner", "plugins"))
