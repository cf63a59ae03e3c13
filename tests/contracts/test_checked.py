"""What contracts decide, in the process: codes with their lines, answers of agents, headings, versions and forms."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ultra_runtime.tables.limits import ISSUES_TOLD

from tests.contracts.conftest import FIXTURES, OWNERS, SECRET
from tests.kit.names import NAME, SOURCES
from tests.kit.table import each
from ultra_plugin.config import load
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import contract as contract_table
from ultra_runtime.contract import agent_output, body, stages
from ultra_runtime.contract.directory import FURTHEST, first_heading
from ultra_runtime.contract.field_types import FEW, check_version, shown
from ultra_runtime.contract.forms import holds_login
from ultra_runtime.contract.gates import Output
from ultra_runtime.contract.model import Contract, Field, UnknownKindError, current_version, load_contract
from ultra_runtime.contract.result import MOST_OF_A_CODE, Issue, Report
from ultra_runtime.contract.scores import json_blocks, read_score, split_answer
from ultra_runtime.contract.stage_part import STATES, StagePart
from ultra_runtime.contract.validation import modern, validate_data, validate_file
from ultra_runtime.contract.write_check import check_write, in_words, refused, short
from ultra_runtime.files.project import Project
from ultra_runtime.words import one_line

FILES = [
    path
    for kind, owner in OWNERS.items()
    if owner == NAME and (FIXTURES / kind).is_dir()
    for path in sorted((FIXTURES / kind).iterdir())
    if path.is_file()
]
# Files that are right or wrong because of other files, and versions that only a later contract accepts.
BRIEF = "STATE_BRIEF_MISSING"
ELSEWHERE = (
    "old-seed",
    "_NOT_FOUND",
    "_READ_ERROR",
    "_VERSION_MISMATCH",
    "_UNANSWERED",
    "_ALREADY_DONE",
    "_MISSING_FILE",
)


# Artifacts whose fields are in the front matter, or in JSON or YAML.
ABSENT = re.compile("missing|no section")
FLAT = ("research", "review", "progress", "session-state", "settings")


def read(path: Path) -> bytes:
    return path.read_bytes().replace(b"@SECRET@", SECRET.encode())


@each(FILES)
def test_a_fixture_gets_its_code_at_the_line_of_its_field(path: Path) -> None:
    contract = load_contract(path.parent.name)
    data = read(path)
    result = validate_data(contract, data, str(path))
    issues = [*result.errors, *result.warnings]
    codes = {issue.code for issue in issues if issue.code != BRIEF or path.stem == BRIEF}
    assert codes == (set() if path.stem.startswith("valid") else {path.stem}) or path.stem.endswith(ELSEWHERE)
    lines = data.decode("utf-8", "replace").split("\n")
    for issue in issues:
        assert issue.remedy == contract.code(issue.code).remedy
        is_error = contract.code(issue.code).severity == "error"
        assert (issue in result.errors) == is_error
        assert issue.line is None or 1 <= issue.line <= len(lines)
        told = lines[(issue.line or 1) - 1]
        if issue.field and issue.line and contract.artifact in FLAT and not ABSENT.search(issue.message):
            assert issue.field.split(".")[-1].casefold() in told.casefold()


@each(path for path in FILES if path.suffix == ".md" or path.suffix == ".json")
def test_soft_codes_and_secrets_change_sides(path: Path) -> None:
    contract, data = load_contract(path.parent.name), read(path)
    hard, soft = (validate_data(contract, data, "p", soft=one) for one in (False, True))
    softened = {one.code for one in hard.errors if not contract.code(one.code).soft}
    if not (hard.errors and path.stem.endswith("_TYPE")):
        assert {one.code for one in soft.errors} == softened or "TYPE" in path.stem
    drafted = check_write(contract, data, "p", draft=True)
    secrets = [one for one in soft.warnings if one.code == "SECRET_FOUND"]
    assert [one.code for one in drafted.errors] == [one.code for one in [*secrets, *soft.errors]]
    assert not [one for one in drafted.warnings if one.code == "SECRET_FOUND"]


def test_a_partial_brief_is_written_softly() -> None:
    contract = load_contract("brief")
    (name, value), *_ = contract.modes.soft_when.items()
    soft = next(
        code
        for code in contract.codes.values()
        if code.soft and (FIXTURES / "brief" / f"{code.name}.md").is_file()
    )
    text = read(FIXTURES / "brief" / f"{soft.name}.md").decode()
    assert check_write(contract, text.encode(), "p").errors
    rows = [f"{name}: {value}" if row.startswith(f"{name}:") else row for row in text.split("\n")]
    rows = rows if f"{name}: {value}" in rows else [rows[0], f"{name}: {value}", *rows[1:]]
    assert not check_write(contract, "\n".join(rows).encode(), "p").errors


def issues(count: int) -> Any:
    report = Report(load_contract("brief"), "here")
    for number in range(count):
        report.add("MISSING_FIELD", f"fault {number}", number + 1, "x")
    return report.result()


@each([0, 1, MOST_OF_A_CODE, MOST_OF_A_CODE + 1, MOST_OF_A_CODE + 7])
def test_the_first_hundred_of_a_code_are_kept(count: int) -> None:
    found = issues(count).errors
    assert len(found) == min(count, MOST_OF_A_CODE)
    more = count - MOST_OF_A_CODE
    assert [("more" in one.message) for one in found] == [False] * (len(found) - 1) * 1 + (
        [more > 0] if found else []
    )
    if more > 0:
        assert f"(and {more} more BRIEF_MISSING_FIELD)" in found[-1].message


@each([1, ISSUES_TOLD, ISSUES_TOLD + 1, ISSUES_TOLD + 5])
def test_a_refusal_names_the_first_faults(count: int) -> None:
    found = issues(count).errors
    told = min(count, ISSUES_TOLD)
    assert [one["line"] for one in short(found)] == list(range(1, told + 1))
    more = [f"and {count - ISSUES_TOLD} more"] if count > ISSUES_TOLD else []
    assert in_words(found) == [*map(str, found[:told]), *more]
    answer = refused("no", found, "do this")
    assert answer.data == {"ok": False, "error": "no", "errors": short(found), "next": "do this"}
    assert answer.status != 0


# -- answers of agents


def made(field: Field) -> Any:
    """Return a value that a field allows."""
    kind = field.type
    if kind == "list":
        item = (
            {one.name: made(one) for one in field.fields}
            if field.fields
            else sample(field, field.items or "text")
        )
        return [item]
    if kind == "object":
        return {one.name: made(one) for one in field.fields}
    return sample(field, kind)


def sample(field: Field, kind: str) -> Any:
    if field.values:
        return next(iter(field.values))
    if kind in ("integer", "number"):
        return field.minimum if field.minimum is not None else 1
    texts = {"sha1": "a" * 40, "location": "a:1", "commit": "a" * 40, "sha256": "a" * 64, "version": "1.0"}
    return {
        "boolean": True,
        "any": 1,
        "object": {},
        "date": "2026-01-31",
        "timestamp": "2026-01-31T12:00:00Z",
    }.get(kind, texts.get(field.form, "text"))


def changed(fields: tuple[Field, ...], value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what the fault is about, and the value with it."""
    yield "strange is not a key", {**value, "strange": 1}
    for field in fields:
        rest = {name: one for name, one in value.items() if name != field.name}
        if field.required:
            yield f"{field.name} is missing", rest
        else:
            yield "", rest
        if field.type != "any":
            yield f"{field.name} must be", {**value, field.name: None}
        if field.type == "list":
            if field.maximum is not None:
                yield (
                    f"{field.name} must have at most",
                    {**value, field.name: value[field.name] * (int(field.maximum) + 1)},
                )
                yield "", {**value, field.name: value[field.name] * int(field.maximum)}
            if (field.items or "any") != "any":
                yield f"{field.name}[2] must be", {**value, field.name: [*value[field.name], None]}
            for about, item in changed(field.fields, value[field.name][0]) if field.fields else ():
                yield about and f"{field.name}[2].{about}", {**value, field.name: [*value[field.name], item]}
        elif field.type == "object":
            for about, item in changed(field.fields, value[field.name]):
                yield about and f"{field.name}.{about}", {**value, field.name: item}
        if field.values and field.type == "text":
            yield f"{field.name} must be", {**value, field.name: "nothing of this"}
        if field.type == "integer" and field.minimum is not None and not field.values:
            yield f"{field.name} must be at least", {**value, field.name: field.minimum - 1}
        if field.type == "integer" and field.maximum is not None and not field.values:
            yield f"{field.name} must be at most", {**value, field.name: field.maximum + 1}
            yield "", {**value, field.name: field.maximum}


