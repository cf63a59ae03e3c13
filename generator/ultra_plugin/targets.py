"""Render a bundle for other clients (the Agent Plugins format 1.0.0, and Codex), and say what each one loses.

Both know skills and MCP servers. Whatever only Claude Code runs (commands, agents, hooks ...) is left out, so that no
other client loads it by accident.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ultra_plugin.check.components import inner_path
from ultra_plugin.check.manifest_paths import manifest_paths
from ultra_plugin.check.servers import declared_servers
from ultra_plugin.check.subject import Subject, subject_of
from ultra_plugin.manifest import as_json
from ultra_plugin.model import Bundle, BundleFile
from ultra_plugin.report import TargetReport
from ultra_plugin.tree import write

FOLDER = "targets"
SCHEMAS = "https://agent-plugins.org/schemas/1.0.0"
_SERVERS = ".mcp.json"
_ONLY_CLAUDE: Mapping[str, str] = MappingProxyType({
    "commands/": "command",
    "agents/": "agent",
    "hooks/": "hook file",
    "hooks-handlers/": "hook file",
    "output-styles/": "output style",
    "workflows/": "workflow",
    "monitors/": "monitor",
    "themes/": "theme",
    "bin/": "program",
    "evals/": "eval file",
    ".lsp.json": "language server file",
    "settings.json": "settings file",
})  # fmt: skip
"""Start of a path -> what is lost with it."""
_SILENT = (".claude-plugin/", "bundle.json", "runtime/", "schemas/", _SERVERS)
"""Left out without a message: the client's own files, and what only lost parts use."""
_PLAIN_KEYS = ("name", "version", "description", "author", "homepage", "repository", "license", "keywords")
_KNOWN_SILENTLY = (
    *_PLAIN_KEYS,
    "$schema",
    "displayName",
    "skills",
    "mcpServers",
    "icon",
    "metadata",
    "engines",
)
_NAME = re.compile(r"(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?")
_ROOT, _DATA = "${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}"
_VARIABLE = re.compile(r"\$\{(?:CLAUDE_\w+|user_config\.\w+)\}")
_ANY_VARIABLE = re.compile(r"\$\{[^}\"]+\}")
_VARIABLE_ALONE = re.compile(r"\$\{((?!CLAUDE_)\w+)\}")
_BEARER = re.compile(r"Bearer \$\{(\w+)\}")
_COMMAND = re.compile(r"[^/\\$]+|\./[^\\$]+")
_CWD = re.compile(r"\./|\$\{PLUGIN_(?:ROOT|DATA)\}(?:/|\Z)")
_ADDRESS = re.compile(r"https://[^/@]+(?:/|\Z)|http://(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|\Z)")


@dataclass(frozen=True, slots=True)
class Target:
    """A plugin for another client, and what it lost."""

    name: str
    bundle: Bundle
    losses: tuple[str, ...]


def write_targets(bundles: Sequence[Bundle], out: Path) -> tuple[tuple[TargetReport, ...], int]:
    """Write the plugins for other clients to <out>/targets/<target>/<plugin>; return reports and changed files."""
    found = [render_target(bundle, name) for bundle in bundles for name in bundle.targets]
    written = 0
    for name in sorted({target.name for target in found}):
        changes = write([one.bundle for one in found if one.name == name], out / FOLDER / name)
        written += sum(map(len, changes.values()))
    reports = (
        TargetReport(one.bundle.name, one.name, str(out / FOLDER / one.name / one.bundle.name), one.losses)
        for one in found
    )
    return tuple(reports), written


def render_target(bundle: Bundle, name: str) -> Target:
    """Return the bundle for one target of plugin.yaml."""
    subject = subject_of(bundle)
    losses = [*_losses(subject, name)]
    files = {
        path: file for path, file in bundle.files.items() if not path.startswith((*_ONLY_CLAUDE, *_SILENT))
    }
    if named := [path for path, file in files.items() if file.symlink]:
        losses.append(_said("symlink", named))
        files = {path: file for path, file in files.items() if not file.symlink}
    servers, lost = _servers(subject, _FORMS[name])
    losses += lost
    made = _MAKERS[name](subject, servers)
    sources = (
        bundle.files[".claude-plugin/plugin.json"].sources
        if ".claude-plugin/plugin.json" in bundle.files
        else ()
    )
    files |= {path: BundleFile(path, as_json(value), sources=sources) for path, value in made.items()}
    if not _NAME.fullmatch(bundle.name):
        losses.append(f"the name '{bundle.name}' is not allowed there: 1 to 64 of a-z, 0-9, '-' and '.'")
    return Target(name, replace(bundle, files=dict(sorted(files.items()))), tuple(losses))


