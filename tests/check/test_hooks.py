"""Faults of hooks, of the programs they run and of MCP servers."""

from __future__ import annotations

import pytest

from tests.check.plugins import HOOKS, MANIFEST, Case, Link, Script, bundle_of, changed, edit
from ultra_plugin.check import check_bundle

MATCHER = '"matcher": "Bash|Write"'
GUARD = '"command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/scripts/guard.py"]'
STOP = r'"command": "sh \"${CLAUDE_PLUGIN_ROOT}/scripts/stop.sh\""'
TIMEOUT = '"timeout": 5'
GONE = r'{"type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/scripts/gone.sh\""}'
LICENSE = '"license": "MIT"'
MCP = ".mcp.json"


def guard(new: str, code: str = "hooks-value") -> Case:
    """Expect that a fault in a guard makes the client refuse the plugin."""
    return Case(edit(HOOKS, GUARD, new), code, HOOKS, 7, "error")


def inline(hooks: str, code: str, severity: str = "error") -> Case:
    """Expect a fault in hooks that stand in the manifest, its line 6."""
    change = edit(MANIFEST, LICENSE, f'{LICENSE}, "hooks": {hooks}')
    return Case(change, code, MANIFEST, 6, "error" if severity == "error" else "warning")


def servers(text: str, line: int, code: str = "servers-value") -> Case:
    """Expect that the client refuses a file of servers."""
    return Case({MCP: text}, code, MCP, line, "error")


