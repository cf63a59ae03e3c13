"""Broken variants of the good plugin: the table of the specification, row by row, and more."""

from __future__ import annotations

from tests.check.plugins import BRIEF, CRITIC, GOOD, HOOKS, MANIFEST, REVIEW, Files, Link, edit, text_of

NAME = '"name": "pipe"'
VERSION = '"version": "1.2.3"'
AUTHOR = '{"name": "A. Uthor"}'
MATCHER = '"matcher": "Bash|Write"'
GUARD = '"command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/scripts/guard.py"]'
STOP = r'"command": "sh \"${CLAUDE_PLUGIN_ROOT}/scripts/stop.sh\""'
DESCRIPTION = "description: Write the brief of a project and ask for what is missing"
OPTION = '"userConfig": {"k": {"type": "string", "title": "T", "description": "D"%s}}'
OFFER = '{"name": "m", "owner": {"name": "o"}, "description": "d", "plugins": [%s]}'
MARKETPLACE = ".claude-plugin/marketplace.json"
TEXT = "---\ndescription: Does another thing that people want\n---\nDo it.\n"


def header(text: str) -> Files:
    """Replace the command's header."""
    return {BRIEF: f"---\n{text}\n---\nWrite it.\n"}


def key(text: str) -> Files:
    """Add a key to the manifest."""
    return edit(MANIFEST, NAME, f"{NAME}, {text}")


def name(text: str) -> Files:
    """Give the plugin another name."""
    return edit(MANIFEST, NAME, f'"name": {text}')


def only(*paths: str) -> Files:
    """Take everything away but some files."""
    return dict.fromkeys(set(GOOD) - set(paths))