def _losses(subject: Subject, name: str) -> Iterator[str]:
    for start, what in _ONLY_CLAUDE.items():
        if found := [path for path in subject.files if path.startswith(start)]:
            yield _said(what, found)
    for key, value in subject.fields.items():
        if key not in _KNOWN_SILENTLY or (key in _PLAIN_KEYS and not _is_plain(key, value)):
            yield f"manifest key {key}"
    if name == "agent-plugins" and (
        others := [path for path in _skill_folders(subject) if path != "./skills/"]
    ):
        yield f"skills that are not in skills/: {', '.join(others)}"
    for path, file in subject.files.items():
        if path.startswith("skills/") and path.endswith(".md") and (used := _VARIABLE.search(file.text)):
            yield f"{path} uses {used.group()}, which is not replaced there"


def _said(what: str, paths: list[str]) -> str:
    return f"{len(paths)} {what}{'s' if len(paths) > 1 else ''}: {', '.join(sorted(paths))}"


class _Unfit(Exception):
    """Why a target cannot have a server."""


def _servers(
    subject: Subject, form: Callable[[dict[str, Any]], dict[str, Any]]
) -> tuple[dict[str, Any], list[str]]:
    """Return the MCP servers in the target's form, and those that it cannot have."""
    servers: dict[str, Any] = {}
    losses = []
    for name, server in declared_servers(subject):
        try:
            _refuse_other_shapes(server)
            servers[name] = form(server)
        except _Unfit as error:
            losses.append(f"MCP server {name}: {error}")
    return servers, losses


def _refuse_other_shapes(server: dict[str, Any]) -> None:
    for key, kind in (("command", str), ("args", list), ("env", dict), ("headers", dict), ("cwd", str)):
        value = server.get(key, kind())
        parts = value.values() if isinstance(value, dict) else value
        if not isinstance(value, kind) or not all(isinstance(part, str) for part in parts):
            raise _Unfit(f"its '{key}' is not made of text")


def _agent_plugins_server(server: dict[str, Any]) -> dict[str, Any]:
    if "command" not in server:
        kind = "sse" if server.get("type") == "sse" else "streamable-http"
        made = {"type": kind, **_remote(server), **{key: server[key] for key in server if key == "headers"}}
        _refuse_variables(made)
        if not _ADDRESS.match(made["url"]) or "#" in made["url"]:
            raise _Unfit(f"'{made['url']}' is neither https nor on this machine")
        return made
    command = str(server["command"])
    if command.startswith(f"{_ROOT}/"):
        command = f"./{command[len(_ROOT) + 1 :]}"
    if not _COMMAND.fullmatch(command) or ".." in command.split("/"):
        raise _Unfit(f"its command '{command}' is neither a bare name nor a file of the plugin")
    parts = {key: server[key] for key in ("args", "env", "cwd") if key in server}
    parts = json.loads(json.dumps(parts).replace(_ROOT, "${PLUGIN_ROOT}").replace(_DATA, "${PLUGIN_DATA}"))
    if named := {"PLUGIN_ROOT", "PLUGIN_DATA"} & {*parts.get("env", ())}:
        raise _Unfit(f"it sets {min(named)}, which the client sets")
    if not _CWD.match(parts.get("cwd", "./")):
        raise _Unfit(f"its folder '{parts['cwd']}' is not in the plugin")
    _refuse_variables(parts)
    return {"type": "stdio", "command": command, **parts}


