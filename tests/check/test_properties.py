"""Whatever the bytes, a list of problems; whatever the size, time in proportion."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.check.plugins import BRIEF, GOOD, HOOKS, MANIFEST, Files, Link, Script, bundle_of, changed
from tests.kit.quick import examples
from ultra_plugin.check import check_bundle, check_marketplace
from ultra_plugin.check.codes import CODES
from ultra_plugin.errors import Problem

JSON_FILES = (MANIFEST, HOOKS, ".mcp.json", ".claude-plugin/marketplace.json")
WORDS = st.sampled_from([
    "hooks", "type", "command", "args", "PreToolUse", "Stop", "matcher", "name", "commands", "agents", "skills",
    "mcpServers", "userConfig", "experimental", "plugins", "source", "owner", "metadata", "pluginRoot", "timeout",
    "./x", "../x", "*", "", "version", "author", "modules", "url", "renames", "icon", "options", "default",
])  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


def assert_told_well(problems: list[Problem], files: Files) -> None:
    """Fail unless every problem is registered, printable and at a line that exists."""
    for problem in problems:
        assert problem.code in CODES
        assert problem.remedy
        assert str(problem).isprintable(), repr(problem)
        content = files.get(problem.path)
        if isinstance(content, Script):
            content = content.text
        text = content if isinstance(content, bytes) else str(content).encode()
        assert 0 <= problem.line <= text.count(b"\n") + 1, problem


@given(path=st.sampled_from(sorted(GOOD)), content=st.binary(max_size=400))
@settings(deadline=None)
def test_any_bytes_in_any_file(path: str, content: bytes) -> None:
    files = changed({path: content})
    assert_told_well(check_bundle(bundle_of(files)), files)


@given(data=st.data())
@settings(deadline=None)
def test_any_mutation_of_any_file(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(path for path, text in GOOD.items() if isinstance(text, str))))
    text = str(GOOD[path])
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 20))
    files = changed({path: text[:start] + data.draw(st.text(max_size=10)) + text[start + length :]})
    assert_told_well(check_bundle(bundle_of(files)), files)


@given(path=st.sampled_from(JSON_FILES), value=JSON)
@settings(max_examples=examples(300), deadline=None)
def test_any_json_in_any_json_file(path: str, value: object) -> None:
    files = changed({path: json.dumps(value)})
    assert_told_well(check_bundle(bundle_of(files)), files)


@given(header=st.text(st.sampled_from(list("ab:-?|>[]{}&*!#,'\"\n \t%@`0.~\r\u2028\ufeff\0")), max_size=30))
@settings(max_examples=examples(300), deadline=None)
def test_any_header(header: str) -> None:
    files = changed({BRIEF: f"---\n{header}\n---\nText\n"})
    assert_told_well(check_bundle(bundle_of(files)), files)


@given(paths=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12), max_size=5))
@settings(deadline=None)
def test_any_paths(paths: list[str]) -> None:
    files = changed({path.strip("/") or "x": Link(path) if len(path) % 2 else "x" for path in paths})
    problems = check_bundle(bundle_of(files))
    assert {problem.code for problem in problems} <= set(CODES)


@given(content=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
@settings(deadline=None)
def test_any_marketplace(content: bytes) -> None:
    for problem in check_marketplace(content, "marketplace.json", {"x": bundle_of(GOOD)}):
        assert problem.path == "marketplace.json"


def commands(count: int) -> Files:
    """Make a plugin of many commands that name each other."""
    text = "---\ndescription: Does one of very many things that people want\n---\nThen /pipe:c%d and [x](c%d.md).\n"
    return {f"commands/c{number}.md": text % (number, number) for number in range(count)}


def hostile_lines(count: int) -> Files:
    """Make texts on which a careless pattern would backtrack."""
    lines = (
        "`" * count,
        "[" * count,
        "](" * count,
        "/" * count,
        "${CLAUDE_PLUGIN_ROOT}" * count,
        "a:" * count,
    )
    return {f"docs/{number}.md": line for number, line in enumerate(lines)}


def hostile_headers(count: int) -> Files:
    """Make headers that are long in every direction."""
    headers = (
        "a: " + "[" * count,
        "k: v\n" * count,
        "a: " + " " * count + "b",
        "- " * count,
        "a: b: c\n" * count,
    )
    return {f"commands/h{number}.md": f"---\n{header}\n---\n" for number, header in enumerate(headers)}


def hostile_json(count: int) -> Files:
    """Make JSON that is long in every direction."""
    matchers = ",".join(['{"matcher": "(a|b)*c", "hooks": [{"type": "command", "command": "x y"}]}'] * count)
    keys = ",".join(f'"key{number}": 1' for number in range(count))
    return {
        HOOKS: f'{{"hooks": {{"PreToolUse": [{matchers}]}}}}',
        "a.json": "[" * count,
        MANIFEST: f"{{{keys}}}",
    }


@pytest.mark.parametrize(
    ("make", "count"), [(commands, 100), (hostile_lines, 1000), (hostile_headers, 300), (hostile_json, 200)]
)
def test_time_grows_with_size(make: Callable[[int], Files], count: int) -> None:
    """Four times the input takes about four times as long, where a square would take sixteen."""

    def seconds(size: int) -> float:
        bundle = bundle_of(changed(make(size)))
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            check_bundle(bundle)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(4 * count) < 9 * seconds(count) + 0.05
