"""The shape of plugin.json that the pinned client requires: each fault is an error there.

From the client's own schema, every rule tried with `claude plugin validate` 2.1.325.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category, normalize

from ultra_plugin.check.client import HOST_SERVERS, OPTION_TYPES, REMOTE_SERVERS
from ultra_plugin.check.shapes import (
    Fault,
    Shape,
    anything,
    boolean,
    described,
    either,
    kind,
    list_of,
    number,
    objects_only,
    one_of,
    path,
    positive,
    record,
    schema_of,
    table,
    text,
    url,
    word,
)
from ultra_plugin.keys import PRIVACY

_SOME_TEXT = text(1)
_NAME_PART = r"[A-Za-z0-9][-A-Za-z0-9._]*"
_HIDDEN_IN_NAME = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LONGEST_CHOICE = 64
_RANGE_WORDS = frozenset({"", "*", "x", "X"})
_NOT_IN_RANGE = re.compile(r"[^\w.*<>=~^|\s+-]")


@described({"type": "string", "minLength": 1, "pattern": "^[^ ]+$"})
def plugin_name(value: object) -> Iterator[Fault]:
    """Accept a plugin name, kebab-case or not."""
    if not isinstance(value, str):
        yield (), f"must be text, not {kind(value)}"
    elif not value:
        yield (), "must not be empty"
    elif " " in value:
        yield (), "must not contain spaces"
    elif _HIDDEN_IN_NAME.search(value):
        yield (), "must not contain control or bidirectional characters"


@described({"type": "string"})
def _client_range(value: object) -> Iterator[Fault]:
    """Accept a version range; refuse only clear mistakes."""
    if isinstance(value, str):
        has_number = any(letter.isdigit() for letter in value) or value.strip() in _RANGE_WORDS
        if has_number and not _NOT_IN_RANGE.search(value):
            return
    yield (), "must be a version range such as '>=2.1.0'"


@described({"type": "string", "minLength": 1, "maxLength": 64})
def _choice(value: object) -> Iterator[Fault]:
    """Accept what a user can choose: short text that is shown as it is."""
    if not isinstance(value, str):
        yield (), f"must be text, not {kind(value)}"
    elif not 0 < len(value) <= _LONGEST_CHOICE:
        yield (), f"must have 1 to {_LONGEST_CHOICE} characters"
    elif value.strip() != value or normalize("NFKC", value) != value or any(map(_is_hidden, value)):
        yield (), "must not have hidden or unusual characters, or a space at an end"


def _is_hidden(letter: str) -> bool:
    return category(letter) in ("Cc", "Cf")


_OPTION = table(
    {
        "type": one_of(*OPTION_TYPES),
        "title": text(),
        "description": text(),
        "required": boolean,
        "default": either(
            "text, a number, a boolean or a list of text", text(), number, boolean, list_of(text())
        ),
        "multiple": boolean,
        "sensitive": boolean,
        "min": number,
        "max": number,
        "options": list_of(_choice),
    },
    ("type", "title", "description"),
    strict=True,
)


@described(schema_of(_OPTION))
def _option(value: object) -> Iterator[Fault]:
    """Accept one userConfig option."""
    yield from _OPTION(value)
    if not isinstance(value, dict) or not isinstance(value.get("options"), list):
        return
    options, default = value["options"], value.get("default")
    words = [word.lower() for word in options if isinstance(word, str)]
    if not options or len(set(words)) < len(words):
        yield ("options",), "must not list a word twice"
    elif value.get("type") != "string" or value.get("multiple") is True or value.get("sensitive") is True:
        yield ("options",), "work only for a field of type string that is neither multiple nor sensitive"
    elif "default" not in value and value.get("required") is not True:
        yield (), "lacks a 'default' among its options, or 'required': true"
    elif "default" in value and default not in options:
        yield ("default",), "must be one of the options"


@described({"type": "object"})
def server(value: object) -> Iterator[Fault]:
    """Accept one MCP server."""
    if not isinstance(value, dict):
        yield (), f"must be an object, not {kind(value)}"
    elif "type" not in value or value["type"] == "stdio":
        yield from _LOCAL_SERVER(value)
    elif isinstance(value["type"], str) and value["type"] in REMOTE_SERVERS:
        yield from _REMOTE_SERVER(value)
    elif not isinstance(value["type"], str) or value["type"] not in HOST_SERVERS:
        yield ("type",), "must be one of stdio, http, sse, ws"


@described({"type": "string", "minLength": 1})
def _program(value: object) -> Iterator[Fault]:
    yield from _SOME_TEXT(value)
    if isinstance(value, str) and " " in value and not value.startswith("/"):
        yield (), "must be a program without arguments"


_LOCAL_SERVER = table(
    {"command": text(1), "args": list_of(text()), "env": record(text()), "timeout": number}, ("command",)
)
_REMOTE_SERVER = table({"url": text(), "headers": record(text()), "timeout": number}, ("url",))
LANGUAGE_SERVER = table(
    {
        "command": _program,
        "args": list_of(text(1)),
        "extensionToLanguage": record(text(1), word(r"\..+", "an extension such as '.ts'"), 1),
        "transport": one_of("stdio", "socket"),
        "env": record(text()),
        "initializationOptions": anything,
        "settings": anything,
        "workspaceFolder": text(),
        "startupTimeout": positive,
        "shutdownTimeout": positive,
        "requestTimeout": positive,
        "restartOnCrash": boolean,
        "maxRestarts": number,
        "diagnostics": boolean,
    },
    ("command", "extensionToLanguage"),
    strict=True,
)
_WHEN = word(r"always|on-skill-invoke:[\s\S]+", "'always' or 'on-skill-invoke:SKILL'")
MONITOR = table(
    {"name": text(1), "command": text(1), "description": text(1), "when": _WHEN},
    ("name", "command", "description"),
    strict=True,
)
_MONITOR_LIST = list_of(MONITOR)


@described(schema_of(_MONITOR_LIST))
def monitors(value: object) -> Iterator[Fault]:
    """Accept monitors, each with another name."""
    yield from _MONITOR_LIST(value)
    names: set[str] = set()
    for index, monitor in enumerate(value) if isinstance(value, list) else ():
        name = monitor.get("name") if isinstance(monitor, dict) else None
        if isinstance(name, str) and name in names:
            yield (index, "name"), f"is the name of two monitors: '{name}'"
        elif isinstance(name, str):
            names.add(name)


_COMMAND = table({
    "source": path(),
    "content": text(),
    "description": text(),
    "argumentHint": text(),
    "model": text(),
    "allowedTools": list_of(text()),
})  # fmt: skip


@described(schema_of(_COMMAND))
def _mapped_command(value: object) -> Iterator[Fault]:
    yield from _COMMAND(value)
    if isinstance(value, dict) and bool(value.get("source")) == bool(value.get("content")):
        yield (), "must have either 'source' or 'content'"


def _paths(what: str, item: Shape) -> Shape:
    return either(f"{what}, or a list of them", item, list_of(item))


_A_PATH = "a path that starts with './'"
_JSON_FILE = path(".json")
_SERVERS = either(
    "servers by name, or a './' path to a .json or .mcpb file",
    path(".json", ".mcpb", ".dxt"),
    word(r"[a-zA-Z][a-zA-Z0-9+.-]*:.*\.(?:mcpb|dxt)", "a URL"),
    record(server),
)
_LANGUAGES = either("servers by name, or a './' path to a .json file", _JSON_FILE, record(LANGUAGE_SERVER))
_HOOKS = either("hooks by event, or a './' path to a .json file", _JSON_FILE, record(anything))
_MONITORS = either("a list of monitors, or a './' path to a .json file", _JSON_FILE, monitors)
PERSON = table({"name": text(1), "email": text(), "url": text()}, ("name",))
USER_CONFIG = record(_option, word(r"[A-Za-z_]\w*", "an identifier"))
_EXPERIMENTAL = table({
    "themes": _paths(_A_PATH, path()),
    "monitors": _MONITORS,
    "outputStyles": _paths(_A_PATH, path()),
    "evals": _paths("a path", text()),
    "syntaxHighlighting": record(anything),
})  # fmt: skip

FIELDS: dict[str, Shape] = {
    "$schema": text(),
    "name": plugin_name,
    "displayName": text(),
    "version": text(),
    "description": text(),
    "author": PERSON,
    "homepage": url,
    "repository": text(),
    "license": text(),
    "keywords": list_of(text()),
    "defaultEnabled": boolean,
    "dependencies": list_of(
        either(
            "a plugin's name",
            word(rf"{_NAME_PART}(?:@{_NAME_PART})?(?:@\^[^@]*)?", "a plugin's name"),
            table({"name": word(_NAME_PART, "a name"), "marketplace": word(_NAME_PART, "a name")}, ("name",)),
        )
    ),
    "engines": objects_only(table({"claude-code": _client_range})),
    "hooks": _paths("hooks by event, or a './' path to a .json file", _HOOKS),
    "commands": either(
        f"{_A_PATH}, a list of them, or commands by name", path(), list_of(path()), record(_mapped_command)
    ),
    "agents": _paths("a './' path to a .md file", path(".md")),
    "skills": _paths("a './' path to a folder", either("", one_of("."), path())),
    "outputStyles": _paths(_A_PATH, path()),
    "themes": _paths(_A_PATH, path()),
    "workflows": _paths(_A_PATH, path()),
    "channels": list_of(
        table(
            {"server": text(1), "displayName": text(), "userConfig": record(_option)},
            ("server",),
            strict=True,
        )
    ),
    "mcpServers": _paths("servers by name, or a './' path to a .json or .mcpb file", _SERVERS),
    "lspServers": _paths("servers by name, or a './' path to a .json file", _LANGUAGES),
    "monitors": _MONITORS,
    "settings": record(anything),
    "types": path(".d.ts"),
    "userConfig": USER_CONFIG,
    "experimental": objects_only(_EXPERIMENTAL),
}
LISTING_SHAPE: dict[str, Shape] = {
    "icon": text(),
    "screenshots": list_of(text()),
    "classification": anything,
    "bugs": anything,
    **dict.fromkeys(
        (
            *PRIVACY,
            "supportUrl",
            "support",
            "termsOfServiceUrl",
            "terms_of_service",
            "documentationUrl",
            "docs",
        ),
        url,
    ),
}
"""For editors; the client accepts anything under these keys."""
MANIFEST_SHAPE = table(FIELDS, ("name",))
