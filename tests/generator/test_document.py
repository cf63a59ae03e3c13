"""A YAML file becomes a frozen value, or every fault in it is told with its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ultra_plugin.document import read_document
from ultra_plugin.errors import Problem, ProblemsFound


@dataclass(frozen=True)
class Wheel:
    size: int
    kind: Literal["front", "rear"] = "front"
    line: int = 0


@dataclass(frozen=True)
class Cart:
    name: str
    wheels: tuple[Wheel, ...] = ()
    load: Mapping[str, str] = field(default_factory=dict)
    brake: bool = False
    owner: str | None = None


def problems(text: str | bytes) -> list[tuple[int, str, str]]:
    content = text.encode() if isinstance(text, str) else text
    with pytest.raises(ProblemsFound) as caught:
        read_document("cart.yaml", content, Cart)
    assert all(problem.path == "cart.yaml" for problem in caught.value.problems)
    return [
        (problem.line, problem.code, f"{problem.message} {problem.remedy}".strip())
        for problem in caught.value.problems
    ]


def test_reads_every_kind_of_value() -> None:
    cart = read_document(
        "cart.yaml",
        b"name: ox\nwheels:\n- size: 2\n- {size: 3, kind: rear}\nload: {hay: much}\nbrake: true\nowner: Ann\n",
        Cart,
    )
    assert cart == Cart("ox", (Wheel(2, line=3), Wheel(3, "rear", line=4)), {"hay": "much"}, True, "Ann")


def test_null_is_a_value_only_where_it_may_be() -> None:
    assert read_document("cart.yaml", b"name: ox\nowner: null\n", Cart).owner is None
    assert problems("name: null\n") == [(1, "wrong-type", "'name' must be text put it in quotes")]


def test_the_value_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        read_document("cart.yaml", b"name: ox", Cart).name = "cow"  # type: ignore[misc]


def test_all_faults_at_once_each_with_its_line() -> None:
    text = "nam: ox\nwheels:\n- size: big\n- {size: 3, kind: reer}\nload: [hay]\nbrake: 'no'\nowner: 12\n"
    assert problems(text) == [
        (1, "missing-key", "the file has no 'name' add 'name:'"),
        (1, "unknown-key", "unknown key 'nam' in the file did you mean 'name'?"),
        (3, "wrong-type", "'size' must be a whole number write a whole number, without quotes"),
        (4, "bad-value", "'kind' cannot be 'reer' did you mean 'rear'?"),
        (5, "wrong-type", "'load' must be a mapping of keys to values write 'key: value' lines"),
        (6, "wrong-type", "'brake' must be true or false write true or false, without quotes"),
        (7, "wrong-type", "'owner' must be text put it in quotes"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("name: ox\nname: cow\n", 2, "duplicate-key"),
        ("name: [ox\n", 2, "yaml"),
        ("name: ox\n\tload: x\n", 2, "yaml"),
        ("", 0, "wrong-type"),
        ("- name\n", 1, "wrong-type"),
        ("1: ox\nname: a\n", 1, "wrong-type"),
        (b"name: \xff\n", 1, "not-utf8"),
        (b"name: \x00\n", 0, "yaml"),
    ],
)
def test_a_file_that_is_not_such_a_document(text: str | bytes, line: int, code: str) -> None:
    assert (line, code) in [(found_line, found_code) for found_line, found_code, _ in problems(text)]


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("name: [ox\n", "close the bracket or brace"),
        ("name: {ox: 1\n", "close the bracket or brace"),
        ("name: a: b\n", "quote values that contain ': '"),
        ("name: 'ox\n", "close the quote"),
        ("name: ox\n\tload: x\n", ""),
        ("name: *ox\n", "quote values that begin with '*'"),
        ("name: %\n", "quote values"),
    ],
)
def test_what_is_not_yaml_has_a_remedy(text: str, remedy: str) -> None:
    with pytest.raises(ProblemsFound) as caught:
        read_document("cart.yaml", text.encode(), Cart)
    (problem,) = caught.value.problems
    assert problem.code == "yaml"
    assert problem.remedy
    assert problem.remedy.startswith(remedy)


# PyYAML itself does not bring back the line separators of Unicode from what it dumps.
TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"], exclude_characters="\ufeff")
)


@given(st.dictionaries(TEXT, TEXT), st.booleans(), st.integers(0, 9))
def test_agrees_with_pyyaml_on_what_it_dumps(load: dict[str, str], brake: bool, size: int) -> None:
    data = {"name": "ox", "load": load, "brake": brake, "wheels": [{"size": size}]}
    cart = read_document("cart.yaml", yaml.safe_dump(data, allow_unicode=True).encode(), Cart)
    assert (dict(cart.load), cart.brake, cart.wheels[0].size) == (load, brake, size)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_problems(content: bytes) -> None:
    try:
        value: object = read_document("cart.yaml", content, Cart)
    except ProblemsFound as error:
        value = error.problems[0]
    assert isinstance(value, (Cart, Problem))


# A line with a fault -> its code, wherever the line stands.
FAULTS = {
    "name: [a]": "wrong-type",
    "brake: perhaps": "wrong-type",
    "nmae: x": "unknown-key",
    "wheels: [{size: 1, kind: side}]": "bad-value",
    "wheels: [{}]": "missing-key",
    "load: {a: x, a: y}": "duplicate-key",
    "owner: 'x": "yaml",
    "owner: \xff": "not-utf8",
    "owner: @x": "yaml",
}
NOISE = st.lists(st.sampled_from(["", "# a comment", "  # an indented one", "#"]), max_size=4)


@given(NOISE, NOISE, st.sampled_from(sorted(FAULTS)), st.booleans())
def test_a_fault_is_told_with_its_line_wherever_it_stands(
    above: list[str], between: list[str], fault: str, last: bool
) -> None:
    good = "brake: true" if fault.startswith("name") else "name: ox"
    rows = [*above, *([good, *between, fault] if last else [fault, *between, good])]
    found = problems("\n".join([*rows, ""]).encode("latin-1"))
    line = rows.index(fault) + 1
    if FAULTS[fault] == "yaml" and "'" in fault:  # a quote that is not closed ends with the file
        assert found[0][1] == "yaml"
    else:
        assert (line, FAULTS[fault]) in [one[:2] for one in found], found