def block(value: object) -> str:
    return f"Words.\n\n```json\n{json.dumps(value)}\n```\n"


PLAIN = {name: one for name, one in agent_output.known_outputs().items() if not (one.gate or one.scores)}


@each(PLAIN.items())
def test_every_fault_of_an_answer_is_told_by_its_key(agent: str, output: Output) -> None:
    value = {one.name: made(one) for one in output.fields}
    assert agent_output.output_faults(output, block(value)) == []
    assert agent_output.answer_block(agent, block(value), "hint") == value
    rows = list(changed(output.fields, value))
    assert len(rows) > 1
    for about, other in rows:
        told = agent_output.output_faults(output, block(other))
        assert told if about else not told, (about, other, told)
        assert not about or any(one.startswith(about) for one in told), (about, told)
        assert len(told) <= ISSUES_TOLD


def test_an_answer_without_a_block_is_told() -> None:
    output = next(iter(PLAIN.values()))
    assert agent_output.output_faults(output, "words") == ["the answer has no ```json block at its end"]
    assert "line 2 of the json block" in agent_output.output_faults(output, "```json\n{\n,}\n```")[0]
    value = {one.name: made(one) for one in output.fields}
    assert agent_output.output_faults(output, block(value).split("```json\n")[1].split("\n```")[0]) == []
    many = {f"k{number}": 1 for number in range(ISSUES_TOLD + 5)}
    assert len(agent_output.output_faults(output, block(many))) == ISSUES_TOLD