CASES = (
    # the file
    Case({HOOKS: "{\n,}"}, "hooks-json", HOOKS, 2, "error"),
    Case({HOOKS: '\ufeff{"hooks": {}}'}, "bom", HOOKS, 1, "error"),
    Case({HOOKS: '{"Stop": []}'}, "hooks-wrapper", HOOKS, 1, "error"),
    Case({HOOKS: '{"PreToolUse": [{"hooks": []}]}'}, "hooks-wrapper", HOOKS, 1, "error"),
    Case({HOOKS: '{"hooks": [{"hooks": [{"type": "command"}]}]}'}, "hooks-wrapper", HOOKS, 1, "error"),
    Case({HOOKS: '{\n"hooks": []}'}, "hooks-value", HOOKS, 2, "error"),
    Case({HOOKS: '{"hooks": {},\n"surface": "x"}'}, "hooks-value", HOOKS, 2, "error"),
    Case({HOOKS: '{"modules": [\n"./gone.js"]}'}, "path-missing", HOOKS, 2, "error"),
    Case({HOOKS: '{"hooks": {},\n"hook": {}}'}, "unknown-key", HOOKS, 2),
    inline('{"PreToolUse": {}}', "hooks-value"),
    inline('{"Stop": {}}', "hooks-value", "warning"),
    inline(f'{{"Stop": [{{"hooks": [{GONE}]}}]}}', "script-missing", "warning"),
    inline(f'[{{"Stop": [{{"hooks": [{GONE}]}}]}}]', "script-missing", "warning"),
    Case(edit(MANIFEST, LICENSE, f'{LICENSE}, "foo": {{"PreToolUse": [1]}}'),
         "hooks-wrapper", MANIFEST, 1, "error", ("unknown-key",)),
    # shapes
    guard('"if": "x"'),
    guard('"command": 5'),
    guard('"command": "x", "args": "y"'),
    guard('"command": "x", "timeout": "5"'),
    guard('"command": "x", "timeout": 0'),
    guard('"command": "x", "shell": "fish"'),
    Case(edit(HOOKS, '"type": "command", "command": "python3"', '"type": "script", "command": "python3"'),
         "unknown-hook-type", HOOKS, 7, "error"),
    Case(edit(HOOKS, '"type": "command", "command": "sh', '"type": "script", "command": "sh'),
         "unknown-hook-type", HOOKS, 12),
    Case(edit(HOOKS, TIMEOUT, '"timeout": "5"'), "hooks-value", HOOKS, 12),
    Case(edit(HOOKS, MATCHER, '"matcher": ["Bash"]'), "hooks-value", HOOKS, 5, "error"),
    Case(edit(HOOKS, '"Stop"', '"stop"'), "unknown-event", HOOKS, 11),
    Case(edit(HOOKS, '"Stop": [', '"Nope": {"PreToolUse": [1]}, "Stop": ['), "unknown-event", HOOKS, 11, "error"),
    # meaning
    Case(edit(HOOKS, MATCHER, '"matcher": "Bash|Wirte"'), "unknown-tool", HOOKS, 5),
    Case(edit(HOOKS, MATCHER, '"matcher": "^(Bash"'), "bad-matcher", HOOKS, 5),
    Case(edit(HOOKS, MATCHER, '"matcher": "Bash(git *)"'), "bad-matcher", HOOKS, 5),
    Case(edit(HOOKS, MATCHER, '"matcher": "mcp__server"'), "bad-matcher", HOOKS, 5),
    Case(edit(HOOKS, '"Stop": [', '"PreCompact": [{"matcher": "full", "hooks": []}], "Stop": ['), "bad-matcher", HOOKS, 11),
    Case(edit(HOOKS, '{"hooks": [{"type": "command", "command": "sh', '{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh'),
         "matcher-ignored", HOOKS, 12),
    Case(edit(HOOKS, MATCHER, f'{MATCHER}, "match": "x"'), "unknown-key", HOOKS, 5),
    Case(edit(HOOKS, TIMEOUT, '"tiemout": 5'), "unknown-key", HOOKS, 12),
    Case(edit(HOOKS, TIMEOUT, '"timeout": 600000'), "long-timeout", HOOKS, 12),
    Case(edit(HOOKS, f'"type": "command", {STOP}', '"type": "http", "url": "https://example.org"'),
         "no-privacy-policy", HOOKS, 12),
    # programs
    Case({"scripts/guard.py": None}, "script-missing", HOOKS, 7),
    Case({"scripts/stop.sh": None}, "script-missing", HOOKS, 12),
    Case(edit(HOOKS, GUARD, '"command": "${CLAUDE_PLUGIN_ROOT}/run", "args": []') | {"run": "#!/bin/sh\n"},
         "script-not-executable", HOOKS, 7),
    Case(edit(HOOKS, STOP, r'"command": "X=1 \"${CLAUDE_PLUGIN_ROOT}\"/run now"') | {"run": Script("echo\n")},
         "no-shebang", HOOKS, 12),
    Case(edit(HOOKS, STOP, '"command": "scripts/stop.sh"'), "relative-command", HOOKS, 12),
    Case(edit(HOOKS, STOP, '"command": "sh scripts/stop.sh"'), "relative-command", HOOKS, 12),
    Case(edit(HOOKS, STOP, '"command": "true; ./stop.sh"'), "relative-command", HOOKS, 12),
    Case(edit(HOOKS, GUARD, '"command": "/opt/python", "args": []'), "absolute-path", HOOKS, 7),
    Case(edit(HOOKS, STOP, '"command": "sh ${CLAUDE_PLUGIN_ROOT}/scripts/stop.sh"'), "unquoted-root", HOOKS, 12),
    Case(edit(HOOKS, STOP, '"command": "sh $CLAUDE_PLUGIN_ROOT/scripts/stop.sh"'), "unquoted-root", HOOKS, 12),
    Case(edit(HOOKS, STOP, r'"command": "echo \"x"'), "shell-syntax", HOOKS, 12),
    Case({"bin/pipe": "#!/bin/sh\n"}, "script-not-executable", "bin/pipe", 1),
    Case({"bin/pipe": Script("echo\n")}, "no-shebang", "bin/pipe", 1),
    # servers
    servers("{\n,}", 2, "servers-json"),
    servers("\ufeff{}", 1, "bom"),
    servers("5", 1),
    servers('{"mcpServers":\n{"a": {"cmd": "x"}}}', 2),
    servers('{"mcpServers":\n{"a": {"url": "https://example.org"}}}', 2),
    servers('{"mcpServers":\n{"a": {"type": "sdk", "name": "x"}}}', 2),
    servers('{"a": {"command": "x",\n"args": ["${user_config.key}"]}}', 2, "unknown-option"),
    Case({MCP: '{"a": {"type": "http",\n"url": "zz"}}'}, "servers-value", MCP, 2, "error", ("no-privacy-policy",)),
    Case({MCP: '{"a": {"type": "http",\n"url": "http://example.org"}}'}, "not-https", MCP, 2, also=("no-privacy-policy",)),
    Case({MCP: '{"a": {"type": "sse",\n"url": "https://example.org"}}'}, "no-privacy-policy", MCP, 2),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(case: Case) -> None:
    case.assert_found_in(check_bundle(bundle_of(changed(case.change))))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (MATCHER, '"matcher": "*"'),
        (MATCHER, '"matcher": ""'),
        (MATCHER, '"matcher": "Bash, Write"'),
        (MATCHER, '"matcher": "mcp__server__.*"'),
        (MATCHER, '"matcher": "^(?<tool>Bash)$"'),
        (MATCHER, '"matcher": "mcp__store__(put|drop)"'),
        (STOP, '"command": "[ -x vendor/bin/phpstan ] && vendor/bin/phpstan; ./gradlew test"'),
        (STOP, '"command": "# don\'t stop\\ntrue"'),
        (GUARD, '"command": "/usr/bin/env", "args": ["sh", "-c", "true"]'),
        (GUARD, '"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/scripts/guard.py", "src/x", "--a/b"]'),
        (STOP, r'"command": "FOO=1 sh \"${CLAUDE_PLUGIN_ROOT}\"/scripts/stop.sh && echo done"'),
        (STOP, r'"command": "ls \"${CLAUDE_PLUGIN_ROOT}/scripts/\"*.sh"'),
        (STOP, r'"command": "cat \"$CLAUDE_PROJECT_DIR/notes/x.md\""'),
        (STOP, '"command": "& .\\\\x.ps1", "shell": "powershell"'),
    ],
)
def test_no_fault(old: str, new: str) -> None:
    assert check_bundle(bundle_of(changed(edit(HOOKS, old, new)))) == []


def test_a_hooks_file_that_the_manifest_names_is_checked_as_well() -> None:
    change = edit(MANIFEST, LICENSE, f'{LICENSE}, "hooks": "./more.json"')
    (problem,) = check_bundle(bundle_of(changed({**change, "more.json": '{"hooks": 5}'})))
    assert (problem.path, problem.code, problem.severity) == ("more.json", "hooks-value", "error")


def test_a_hooks_file_behind_a_symlink_is_not_read() -> None:
    problems = check_bundle(bundle_of(changed({HOOKS: Link("../elsewhere.json")})))
    assert [found.code for found in problems] == ["symlink"]


def test_programs_in_bin_may_be_native_or_for_windows() -> None:
    files = changed({"bin/pipe.cmd": "@echo off\n", "bin/README.md": "# Programs\n", "bin/lib/x": "data"})
    assert check_bundle(bundle_of(files)) == []
