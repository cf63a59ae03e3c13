"""Targets: skills and MCP servers for other clients, nothing that only Claude Code runs, and a list of what is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.generator.sample import PLUGIN, write_sample
from tests.kit.names import SOURCES
from ultra_plugin.check.client import HOOK_EVENTS
from ultra_plugin.model import Bundle, BundleFile
from ultra_plugin.pipeline import build
from ultra_plugin.targets import SCHEMAS, Target, render_target

MANIFEST = {
    "name": "acme",
    "displayName": "Acme",
    "version": "1.0.0",
    "author": {"name": "Ann"},
    "keywords": ["a"],
    "userConfig": {},
}
SERVERS = {
    "clock": {"command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/servers/clock.py"], "env": {"A": "b"}},
    "far": {"type": "http", "url": "https://acme.example/mcp", "headers": {"X": "y"}},
    "mine": {"command": "x", "env": {"TOKEN": "${user_config.token}"}},
}
FILES = {
    ".claude-plugin/plugin.json": json.dumps(MANIFEST),
    ".mcp.json": json.dumps({"mcpServers": SERVERS}),
    "commands/go.md": "Go.\n",
    "agents/critic.md": "No.\n",
    "hooks/hooks.json": '{"hooks": {}}',
    "skills/a/SKILL.md": "---\nname: a\ndescription: b\n---\nRead ${CLAUDE_PLUGIN_ROOT}/x.\n",
    "servers/clock.py": "x\n",
    "bin/tool": "#!/bin/sh\n",
    "bundle.json": "{}",
    "README.md": "# Acme\n",
}
# The published rules of Agent Plugins 1.0.0, restated: only these keys, in these forms.
PERSON = {
    "type": "object",
    "properties": {key: {"type": "string"} for key in ("name", "email", "url")},
    "additionalProperties": False,
}
OPEN_MANIFEST = {
    "type": "object",
    "required": ["$schema", "name"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": f"{SCHEMAS}/plugin.schema.json"},
        "name": {
            "type": "string",
            "maxLength": 64,
            "pattern": r"^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$",
        },
        **{
            key: {"type": "string"} for key in ("version", "description", "homepage", "repository", "license")
        },
        "author": PERSON,
        "keywords": {"type": "array", "items": {"type": "string"}},
        "extensions": {"type": "object"},
    },
}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
LOCAL = {
    "type": {"const": "stdio"},
    "command": {"type": "string", "pattern": r"^(?:[^/\\$]+|\./[^$]+)$"},
    "args": {"type": "array", "items": {"type": "string"}},
    "env": {**TEXTS, "propertyNames": {"not": {"enum": ["PLUGIN_ROOT", "PLUGIN_DATA"]}}},
    "cwd": {"type": "string", "pattern": r"^(?:\./|\$\{PLUGIN_ROOT\}(?:/|$)|\$\{PLUGIN_DATA\}(?:/|$))"},
}
REMOTE = {
    "type": {"enum": ["streamable-http", "sse"]},
    "url": {"type": "string", "pattern": r"^https://|^http://(?:localhost|127\.|\[::1\])"},
    "headers": TEXTS,
}
OPEN_SERVERS = {
    "type": "object",
    "required": ["$schema", "mcpServers"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": f"{SCHEMAS}/mcp.schema.json"},
        "mcpServers": {
            "additionalProperties": {
                "oneOf": [
                    {"properties": LOCAL, "required": ["type", "command"], "additionalProperties": False},
                    {"properties": REMOTE, "required": ["type", "url"], "additionalProperties": False},
                ]
            }
        },
    },
}


def target(name: str, **changes: str) -> Target:
    files = {**FILES, **changes}
    bundle = Bundle("acme", "1.0.0", {path: BundleFile(path, text.encode()) for path, text in files.items()})
    return render_target(bundle, name)


def of(one: Target, path: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(one.bundle.files[path].text)
    return value


def test_the_open_format_gets_what_its_schema_allows() -> None:
    one = target("agent-plugins")
    assert {*one.bundle.files} == {
        "README.md",
        "mcp.json",
        "plugin.json",
        "servers/clock.py",
        "skills/a/SKILL.md",
    }
    jsonschema.Draft202012Validator(OPEN_MANIFEST).validate(of(one, "plugin.json"))
    jsonschema.Draft202012Validator(OPEN_SERVERS).validate(of(one, "mcp.json"))
    servers = of(one, "mcp.json")["mcpServers"]
    assert servers == {
        "clock": {"type": "stdio", "command": "python3", "args": ["${PLUGIN_ROOT}/servers/clock.py"], "env": {"A": "b"}},
        "far": {"type": "streamable-http", "url": "https://acme.example/mcp", "headers": {"X": "y"}},
    }  # fmt: skip


def test_codex_gets_paths_relative_to_the_plugin() -> None:
    one = target("codex")
    manifest = of(one, ".codex-plugin/plugin.json")
    assert (manifest["skills"], manifest["mcpServers"]) == ("./skills/", "./.mcp.json")
    assert manifest["interface"] == {"displayName": "Acme"}
    servers = of(one, ".mcp.json")["mcpServers"]
    assert servers == {
        "clock": {"command": "python3", "args": ["./servers/clock.py"], "env": {"A": "b"}, "cwd": "."},
        "far": {"url": "https://acme.example/mcp", "http_headers": {"X": "y"}},
    }


ROOT = "${CLAUDE_PLUGIN_ROOT}"
FORMS: list[tuple[dict[str, object], dict[str, object] | str, dict[str, object] | str]] = [
    ({"command": f"{ROOT}/bin/x"}, {"type": "stdio", "command": "./bin/x"}, {"command": "./bin/x", "cwd": "."}),
    ({"command": "/usr/bin/x"}, "its command '/usr/bin/x' is neither a bare name nor a file of the plugin",
     {"command": "/usr/bin/x", "cwd": "."}),
    ({"command": f"{ROOT}/../x"}, "its command './../x' is neither a bare name nor a file of the plugin",
     {"command": "./../x", "cwd": "."}),
    ({"command": "x", "args": ["${CLAUDE_PLUGIN_DATA}/d"]},
     {"type": "stdio", "command": "x", "args": ["${PLUGIN_DATA}/d"]}, "${CLAUDE_PLUGIN_DATA} is not replaced there"),
    ({"command": "x", "env": {"KEY": "${KEY}", "A": "b"}}, "${KEY} is not replaced there",
     {"command": "x", "env": {"A": "b"}, "env_vars": ["KEY"], "cwd": "."}),
    ({"command": "x", "env": {"KEY": "${OTHER}"}}, "${OTHER} is not replaced there", "${OTHER} is not replaced there"),
    ({"command": "x", "args": ["${KEY:-no}"]}, "${KEY:-no} is not replaced there", "${KEY:-no} is not replaced there"),
    ({"command": "x", "env": {"PLUGIN_ROOT": "/"}}, "it sets PLUGIN_ROOT, which the client sets",
     {"command": "x", "env": {"PLUGIN_ROOT": "/"}, "cwd": "."}),
    ({"command": "x", "cwd": "/tmp"}, "its folder '/tmp' is not in the plugin", {"command": "x", "cwd": "."}),
    ({"type": "http", "url": "http://acme.example"}, "'http://acme.example' is neither https nor on this machine",
     {"url": "http://acme.example"}),
    ({"type": "http", "url": "http://localhost:1/x"}, {"type": "streamable-http", "url": "http://localhost:1/x"},
     {"url": "http://localhost:1/x"}),
    ({"type": "http", "url": "https://a.example", "headers": {"Authorization": "Bearer ${TOKEN}", "X": "${Y}"}},
     "${TOKEN} is not replaced there",
     {"url": "https://a.example", "bearer_token_env_var": "TOKEN", "env_http_headers": {"X": "Y"}}),
    ({"type": "sse", "url": "https://a.example"}, {"type": "sse", "url": "https://a.example"},
     "Codex does not know the transport sse"),
    ({"command": "x", "env": {"A": 1}}, "its 'env' is not made of text", "its 'env' is not made of text"),
    ({"type": "http", "url": "https://a.example", "headers": ["A"]}, "its 'headers' is not made of text",
     "its 'headers' is not made of text"),
    ({"command": ["x"]}, "its 'command' is not made of text", "its 'command' is not made of text"),
    ({"type": "ws", "url": "wss://a.example"}, "the transport ws is not known there",
     "the transport ws is not known there"),
]  # fmt: skip
"""A server, and what the open format and Codex get of it: the server, or why not."""


@pytest.mark.parametrize(("server", "open_format", "codex"), FORMS)
def test_a_server_has_the_form_that_the_target_starts_or_is_told_as_lost(
    server: dict[str, object], open_format: dict[str, object] | str, codex: dict[str, object] | str
) -> None:
    given = {".mcp.json": json.dumps({"mcpServers": {"one": server}})}
    for name, file, wanted in (("agent-plugins", "mcp.json", open_format), ("codex", ".mcp.json", codex)):
        one = target(name, **given)
        if isinstance(wanted, str):
            assert (f"MCP server one: {wanted}" in one.losses, file in one.bundle.files) == (True, False)
        else:
            assert of(one, file)["mcpServers"] == {"one": wanted}
            if name == "agent-plugins":
                jsonschema.Draft202012Validator(OPEN_SERVERS).validate(of(one, file))


def test_what_a_manifest_has_in_another_form_is_lost_and_told() -> None:
    given = {**MANIFEST, "author": "Ann", "keywords": "a", "skills": ["./skills", "./more"]}
    manifest = {".claude-plugin/plugin.json": json.dumps(given)}
    one = target("agent-plugins", **manifest)
    assert {*of(one, "plugin.json")} == {"$schema", "name", "version"}
    lost = {"manifest key author", "manifest key keywords", "skills that are not in skills/: ./more"}
    assert lost <= {*one.losses}
    assert of(target("codex", **manifest), ".codex-plugin/plugin.json")["skills"] == ["./skills/", "./more"]


def test_codex_finds_no_hooks_in_our_own_plugins(bundle: Path) -> None:
    """It also reads bundles of Claude Code, with their hooks, unless a manifest of its own says otherwise."""
    built = [*bundle.parent.glob("*/hooks/hooks.json")]
    assert len(built) == len([*(SOURCES / "plugins").iterdir()])
    for hooks in built:
        folder = hooks.parents[1]
        manifest = json.loads((folder / ".codex-plugin/plugin.json").read_text())
        assert (manifest["name"], manifest["hooks"]) == (folder.name, {"hooks": {}})


@pytest.mark.parametrize("name", ["agent-plugins", "codex"])
def test_every_loss_is_told_and_no_hook_of_ours_is_there(name: str) -> None:
    one = target(name)
    assert one.losses == (
        "1 command: commands/go.md",
        "1 agent: agents/critic.md",
        "1 hook file: hooks/hooks.json",
        "1 program: bin/tool",
        "manifest key userConfig",
        "skills/a/SKILL.md uses ${CLAUDE_PLUGIN_ROOT}, which is not replaced there",
        "MCP server mine: ${user_config.token} is not replaced there",
    )
    texts = " ".join(file.text for file in one.bundle.files.values())
    assert not [event for event in HOOK_EVENTS if f'"{event}"' in texts]
    assert not [path for path in one.bundle.files if path.startswith(("hooks", ".claude-plugin"))]


def test_the_build_writes_targets_and_tells_their_losses(tmp_path: Path) -> None:
    settings = f"{PLUGIN}targets: [agent-plugins, codex]\n"
    source = write_sample(tmp_path, {"plugins/acme-plan/plugin.yaml": settings})
    report = build(source, tmp_path / "dist")
    assert [(one.target, len(one.losses)) for one in report.targets] == [("agent-plugins", 2), ("codex", 2)]
    for one in report.targets:
        assert Path(one.folder).is_dir()
    assert build(source, tmp_path / "dist").written == 0
    (Path(report.targets[0].folder) / "plugin.json").unlink()
    assert build(source, tmp_path / "dist").written == 1
