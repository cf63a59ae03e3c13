"""The registry of codes: each is used, explained, and made by at least one case."""

from __future__ import annotations

import re
from pathlib import Path

import ultra_plugin.check
from tests.check import (
    test_evals,
    test_files,
    test_frontmatter,
    test_hooks,
    test_manifest,
    test_marketplace,
    test_names,
    test_promises,
)
from tests.check import test_references as references
from ultra_plugin.check.codes import CODES, quote, suggest

TABLES = (
    test_evals,
    test_files,
    test_frontmatter,
    test_hooks,
    test_manifest,
    test_names,
    test_promises,
    references,
)
MADE_OTHERWISE = {
    # tests of marketplaces that need more than a small change
    "no-plugins", "plugin-invalid",
    # tests/check/test_lint.py: comments
    "suppression", "unused-suppression",
    # tests/generator: found in sources, not in a bundle
    "agent-without-output", "conflict-marker", "heading-level", "second-title", "spelled-by-hand", "template-noise",
    "untested-contract", "unused-agent", "unused-fragment", "unused-limit", "unused-output",
}  # fmt: skip


def test_every_code_is_made_by_a_case() -> None:
    made = {case.code for table in TABLES for case in table.CASES}
    made |= {code for _, _, code, _, _ in test_marketplace.CASES}
    assert made | MADE_OTHERWISE == set(CODES)


def test_codes_are_words_with_a_meaning_and_a_remedy() -> None:
    for code, (means, remedy) in CODES.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
        assert means.endswith(".")
        assert remedy
        assert not remedy.endswith(".")


def test_what_is_quoted_is_printable_and_short() -> None:
    assert quote("a\nb\x00\u202e\ud800") == r"'a\nb\x00\u202e\ud800'"
    assert quote("x" * 999) == f"'{'x' * 80}...'"


def test_suggestions() -> None:
    assert suggest("versoin", ["version", "name"]) == "did you mean 'version'?"
    assert suggest("zzz", ["version", "name"]) == ""
    assert suggest("x" * 1000, ["x" * 1000]) == ""


def test_the_order_of_imports_is_one_direction() -> None:
    """No check imports the command line, the pipeline or anything that renders."""
    folder = Path(str(ultra_plugin.check.__file__)).parent
    ours = [path for path in folder.glob("*.py") if path.stem in OURS]
    assert {path.stem for path in ours} == OURS
    for path in ours:
        for module in re.findall(r"^from (ultra_plugin[\w.]*) import", path.read_text(), re.MULTILINE):
            assert module.startswith("ultra_plugin.check.") or module in LOWER, (
                f"{path.name} imports {module}"
            )


LOWER = {"ultra_plugin.errors", "ultra_plugin.model", "ultra_plugin.keys", "ultra_plugin.similar"}
OURS = {
    "__init__", "client", "codes", "components", "evals", "evals_shape", "files", "frontmatter", "header", "hooks", "hooks_shape", "jsontext",
    "listing", "manifest", "manifest_paths", "manifest_shape", "marketplace", "marketplace_shape", "matchers", "names",
    "references", "scripts", "servers", "shapes", "subject", "tools", "yamltext", "yamlvalue",
}  # fmt: skip
