"""Faults of plugin.json: its fields, its paths, and what a directory asks for beside it."""

from __future__ import annotations

import pytest

from tests.check.plugins import (
    BRIEF,
    GOOD,
    HOOKS,
    MANIFEST,
    Case,
    Content,
    Link,
    bundle_of,
    changed,
    edit,
    png,
    text_of,
)
from ultra_plugin.check import check_bundle
from ultra_plugin.check.manifest import is_semver

NAME = '"name": "pipe"'
LICENSE = '"license": "MIT"'
VERSION = '"version": "1.2.3"'
OPTION = '"userConfig": {"k": {"type": "string", "title": "T", "description": "D"%s}}'
MONITOR = '{"name": "m", "command": "c", "description": "d"'
ICON = ".claude-plugin/icon.png"
README = "README.md"


def with_key(line: str) -> dict[str, Content]:
    """Add a line to the manifest: its line 7."""
    return edit(MANIFEST, f"{LICENSE},", f"{LICENSE},\n  {line},")


def refused(line: str, *also: str) -> Case:
    """Expect that the client refuses a line of the manifest."""
    return Case(with_key(line), "manifest-value", MANIFEST, 7, "error", also)


CASES = (
    # there, and JSON
    Case(dict.fromkeys(GOOD), "no-manifest", MANIFEST, 0, "error"),
    Case({MANIFEST: None}, "no-manifest", MANIFEST, 0),
    Case(dict.fromkeys(set(GOOD) - {BRIEF}), "no-manifest", MANIFEST, 0, "error", ("dangling-file",)),
    Case({MANIFEST: Link("../other.json")}, "no-manifest", MANIFEST, 0, also=("symlink",)),
    Case({MANIFEST: None, f"{MANIFEST}/x": "y"}, "no-manifest", MANIFEST, 0, "error"),
    Case(edit(MANIFEST, f"{LICENSE},", LICENSE), "manifest-json", MANIFEST, 7, "error", ("license-missing",)),
    Case({MANIFEST: '{"name": "pipe",\n "x": NaN}'}, "manifest-json", MANIFEST, 1, "error", ("license-missing",)),
    Case({MANIFEST: f"{'[' * 9999}{']' * 9999}"}, "manifest-json", MANIFEST, 1, also=("license-missing",)),
    Case({MANIFEST: "[]"}, "manifest-value", MANIFEST, 1, "error", ("license-missing",)),
    Case(with_key('"version": "9.9.9"'), "duplicate-key", MANIFEST, 7),
    # fields
    Case(edit(MANIFEST, f"{NAME},", ""), "manifest-value", MANIFEST, 1, "error"),
    Case(edit(MANIFEST, NAME, '"name": ""'), "manifest-value", MANIFEST, 2, "error"),
    Case(edit(MANIFEST, NAME, '"name": "a b"'), "manifest-value", MANIFEST, 2, "error", ("not-kebab-case",)),
    Case(edit(MANIFEST, VERSION, '"version": 1.0'), "manifest-value", MANIFEST, 3, "error"),
    Case(edit(MANIFEST, '{"name": "A. Uthor"}', '"A. Uthor"'), "manifest-value", MANIFEST, 5, "error"),
    Case(edit(MANIFEST, '{"name": "A. Uthor"}', '{"email": "a@b.c"}'), "manifest-value", MANIFEST, 5, "error"),
    Case(edit(MANIFEST, "https://example.org/pipe", "example"), "manifest-value", MANIFEST, 7, "error"),
    Case(edit(MANIFEST, "https://example.org/pipe", "https://a b"), "manifest-value", MANIFEST, 7, "error"),
    refused('"repository": {"type": "git"}'),
    refused('"keywords": "plan"'),
    refused('"keywords": ["plan", 5]'),
    refused('"defaultEnabled": "yes"'),
    refused('"dependencies": ["a b"]'),
    refused('"engines": {"claude-code": "newest"}'),
    refused('"settings": []'),
    refused('"mcpServers": {"a": {"args": []}}'),
    refused('"lspServers": {"a": {"command": "x"}}'),
    refused('"channels": [{"server": "x", "colour": "red"}]'),
    refused('"experimental": {"evals": 5}'),
    refused(OPTION % ', "hint": "H"'),
    refused('"userConfig": {"a-b": {"type": "string", "title": "T", "description": "D"}}'),
    refused('"userConfig": {"k": {"type": "text", "title": "T", "description": "D"}}'),
    refused('"userConfig": {"k": {"type": "string", "title": "T"}}'),
    refused(OPTION % ', "options": ["a"], "default": "b"'),
    *(
        refused(OPTION % f', "options": ["a", "{word}"], "default": "a"')
        for word in (r"b\u200b", r"b\u202e", "b ", r"b\u00a0c", "b" * 65)
    ),
    *(
        refused(f'"experimental": {{"monitors": [{MONITOR}}}, {MONITOR}, "when": "{when}"}}]}}')
        for when in ("always", "on-skill-invoke:", "sometimes")
    ),
    refused(f'"experimental": {{"monitors": [{MONITOR}, "colour": "red"}}]}}'),
    refused('"lspServers": {"go": {"command": "gopls", "extensionToLanguage": {}}}'),
    refused('"lspServers": {"go": {"command": "gopls", "extensionToLanguage": {".go": "go"}, "colour": "red"}}'),
    refused('"commands": {"x": {}}', "dangling-command"),
    Case(with_key('"versoin": "1"'), "unknown-key", MANIFEST, 7),
    Case(with_key('"experimental": {"bogus": 1}'), "unknown-key", MANIFEST, 7),
    Case(with_key('"monitors": []'), "moved-key", MANIFEST, 7),
    Case(with_key('"metadata": "x"'), "ignored-value", MANIFEST, 7),
    Case(edit(MANIFEST, f"{VERSION},", ""), "no-version", MANIFEST, 1),
    Case(edit(MANIFEST, "Takes a task from brief to plan to review", ""), "no-description", MANIFEST, 4),
    Case(edit(MANIFEST, '"author": {"name": "A. Uthor"},', ""), "no-author", MANIFEST, 1),
    Case(edit(MANIFEST, VERSION, '"version": "v1"'), "not-semver", MANIFEST, 3),
    Case(edit(MANIFEST, "https:", "http:"), "not-https", MANIFEST, 7),
    # paths
    refused('"commands": "/abs.md"', "dangling-command"),
    refused('"commands": "commands/brief.md"'),
    refused('"agents": "./critic"', "path-missing", "dangling-agent"),
    Case(with_key('"themes": "./../x"'), "path-outside", MANIFEST, 7, "error", ("moved-key",)),
    Case(with_key('"workflows": "./nope"'), "path-missing", MANIFEST, 7, "error"),
    Case(with_key('"skills": ["./skills",\n "./gone"]'), "path-missing", MANIFEST, 8, "error"),
    Case(with_key('"skills": "./README.md"'), "path-kind", MANIFEST, 7, "error"),
    Case(with_key('"mcpServers": "./d.json"') | {"d.json/x": "y"}, "path-kind", MANIFEST, 7, "error"),
    Case(with_key('"hooks": "./hooks/hooks.json"'), "hooks-declared-twice", MANIFEST, 7),
    # what a directory asks for
    Case({README: None}, "readme-missing", README, 0),
    Case({README: "# Pipe\n\n/plugin install pipe\n"}, "readme-short", README, 1),
    Case(edit(README, "    /plugin install pipe@example\n", ""), "readme-no-install", README, 1),
    Case(edit(MANIFEST, f"{LICENSE},", ""), "license-missing", MANIFEST, 1),
    Case({ICON: None}, "icon-missing", ICON, 0),
    Case(with_key('"icon": "./gone.png"'), "icon-missing", MANIFEST, 7),
    Case({ICON: b"GIF89a"}, "icon-invalid", ICON, 0),
    Case({ICON: png(64, 64)}, "icon-size", ICON, 0),
    Case({ICON: png(512, 600)}, "icon-size", ICON, 0),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(case: Case) -> None:
    case.assert_found_in(check_bundle(bundle_of(changed(case.change))))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"LICENSE": "MIT"} | edit(MANIFEST, f"{LICENSE},", ""),
        edit(MANIFEST, VERSION, '"version": "1.0.0-rc.1+build.5"'),
        with_key('"engines": {"claude-code": ">=2.1.0"}'),
        with_key('"repository": "https://example.org/repo"'),
        with_key('"dependencies": ["other", {"name": "third", "version": "^1"}]'),
        with_key(OPTION % ', "default": "x"'),
        with_key('"commands": ["./commands/"]'),
        with_key('"agents": "./agents/critic.md"'),
        with_key('"skills": "."'),
        with_key('"icon": "./icon.png"') | {"icon.png": png(1024, 1024)},
    ],
    ids=str,
)
def test_no_fault(change: dict[str, Content]) -> None:
    assert check_bundle(bundle_of(changed(change))) == []