@each((name, one) for name, one in agent_output.known_outputs().items() if one.gate or one.scores)
def test_an_answer_with_scores(agent: str, output: Output) -> None:
    gate = output.scores or load_contract(output.gate).gate
    assert gate
    value: dict[str, Any] = {one.name: {"score": gate.highest, one.detail: []} for one in gate.dimensions}
    value["verdict"] = next(iter(gate.verdicts))
    assert agent_output.output_faults(output, block(value)) == []
    for one in gate.dimensions:
        for score in (gate.lowest - 1, gate.highest + 1, None, "x"):
            told = agent_output.output_faults(output, block({**value, one.name: {"score": score}}))
            assert f"{one.name}.score must be a whole number from {gate.lowest} to {gate.highest}" in told
        low = {**value, one.name: {"score": gate.detail_at, one.detail: []}}
        assert any(
            f"{one.name}.{one.detail} is empty" in fault
            for fault in agent_output.output_faults(output, block(low))
        )
        fine = {**value, one.name: {"score": gate.detail_at, one.detail: ["why"]}}
        assert agent_output.output_faults(output, block(fine)) == []
        above = {**value, one.name: {"score": gate.detail_at + 1, one.detail: []}}
        assert agent_output.output_faults(output, block(above)) == []
    for score in (str(gate.highest), f"00{gate.highest}"):
        assert read_score(gate, score) == gate.highest
    for wrong in (
        f"000{gate.highest}",
        "",
        f" {gate.highest}",
        f"{gate.highest}.0",
        True,
        float(gate.highest),
        "\u0661",
    ):
        assert read_score(gate, wrong) is None
    told = agent_output.output_faults(output, block({**value, "verdict": "PERHAPS"}))
    assert any(fault.startswith("verdict must be ") for fault in told)


# -- bodies