def _codex_server(server: dict[str, Any]) -> dict[str, Any]:
    """Return a server whose paths are relative to the plugin, where Codex starts it with `cwd: "."`.

    Codex replaces no variables; what passes one on unchanged becomes its name.
    """
    if "command" not in server:
        if server.get("type") == "sse":
            raise _Unfit("Codex does not know the transport sse")
        plain, named = _named(server.get("headers", {}))
        bearer = _BEARER.fullmatch(plain.get("Authorization", ""))
        if bearer:
            del plain["Authorization"]
        _refuse_variables(plain)
        made = {
            "bearer_token_env_var": bearer.group(1) if bearer else "",
            "http_headers": plain,
            "env_http_headers": named,
        }
        return {**_remote(server), **{key: value for key, value in made.items() if value}}
    parts = {key: server[key] for key in ("command", "args", "env") if key in server}
    parts = json.loads(json.dumps(parts).replace(f"{_ROOT}/", "./").replace(_ROOT, "."))
    plain, named = _named(parts.pop("env", {}))
    passed = [name for name, variable in named.items() if name == variable]
    if renamed := {*named} - {*passed}:
        raise _Unfit(f"${{{named[min(renamed)]}}} is not replaced there")
    _refuse_variables({**parts, "env": plain})
    made = {**parts, "env": plain, "env_vars": passed}
    return {**{key: value for key, value in made.items() if value}, "cwd": "."}


def _remote(server: dict[str, Any]) -> dict[str, Any]:
    """Return the address of a server."""
    url = server.get("url")
    if server.get("type") not in ("http", "streamable-http", "sse") or not isinstance(url, str):
        raise _Unfit(f"the transport {server.get('type')} is not known there")
    _refuse_variables(url)
    return {"url": url}


def _refuse_variables(value: object) -> None:
    """Refuse a variable that only Claude Code replaces."""
    for found in _ANY_VARIABLE.findall(json.dumps(value)):
        if found not in ("${PLUGIN_ROOT}", "${PLUGIN_DATA}"):
            raise _Unfit(f"{found} is not replaced there")


def _named(values: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the values that are text, and name -> variable for those that are one variable."""
    found = {name: _VARIABLE_ALONE.fullmatch(str(value)) for name, value in values.items()}
    named = {name: match.group(1) for name, match in found.items() if match}
    return {name: value for name, value in values.items() if name not in named}, named


def _plain(subject: Subject) -> dict[str, Any]:
    """Return the keys that every format has, as far as their values have the form that it wants."""
    return {key: subject.fields[key] for key in _PLAIN_KEYS if _is_plain(key, subject.fields.get(key))}


def _is_plain(key: str, value: object) -> bool:
    if key == "keywords":
        return isinstance(value, list) and all(isinstance(word, str) for word in value)
    if key == "author":
        return (
            isinstance(value, dict)
            and {*value} <= {"name", "email", "url"}
            and all(isinstance(part, str) for part in value.values())
        )
    return isinstance(value, str)


def _skill_folders(subject: Subject) -> list[str]:
    """Return the folders of skills: the usual one if it is there, and those that the manifest names."""
    usual = ["./skills/"] if any(path.startswith("skills/") for path in subject.files) else []
    named = (path for where, path in manifest_paths(subject.fields) if where[0] == "skills")
    return [*usual, *(path for path in named if inner_path(path) != "skills")]


def _agent_plugins(subject: Subject, servers: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"plugin.json": {"$schema": f"{SCHEMAS}/plugin.schema.json", **_plain(subject)}}
    if servers:
        made["mcp.json"] = {"$schema": f"{SCHEMAS}/mcp.schema.json", "mcpServers": servers}
    return made


def _codex(subject: Subject, servers: Mapping[str, Any]) -> dict[str, Any]:
    fields = _plain(subject)
    if folders := _skill_folders(subject):
        fields["skills"] = folders if len(folders) > 1 else folders[0]
    if servers:
        fields["mcpServers"] = f"./{_SERVERS}"
    if title := subject.fields.get("displayName"):
        fields["interface"] = {"displayName": title}
    made = {".codex-plugin/plugin.json": fields}
    return made | ({_SERVERS: {"mcpServers": servers}} if servers else {})


_MAKERS: Mapping[str, Callable[[Subject, Mapping[str, Any]], dict[str, Any]]] = MappingProxyType(
    {"agent-plugins": _agent_plugins, "codex": _codex}
)
_FORMS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = MappingProxyType(
    {"agent-plugins": _agent_plugins_server, "codex": _codex_server}
)