def test_an_unknown_key_names_the_nearest_known_one() -> None:
    (problem,) = check_bundle(bundle_of(changed(with_key('"versoin": "1"'))))
    assert problem.remedy == "did you mean 'version'?"


def test_an_unknown_key_of_an_option_does_so_too() -> None:
    (problem,) = check_bundle(bundle_of(changed(with_key(OPTION % ', "requierd": true'))))
    assert (problem.code, problem.remedy) == ("manifest-value", "did you mean 'required'?")


def test_the_manifest_may_start_with_a_byte_order_mark() -> None:
    problems = check_bundle(bundle_of(changed({MANIFEST: f"\ufeff{text_of(MANIFEST)}"})))
    assert [(found.code, found.severity) for found in problems] == [("bom", "warning")]


def test_without_a_manifest_nothing_beside_the_components_is_an_error() -> None:
    problems = check_bundle(bundle_of(changed({MANIFEST: None, HOOKS: "{", ".mcp.json": "{"})))
    assert {found.code for found in problems} == {"no-manifest", "hooks-json", "servers-json"}
    assert {found.severity for found in problems} == {"warning"}


@pytest.mark.parametrize(
    "version", ["1.0", "v1.0.0", "1.0.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "", "1" * 999]
)
def test_not_semver(version: str) -> None:
    assert not is_semver(version)


@pytest.mark.parametrize("version", ["0.0.0", "1.2.3", "10.20.30-alpha.1", "1.0.0-x-y-z.--", "1.0.0+20.a"])
def test_semver(version: str) -> None:
    assert is_semver(version)
