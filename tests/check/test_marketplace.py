"""Faults of marketplaces."""

from __future__ import annotations

import json

import pytest

from tests.check.plugins import GOOD, MANIFEST, bundle_of, changed, edit
from ultra_plugin.check import check_bundle, check_marketplace
from ultra_plugin.errors import Severity

LABEL = ".claude-plugin/marketplace.json"
GOOD_OFFER = """\
{
  "name": "example",
  "owner": {"name": "A. Uthor"},
  "description": "Plugins of an example",
  "plugins": [
    {"name": "pipe", "source": "./dist/pipe",
     "version": "1.2.3"}
  ]
}
"""
ENTRY = '{"name": "pipe", "source": "./dist/pipe",'
OWNER = '"owner": {"name": "A. Uthor"},'
PLUGINS = {"pipe": bundle_of(GOOD)}

CASES: tuple[tuple[str, str, str, int, Severity], ...] = (
    (GOOD_OFFER, "{", "marketplace-json", 1, "error"),
    (GOOD_OFFER, "[]", "marketplace-value", 1, "error"),
    (OWNER, "", "marketplace-value", 1, "error"),
    (OWNER, '"owner": "A. Uthor",', "marketplace-value", 3, "error"),
    ('"name": "example"', '"name": 5', "marketplace-value", 2, "error"),
    ('"name": "example"', '"name": "my plugins"', "bad-name", 2, "error"),
    ('"name": "example"', '"name": "claude-marketplace"', "reserved-name", 2, "error"),
    ('"name": "example"', '"name": "inline"', "reserved-name", 2, "error"),
    ('"name": "example"', '"name": "claude-plugins-official"', "reserved-name", 2, "warning"),
    ('"name": "example"', '"name": "Example"', "not-kebab-case", 2, "warning"),
    ('  "description": "Plugins of an example",\n', "", "no-description", 1, "warning"),
    (OWNER, f'{OWNER} "onwer": 1,', "unknown-key", 3, "warning"),
    (OWNER, f'{OWNER} "metadata": {{"root": 1}},', "unknown-key", 3, "warning"),
    (ENTRY, f'{ENTRY} "colour": "red",', "unknown-key", 6, "warning"),
    (OWNER, f'{OWNER} "name": "example",', "duplicate-key", 3, "warning"),
    (OWNER, f'{OWNER} "renames": {{"old": "gone"}},', "marketplace-value", 3, "error"),
    (OWNER, f'{OWNER} "renames": {{"old": 5}},', "marketplace-value", 3, "error"),
    ('"./dist/pipe"', '"dist/pipe"', "marketplace-value", 6, "error"),
    ('"./dist/pipe"', '"pipe"', "marketplace-value", 6, "error"),
    ('"./dist/pipe"', '"/dist/pipe"', "marketplace-value", 6, "error"),
    ('"./dist/pipe"', '{"source": "github"}', "marketplace-value", 6, "error"),
    ('"./dist/pipe"', '{"source": "floppy"}', "marketplace-value", 6, "error"),
    ('"./dist/pipe"', '"./../dist/pipe"', "path-outside", 6, "error"),
    ('"./dist/pipe"', '"./dist/tube"', "source-missing", 6, "warning"),
    ('"name": "pipe"', '"name": "tube"', "entry-mismatch", 6, "warning"),
    ('"1.2.3"', '"1.2.4"', "entry-mismatch", 7, "warning"),
    ('"1.2.3"', "5", "marketplace-value", 7, "error"),
    (f"    {ENTRY}", f'    {ENTRY} "version": "1.2.3"}},\n    {ENTRY}', "duplicate-name", 7, "error"),
    ('"name": "pipe"', '"name": "claude-pipe"', "reserved-name", 6, "error"),
    ('"name": "pipe"', '"name": "pipe/x"', "bad-name", 6, "error"),
    ('"1.2.3"', '"1.2.3", "hooks": {"Stop": 5}', "marketplace-value", 7, "error"),
)


def test_a_good_marketplace() -> None:
    assert check_marketplace(GOOD_OFFER.encode(), LABEL, PLUGINS) == []


@pytest.mark.parametrize(("old", "new", "code", "line", "severity"), CASES)
def test_fault(old: str, new: str, code: str, line: int, severity: Severity) -> None:
    assert GOOD_OFFER.count(old) == 1
    problems = check_marketplace(GOOD_OFFER.replace(old, new).encode(), LABEL, PLUGINS)
    places = {(found.code, found.path, found.line, found.severity) for found in problems}
    assert (code, LABEL, line, severity) in places, problems


@pytest.mark.parametrize(
    "source",
    ["./dist/pipe/", {"source": "github", "repo": "a/b"}, {"source": "git-subdir", "url": "x", "path": "y"}],
)
def test_good_sources(source: object) -> None:
    offer = json.loads(GOOD_OFFER)
    offer["plugins"][0]["source"] = source
    assert check_marketplace(json.dumps(offer).encode(), LABEL, PLUGINS) == []


def test_a_bare_source_lies_below_the_plugin_root() -> None:
    offer = json.loads(GOOD_OFFER) | {"metadata": {"pluginRoot": "./dist"}}
    offer["plugins"][0]["source"] = "pipe"
    assert check_marketplace(json.dumps(offer).encode(), LABEL, {"dist/pipe": PLUGINS["pipe"]}) == []


def test_a_plugin_may_have_had_another_name_or_be_gone() -> None:
    offer = json.loads(GOOD_OFFER) | {"renames": {"old": "pipe", "gone": None}}
    assert check_marketplace(json.dumps(offer).encode(), LABEL, PLUGINS) == []


def test_a_marketplace_without_plugins() -> None:
    offer = json.loads(GOOD_OFFER) | {"plugins": []}
    (problem,) = check_marketplace(json.dumps(offer).encode(), LABEL, {})
    assert problem.code == "no-plugins"


def test_an_entry_whose_plugin_has_a_faulty_manifest() -> None:
    plugin = bundle_of(changed(edit(MANIFEST, '"version": "1.2.3"', '"version": 1')))
    (problem,) = check_marketplace(GOOD_OFFER.encode(), LABEL, {"dist/pipe": plugin})
    assert (problem.code, problem.line, problem.severity) == ("plugin-invalid", 6, "error")


def test_a_marketplace_in_the_folder_of_a_plugin_is_checked_with_it() -> None:
    """One entry is the folder itself, one lies below it and one is not there."""
    offer = json.loads(GOOD_OFFER) | {
        "plugins": [
            {"name": "pipe", "source": "./"},
            {"name": "tube", "source": "./plugins/tube"},
            {"name": "gone", "source": "./plugins/gone"},
        ]
    }
    files = {
        LABEL: json.dumps(offer, indent=1),
        "plugins/tube/.claude-plugin/plugin.json": '{"name": "tube", "version": "1.0.0"}',
    }
    (problem,) = check_bundle(bundle_of(changed(files)))
    assert (problem.path, problem.code) == (LABEL, "source-missing")


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"{}", b"null", b'{"plugins": 5}', b'{"plugins": [[]]}']
)
def test_any_bytes(content: bytes) -> None:
    problems = check_marketplace(content, LABEL, {})
    assert problems
    assert {found.path for found in problems} == {LABEL}