TEXT = st.text("ab :.-", min_size=1, max_size=8).map(str.strip).filter(lambda text: text and ":" not in text)


@given(st.integers(0, 999_999_999), TEXT)
def test_a_heading_is_read_as_it_was_written(number: int, title: str) -> None:
    assert body.match_heading("Step {number}: {title}", f"Step {number}: {title}") == {
        "number": number,
        "title": title,
    }
    assert body.match_heading("{id}", f"`{title}`") == {"id": title}
    assert body.match_heading("Task {id} ends", f"Task {title} ends") == {"id": title}


@each(
    [
        ("Step {number}: {title}", "Step x: a"),
        ("Step {number}: {title}", "Step 01: a"),
        ("Step {number}: {title}", "Step 1: "),
        ("Step {number}: {title}", "Step 1 a"),
        ("Step {number}: {title}", "step 1: a"),
        ("Step {number}: {title}", "Step : a"),
        ("Title", "Titles"),
        ("Task {id} ends", "Task a end"),
        ("Task {id} ends", "Task a ends here"),
    ]
)
def test_a_heading_of_another_form(form: str, title: str) -> None:
    assert body.match_heading(form, title) is None


def test_a_heading_without_gaps_says_nothing_more() -> None:
    assert body.match_heading("Title", "Title") == {}


@each(
    [
        ("a", "a"),
        (" **a** ", "a"),
        ("`a`", "a"),
        ('"a"', "a"),
        ("'a'", "a"),
        ("_a_", "a"),
        ("**`a`**", "a"),
        ("**a** b", "**a** b"),
        ("`a` and `b`", "`a` and `b`"),
        ("**a*", "**a*"),
        ("*a**", "a"),
        ("****", ""),
        ("", ""),
        ("*", ""),
        ("(a)", "(a)"),
    ]
)
def test_marks_around_a_whole_value_are_left_out(text: str, expected: str) -> None:
    assert body._bare(text) == expected


# -- versions and values


@each(
    [
        ('"a"', "a"), ("an object", {}), ("a list", []), ("null", None), ("true", True), ("false", False), ("1", 1), ("1.5", 1.5),
    ]
)  # fmt: skip
def test_a_value_in_a_message(expected: str, value: object) -> None:
    assert shown(value) == expected
    assert len(shown("x" * 500)) < 90
    assert len(shown(10**500)) < 90


@each(
    [
        ("https://host/x", False), ("https://me@host/x", True), ("https://me:pw@host/x", True), ("ssh://git@host/x", False),
        ("ssh://git:pw@host/x", True), ("git+ssh://git@host/x", False), ("git@host:x", False), ("https://host/x@y", False),
        ("https://host:80/x", False), ("/a/b@c", False), ("file:///a", False),
    ]
)  # fmt: skip
def test_a_login_in_an_address(address: str, expected: bool) -> None:
    assert holds_login(address) == expected


def test_a_field_inside_a_step_has_its_own_line() -> None:
    values = json.loads((FIXTURES / "progress/valid.json").read_text())
    for name in values["steps"]:
        changed_ = json.loads(json.dumps(values))
        changed_["steps"][name]["status"] = 7
        text = json.dumps(changed_, indent=2)
        (issue,) = validate_data(load_contract("progress"), text.encode(), "p").errors
        above = text.split("\n")[: issue.line]
        assert above[-1].strip().startswith('"status": 7')
        assert f'"{name}": {{' in [row.strip() for row in above if row.startswith('    "')][-1]
        assert issue.field == f"steps.{name}.status"
        del changed_["steps"][name]["status"]
        text = json.dumps(changed_, indent=2)
        (issue, *_) = validate_data(load_contract("progress"), text.encode(), "p").errors
        assert text.split("\n")[(issue.line or 0) - 1].strip() == f'"{name}": {{'


