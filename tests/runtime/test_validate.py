"""`ultra validate` and `ultra frontmatter` as they are called."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kit.calls import Ultra
from tests.kit.files import write_tree
from tests.runtime.conftest import STATE

FUZZ = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_a_valid_state(ultra: Ultra, add_state: Callable[..., Path]) -> None:
    state = add_state()
    told = ultra("validate", "session-state", state)
    verdict = {"valid": True, "errors": [], "warnings": []}
    assert (told.status, told.data) == (0, {**verdict, "parsed": None})
    told = ultra("validate", "session-state", state, "--parsed")
    assert (told.status, told.data) == (0, {**verdict, "parsed": json.loads(state.read_text())})
    told = ultra.say("validate", "session-state", state)
    assert (told.status, told.out, told.err) == (0, f"{state}: valid (Session state)\n", "")


@pytest.mark.parametrize(
    ("content", "code", "line", "field"),
    [
        ("not json", "STATE_PARSE_ERROR", 1, None),
        ('{\n"project": 1,\n"project": 2}', "STATE_PARSE_ERROR", 3, None),
        ({**STATE, "schema_version": 2}, "STATE_SCHEMA_MISMATCH", 1, "schema_version"),
        ({**STATE, "schema_version": "1"}, "STATE_SCHEMA_MISMATCH", 1, "schema_version"),
        ({**STATE, "schema_version": True}, "STATE_SCHEMA_MISMATCH", 1, "schema_version"),
        ({**STATE, "project": ["a"]}, "STATE_BAD_TYPE", 1, "project"),
        ({**STATE, "status": "done"}, "STATE_BAD_VALUE", 1, "status"),
        ({**STATE, "updated_at": "yesterday"}, "STATE_BAD_VALUE", 1, "updated_at"),
        ({name: STATE[name] for name in STATE if name != "status"}, "STATE_MISSING_FIELD", 1, "status"),
    ],
)
def test_each_error(
    ultra: Ultra,
    add_state: Callable[..., Path],
    content: object,
    code: str,
    line: int | None,
    field: str | None,
) -> None:
    path = add_state()
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    told = ultra("validate", "session-state", path)
    [error] = told.data["errors"]
    assert (told.status, told.data["valid"], error["code"]) == (1, False, code)
    assert (error.get("line"), error.get("field"), error["path"]) == (line, field, str(path))
    words = ultra.say("validate", "session-state", path)
    assert words.status == 1
    place = f"{path}:{line}" if line else str(path)
    assert f"\nerror {place}: {code}: " in words.out


def test_a_missing_file_is_a_result(ultra: Ultra) -> None:
    told = ultra("validate", "session-state", "nowhere.json")
    assert (told.status, told.data["errors"][0]["code"]) == (1, "STATE_NOT_FOUND")
    assert ultra("validate", "session-state", ".").data["errors"][0]["code"] == "STATE_READ_ERROR"


def test_a_fifo_does_not_block(ultra: Ultra, repo: Path) -> None:
    os.mkfifo(repo / "fifo")
    assert ultra("validate", "session-state", "fifo").data["errors"][0]["code"] == "STATE_READ_ERROR"
    assert ultra("frontmatter", "fifo").data["errors"][0]["code"] == "FM_READ_ERROR"


def test_a_line_of_ten_megabytes(ultra: Ultra, repo: Path) -> None:
    write_tree(
        repo, {"long.json": {**STATE, "status": "x" * 10_000_000}, "long.md": "---\n" + "x" * 10_000_000}
    )
    told = ultra.say("validate", "session-state", "long.json")
    assert told.status == 1
    assert "STATE_BAD_VALUE" in told.out
    assert len(told.out) < 5000
    assert ultra("frontmatter", "long.md").data["errors"][0]["code"] == "FM_UNCLOSED"


def test_the_brief_is_looked_for_from_the_repository_not_from_here(
    ultra: Ultra, repo: Path, add_state: Callable[..., Path]
) -> None:
    state = add_state()
    (repo / "deep" / "er").mkdir(parents=True)
    assert ultra("validate", "session-state", state, cwd=repo / "deep" / "er").data["warnings"] == []
    relative = os.path.relpath(state, repo / "deep")
    assert ultra("validate", "session-state", relative, cwd=repo / "deep").data["warnings"] == []
    (repo / ".claude/projects/one/sessions/session-2.md").unlink()
    write_tree(repo / "deep", {".claude/projects/one/sessions/session-2.md": "in the wrong place"})
    told = ultra("validate", "session-state", state, cwd=repo / "deep")
    assert (told.status, told.data["valid"]) == (0, True)
    assert [entry["code"] for entry in told.data["warnings"]] == ["STATE_BRIEF_MISSING"]
    assert "warning " in ultra.say("validate", "session-state", state).out


def test_the_brief_may_be_named_from_the_project(ultra: Ultra, add_state: Callable[..., Path]) -> None:
    state = add_state(next_session_brief_path="sessions/session-2.md")
    assert ultra("validate", "session-state", state).data["warnings"] == []


def test_strict_and_soft_are_taken(ultra: Ultra, add_state: Callable[..., Path]) -> None:
    state = add_state()
    assert ultra.say("validate", "session-state", state, "--strict").status == 0
    assert ultra.say("validate", "session-state", state, "--soft").status == 0


@pytest.mark.parametrize("kind", ["session-stat", "session_state", "names", "", "..", "__init__", "os"])
def test_an_unknown_kind_is_wrong_usage(ultra: Ultra, kind: str) -> None:
    told = ultra("validate", kind, "x")
    assert told.status == 2
    assert told.data["error"].startswith(f"unknown kind: {kind}")
    assert "use one of: " in told.data["error"]
    assert "session-state" in told.data["error"].partition("use one of: ")[2]
    if kind == "session-stat":
        assert "did you mean session-state?" in told.data["error"]


def test_front_matter_is_shown(ultra: Ultra, repo: Path) -> None:
    write_tree(repo, {"a.md": "---\na: 1.10\nb: [x, 'y']\nc:\n---\n", "b.md": "---\na:\n  b: c\n---\n"})
    told = ultra("frontmatter", "a.md")
    expected = {"a": 1.1, "b": ["x", "y"], "c": None}
    assert told.data == {"valid": True, "errors": [], "warnings": [], "parsed": expected}
    assert ultra.say("frontmatter", "a.md").out == 'a: 1.1\nb: ["x","y"]\nc: null\n'
    told = ultra("frontmatter", "b.md")
    [error] = told.data["errors"]
    assert (told.status, error["code"], error["line"], error["path"]) == (1, "FM_NESTED", 3, "b.md")
    assert told.data["parsed"] is None
    words = ultra.say("frontmatter", "b.md")
    assert (words.status, words.out[:17]) == (1, "b.md:3: FM_NESTED")
    missing = ultra("frontmatter", "nowhere.md")
    assert (missing.status, missing.data["errors"][0]["code"]) == (1, "FM_NOT_FOUND")


@given(data=st.binary(max_size=200) | st.text(alphabet='{}[]":,\\u0eE-+ a\n', max_size=60).map(str.encode))
@FUZZ
def test_any_bytes_of_a_state_give_a_result(ultra: Ultra, repo: Path, data: bytes) -> None:
    (repo / "state.json").write_bytes(data)
    told = ultra("validate", "session-state", "state.json")
    assert (told.status, told.data["valid"]) == (1, False)
    assert ultra.say("validate", "session-state", "state.json").err == ""


@given(data=st.binary(max_size=200).map(lambda data: b"---\n" + data + b"\n---\n"))
@FUZZ
def test_any_bytes_of_front_matter_give_a_result(ultra: Ultra, repo: Path, data: bytes) -> None:
    (repo / "a.md").write_bytes(data)
    told = ultra("frontmatter", "a.md")
    assert told.status == (0 if told.data["valid"] else 1)
    assert told.data["errors"] or told.data["parsed"]
