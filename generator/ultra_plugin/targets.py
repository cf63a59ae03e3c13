"""Render a bundle for other clients: the Agent Plugins format 1.0.0, and Codex; and say what each one loses.

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
"""Left out without a word: the client's own files, and what only lost parts use."""
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
    losses = [*_losses(subject)]
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


def _losses(subject: Subject) -> Iterator[str]:
    for start, what in _ONLY_CLAUDE.items():
        if found := [path for path in subject.files if path.startswith(start)]:
            yield _said(what, found)
    for key in subject.fields:
        if key not in _KNOWN_SILENTLY:
            yield f"manifest key {key}"
    for path, file in subject.files.items():
        if path.startswith("skills/") and path.endswith(".md") and (used := _VARIABLE.search(file.text)):
            yield f"{path} uses {used.group()}, which stays as it is there"


def _said(what: str, paths: list[str]) -> str:
    return f"{len(paths)} {what}{'s' if len(paths) > 1 else ''}: {', '.join(sorted(paths))}"


def _servers(
    subject: Subject, form: Callable[[Mapping[str, Any]], dict[str, Any] | None]
) -> tuple[dict[str, Any], list[str]]:
    """Return the MCP servers in the target's form, and those that it cannot have."""
    servers: dict[str, Any] = {}
    losses = []
    for name, server in declared_servers(subject):
        made = form(server)
        if made is None:
            losses.append(f"MCP server {name}: it uses what the target does not have")
        else:
            servers[name] = made
    return servers, losses


def _agent_plugins_server(server: Mapping[str, Any]) -> dict[str, Any] | None:
    text = json.dumps(server).replace(_ROOT, "${PLUGIN_ROOT}").replace(_DATA, "${PLUGIN_DATA}")
    if _VARIABLE.search(text):
        return None
    fields = json.loads(text)
    if isinstance(fields.get("command"), str):
        kept = {key: fields[key] for key in ("command", "args", "env", "cwd") if key in fields}
        return {"type": "stdio", **kept}
    kind = {"http": "streamable-http", "streamable-http": "streamable-http", "sse": "sse"}.get(
        fields.get("type")
    )
    if kind is None or not fields.get("url"):
        return None
    return {"type": kind, **{key: fields[key] for key in ("url", "headers") if key in fields}}


def _codex_server(server: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a server whose paths are relative to the plugin, where Codex starts it with `cwd: "."`."""
    text = json.dumps(server).replace(f"{_ROOT}/", "./").replace(_ROOT, ".")
    if _VARIABLE.search(text):
        return None
    fields = json.loads(text)
    if isinstance(fields.get("command"), str):
        kept = {key: fields[key] for key in ("command", "args", "env") if key in fields}
        return {**kept, "cwd": "."}
    if fields.get("type") not in ("http", "streamable-http") or not fields.get("url"):
        return None
    return {"url": fields["url"], **({"http_headers": fields["headers"]} if "headers" in fields else {})}


def _plain(subject: Subject) -> dict[str, Any]:
    return {key: subject.fields[key] for key in _PLAIN_KEYS if key in subject.fields}


def _agent_plugins(subject: Subject, servers: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"plugin.json": {"$schema": f"{SCHEMAS}/plugin.schema.json", **_plain(subject)}}
    if servers:
        made["mcp.json"] = {"$schema": f"{SCHEMAS}/mcp.schema.json", "mcpServers": servers}
    return made


def _codex(subject: Subject, servers: Mapping[str, Any]) -> dict[str, Any]:
    fields = _plain(subject)
    if any(path.startswith("skills/") for path in subject.files):
        fields["skills"] = "./skills/"
    if servers:
        fields["mcpServers"] = f"./{_SERVERS}"
    if title := subject.fields.get("displayName"):
        fields["interface"] = {"displayName": title}
    made = {".codex-plugin/plugin.json": fields}
    return made | ({_SERVERS: {"mcpServers": servers}} if servers else {})


_MAKERS: Mapping[str, Callable[[Subject, Mapping[str, Any]], dict[str, Any]]] = MappingProxyType(
    {"agent-plugins": _agent_plugins, "codex": _codex}
)
_FORMS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any] | None]] = MappingProxyType(
    {"agent-plugins": _agent_plugins_server, "codex": _codex_server}
)
