"""Plugins that are not ours, in the real client: a new one with every part alive, and the client's own scaffold."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.client.fixtures import ModelFactory
from tests.client.session import Client
from tests.kit.files import write_tree
from tests.kit.model import bash
from tests.kit.names import ROOT
from ultra_plugin.adopt import adopt, different
from ultra_plugin.creating import create
from ultra_plugin.folder import read_folder
from ultra_plugin.pipeline import build
from ultra_plugin.scaffold import PARTS, Wanted

COMPONENTS = ("skills", "agents", "hooks", "mcp", "lsp", "output-style", "channel")


def problems(client: Client, folder: Path, *options: str) -> list[object]:
    """Return every error, and with --strict every warning, of the client's validator."""
    report = client.run("plugin", "validate", *options, "--json", str(folder)).json()
    parts = [part for part in (report["manifest"], *report["contents"]) if part]
    kinds = ("errors", "warnings") if options else ("errors",)
    found = [entry for part in parts for kind in kinds for entry in part[kind]]
    return found + ((report.get("directory") or {}).get("findings", []) if options else [])


def test_a_new_plugin_validates_and_every_part_of_it_lives(
    client: Client, scripted: ModelFactory, project: Path, tmp_path: Path
) -> None:
    wanted = Wanted("acme", "Explains a project and looks twice at changes.", "Ann", parts=tuple(PARTS))
    create(wanted, tmp_path / "acme", ROOT / "plugin_src")
    build(tmp_path / "acme/plugin_src", tmp_path / "acme/dist")
    folder = tmp_path / "acme/dist/acme"
    assert problems(client, folder, "--strict", "--profile", "directory") == []
    model = scripted(bash("git push --force"))
    session = client.ask(
        "/acme:explain README.md",
        model,
        cwd=project,
        plugin_dirs=[folder],
        extra=["--allowedTools", "Bash", "--settings", '{"outputStyle": "acme:Brief"}'],
    )
    loaded = session.init
    assert loaded.plugin_errors == ()
    assert {"acme:explain", "acme:second-look", "acme:plain-words"} <= {*loaded.slash_commands}
    assert ("acme:reviewer" in loaded.agents, "acme:plain-words" in loaded.skills) == (True, True)
    (init,) = (one for one in session.messages if (one["type"], one.get("subtype")) == ("system", "init"))
    assert [(one["name"], one["status"]) for one in init["mcp_servers"]] == [
        ("plugin:acme:clock", "connected")
    ]
    assert "mcp__plugin_acme_clock__now" in loaded.tools
    sent = str([one.body for one in model.requests])
    assert "Explain README.md to somebody who has not seen this project before." in sent
    assert "Write short sentences. Name files with their lines." in sent
    assert "Answer in at most three sentences." in sent
    assert "A forced push overwrites what others pushed" in sent


def test_what_the_client_scaffolds_is_adopted_built_and_loaded_whole(
    client: Client, scripted: ModelFactory, project: Path, tmp_path: Path
) -> None:
    done = client.run(
        "plugin", "init", "full", "--author", "Ann", "--description", "All of it", "--with", *COMPONENTS
    )
    original = client.home.config / "skills/full"
    assert (original / ".claude-plugin/plugin.json").is_file(), done
    adopt(original, tmp_path / "full")
    build(tmp_path / "full/plugin_src", tmp_path / "full/dist")
    built = tmp_path / "full/dist/full"
    assert different(read_folder(original), read_folder(built)) == ""
    shutil.rmtree(original)
    assert problems(client, built) == []
    tools = write_tree(
        tmp_path / "tools", {"bun": '#!/bin/sh\nexec python3 "$(dirname "$0")/bun.py" "$@"\n', "bun.py": BUN}
    )
    path = f"{tools}:{client.home.environment()['PATH']}"
    model = scripted()
    session = client.ask("hello", model, cwd=project, plugin_dirs=[built], environment={"PATH": path})
    assert session.init.plugin_errors == ()
    assert "full:example" in session.init.agents
    assert {"full:full", "full:example"} <= {*session.init.skills}
    (init,) = (one for one in session.messages if (one["type"], one.get("subtype")) == ("system", "init"))
    assert [(one["name"], one["status"]) for one in init["mcp_servers"]] == [
        ("plugin:full:full", "connected")
    ]
    assert "mcp__plugin_full_full__reply" in session.init.tools
    sent = str([one.body for one in model.requests])
    assert "TODO: the style prompt." in sent  # the output style, which the scaffold forces
    assert "the hook ran" in sent


BUN = """\
import json, sys
if "start" in sys.argv:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            tools = [{"name": "reply", "description": "Reply", "inputSchema": {"type": "object"}}]
            info = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "full", "version": "1"}}
            result = {"initialize": info, "tools/list": {"tools": tools}}.get(request["method"], {})
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
else:
    output = {"hookEventName": "SessionStart", "additionalContext": "the hook ran"}
    print(json.dumps({"hookSpecificOutput": output}))
"""
"""Stands for bun, which runs the scaffold's server and hook and may not be installed."""
