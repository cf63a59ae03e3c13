"""Templates: strict about names, and every error and every line led back to its source."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.files import write_tree
from ultra_plugin.errors import ProblemsFound
from ultra_plugin.source import SourceTree
from ultra_plugin.templates import Templates


def templates(root: Path, files: dict[str, str], **names: object) -> Templates:
    return Templates(SourceTree(write_tree(root / "src", files)), names)


def problem_of(made: Templates, name: str, root: Path) -> str:
    with pytest.raises(ProblemsFound) as caught:
        made.render(name)
    return str(caught.value).replace(f"{root}/src/", "")


def test_blocks_leave_no_blank_lines_and_nothing_is_escaped(tmp_path: Path) -> None:
    made = templates(tmp_path, {"a.j2": "{% if true %}\n  {% set x = '<&>' %}\n{{ x }}\n{% endif %}\nend\n"})
    assert made.render("a.j2") == "<&>\nend\n"


def test_a_block_can_be_replaced_by_a_template_that_extends(tmp_path: Path) -> None:
    made = templates(
        tmp_path,
        {
            "base.j2": "{% block find %}\nfind\n{% endblock %}\n{% block tell %}\ntell\n{% endblock %}\n",
            "mine.j2": '{% extends "base.j2" %}\n{% block tell %}\nsay\n{% endblock %}\n',
        },
    )
    assert made.render("mine.j2") == "find\nsay\n"
    assert made.sources("mine.j2") == ("mine.j2", "base.j2")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.j2": "one\n{{ nme }}\n"}, "a.j2:2: undefined: 'nme' is undefined"),
        (
            {
                "a.j2": 'x\n\n{% include "b.j2" %}\n',
                "b.j2": 'y\n{% include "c.j2" %}\n',
                "c.j2": "{{ gone }}",
            },
            "c.j2:1: undefined: 'gone' is undefined, included from b.j2:2, included from a.j2:3",
        ),
        (
            {"a.j2": "{% if %}\n"},
            "a.j2:1: template-syntax: Expected an expression, got 'end of statement block'"
            " (write {{ name }}, {% tag %} or {# remark #}, each with its closing braces)",
        ),
        (
            {"a.j2": 'x\n{% include "b.j2" %}', "b.j2": "\n{{ 'x }}"},
            'b.j2:2: template-syntax: unexpected char "\'" at 4, included from a.j2:2'
            " (write {{ name }}, {% tag %} or {# remark #}, each with its closing braces)",
        ),
        (
            {"a.j2": '\n{% include "bb.j2" %}', "b.j2": ""},
            "a.j2:2: missing-include: 'bb.j2' does not exist (did you mean 'b.j2'?)",
        ),
        (
            {"a.j2": '{% include "a.j2" %}'},
            "a.j2:1: include-loop: includes or extends itself (break the loop)",
        ),
        (
            {"a.j2": '{% include "b.j2" %}', "b.j2": '\n{% import "a.j2" as a %}'},
            "b.j2:2: include-loop: includes or extends a.j2, which leads back to it (break the loop)",
        ),
        (
            {"a.j2": "{% include name %}"},
            "a.j2:1: dynamic-include: the name of an included file must be written out (put the name in quotes)",
        ),
        (
            {"a.j2": "{{ ''.__class__.__mro__ }}"},
            "a.j2:1: unsafe-template: access to attribute '__class__' of 'str' object is unsafe.",
        ),
        (
            {"a.j2": "{{ x | jion }}"},
            "a.j2:1: template-syntax: No filter named 'jion'. (did you mean 'join'?)",
        ),
        (
            {"a.j2": "{% fi %}"},
            "a.j2:1: template-syntax: Encountered unknown tag 'fi'. (fix the tag's name, or remove the tag)",
        ),
        (
            {"a.j2": "one\n{% block find %}\n{{ gone }}\n{% endblock %}"},
            "a.j2:3: undefined: 'gone' is undefined",
        ),
        (
            {
                "a.j2": '{% extends "b.j2" %}\n{% block find %}\n{{ gone }}\n{% endblock %}',
                "b.j2": "{% block find %}{% endblock %}",
            },
            "a.j2:3: undefined: 'gone' is undefined",
        ),
        (
            {"a.j2": "{% macro m() %}\n{{ 1 / 0 }}\n{% endmacro %}\n{{ m() }}"},
            "a.j2:2: render: ZeroDivisionError: division by zero",
        ),
        ({"a.j2": "{{ 1 / 0 }}"}, "a.j2:1: render: ZeroDivisionError: division by zero"),
    ],
)
def test_an_error_names_template_line_and_chain(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    assert problem_of(templates(tmp_path, files), "a.j2", tmp_path) == expected


PAGE = "{% block a required %}{% endblock %}\n{% block b required %}{% endblock %}\n{% block c %}{% endblock %}\n"


def test_required_blocks_are_filled(tmp_path: Path) -> None:
    """An empty one would leave a bare heading; a block that is not required may be emptied to leave a phase out."""
    mine = '{% extends "page.j2" %}\n{% block a %}\n  {# later #}\n{% endblock %}\n'
    made = templates(tmp_path, {"page.j2": PAGE, "mine.j2": mine})
    assert problem_of(made, "mine.j2", tmp_path).split("\n") == [
        "mine.j2:1: empty-block: the block 'b' is missing (add {% block b %} ... {% endblock %})",
        "mine.j2:2: empty-block: the block 'a' is empty (write its text)",
    ]
    middle = '{% extends "page.j2" %}{% block a %}A{% endblock %}{% block b %}B{% endblock %}{% block c %}C{% endblock %}'
    made = templates(
        tmp_path / "2",
        {
            "page.j2": PAGE,
            "middle.j2": middle,
            "mine.j2": '{% extends "middle.j2" %}{% block c %}{% endblock %}',
        },
    )
    assert made.render("mine.j2").split() == ["AB"]


def test_trace_follows_includes_macros_and_loops(tmp_path: Path) -> None:
    made = templates(
        tmp_path,
        {
            "a.j2": (
                'top\n{% from "m.j2" import twice %}\n{{ twice("x") }}\n'
                '{% for n in (1, 2) %}\nrow {{ n }}\n{% endfor %}\n\n{% include "b.j2" %}\nend {{ 1 }}\n'
            ),
            "b.j2": "{# nothing #}\nfrom b\n",
            "m.j2": "{% macro twice(word) %}\n{{ word }}\n{{ word }}\n{% endmacro %}\n",
        },
    )
    expected = [
        ("top", ("a.j2", 1)),
        ("x", ("m.j2", 2)),
        ("x", ("m.j2", 3)),
        ("", ("a.j2", 3)),
        ("row 1", ("a.j2", 5)),
        ("row 2", ("a.j2", 5)),
        ("", ("a.j2", 7)),
        ("from b", ("b.j2", 2)),
        ("end 1", ("a.j2", 9)),
    ]
    lines = made.render("a.j2").split("\n")
    traced = list(zip(lines, made.trace("a.j2"), strict=True))
    assert [row for row in traced if row[0]] == [row for row in expected if row[0]]


@given(
    st.lists(
        st.sampled_from(["text", "", "{# c #}", "{% if 1 %}", "{% endif %}", "{{ 'x' }} y", "  z"]),
        max_size=12,
    )
)
def test_trace_finds_the_line_of_every_text(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    """Number every line of a template: what is rendered then says itself where it came from."""
    text = _balanced(parts)
    made = templates(tmp_path_factory.mktemp("trace"), {"a.j2": text})
    for line, (name, number) in zip(made.render("a.j2").split("\n"), made.trace("a.j2"), strict=True):
        if "@" in line:
            assert (name, str(number)) == ("a.j2", line.split("@")[1])


def _balanced(parts: list[str]) -> str:
    """Return the parts as lines that each say their own number, with only as many endifs as ifs."""
    lines: list[str] = []
    depth = 0
    for part in parts:
        if part == "{% endif %}":
            if depth == 0:
                continue
            depth -= 1
        depth += part == "{% if 1 %}"
        lines.append(part if part.startswith(("{%", "{#")) else f"{part}@{len(lines) + 1}")
    lines += ["{% endif %}"] * depth
    return "\n".join(lines)


def test_a_block_that_no_parent_has_is_refused(tmp_path: Path) -> None:
    files = {
        "base.j2": "{% block find %}{% endblock %}\n",
        "middle.j2": '{% extends "base.j2" %}\n{% block find %}{% block inner %}{% endblock %}{% endblock %}\n',
        "mine.j2": '{% extends "middle.j2" %}\n{% block inner %}\nin\n{% endblock %}\n',
        "wrong.j2": '{% extends "middle.j2" %}\n{% block iner %}\nin\n{% endblock %}\n',
    }
    made = templates(tmp_path, files)
    assert "in" in made.render("mine.j2")
    with pytest.raises(ProblemsFound) as caught:
        made.render("wrong.j2")
    assert str(caught.value).endswith(
        "wrong.j2:2: unknown-block: no parent of this template has a block 'iner', so it is never rendered"
        " (did you mean 'inner'?)"
    )