VARIANTS: dict[str, Files] = {
    "good": {},
    # headers
    "yaml: tab before a key": header("description: x\n\tname: y"),
    "yaml: unclosed quote": header("description: 'x"),
    "yaml: open bracket": header("description: [oops"),
    "yaml: open brace": header("description: {a"),
    "yaml: colons": header("description: a: b: c"),
    "yaml: dashes in a value": header("description: 'a --- b'"),
    "header: not closed": {BRIEF: f"---\n{DESCRIPTION}\nWrite it.\n"},
    "header: absent": {BRIEF: "Write it.\n"},
    "header: empty file": {BRIEF: ""},
    "header: empty": {BRIEF: "---\n---\nWrite it.\n"},
    "header: a list": header("- a"),
    "header: duplicate key": header(f"{DESCRIPTION}\n{DESCRIPTION}"),
    "header: unknown key": header(f"{DESCRIPTION}\nfoo: bar"),
    "header: unknown tool": header("allowed-tools: Nope, Bash("),
    "header: allowed-tools is a map": header("allowed-tools: {a: b}"),
    "header: description is a list": header("description: [a]"),
    "header: shell fish": header("shell: fish"),
    "header: odd values": header("context: sideways\neffort: enormous\nmodel: gpt-4\nuser-invocable: maybe"),
    "agent: no name": edit(CRITIC, "name: critic\n", ""),
    "agent: no description": edit(CRITIC, "description: Reads a brief and says what is missing or wrong\n", ""),
    "agent: name with a colon": edit(CRITIC, "name: critic", "name: 'My Reviewer:x'"),
    "agent: ignored keys": edit(CRITIC, "color: red", "permissionMode: plan\nhooks: {}\nmcpServers: []"),
    "agent: odd values": edit(CRITIC, "color: red", "color: mauve\nisolation: vm\nshell: fish"),
    "agent: tools is a number": edit(CRITIC, "tools: Read, Grep", "tools: 5"),
    "agent: allowed-tools is a number": edit(CRITIC, "tools: Read, Grep", "allowed-tools: 5"),
    "agent: in a folder, a list": {"agents/a/b.md": "---\n- a\n---\n"},
    "skill: no description": edit(REVIEW, "description: Reviews what was done against the brief of the project\n", ""),
    "skill: name is not the folder": edit(REVIEW, "name: review", "name: Other Name"),
    "skill: a list": {REVIEW: "---\n- a\n---\n"},
    "skill: long description": {REVIEW: f"---\ndescription: {'x' * 5000}\n---\nText\n"},
    "skill: folder without SKILL.md": {"skills/x/y.md": TEXT},
    "skill: lower case": {"skills/x/skill.md": "---\n- a\n---\n"},
    "skill: too deep": {"skills/a/b/SKILL.md": "---\n- a\n---\n"},
    "command: upper case ending": {"commands/X.MD": "---\n- a\n---\n"},
    "command: hidden": {"commands/.x.md": "---\n- a\n---\n"},
    "command: not Markdown": {"commands/x.txt": "---\n- a\n---\n"},
    "command: name of a skill": {"commands/review.md": TEXT},
    "agents: one name": {"agents/x.md": GOOD[CRITIC]},
    "commands: one name in two folders": {"commands/a/x.md": TEXT, "commands/b/x.md": TEXT},
    "command: refers to missing files": {BRIEF: f"{TEXT}@gone.md [x](gone.md) ${{CLAUDE_PLUGIN_ROOT}}/gone\n"},
    "command: large and a list": {BRIEF: "---\n- a\n---\n" + "x" * 1024 * 1024},
    "command: BOM": {BRIEF: f"\ufeff{TEXT}"},
    "command: BOM and a list": {BRIEF: "\ufeff---\n- a\n---\n"},
    "command: CRLF": {BRIEF: TEXT.replace("\n", "\r\n")},
    "command: not UTF-8": {BRIEF: TEXT.encode() + b"\xff"},
    "command: hidden characters": {BRIEF: f"{TEXT}\u200b\u202e"},
    "command: symlink": {"commands/x.md": Link("../README.md")},
    "skill: symlinked folder": {"skills/x": Link("../agents")},
    # hooks
    "hooks: unknown event": edit(HOOKS, '"Stop"', '"stop"'),
    "hooks: unknown event with a guard": edit(HOOKS, '"Stop": [', '"Nope": {"PreToolUse": [1]}, "Stop": ['),
    "hooks: unknown type, guard": edit(HOOKS, '"type": "command", "command": "py', '"type": "x", "command": "py'),
    "hooks: unknown type, other": edit(HOOKS, '"type": "command", "command": "sh', '"type": "x", "command": "sh'),
    "hooks: timeout as text, guard": edit(HOOKS, GUARD, f'{GUARD}, "timeout": "5"'),
    "hooks: timeout as text, other": edit(HOOKS, '"timeout": 5', '"timeout": "5"'),
    "hooks: timeout 0, guard": edit(HOOKS, GUARD, f'{GUARD}, "timeout": 0'),
    "hooks: timeout 600000": edit(HOOKS, '"timeout": 5', '"timeout": 600000'),
    "hooks: no command, guard": edit(HOOKS, GUARD, '"if": "x"'),
    "hooks: args as text, guard": edit(HOOKS, GUARD, '"command": "x", "args": "y"'),
    "hooks: http url is none, guard": edit(HOOKS, f'"command", {GUARD}', '"http", "url": "x"'),
    "hooks: http": edit(HOOKS, f'"command", {GUARD}', '"http", "url": "http://127.0.0.1:9"'),
    "hooks: no wrapper, guard": {HOOKS: '{"PreToolUse": [{"hooks": []}]}'},
    "hooks: no wrapper, other": {HOOKS: '{"Stop": [{"hooks": []}]}'},
    "hooks: missing module": {HOOKS: '{"modules": ["./gone.js"]}'},
    "hooks: broken JSON": {HOOKS: "{"},
    "hooks: BOM": {HOOKS: '\ufeff{"hooks": {}}'},
    "hooks: not UTF-8": {HOOKS: b'{"hooks": {}, "x": "\xff"}'},
    "hooks: large and broken": {HOOKS: "{" + " " * 1024 * 1024},
    "hooks: symlink": {HOOKS: Link("../README.md")},
    "hooks: missing scripts": {"scripts/guard.py": None, "scripts/stop.sh": None},
    "hooks: relative command": edit(HOOKS, STOP, '"command": "scripts/stop.sh"'),
    "hooks: unquoted root": edit(HOOKS, STOP, '"command": "sh ${CLAUDE_PLUGIN_ROOT}/scripts/stop.sh"'),
    "hooks: bad regex": edit(HOOKS, MATCHER, '"matcher": "["'),
    "hooks: unknown tool": edit(HOOKS, MATCHER, '"matcher": "Nope"'),
    "hooks: matcher is a list, guard": edit(HOOKS, MATCHER, '"matcher": ["Bash"]'),
    "hooks: unknown key": edit(HOOKS, '"timeout": 5', '"foo": 5'),
    "hooks: declared twice": key('"hooks": "./hooks/hooks.json"'),
    "hooks: another broken file": {"hooks/other.json": "{"},
    "hooks: named broken file": {**key('"hooks": "./x.json"'), "x.json": "{"},
    "hooks: inline": key('"hooks": {"Stop": [{"hooks": []}]}'),
    "hooks: inline, bad guard": key('"hooks": {"PreToolUse": [{"hooks": [{"type": "x"}]}]}'),
    "hooks: inline, bad other": key('"hooks": {"Stop": [{"hooks": [{"type": "x"}]}]}'),
    "hooks: guard elsewhere in the manifest": key('"foo": {"PreToolUse": [1]}'),
    "hooks: guard in the metadata": key('"metadata": {"PreToolUse": [1]}'),
    # the manifest
    "name: Pipe": name('"Pipe"'),
    "name: my_pipe": name('"my_pipe"'),
    "name: with a space": name('"my pipe"'),
    "name: empty": name('""'),
    "name: a number": name("5"),
    "name: missing": edit(MANIFEST, f"{NAME},", ""),
    "name: claude-code": name('"claude-code"'),
    "name: claude-x": name('"claude-x"'),
    "name: cc-plugin-x": name('"cc-plugin-x"'),
    "name: x-official-claude": name('"x-official-claude"'),
    "name: my-claude": name('"my-claude"'),
    "name: claude in other letters": name('"\u0441laude"'),
    "name: bidirectional": name('"a\u202eb"'),
    "name: 80 characters": name(f'"{"x" * 80}"'),
    "version: v1": edit(MANIFEST, VERSION, '"version": "v1"'),
    "version: a number": edit(MANIFEST, VERSION, '"version": 1.0'),
    "version: null": edit(MANIFEST, VERSION, '"version": null'),
    "version: missing": edit(MANIFEST, f"{VERSION},", ""),
    "author: text": edit(MANIFEST, AUTHOR, '"A. Uthor"'),
    "author: without a name": edit(MANIFEST, AUTHOR, "{}"),
    "homepage: http": edit(MANIFEST, "https://", "http://"),
    "homepage: no URL": edit(MANIFEST, "https://example.org/pipe", "example"),
    "homepage: no host": edit(MANIFEST, "https://example.org/pipe", "https://"),
    "license: unknown": edit(MANIFEST, '"MIT"', '"NotALicense"'),
    "keywords: text": key('"keywords": "x"'),
    "dependencies: with a space": key('"dependencies": ["a b"]'),
    "engines: no range": key('"engines": {"claude-code": "newest"}'),
    "engines: text": key('"engines": "newest"'),
    "unknown key": key('"versoin": "1"'),
    "experimental: unknown key": key('"experimental": {"bogus": 1}'),
    "experimental: text": key('"experimental": "x"'),
    "monitors at the top": key('"monitors": []'),
    "userConfig": key(OPTION % ""),
    "userConfig: unknown key": key(OPTION % ', "hint": "x"'),
    "userConfig: bad default": key(OPTION % ', "options": ["a"], "default": "b"'),
    "userConfig: bad type": key('"userConfig": {"k": {"type": "text", "title": "T", "description": "D"}}'),
    "userConfig: bad key": key('"userConfig": {"a-b": {"type": "string", "title": "T", "description": "D"}}'),
    "path: absolute": key('"commands": "/x.md"'),
    "path: upwards": key('"commands": "./../x.md"'),
    "path: without ./": key('"commands": "commands/brief.md"'),
    "path: agents as a folder": key('"agents": "./agents"'),
    "path: missing": key('"commands": "./gone.md"'),
    "path: a folder": key('"commands": "./commands"'),
    "path: skills as a file": key('"skills": "./README.md"'),
    "path: skills as the root": key('"skills": "."'),
    "path: missing icon": key('"icon": "./gone.png"'),
    "commands: by name": key('"commands": {"x": {"source": "./README.md"}}'),
    "commands: by name, nothing": key('"commands": {"x": {}}'),
    "mcpServers: inline": key('"mcpServers": {"a": {"command": "x"}}'),
    "mcpServers: inline, bad": key('"mcpServers": {"a": {"cmd": "x"}}'),
    "lspServers: inline, bad": key('"lspServers": {"a": {"command": "x"}}'),
    "manifest: broken JSON": {MANIFEST: "{"},
    "manifest: NaN": {MANIFEST: '{"name": "pipe", "metadata": {"x": NaN}}'},
    "manifest: a list": {MANIFEST: "[]"},
    "manifest: duplicate key": {MANIFEST: '{"name": 5, "name": "pipe"}'},
    "manifest: BOM": {MANIFEST: f"\ufeff{text_of(MANIFEST)}"},
    "manifest: not UTF-8": {MANIFEST: b'{"name": "pipe", "description": "\xff"}'},
    "manifest: missing": {MANIFEST: None},
    "manifest: missing, bad hooks and servers": {MANIFEST: None, HOOKS: "{", ".mcp.json": "{"},
    "manifest: missing, bad command": {MANIFEST: None, BRIEF: "---\n- a\n---\n"},
    "manifest: a folder": {MANIFEST: None, f"{MANIFEST}/x": "y"},
    "nothing": only(),
    "only a README": only("README.md"),
    "only a command": only(BRIEF),
    "only a skill": only(REVIEW),
    # servers
    "servers": {".mcp.json": '{"mcpServers": {"a": {"command": "x"}}}'},
    "servers: broken JSON": {".mcp.json": "{"},
    "servers: BOM": {".mcp.json": "\ufeff{}"},
    "servers: no command": {".mcp.json": '{"a": {}}'},
    "servers: url without a type": {".mcp.json": '{"a": {"url": "https://example.org"}}'},
    "servers: unknown type": {".mcp.json": '{"a": {"type": "x"}}'},
    "servers: http": {".mcp.json": '{"a": {"type": "http", "url": "http://127.0.0.1:9"}}'},
    "servers: bad url": {".mcp.json": '{"a": {"type": "http", "url": "x"}}'},
    "servers: unknown option": {".mcp.json": '{"a": {"command": "${user_config.k}"}}'},
    "servers: null": {".mcp.json": "null"},
    # files
    "README: short": {"README.md": "# Pipe\n"},
    "README: missing": {"README.md": None},
    "license: missing": edit(MANIFEST, '  "license": "MIT",\n', ""),
    "icon: missing": {".claude-plugin/icon.png": None},
    "icon: not a PNG": {".claude-plugin/icon.png": "x"},
    "stray files": {".DS_Store": "x", ".env": "x", "__pycache__/x.pyc": "x"},
    "misplaced": {".claude-plugin/commands/x.md": "---\n- a\n---\n", "CLAUDE.md": "x"},
    "nested plugin": {"inner/.claude-plugin/plugin.json": "{", "inner/commands/x.md": "---\n- a\n---\n"},
    "other JSON is broken": {"settings.json": "{", ".lsp.json": "{", "monitors/monitors.json": "{"},
    "output style is a list": {"output-styles/x.md": "---\n- a\n---\n"},
    "link in the cache of bundles": {".mcpb-cache/x": Link("../README.md")},
    "bin: not executable": {"bin/pipe": "echo\n"},
    # a marketplace in the same folder
    "marketplace": {MARKETPLACE: OFFER % '{"name": "pipe", "source": "./"}'},
    "marketplace: broken JSON": {MARKETPLACE: "{"},
    "marketplace: no owner": {MARKETPLACE: '{"name": "m", "plugins": []}'},
    "marketplace: upwards": {MARKETPLACE: OFFER % '{"name": "pipe", "source": "./../x"}'},
    "marketplace: absolute": {MARKETPLACE: OFFER % '{"name": "pipe", "source": "/x"}'},
    "marketplace: twice": {MARKETPLACE: OFFER % ", ".join(['{"name": "pipe", "source": "./"}'] * 2)},
    "marketplace: other version": {MARKETPLACE: OFFER % '{"name": "pipe", "source": "./", "version": "9.9.9"}'},
    "marketplace: other name": {MARKETPLACE: OFFER % '{"name": "tube", "source": "./"}'},
    "marketplace: missing folder": {MARKETPLACE: OFFER % '{"name": "tube", "source": "./tube"}'},
    "marketplace: unknown entry key": {MARKETPLACE: OFFER % '{"name": "pipe", "source": "./", "foo": 1}'},
    "marketplace: broken plugin inside": {
        MARKETPLACE: OFFER % '{"name": "tube", "source": "./tube"}',
        "tube/.claude-plugin/plugin.json": "{",
    },
    "marketplace: without a manifest": {MANIFEST: None, MARKETPLACE: OFFER % '{"name": "tube", "source": "./tube"}'},
}  # fmt: skip

