"""What contracts decide about quoted artifacts, common codes, stages and settings, in the process."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.conftest import FIXTURES, SECRET, with_secret
from tests.kit.names import SOURCES
from tests.kit.table import each
from ultra_plugin.config import load
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import contract as contract_table
from ultra_runtime.contract import stages
from ultra_runtime.contract.field_types import FEW
from ultra_runtime.contract.model import Contract, load_contract
from ultra_runtime.contract.result import Issue
from ultra_runtime.contract.stage_part import STATES, StagePart
from ultra_runtime.contract.validation import validate_data, validate_file
from ultra_runtime.contract.write_check import check_write
from ultra_runtime.files.project import Project
from ultra_runtime.words import one_line

SUITE = load(SourceTree(SOURCES))
QUOTED = {name: one for name, one in SUITE.contracts.items() if one.format == "quoted"}


def of_any_plugin(artifact: str) -> Contract:
    """Return a contract as the runtime of its plugin has it."""
    space: dict[str, Any] = {}
    exec(contract_table.contract_module(QUOTED[artifact]), space)  # noqa: S102
    found: Contract = space["CONTRACT"]
    found.rules = ()  # they use the tables of their own plugin
    return found


OF_RULES = ("_MODE_MISMATCH", "_CYCLE", "_UNKNOWN_TASK", "_BAD_FILE", "_NO_FILES", "_NO_VERIFY")


@each(path for one in QUOTED.values() for path in sorted((FIXTURES / one.artifact).iterdir()))
def test_a_quoted_artifact_gets_its_code(path: Path) -> None:
    name = next(name for name, one in QUOTED.items() if one.artifact == path.parent.name)
    text = path.read_text()
    for data in (text, f"\ufeff{text}", text.replace("\n", "\r\n")):
        result = validate_data(of_any_plugin(name), data.encode(), "p")
        found = [*result.errors, *result.warnings]
        is_right = path.stem.startswith("valid") or path.stem.endswith(OF_RULES)
        assert {one.code for one in found} == (set() if is_right else {path.stem})
        lines = text.split("\n")
        for one in found:
            assert 1 <= (one.line or 1) <= len(lines)
            if one.field and one.line and "BAD_VALUE" in one.code:
                assert one.field.casefold() in lines[one.line - 1].casefold() or one.line == 1
        if "PARSE" not in path.stem:
            assert result.parsed is not None
            assert (
                result.parsed["title"]
                in lines[next(at for at, row in enumerate(lines) if row.startswith("# "))]
            )
            assert len(result.parsed["sections"]) == len({*result.parsed["sections"]})
            assert result.parsed["sections"] or "MISSING_SECTION" in path.stem


@each(sorted(QUOTED))
def test_bytes_that_are_no_text_have_their_line(name: str) -> None:
    (issue,) = validate_data(of_any_plugin(name), b"# a\n\n\xff", "p").errors
    assert (issue.code.endswith("PARSE_ERROR"), issue.line) == (True, 3)
    (issue,) = validate_data(of_any_plugin(name), b"a\n## b\n", "p").errors
    assert (issue.code.endswith("PARSE_ERROR"), issue.line) == (True, 1)


@each(sorted((FIXTURES / "common").iterdir()))
def test_a_common_code_has_its_line(path: Path) -> None:
    if path.is_dir() or path.stem in ("FM_NOT_FOUND", "FM_READ_ERROR"):
        return
    data = with_secret(path)
    result = validate_data(load_contract("brief"), data, "p")
    (issue,) = (*result.errors, *result.warnings)
    assert issue.code == path.stem
    assert (issue in result.warnings) == (issue.code == "SECRET_FOUND")
    if issue.code == "SECRET_FOUND":
        assert SECRET.encode() in data.split(b"\n")[(issue.line or 0) - 1]
        assert [one.code for one in check_write(load_contract("brief"), data, "p").errors] == ["SECRET_FOUND"]


def test_the_brief_of_the_next_session_is_looked_for(tmp_path: Path) -> None:
    contract = load_contract("session-state")
    values = json.loads((FIXTURES / "session-state/valid.json").read_text())
    name = "next_session_brief_path"
    (tmp_path / ".git").mkdir()
    (tmp_path / "deep").mkdir()
    (tmp_path / "here.md").touch()
    (tmp_path / "deep/near.md").touch()

    def told(brief: object) -> bool:
        data = json.dumps({**values, name: brief}).encode()
        result = validate_data(contract, data, str(tmp_path / "deep/state.json"))
        return any(one.code == "STATE_BRIEF_MISSING" for one in (*result.errors, *result.warnings))

    assert [told(brief) for brief in ("here.md", "near.md", "deep/near.md", "none.md", "deep", "")] == [
        False, False, False, True, True, False,
    ]  # fmt: skip


def test_an_issue_is_one_line_of_bounded_length() -> None:
    for size in (499, 500, 501):
        issue = Issue("C", "m" * size, "p" * size, 3)
        place, code, words = str(issue).split(": ")
        assert code == "C"
        assert words == one_line("m" * size, 500)
        assert place == one_line(f"{'p' * size}:3", 500)
    assert str(Issue("C", "m", "p")) == "p: C: m"
    assert str(Issue("C", "m", "p", 1, remedy="Do.")) == "p:1: C: m. Do."
    assert Issue("C", "m", "p").as_data() == {"code": "C", "message": "m", "path": "p"}
    assert Issue("C", "m", "p", 2, "f", "r", 1).as_data() == {
        "code": "C", "message": "m. r", "path": "p", "line": 2, "field": "f", "step": 1,
    }  # fmt: skip


def test_an_inner_setting_that_is_text_may_look_like_a_number() -> None:
    contract = load_contract("settings")
    texts = [
        (field.name, one.name)
        for field in contract.fields
        for one in field.fields
        if one.type == "text" and not one.values and not one.form
    ]
    assert texts
    for outer, inner in texts:
        result = validate_data(contract, f"{outer}:\n  {inner}: 123\n".encode(), "p")
        assert not [one for one in result.errors if one.field == f"{outer}.{inner}"]
        assert (result.parsed or {})[outer][inner] == "123"


def test_a_missing_file_says_whether_there_is_a_draft(tmp_path: Path) -> None:
    contract, path = load_contract("brief"), tmp_path / "brief.md"

    def told() -> tuple[str, bool]:
        (issue,) = validate_file(contract, str(path)).errors
        return issue.code.partition("_")[2], "its review is not finished" in issue.message

    assert told() == ("NOT_FOUND", False)
    (tmp_path / "brief.md.draft").touch()
    assert told() == ("NOT_FOUND", True)
    path.mkdir()
    assert told() == ("READ_ERROR", False)


def test_the_state_of_a_stage(tmp_path: Path) -> None:
    project = Project(str(tmp_path), "2026-01-31-a")
    Path(project.folder).mkdir(parents=True)
    first, plan = stages.stages()[0], next(one for one in stages.stages() if one.makes == "plan")
    file = Path(project.path("plan.md"))

    def part() -> StagePart:
        return StagePart(plan, project, lambda _: None)

    def looks(state: str, mark: str, reason: str) -> None:
        found = part()
        assert (found.state, found.mark, found.caption) == (state, mark, STATES[state])
        assert found.has_begun == (state != "missing")
        assert found.rows() == [(plan.name.capitalize(), STATES[state])]
        assert found.data() == {plan.name: state}
        assert (found.coming.reason if found.coming else "") == reason
        assert not found.coming or found.coming.command == stages.command(plan.name, project.shown)

    looks("missing", "wait", "there is no plan yet")
    Path(f"{file}.draft").touch()
    looks("draft", "now", "the plan is a draft")
    file.write_bytes((FIXTURES / "plan/PLAN_CYCLE.md").read_bytes())
    looks("broken", "bad", "the plan is not valid")
    (told,) = part().issues
    assert re.match(rf"{re.escape(project.shown)}/plan\.md:[1-9]\d*: PLAN_CYCLE: ", told)
    file.write_bytes((FIXTURES / "plan/valid.md").read_bytes())
    looks("there", "done", "")
    assert part().values
    assert part().issues == []
    assert StagePart(first, project, lambda _: None).next("why", "--x").command == stages.command(
        first.name, "", "--x"
    )
    with pytest.raises(AttributeError):
        part().nothing  # type: ignore[attr-defined]  # noqa: B018


def test_a_field_that_is_not_known_is_named_once_with_what_was_meant() -> None:
    report = validate_data(load_contract("settings"), b"hubb: x\n", "p")
    (issue,) = (*report.errors, *report.warnings)
    assert issue.field == "hubb"
    assert "is not one of the settings" in issue.message
    assert "hub" in issue.message.partition("settings")[2]
    values = json.loads((FIXTURES / "progress/valid.json").read_text())
    for step in values["steps"].values():
        step["statuss"] = 1
    result = validate_data(load_contract("progress"), json.dumps(values).encode(), "p")
    (issue,) = [one for one in (*result.errors, *result.warnings) if one.code == "PROGRESS_UNKNOWN_FIELD"]
    assert "statuss is not a field of this version" in issue.message
    assert "status" in issue.message.partition("version")[2]
    many = {**values, **{f"total_step{letter}": 1 for letter in "abcdefgh"}, "steps": {}}
    result = validate_data(load_contract("progress"), json.dumps(many).encode(), "p")
    told = [one.message for one in (*result.errors, *result.warnings) if one.code == "PROGRESS_UNKNOWN_FIELD"]
    meant = ["total_steps" in message.partition("version")[2] for message in told]
    assert meant == [True] * FEW + [False] * (8 - FEW)


@each([(b"a: 1\nb\n", 2), (b"b\n", 1), (b"\n\n\xff", 3)])
def test_settings_that_cannot_be_read_have_their_line(data: bytes, line: int) -> None:
    (issue,) = validate_data(load_contract("settings"), data, "p").errors
    assert (issue.code.endswith("PARSE_ERROR"), issue.line) == (True, line)


@each(sorted(QUOTED))
def test_other_quoted_lines_change_nothing_and_the_first_title_and_field_count(name: str) -> None:
    contract = of_any_plugin(name)
    text = (FIXTURES / QUOTED[name].artifact / "valid.md").read_text()
    title, _, rest = text.partition("\n")
    before = validate_data(contract, text.encode(), "p").parsed or {}
    rows = [row for row in rest.split("\n## ")[0].split("\n") if row.startswith(">")]
    again = [f"{row.partition(':')[0]}: other" for row in rows if ":" in row]
    head, _, body_ = rest.partition("\n## ")
    more = "\n".join([title, "> Nobody knows: this", "> without a colon", head, *again, "", f"## {body_}"])
    after = validate_data(contract, more.encode(), "p").parsed or {}
    fields = [field.name for field in contract.fields]
    assert [before.get(one) for one in fields] == [after.get(one) for one in fields]
    below = validate_data(contract, f"{text}\n# B: c\n> {fields[-1]}: d\n".encode(), "p").parsed or {}
    assert [before.get(one) for one in fields] == [below.get(one) for one in fields]
