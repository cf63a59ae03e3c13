"""One definition of each form: the validator and the JSON Schema that ships accept and refuse the same values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema.protocols import Validator

from tests.kit.names import SOURCES
from tests.kit.quick import examples
from ultra_plugin.artifact import Field, Form
from ultra_plugin.config import load
from ultra_plugin.schema import PATTERNS, json_schema
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import contract as contract_table
from ultra_runtime.contract import model as runtime
from ultra_runtime.contract.field_types import FieldCheck
from ultra_runtime.contract.forms import FORMS
from ultra_runtime.contract.result import Report
from ultra_runtime.text.timestamp import instant, is_date

SUITE = load(SourceTree(SOURCES))
# The values of a quoted text are text, so no other type can come.
MADE = {name: one for name, one in SUITE.contracts.items() if one.fields and one.format != "quoted"}
FITS: dict[str, Callable[[str], bool]] = {
    **{name: form[0] for name, form in FORMS.items()},
    "date": is_date,
    "timestamp": lambda text: instant(text) is not None,
}
SEEDS = {
    "slug": ["rate-limit", "a", "A.b_c~d", "a" * 100, "a" * 101, "a..b", "-a", "a-", "ä", ""],
    "file-name": ["plan.md", "a" * 97 + ".md", "a" * 98 + ".md", "a/b.md", ".md", "a..md", "a.md\n", "a b.md"],
    "project-dir": [".claude/projects/2024-02-29-a/", ".claude/projects/2023-02-29-a", "x/.claude/projects/2026-01-31-a/"],
    "question": ["Why?", "Why?*_", 'Why?"\n', "Why", "Why?.", "?\r"],
    "commit": ["a" * 7, "a" * 64, "a" * 6, "a" * 65, "A" * 40, "a" * 40 + "\n"],
    "sha1": ["a" * 40, "a" * 41, "g" * 40],
    "sha256": ["0" * 64, "0" * 63],
    "step-number": ["0", "1", "01", "999999999", "1000000000", "-1", "\u0661", "1\n"],
    "version": ["1.7", "1", "1.7.1", "01.7", "1.", "0.0"],
    "location": ["a:1", "a:b:9-12", " :1", ":1", "a:0", "a:1-0", "a:1-", "a\nb:3", "a:1\n", "\u00a0:1"],
    "work-id": ["WORK-01", "WORK-1234", "WORK-1", "WORK-12345", "work-01", "WORK-01\n", "WORK-\u0661\u0661", "AWORK-01"],
    "task-id": ["TASK-01", "TASK-00", "TASK-1", "TASK-001", "TASK-0a", "TASK-01 "],
    "date": ["2024-02-29", "1900-02-29", "2000-02-29", "0000-01-01", "0004-02-29", "2026-04-31", "2026-1-1"],
    "timestamp": [
        "2026-01-31T12:00:00Z", "2026-01-31 12:00", "2026-01-31t12:00:00,5+0530", "2026-01-31T24:00:00Z",
        "2026-01-31T12:00:00.", "2026-01-31T12:00.5", "2026-01-31T12:00:00+05:", "2026-01-31T12:00:00-05",
    ],
}  # fmt: skip
WORDS = [word for words in SEEDS.values() for word in words]


def matches(pattern: str, text: str) -> bool:
    """Search as JSON Schema does: there `$` is the very end, in Python it is also before a last line feed."""
    return re.search(pattern.replace("$", r"\Z"), text) is not None


def _pattern(_: Validator, pattern: str, value: object, __: object) -> Iterator[jsonschema.ValidationError]:
    if isinstance(value, str) and not matches(pattern, value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


Checker: Any = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator, {"pattern": _pattern}
)


def edited(words: list[str]) -> st.SearchStrategy[str]:
    """Return the words, and the words with one letter left out, put in or replaced."""
    letters = st.sampled_from("aZ09-_.~/:? \n\t*`\"'+TtZz\u00e9\u0661")
    parts = st.tuples(st.sampled_from(words), st.integers(0, 60), st.integers(0, 1), letters, st.booleans())
    changed = parts.map(lambda one: one[0][: one[1]] + (one[3] if one[4] else "") + one[0][one[1] + one[2] :])
    return st.sampled_from(words) | changed | changed


@pytest.mark.parametrize("name", FITS)
def test_a_form_and_its_pattern_agree(name: str) -> None:
    fits, pattern = FITS[name], PATTERNS[name]
    assert {fits(word) for word in SEEDS[name]} == {True, False}
    assert [word for word in WORDS if fits(word) != matches(pattern, word)] == []

    @settings(max_examples=examples(300), deadline=None)
    @given(
        edited(SEEDS[name])
        | st.from_regex(pattern.replace("$", r"\Z"), alphabet=st.characters(codec="utf-8"))
        | st.text()
    )
    def agree(text: str) -> None:
        assert fits(text) == matches(pattern, text), text

    agree()


def test_every_form_has_a_function_and_a_pattern() -> None:
    assert set(get_args(Form)) == {*FORMS, "pattern"}
    assert set(SEEDS) == set(FITS) == set(PATTERNS)


def runtime_contract(artifact: str) -> runtime.Contract:
    """Return a contract as the runtime has it, from the very text that the build renders."""
    space: dict[str, Any] = {}
    exec(contract_table.contract_module(MADE[artifact]), space)  # noqa: S102
    found: runtime.Contract = space["CONTRACT"]
    return found


SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats(-1, 2).filter(lambda one: not one.is_integer())
)
JUNK: st.SearchStrategy[Any] = (
    SCALARS
    | st.just("")
    | st.just(" ")
    | st.sampled_from(WORDS)
    | st.just([])
    | st.just({})
    | st.just([None, 1, ""])
)


def values_of(field: Field) -> st.SearchStrategy[Any]:
    """Return values that a field takes, values that nearly fit, and values of every other kind."""
    kind = field.items if field.type == "list" else field.type
    one: st.SearchStrategy[Any] = (
        st.sampled_from([*field.values, *field.legacy]) if field.values else st.just("text")
    )
    if field.form in SEEDS:
        one = edited(SEEDS[field.form])
    if kind in ("date", "timestamp"):
        one = edited(SEEDS[kind])
    elif kind in ("integer", "number"):
        bounds = [at + by for at in (field.minimum or 0, field.maximum or 0) for by in (-1, 0, 1)]
        one = st.sampled_from(bounds) | (st.floats(-1, 2) if kind == "number" else st.nothing())
    elif kind == "boolean":
        one = st.booleans()
    elif field.fields:
        one = objects_of(field.fields)
    elif field.entries:
        one = st.dictionaries(
            edited(SEEDS[field.form or "slug"]), objects_of(field.entries) | JUNK, max_size=2
        )
    one = one | JUNK
    return st.lists(one, max_size=3) | JUNK if field.type == "list" else one


def objects_of(fields: Mapping[str, Field]) -> st.SearchStrategy[dict[str, Any]]:
    """Return objects in which most fields are as they should be, so that one that is not decides."""
    good = {name: values_of(field) for name, field in fields.items()}
    return st.fixed_dictionaries({}, optional=good)


FIELDS = [(artifact, name) for artifact, one in MADE.items() for name in one.fields]


@pytest.mark.parametrize(("artifact", "name"), FIELDS)
def test_validator_and_schema_agree_on_a_field(artifact: str, name: str) -> None:
    made, contract = MADE[artifact], runtime_contract(artifact)
    whole = json.loads(json_schema(made))
    schema = {**whole, "required": [name] if name in whole["required"] else []}
    field = next(one for one in contract.fields if one.name == name)
    version = contract.version if made.version and not made.version.block else None
    known = [made.version.current, *made.version.accepts, 1, 2, "1"] if made.version else []
    candidates = (
        st.sampled_from(known) | JUNK if version and version.field == name else values_of(made.fields[name])
    )

    @settings(max_examples=examples(240), deadline=None)
    @given(st.fixed_dictionaries({}, optional={name: candidates}))
    def agree(values: dict[str, Any]) -> None:
        report = Report(contract, "a file")
        FieldCheck(report, lambda _: 1, version).check(field, values)
        # An editor has no warnings: of those of the validator, the schema refuses a version that is none at all.
        malformed = [one for one in report.warnings if one.code.endswith("_VERSION_FORMAT")]
        told = [str(one) for one in report.errors + malformed]
        faults = [one.message for one in Checker(schema).iter_errors(values)]
        assert bool(told) == bool(faults), (values, told, faults)

    agree()


def test_many_fields_are_compared() -> None:
    assert len(FIELDS) > 60
    assert {"brief", "plan", "progress", "research", "review", "session_state"} <= set(MADE)