HOOK_FILES: dict[str, str] = {
    "flat, guard": '{"hooks": {"PreToolUse": [{"type": "command", "command": "x"}]}}',
    "flat, other": '{"hooks": {"Stop": [{"type": "command", "command": "x"}]}}',
    "guard is null": '{"hooks": {"PreToolUse": null}}',
    "guard is an object": '{"hooks": {"PreToolUse": {}}}',
    "other is an object": '{"hooks": {"Stop": {}}}',
    "guard inside another": '{"hooks": {"Stop": [{"PreToolUse": [1]}]}}',
    "beside the wrapper": '{"hooks": {}, "Stop": [{"hooks": []}]}',
    "guard beside the wrapper": '{"hooks": {}, "x": {"PreToolUse": [1]}}',
    "a list": '{"hooks": []}',
    "null": '{"hooks": null}',
    "empty object": "{}",
    "description is a number": '{"description": 5, "hooks": {}}',
    "trailing comma": '{"hooks": {},}',
    "no type, guard": '{"hooks": {"PreToolUse": [{"hooks": [{"command": "x"}]}]}}',
    "no type, other": '{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}',
    "a word for a hook, guard": '{"hooks": {"PreToolUse": [{"hooks": ["x"]}]}}',
    "a word for a matcher, guard": '{"hooks": {"PreToolUse": ["x"]}}',
    "a word for a matcher, other": '{"hooks": {"Stop": ["x"]}}',
    "no hooks in the matcher, guard": '{"hooks": {"PermissionRequest": [{"matcher": "x"}]}}',
    "empty, guard": '{"hooks": {"PreToolUse": []}}',
    "negative timeout, guard": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "timeout": -1}]}]}}',
    "half a second, guard": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "timeout": 0.5}]}]}}',
    "shell fish, guard": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "shell": "fish"}]}]}}',
    "async as text, guard": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "async": "x"}]}]}}',
    "onFailure, guard": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x", "onFailure": "x"}]}]}}',
    "prompt": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}}',
    "prompt without one, guard": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt"}]}]}}',
    "tool of a server": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "mcp_tool", "server": "a", "tool": "b"}]}]}}',
    "tool of no server, guard": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "mcp_tool", "tool": "b"}]}]}}',
    "a single matcher": '{"hooks": {"matcher": "x", "hooks": [{"type": "command"}]}}',
    "a list of matchers": '{"hooks": [{"hooks": [{"type": "command"}]}]}',
    "a matcher elsewhere": '{"hooks": {}, "x": {"matcher": "x", "hooks": [1]}}',
    "unknown event, a matcher": '{"hooks": {"Nope": {"matcher": "x", "hooks": [1]}}}',
    "unknown event, a list": '{"hooks": {"Nope": [{"hooks": [1]}]}}',
    "modules as text": '{"hooks": {}, "modules": "x"}',
    "surface": '{"hooks": {}, "surface": "x"}',
    "schema is a number": '{"hooks": {}, "$schema": 5}',
    "number": "5",
    "nothing": "",
}  # fmt: skip
"""Hooks files that all go into one plugin: the client reports on each."""

EXCEPTIONS: dict[str, str] = {
    "name: claude in other letters": "the client reads look-alike letters as Latin ones; we only warn of the name",
}
"""Variants on which we may differ from the client, and why."""
