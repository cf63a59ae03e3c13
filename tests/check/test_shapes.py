"""Each shape accepts what its JSON Schema accepts, and says where a value differs and how."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.kit.quick import examples
from tests.kit.table import each
from ultra_plugin.check.shapes import (
    Shape,
    anything,
    boolean,
    either,
    list_of,
    number,
    objects_only,
    one_of,
    path,
    positive,
    record,
    schema_of,
    table,
    text,
    url,
    whole,
    word,
)

LETTER = word("[ab]", "a or b")
STRICT = table({"a": number, "b": text(1)}, ("a",), strict=True)
SHAPES: list[Shape] = [
    text(), text(1), LETTER, boolean, number, positive, whole(1), whole(0, 2), one_of("a", "./a"), path(), path(".md", "a"),
    list_of(number), list_of(text(), 1), record(number), record(text(), LETTER, 1), STRICT, table({"a": boolean}, ("b",)),
    either("a number or texts", number, list_of(text(1))), list_of(STRICT), anything,
]  # fmt: skip
ATOMS = st.sampled_from([None, True, False, -1, 0, 1, 2, 3, 0.5, "", "a", "b", "./a", "./a.md", "a.md", "./"])
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=examples(1800))
@given(st.sampled_from(SHAPES), VALUES)
def test_a_shape_accepts_what_its_schema_accepts(shape: Shape, value: Any) -> None:
    valid = Draft202012Validator(schema_of(shape)).is_valid(value)
    assert bool([*shape(value)]) != valid
    assert [*objects_only(shape)(value)] == ([*shape(value)] if isinstance(value, dict) else [])
    assert schema_of(objects_only(shape)) == schema_of(shape)


KINDS: dict[str, object] = {
    "null": None,
    "a boolean": True,
    "a number": 1.5,
    "text": "x",
    "a list": [],
    "an object": {},
}
WANTED: dict[str, tuple[Shape, str]] = {
    "text": (text(), "text"), "a boolean": (boolean, "true or false"), "a number": (number, "a number"),
    "a list": (list_of(text()), "a list"), "an object": (STRICT, "an object"),
}  # fmt: skip


def test_a_value_of_another_kind_is_named() -> None:
    others = [
        (record(text()), "an object"),
        (positive, "a number"),
        (path(), "a path"),
        (url, "a URL"),
        (whole(0), "a whole number"),
    ]
    own = {"a path": "text", "a URL": "text", "a whole number": ""}
    for shape, wanted in (*WANTED.values(), *others):
        for name, value in KINDS.items():
            mine = own.get(wanted, "a boolean" if wanted == "true or false" else wanted)
            if name != mine:
                assert [*shape(value)] == [((), f"must be {wanted}, not {name}")]


@each(
    [
        (text(1), "", (), "must not be empty"),
        (LETTER, "ab", (), "must be a or b"),
        (positive, 0, (), "must be greater than zero"),
        (whole(1), 0, (), "must be 1 or more"),
        (whole(1, 2), 3, (), "must be 1 to 2"),
        (one_of("b", "a"), "c", (), "must be one of a, b"),
        (path(".md", ".js"), "./x", (), "must be a path that ends with .md or .js"),
        (path(), "x", (), "must be a path that starts with './'"),
        (list_of(text(), 1), ["", ""], (), "must have at most 1 item"),
        (list_of(text(1)), ["a", ""], (1,), "must not be empty"),
        (record(text(), anything, 1), {}, (), "must not be empty"),
        (record(number, LETTER), {"c": 1}, ("c",), "must be a or b"),
        (record(list_of(number)), {"c": [1, "x"]}, ("c", 1), "must be a number, not text"),
        (STRICT, {}, (), "lacks 'a'"),
        (STRICT, {"a": 1, "c": 1}, ("c",), "is not a key here"),
        (STRICT, {"a": "x"}, ("a",), "must be a number, not text"),
        (either("this or that", number, list_of(text())), "x", (), "must be this or that"),
        (either("this or that", number, list_of(text()), STRICT), [1], (0,), "must be text, not a number"),
        (url, "x", (), "is not an absolute URL"),
    ]
)
def test_a_fault_says_where_and_what(
    shape: Shape, value: object, where: tuple[str | int, ...], what: str
) -> None:
    assert [*shape(value)] == [(where, what)]


ADDRESSES = {
    "https://example.org/a?b#c": True, " https://a\n": True, "mailto:x": True, "a+b.c-1:": True, "http:a": True,
    "https:///x": True, "ws://a:69999": True, "https://a%20": True,
    "": False, "1a:b": False, "https://": False, "https://?x": False, "https://a b": False, "ftp://a|b": False,
    "https://a%zz": False, "wss://a:70000": False, "http://a:123456": False, "x://a b": True,
}  # fmt: skip


@each(ADDRESSES.items())
def test_an_address_is_absolute_and_has_a_host_that_can_be(address: str, accepted: bool) -> None:
    assert bool([*url(address)]) != accepted
