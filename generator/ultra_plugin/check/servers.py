"""Check the MCP servers that .mcp.json and the manifest declare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ultra_plugin.check.client import HOST_SERVERS, REMOTE_SERVERS
from ultra_plugin.check.codes import problem, quote, warning
from ultra_plugin.check.components import inner_path
from ultra_plugin.check.jsontext import Json, Path, read_json
from ultra_plugin.check.listing import has_privacy_policy
from ultra_plugin.check.manifest_paths import manifest_paths
from ultra_plugin.check.manifest_shape import server
from ultra_plugin.check.shapes import kind, url
from ultra_plugin.check.subject import MANIFEST, Subject, client_json
from ultra_plugin.errors import Problem, Severity

DEFAULT = ".mcp.json"
_OPTION = re.compile(r"\$\{user_config\.(\w+)\}")
_LOOPBACK = re.compile(r"(?:http|ws)://(?:localhost|[\w-]+\.localhost|127\.0\.0\.1|\[::1\])(?:[:/]|\Z)")


def check_servers(subject: Subject) -> Iterator[Problem]:
    """Find servers that the client would ignore."""
    for path in server_files(subject):
        yield from _file(subject, path)
    declared = subject.fields.get("mcpServers")
    if subject.manifest is None:
        return
    for index, item in enumerate(declared if isinstance(declared, list) else [declared]):
        where: Path = ("mcpServers", index) if isinstance(declared, list) else ("mcpServers",)
        for name, config in item.items() if isinstance(item, dict) else ():
            yield from _values(subject, MANIFEST, subject.manifest, "error", (*where, name), config)


def declared_servers(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every MCP server that is an object, whatever its shape."""
    values = (read_json(subject.files[path].text).value for path in server_files(subject))
    tables = [one.get("mcpServers", one) if isinstance(one, dict) else None for one in values]
    declared = subject.fields.get("mcpServers")
    for table in (*tables, *(declared if isinstance(declared, list) else [declared])):
        for name, config in table.items() if isinstance(table, dict) else ():
            if isinstance(config, dict):
                yield name, config


def server_files(subject: Subject) -> list[str]:
    """Return the files of MCP servers that the client reads."""
    named = (path for where, path in manifest_paths(subject.fields) if where[0] == "mcpServers")
    files = [inner_path(path) for path in named if path.startswith("./") and path.endswith(".json")]
    return [
        path
        for path in dict.fromkeys([DEFAULT, *files])
        if (file := subject.files.get(path)) and not file.symlink
    ]


def _file(subject: Subject, path: str) -> Iterator[Problem]:
    document, refused, severity = client_json(subject, path, "servers-json")
    yield from refused
    if refused:
        return
    value = document.value
    where: Path = ()
    if isinstance(value, dict) and value.get("mcpServers") not in (None, False, 0, ""):
        value, where = value["mcpServers"], ("mcpServers",)
    if not isinstance(value, dict | list):
        message = f"must map names to servers, not be {kind(value)}"
        yield problem(severity, path, document.line_of(*where), "servers-value", message)
        return
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for name, config in entries:
        here = (*where, name)
        yield from _shape(path, document, severity, here, config)
        yield from _values(subject, path, document, severity, here, config)


def _shape(path: str, document: Json, severity: Severity, where: Path, config: object) -> Iterator[Problem]:
    for deep, what in server(config):
        inside = ".".join(map(str, (*where, *deep)))
        message = f"{quote(inside)} {what}"
        yield problem(severity, path, document.line_of(*where, *deep), "servers-value", message)
    type_ = config.get("type") if isinstance(config, dict) else None
    if isinstance(type_, str) and type_ in HOST_SERVERS:
        message = f"a plugin cannot declare a server of type {type_}"
        yield problem(severity, path, document.line_of(*where, "type"), "servers-value", message)


def _values(
    subject: Subject, path: str, document: Json, severity: Severity, where: Path, config: object
) -> Iterator[Problem]:
    if not isinstance(config, dict) or next(server(config), None) is not None:
        return
    declared = subject.fields.get("userConfig")
    channels = subject.fields.get("channels")
    for key, text in _texts(config) if not channels else ():
        for option in sorted(set(_OPTION.findall(text))):
            if not isinstance(declared, dict) or option not in declared:
                message = f"uses the option {quote(option)}, which the manifest's userConfig does not declare"
                line = document.line_of(*where, key)
                yield problem(severity, path, line, "unknown-option", message)
    if config.get("type") not in REMOTE_SERVERS:
        program = config.get("command")
        if isinstance(program, str) and program.startswith(("./", "../")):
            message = f"{quote(program)} is relative, so the client looks in the user's project"
            yield warning(path, document.line_of(*where, "command"), "relative-command", message)
        return
    address, line = config.get("url"), document.line_of(*where, "url")
    if isinstance(address, str) and address.strip() and "$" not in address:
        for _, what in url(address):
            yield problem(severity, path, line, "servers-value", f"{quote(address)} {what}")
        if address.lower().startswith(("http:", "ws:")) and not _LOOPBACK.match(address.lower()):
            yield warning(path, line, "not-https", f"{quote(address)} is not encrypted")
    if not has_privacy_policy(subject):
        message = "a remote server gets data, and the manifest has no privacyPolicyUrl"
        yield warning(path, line, "no-privacy-policy", message)


def _texts(config: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Return the texts where the client replaces options."""
    is_remote = config.get("type") in REMOTE_SERVERS
    for key in ("url",) if is_remote else ("command",):
        value = config.get(key)
        if isinstance(value, str):
            yield key, value
    table = config.get("headers" if is_remote else "env")
    args = config.get("args")
    for value in args if isinstance(args, list) and not is_remote else ():
        if isinstance(value, str):
            yield "args", value
    for value in table.values() if isinstance(table, dict) else ():
        if isinstance(value, str):
            yield "headers" if is_remote else "env", value
