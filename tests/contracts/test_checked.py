"""What contracts decide, in the process: codes with their lines, headings, versions and forms."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ultra_runtime.tables.limits import ISSUES_TOLD

from tests.contracts.conftest import FIXTURES, OWNERS, with_secret
from tests.kit.names import NAME
from tests.kit.table import each
from ultra_runtime.contract import body, stages
from ultra_runtime.contract.directory import FURTHEST, discover, first_heading
from ultra_runtime.contract.field_types import check_version, shown
from ultra_runtime.contract.forms import FORMS, holds_login
from ultra_runtime.contract.model import UnknownKindError, current_version, load_contract
from ultra_runtime.contract.result import Report
from ultra_runtime.contract.validation import modern, validate_data, validate_file
from ultra_runtime.contract.write_check import check_write, in_words, refused, short
from ultra_runtime.text.markdown import parse
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


@each(FILES)
def test_a_fixture_gets_its_code_at_the_line_of_its_field(path: Path) -> None:
    contract = load_contract(path.parent.name)
    data = with_secret(path)
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
    contract, data = load_contract(path.parent.name), with_secret(path)
    hard, soft = (validate_data(contract, data, "p", soft=one, strict=False) for one in (False, True))
    softened = {one.code for one in hard.errors if not contract.code(one.code).soft}
    assert validate_data(contract, data, "p").as_data() == hard.as_data()
    if data == path.read_bytes():
        read = validate_file(contract, str(path))
        assert read.as_data() == validate_data(contract, data, str(path)).as_data()
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
    text = with_secret(FIXTURES / "brief" / f"{soft.name}.md").decode()
    assert check_write(contract, text.encode(), "p").errors
    rows = [f"{name}: {value}" if row.startswith(f"{name}:") else row for row in text.split("\n")]
    rows = rows if f"{name}: {value}" in rows else [rows[0], f"{name}: {value}", *rows[1:]]
    assert not check_write(contract, "\n".join(rows).encode(), "p").errors


def issues(count: int) -> Any:
    report = Report(load_contract("brief"), "here")
    soft = next(code for code in report.contract.codes.values() if code.soft and code.severity == "error")
    for number in range(count):
        report.add(soft.name, f"fault {number}", number + 1, "x")
    return report.result()


@each([0, 1, 100, 101, 107])
def test_the_first_hundred_of_a_code_are_kept(count: int) -> None:
    found = issues(count).errors
    assert len(found) == min(count, 100)
    more = count - 100
    assert [("more" in one.message) for one in found] == [False] * (len(found) - 1) * 1 + (
        [more > 0] if found else []
    )
    if more > 0:
        assert f"(and {more} more {found[0].code})" in found[-1].message


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
        *(("Step {number}: {title}", title) for title in (
            "Step x: a", "Step 01: a", "Step 1: ", "Step 1 a", "step 1: a", "Step : a",
        )),
        ("Title", "Titles"), ("Task {id} ends", "Task a end"), ("Task {id} ends", "Task a ends here"),
    ]
)  # fmt: skip
def test_a_heading_of_another_form(form: str, title: str) -> None:
    assert body.match_heading(form, title) is None


def test_a_heading_without_gaps_says_nothing_more() -> None:
    assert body.match_heading("Title", "Title") == {}


@each(
    [
        ("a", "a"), (" **a** ", "a"), ("`a`", "a"), ('"a"', "a"), ("'a'", "a"), ("_a_", "a"), ("**`a`**", "a"), ("", ""),
        ("**a** b", "**a** b"), ("`a` and `b`", "`a` and `b`"), ("**a*", "**a*"), ('*a"', '*a"'), ("*a**", "a"), ("****", ""), ("*", ""),
        ("(a)", "(a)"),
    ]
)  # fmt: skip
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
    for size in (80, 81, 82, 500):
        assert shown("x" * size) == f'"{one_line("x" * size, 80)}"'
        assert shown(10**size) == one_line(f"1{'0' * size}", 80)


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


@each((form, length) for form in ("# {}", "{}\n===") for length in (1, 199, 200, 201, 500))
def test_a_long_heading_is_cut(form: str, length: int) -> None:
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(form.format("x" * length))
        file.flush()
        assert first_heading(file.name) == one_line("x" * length, 200)
        assert ("…" in one_line("x" * length, 200) or "..." in one_line("x" * length, 200)) == (length > 200)


def test_what_cannot_be_read_as_a_file_is_not_found(tmp_path: Path) -> None:
    folder = tmp_path / "architecture"
    folder.mkdir()
    contract = load_contract("architecture")
    for name in contract.files:
        (folder / name).symlink_to("nowhere")
    (folder / "loose.md").mkdir()
    found = discover(contract, str(tmp_path))
    assert (found.parsed, found.errors, found.warnings) == (
        {"found": False, "overview": None, "title": None, "gaps": None, "loose": []},
        [],
        [],
    )


@each([0, 1, 5, 6, 8])
def test_the_first_five_loose_files_are_named(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{number}.md" for number in range(count)]
        for name in names:
            Path(folder, "architecture").mkdir(exist_ok=True)
            Path(folder, "architecture", name).touch()
        told = [one.message for one in discover(load_contract("architecture"), folder).warnings]
    more = f" and {count - 5} more" if count > 5 else ""
    assert told == ([f"no command reads {', '.join(names[:5])}{more}"] if count else [])


@each(["", "architecture", "architecture/overview.md", "architecture/none.md", "other", "other/x.md", "a\0b"])
def test_a_project_its_folder_of_notes_or_a_file_in_it_is_named(name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder, "architecture")
        for place in (notes, Path(folder, "other")):
            place.mkdir()
        (notes / "overview.md").write_text("# A")
        found = discover(load_contract("architecture"), os.path.join(folder, name) if name else folder).parsed
        expected = str(notes / "overview.md") if name.partition("/")[0] in ("", "architecture") else None
        assert found
        assert (found["overview"], found["found"]) == (expected, expected is not None)


# -- kinds and places


@each(["nothing", "", "session_state", "../brief"])
def test_a_kind_that_is_not_there(kind: str) -> None:
    for ask in (load_contract, stages.files_of, stages.need, stages.file_of, current_version):
        with pytest.raises(UnknownKindError, match=f"no artifact {kind}$") as refused:
            ask(kind)
        assert "brief" in refused.value.next_step
    assert stages.file_if_any(kind) == ""
    assert stages.stage_that_makes(kind) == ""
    assert stages.command_for(kind) == ""
    assert list(stages.find_files("/", kind)) == []


def test_places_and_commands() -> None:
    assert stages.file_of("brief") == "brief.md"
    assert stages.files_of("progress") == ("progress.json", "progress-session-{session}.json")
    assert stages.file_of("progress") == "progress.json"
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
        ("x", "x"), ("{x}", ""), ("`{x}`", ""), ("{x", "{x"), ("x}", "x}"), ("{", "{"), ("}", "}"), ("{}", ""),
        ("\n  - {a\n  - b}", "{a\nb}"), ("\n  - {a}", ""),
    ]
)  # fmt: skip
def test_a_placeholder_is_no_value(text: str, value: str) -> None:
    (item,) = parse(f"- Name: {text}").sections[0].items
    assert body.item_value(item) == value


@each([(count, topics) for count in (-2, -1, 0, 1, 2, 3) for topics in (0, 1, 2)])
def test_topics_are_counted_and_a_negative_count_is_only_a_wrong_value(count: int, topics: int) -> None:
    text = (FIXTURES / "brief/valid.md").read_text()
    text = re.sub(r"(?m)^research_topics: .*$", f"research_topics: {count}", text)
    front, _, rest = text.partition("\n### Topic 1")
    parts = [f"\n### Topic{part}" for part in f" 1{rest}".partition("\n## ")[0].split("\n### Topic")]
    text = f"{front}{''.join(parts[:1] * topics)}\n## {rest.partition(chr(10) + '## ')[2]}"
    found = {one.code for one in validate_data(load_contract("brief"), text.encode(), "p").errors}
    assert ("BRIEF_TOPIC_COUNT" in found) == (count >= 0 and count != topics)
    assert ("BRIEF_BAD_VALUE" in found) == (count < 0)


def test_a_part_belongs_to_its_section() -> None:
    text = (FIXTURES / "brief/valid.md").read_text()
    before = validate_data(load_contract("brief"), text.encode(), "p").parsed or {}
    (part,) = load_contract("brief").parts
    assert {one["section"] for one in before[part.name]} == {*part.under}
    other = next(one for one in before["sections"] if one not in part.under)
    text = text.replace(f"\n## {other}\n", f"\n## {other}\n\n### Topic 9: No topic\n\n")
    after = validate_data(load_contract("brief"), text.encode(), "p").parsed or {}
    assert [one["number"] for one in after[part.name]] == [one["number"] for one in before[part.name]]


@each([("0", True), ("1", True), ("12", True), ("", False), ("x", False), ("-1", False), ("1.5", False)])
def test_the_key_of_an_entry_has_its_form(key: str, fits: bool) -> None:
    text = (FIXTURES / "progress/valid.json").read_text()
    values = json.loads(text)
    values["steps"] = {key: next(iter(values["steps"].values()))}
    result = validate_data(load_contract("progress"), json.dumps(values).encode(), "p")
    told = [one.message for one in (*result.errors, *result.warnings) if "has the key" in one.message]
    words = FORMS[load_contract("progress").field("steps").form][1]
    assert told == ([] if fits else [f"steps has the key {shown(key)}; a key must be {words}"])
