"""Targets: skills and MCP servers for other clients, nothing that only Claude Code runs, and a list of what is lost."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.generator.sample import PLUGIN, write_sample
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
LOCAL = {
    "type": {"const": "stdio"},
    "command": {"minLength": 1},
    "args": {"type": "array"},
    "env": {},
    "cwd": {},
}
REMOTE = {
    "type": {"enum": ["streamable-http", "sse"]},
    "url": {"minLength": 1},
    "headers": {"type": "object"},
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


def of(one: Target, path: str) -> dict[str, object]:
    value: dict[str, object] = json.loads(one.bundle.files[path].text)
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


@pytest.mark.parametrize("name", ["agent-plugins", "codex"])
def test_every_loss_is_told_and_no_hook_of_ours_is_there(name: str) -> None:
    one = target(name)
    assert one.losses == (
        "1 command: commands/go.md",
        "1 agent: agents/critic.md",
        "1 hook file: hooks/hooks.json",
        "1 program: bin/tool",
        "manifest key userConfig",
        "skills/a/SKILL.md uses ${CLAUDE_PLUGIN_ROOT}, which stays as it is there",
        "MCP server mine: it uses what the target does not have",
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