def test_the_first_step_that_has_started_is_named() -> None:
    values = json.loads((FIXTURES / "progress/valid.json").read_text())
    begun = {"status": "completed", "attempts": 1}
    values["steps"] = {"1": {"status": "pending", "attempts": 0}, "2": begun, "3": begun}
    values |= {"total_steps": 3, "current_step": 3}
    del values["session_start_sha"]
    text = json.dumps(values, indent=2)
    result = validate_data(load_contract("progress"), text.encode(), "p")
    told = {one.code: one for one in (*result.errors, *result.warnings)}
    missing, old = told["PROGRESS_MISSING_FIELD"], told["PROGRESS_LEGACY_VALUE"]
    assert "although step 2 has started" in missing.message
    assert "missing in 2 started steps; the first is 2" in old.message
    row = next(at for at, line in enumerate(text.split("\n"), 1) if line.strip() == '"2": {')
    assert missing.line == old.line == row


def test_older_spellings_are_replaced_wherever_they_are() -> None:
    contract = load_contract("progress")
    found = [field for field in contract.fields if field.entries]
    assert found
    for field in contract.fields:
        for old, new in (field.legacy or {}).items():
            assert modern(contract.fields, {field.name: old})[field.name] == new
    for field in found:
        for inner in field.entries:
            for old, new in (inner.legacy or {}).items():
                given_ = {field.name: {"1": {inner.name: old, "other": 1}, "2": "x"}}
                assert modern(contract.fields, given_) == {
                    field.name: {"1": {inner.name: new, "other": 1}, "2": "x"}
                }


# -- the first heading of a file


@each(
    [
        ("# A\n", "A"), ("\ufeff# A", "A"), ("\n\n# A #\n", "A"), ("#A\n# B", "B"), ("## A\n# B", "B"), ("#\tA", "A"), ("#", ""),
        ("A\n===\n", "A"), ("A\n\n===\n# B", "B"), ("===\n# B", "B"), ("A\n=x\n# B", "B"),
        ("---\n# no\n---\n# B", "B"), ("x\n---\n# B", "B"), ("```\n# no\n```\n# B", "B"), ("~~~\n# no\n```\n~~~\n# B", "B"),
        ("```sh\n# no\n````\n# B", "B"), ("```\n# no\n``` x\n# no\n```\n# B", "B"), ("```\nA\n```\n===\n# B", "B"),
        ("text", None), ("", None), ("```\n# no", None),
    ]
)  # fmt: skip
def test_the_first_heading(text: str, expected: str | None) -> None:
    with tempfile.NamedTemporaryFile("wb") as file:
        file.write(text.encode())
        file.flush()
        assert first_heading(file.name) == expected


def test_a_heading_that_is_not_near_the_top_is_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("x" * (FURTHEST - 5) + "\n# A\n")
    assert first_heading(str(path)) == "A"
    path.write_text("x" * FURTHEST + "\n# A\n")
    assert first_heading(str(path)) is None
    assert first_heading(str(tmp_path)) is None
    assert first_heading(str(tmp_path / "none")) is None
    path.write_text("# " + "x" * 500)
    assert len(first_heading(str(path)) or "") <= 200


# -- kinds and places


@each(["nothing", "", "session_state", "../brief"])
def test_a_kind_that_is_not_there(kind: str) -> None:
    for ask in (load_contract, stages.files_of, stages.need, stages.file_of, current_version):
        with pytest.raises(UnknownKindError):
            ask(kind)
    assert stages.file_if_any(kind) == ""
    assert stages.stage_that_makes(kind) == ""
    assert stages.command_for(kind) == ""
    assert list(stages.find_files("/", kind)) == []


def test_places_and_commands() -> None:
    assert stages.file_of("brief") == "brief.md"
    assert stages.draft_of("brief") == "brief.md.draft"
    assert (stages.folder_of("brief"), stages.folder_of("research")) == ("", "research")
    assert stages.gaps_of("research/{topic}-{slug}.md") == ["topic", "slug"]
    assert stages.gaps_of("a.md") == []
    name = stages.stage_that_makes("plan")
    told = stages.command(name, "a b", "--quick")
    assert told.endswith(" --project 'a b' --quick")
    assert stages.command(name) == told.partition(" ")[0]
    line = stages.unfinished_line("here", stages.Next("plan", "why", "do"))
    assert line == "Unfinished, plan of here: why. To continue: do"
    assert stages.unfinished_line("here", stages.Next("plan", "why")) == "Unfinished, plan of here: why"


