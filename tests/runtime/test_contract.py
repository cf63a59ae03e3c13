"""Contracts in the process: codes come from the contract alone, and every value has an answer."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.files import write_tree
from tests.kit.quick import examples
from tests.kit.table import each
from tests.modes import modes_obeyed
from ultra_runtime.contract.field_types import line_by_name
from ultra_runtime.contract.model import Code, Contract, Field, Modes, Version
from ultra_runtime.contract.result import Report, Subject
from ultra_runtime.contract.rules import next_brief_exists
from ultra_runtime.contract.validation import validate_data, validate_file
from ultra_runtime.files.regular_file import LARGEST
from ultra_runtime.text.jsontext import write

GENERAL = (
    "NOT_FOUND READ_ERROR PARSE_ERROR MISSING_FIELD BAD_TYPE BAD_VALUE VERSION_MISMATCH VERSION_UNSUPPORTED"
)


def contract(
    *fields: Field,
    codes: str = GENERAL,
    version: Version | None = None,
    rules: tuple[Callable[[Report, Subject], None], ...] = (),
) -> Contract:
    """Return a small contract; a code in lower case is a warning, one with a star is soft."""
    made = [
        Code(
            name=f"X_{code.strip('*').upper()}",
            severity="warning" if code.islower() else "error",
            remedy="Fix it.",
            soft="*" in code,
        )
        for code in codes.split()
    ]
    return Contract(
        artifact="x",
        title="X",
        prefix="X",
        format="json",
        version=version,
        fields=fields,
        rules=rules,
        codes={code.name: code for code in made},
        modes=Modes("strict"),
    )


def field(kind: str, required: bool = True, values: Mapping[str, str] | None = None) -> Field:
    return Field(name="f", type=kind, required=required, values=values)


def codes(wanted: Contract, values: object) -> list[str]:
    result = validate_data(wanted, write(values).encode(), "x.json")
    return [issue.code for issue in result.errors]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("text", ["a", "1", "é"], [1, 1.5, True, None, [], {}]),
        ("integer", [0, -3, 10**20], [True, False, 1.0, "1", None, []]),
        ("number", [0, 1.5, -1e300], [True, "1", None]),
        ("boolean", [True, False], [0, 1, "true", None]),
        ("list", [[], [1, "a"]], [{}, "a", None, 1]),
        ("date", ["2026-01-31"], [20260131, None, True]),
        ("timestamp", ["2026-01-31T12:00:00+01:00"], [1769860800, None]),
    ],
)
def test_each_type(kind: str, good: list[object], bad: list[object]) -> None:
    for value in good:
        assert codes(contract(field(kind)), {"f": value}) == [], value
    for value in bad:
        assert codes(contract(field(kind)), {"f": value}) == ["X_BAD_TYPE"], value


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "2026-02-30"),
        ("date", "soon"),
        ("timestamp", "2026-01-31"),
        ("timestamp", "now"),
        ("text", " "),
    ],
)
def test_text_of_the_wrong_form_is_a_bad_value(kind: str, value: str) -> None:
    assert codes(contract(field(kind)), {"f": value}) == ["X_BAD_VALUE"]


def test_allowed_values() -> None:
    wanted = contract(field("text", values={"a": "first", "b": "second"}))
    assert codes(wanted, {"f": "a"}) == []
    issue = validate_data(wanted, b'{\n"f": "c"}', "x.json").errors[0]
    assert issue.as_data() == {
        "code": "X_BAD_VALUE",
        "message": 'f must be a or b, not "c". Fix it.',
        "path": "x.json",
        "line": 2,
        "field": "f",
    }
    wanted = contract(field("list", values={"a": "first"}))
    assert codes(wanted, {"f": ["a", "b", 1, []]}) == ["X_BAD_VALUE"] * 3


@each(itertools.product((True, False), (True, False), ("", "BAD_VALUE"), ({}, {"f": None}, {"f": "x"})))
def test_a_field_that_is_missing_or_null(
    required: bool, nullable: bool, missing: str, given: dict[str, str | None]
) -> None:
    wanted = contract(Field("f", "text", required, nullable=nullable, missing=missing))
    expected = ""
    if "f" not in given or (given["f"] is None and missing):
        expected = missing or ("MISSING_FIELD" if required else "")
    elif given["f"] is None and required and not nullable:
        expected = "BAD_TYPE"
    assert codes(wanted, given) == ([f"X_{expected}"] if expected else [])


NUMBERS = (0, 1, 2, 3, 4, 0.5, 1.0, 3.0, 3.5)


@each(itertools.product(("integer", "number"), (None, 1), (None, 3), NUMBERS))
def test_a_number_is_in_its_range(kind: str, low: int | None, high: int | None, value: float) -> None:
    wanted = contract(
        Field("f", kind, True, minimum=low, maximum=high, code="SPECIAL"), codes=f"{GENERAL} SPECIAL"
    )
    told = [
        (one.code, one.message) for one in validate_data(wanted, write({"f": value}).encode(), "x").errors
    ]
    fault = ""
    if kind == "integer" and isinstance(value, float):
        fault = f"a whole number, not {value}"
    elif low is not None and value < low:
        fault = f"at least {low}, not {value}"
    elif high is not None and value > high:
        fault = f"at most {high}, not {value}"
    assert told == ([("X_SPECIAL", f"f must be {fault}")] if fault else [])


INSIDE = (Field("g", "integer", True),)


@each(
    [
        (Field("f", "list", True, items="object", fields=INSIDE), [{"g": 1}, {"g": "a"}, {}, 7], "f.g f.g f"),
        (Field("f", "object", True, fields=INSIDE), {"g": "a"}, "f.g"),
        (Field("f", "object", True, fields=INSIDE), {"g": 1}, ""),
        (Field("f", "object", True, entries=INSIDE), {"a": {"g": 1}, "b": {}, "c": 1, "d": {"g": "a"}}, "f.b.g f.c f.d.g"),
        (Field("f", "object", True, entries=INSIDE, form="slug"), {"-": {}, "b": {"g": 1}}, "f"),
    ]
)  # fmt: skip
def test_faults_inside_a_value_have_their_dotted_name_and_its_line(
    of: Field, value: object, names: str
) -> None:
    result = validate_data(contract(of), b'{"e": 1,\n"f": ' + write(value).encode() + b"}", "x")
    assert [(one.field, one.line) for one in result.errors] == [(name, 2) for name in names.split()]
    assert [line_by_name({"f": 2})(path) for path in ((), ("f",), ("f", "g"), ("g", "f"))] == [
        None,
        2,
        2,
        None,
    ]


def test_every_issue_is_collected() -> None:
    fields = [Field(name=name, type="text", required=True, values=None) for name in "abc"]
    assert codes(contract(*fields), {"a": 1, "b": ""}) == ["X_BAD_TYPE", "X_BAD_VALUE", "X_MISSING_FIELD"]


VERSION = Version(field="f", current=3, accepts=(2,))


@pytest.mark.parametrize(
    ("value", "errors", "warnings"),
    [
        (3, [], []),
        (2, [], ["X_VERSION_MISMATCH"]),
        (1, ["X_VERSION_UNSUPPORTED"], []),
        (4, ["X_VERSION_UNSUPPORTED"], []),
        ("3", ["X_VERSION_UNSUPPORTED"], []),
        (3.0, ["X_VERSION_UNSUPPORTED"], []),
        (True, ["X_VERSION_UNSUPPORTED"], []),
        (None, ["X_BAD_TYPE"], []),
        ([], ["X_BAD_TYPE"], []),
    ],
)
def test_versions(value: object, errors: list[str], warnings: list[str]) -> None:
    wanted = contract(
        field("integer"), version=VERSION, codes=GENERAL.replace("VERSION_MISMATCH", "version_mismatch")
    )
    result = validate_data(wanted, write({"f": value}).encode(), "x.json")
    assert [issue.code for issue in result.errors] == errors
    assert [issue.code for issue in result.warnings] == warnings


def test_the_special_code_of_a_contract_wins() -> None:
    wanted = contract(field("integer"), version=VERSION, codes=f"{GENERAL} SCHEMA_MISMATCH")
    assert codes(wanted, {"f": 9}) == ["X_SCHEMA_MISMATCH"]


def test_true_is_not_version_one() -> None:
    wanted = contract(field("integer"), version=Version(field="f", current=1))
    assert codes(wanted, {"f": True}) == ["X_VERSION_UNSUPPORTED"]


def test_soft_codes_are_warnings_when_asked() -> None:
    wanted = contract(field("text"), codes=GENERAL.replace("MISSING_FIELD", "MISSING_FIELD*"))
    assert not validate_data(wanted, b"{}", "x.json").valid
    soft = validate_data(wanted, b"{}", "x.json", soft=True)
    assert (soft.valid, [issue.code for issue in soft.warnings]) == (True, ["X_MISSING_FIELD"])
    assert not validate_data(wanted, b'{"f": 1}', "x.json", soft=True).valid


def test_a_code_that_the_contract_does_not_list_fails_loudly() -> None:
    with pytest.raises(LookupError, match="the contract of x lists no code MISSING_FIELD"):
        validate_data(contract(field("text"), codes="PARSE_ERROR"), b"{}", "x.json")


def test_a_field_that_the_contract_does_not_have_fails_loudly() -> None:
    assert contract(field("text")).field("f").type == "text"
    with pytest.raises(LookupError):
        contract(field("text")).field("g")


# Files that are none


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    wanted = contract(field("text"))
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    write_tree(tmp_path, {"file": "{}"})
    with (tmp_path / "huge").open("wb") as huge:
        huge.truncate(LARGEST + 1)
    expected = {
        "loop": "X_READ_ERROR",
        "folder": "X_READ_ERROR",
        "huge": "X_READ_ERROR",
        "n" * 300: "X_READ_ERROR",
        "dangling": "X_NOT_FOUND",
        "nothing": "X_NOT_FOUND",
        "file/below": "X_NOT_FOUND",
        "nul\0": "X_NOT_FOUND",
        "half\ud800": "X_NOT_FOUND",
    }
    for name, code in expected.items():
        result = validate_file(wanted, f"{tmp_path}/{name}")
        assert [issue.code for issue in result.errors] == [code], name
        assert result.parsed is None
    for device in ("/dev/zero", "/dev/tty", "/dev/null"):
        assert validate_file(wanted, device).errors[0].code == "X_READ_ERROR"


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {"file": "{}"})
    (tmp_path / "file").chmod(0)
    with modes_obeyed():
        result = validate_file(contract(field("text")), str(tmp_path / "file"))
    assert result.errors[0].code == "X_READ_ERROR"


# Any bytes

VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.lists(st.text())
)
STATES = st.fixed_dictionaries({}, optional=dict.fromkeys("vtswpx", VALUES))
EVERYTHING = contract(
    Field(name="v", type="integer", required=True, values=None),
    Field(name="t", type="text", required=True, values={"a": "m"}),
    Field(name="s", type="timestamp", required=True, values=None),
    Field(name="w", type="list", required=False, values=None),
    codes=f"{GENERAL} brief_missing",
    version=Version(field="v", current=1, accepts=(0,)),
    rules=(next_brief_exists,),
)


@given(st.binary() | STATES.map(lambda state: write({"next_session_brief_path": "a\0b", **state}).encode()))
@settings(deadline=None, max_examples=examples(300))
def test_any_bytes_give_a_result(data: bytes) -> None:
    result = validate_data(EVERYTHING, data, "x.json")
    assert result.valid == (not result.errors)
    assert (result.parsed is None) == any(issue.code == "X_PARSE_ERROR" for issue in result.errors)
    for issue in result.errors + result.warnings:
        assert len(str(issue)) < 2000
        assert str(issue).isprintable()
    write(result.as_data()).encode()
