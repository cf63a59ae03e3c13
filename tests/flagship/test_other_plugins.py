"""Plugins that are not ours, in the real client: a new one with every part alive, and the client's own scaffold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.client.conversation import Call, Say
from tests.client.fixtures import ModelFactory
from tests.client.model import SubAgent
from tests.client.session import Client
from tests.kit.files import write_tree
from tests.kit.model import bash, spawn
from tests.kit.names import ROOT
from ultra_plugin import keys
from ultra_plugin.adopt import adopt, different
from ultra_plugin.check import check_bundle
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


def test_the_client_knows_every_key_of_a_listing_and_no_other(client: Client, tmp_path: Path) -> None:
    manifest = {"name": "k", "version": "1.0.0", "description": "d", "author": {"name": "Ann"}, "bogus": 1}
    manifest |= dict.fromkeys(keys.LISTING, "https://acme.example")
    servers = {"mcpServers": {"far": {"type": "http", "url": "https://acme.example/mcp"}}}
    files = {".claude-plugin/plugin.json": json.dumps(manifest), ".mcp.json": json.dumps(servers)}
    folder = write_tree(tmp_path / "k", files)
    report = client.run("plugin", "validate", "--json", str(folder)).json()
    assert [one["path"] for one in report["manifest"]["warnings"]] == ["bogus"]
    ours = [one for one in check_bundle(read_folder(folder)) if one.code == "unknown-key"]
    assert ["'bogus'" in one.message for one in ours] == [True]
    for key in keys.PRIVACY:
        manifest = {name: value for name, value in manifest.items() if name not in keys.PRIVACY}
        (folder / ".claude-plugin/plugin.json").write_text(
            json.dumps({**manifest, key: "https://acme.example"})
        )
        assert "no-privacy-policy" not in {one.code for one in check_bundle(read_folder(folder))}
        assert "PRIVACY_URL_MISSING" not in client.run("plugin", "validate", "--json", str(folder)).stdout


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
    programs = {"bun": BUN, "example-language-server": LANGUAGE_SERVER}
    tools = write_tree(tmp_path / "tools", {f"{name}.py": text for name, text in programs.items()})
    for name in programs:
        (tools / name).write_text(f'#!/bin/sh\nexec python3 "{tools}/{name}.py" "$@"\n')
        (tools / name).chmod(0o755)
    path = f"{tools}:{client.home.environment()['PATH']}"
    (project / "a.example").write_text("hello\n")
    hover = {"operation": "hover", "filePath": str(project / "a.example"), "line": 1, "character": 2}
    model = scripted(
        Call("ToolSearch", {"query": "select:LSP"}),
        Call("LSP", hover),
        Call("Skill", {"skill": "full:example"}),
        spawn("example", "Go.", "full"),
        agents=[SubAgent("TODO: system prompt for the subagent.", Say("the agent answered"))],
    )
    session = client.ask(
        "hello",
        model,
        cwd=project,
        plugin_dirs=[built],
        environment={"PATH": path, "ENABLE_LSP_TOOL": "1"},
    )
    assert (session.init.plugin_errors, model.finished) == ((), True)
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
    assert "TODO: what this skill does, and the steps Claude should take." in sent
    assert "the language server answered" in sent
    assert "the agent answered" in sent


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
"""Stands for bun, which runs the scaffold's server and hook and may not be installed.

The server is that of the channel too. The client listens to a channel only if the account has that feature, so that
nothing is pushed here.
"""

LANGUAGE_SERVER = """\
import json, sys
while header := sys.stdin.buffer.readline():
    length = int(header.split(b":")[1])
    sys.stdin.buffer.readline()
    request = json.loads(sys.stdin.buffer.read(length))
    if "id" in request:
        capabilities = {"capabilities": {"hoverProvider": True, "textDocumentSync": 1}}
        hover = {"contents": "the language server answered"}
        result = {"initialize": capabilities, "textDocument/hover": hover}.get(request["method"])
        answer = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(answer), answer))
        sys.stdout.buffer.flush()
"""
"""Stands for the language server that the scaffold names."""