def test_files_of_an_artifact_are_found_by_their_names(tmp_path: Path) -> None:
    for name in ("01-a.md", "02-b.md", ".03-c.md", "x.txt", "notes"):
        (tmp_path / "research").mkdir(exist_ok=True)
        (tmp_path / "research" / name).touch()
    (tmp_path / "brief.md").touch()
    (tmp_path / "brief.md.draft").touch()
    assert list(stages.find_files(str(tmp_path), "research")) == ["research/01-a.md", "research/02-b.md"]
    assert list(stages.find_files(str(tmp_path), "brief")) == ["brief.md"]
    assert list(stages.find_files(str(tmp_path / "none"), "brief")) == []


def test_a_version_is_current_old_wrong_or_no_version() -> None:
    contract = load_contract("brief")
    version = contract.version
    assert version
    current = version.current

    def codes(value: object) -> list[str]:
        report = Report(contract, "here")
        check_version(report, version, value, 3)
        found = [*report.errors, *report.warnings]
        assert all((one.line, one.field) == (3, version.field) for one in found)
        return [one.code.partition("_")[2] for one in found]

    assert codes(current) == []
    wrong = codes("999.999")
    assert wrong
    assert wrong[0] not in ("VERSION_FORMAT", "BAD_TYPE")
    nothing: tuple[object, ...] = (None, [], {})
    for value in nothing:
        assert codes(value)[0] in ("VERSION_FORMAT", "BAD_TYPE")
    assert codes(float(str(current)) if str(current).count(".") == 1 else 1) != []


@each(
    [
        ("```json\n{}\n```", "{}", ""),
        ("``json\n{}\n``", None, "``json\n{}\n``"),
        ("~~~JSON \n{}\n~~~", "{}", ""),
        ("  ``` json\n{}\n  ```\n", "{}", ""),
        ("```json\n{}\n````", "{}", ""),
        ("````json\n```\n````", "```", ""),
        ("```json\na\n``` x\n```\nb", "a\n``` x", "b"),
        ("a\n```json\n1\n```\nb\n```json\n2\n```\nc", "2", "a\nb\nc"),
        ("```json\n{", "{", ""),
        ("```js\nx\n```", None, "```js\nx\n```"),
        ("~~~json\n{}\n```\n~~~\n", "{}\n```", ""),
        ("json\n`\n~", None, "json\n`\n~"),
        ("", None, ""),
    ]
)
def test_the_last_block_and_the_words_around(answer: str, found: str | None, prose: str) -> None:
    assert split_answer(answer) == (found, prose)


ONE, TWO = '```json\n{"a":1}\n```', ' ``` JSON\n{"b":2}\n```'


@each(
    [
        (f"x\n{ONE}\ny", [({"a": 1}, f"x\n{ONE}")]),
        (f"{ONE}\nx\n{TWO}", [({"a": 1}, ONE), ({"b": 2}, f"x\n{TWO}")]),
        (f"```json\n{{\n```\n{ONE}", [({"a": 1}, f"```json\n{{\n```\n{ONE}")]),
        ('{"a":1}', [({"a": 1}, ONE)]),
        ('```js\n{"a":1}\n```', []),
        ('```json\n{"a":1}', []),
        ("words", []),
    ]
)
def test_every_block_with_the_words_before_it(text: str, expected: list[tuple[dict[str, int], str]]) -> None:
    assert json_blocks(text) == expected


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
    data = read(path)
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
    assert told.startswith(f"{project.shown}/plan.md:")
    assert ": PLAN_CYCLE: " in told
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
def test_other_quoted_lines_change_nothing_and_the_first_of_a_field_counts(name: str) -> None:
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
    below = validate_data(contract, f"{text}\n> {fields[-1]}: below\n".encode(), "p").parsed or {}
    assert [before.get(one) for one in fields] == [below.get(one) for one in fields]
