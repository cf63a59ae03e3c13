"""The small readers and writers, for all inputs: YAML files, lines of JSON, XML messages and coloured lines."""

from __future__ import annotations

import datetime
import io
import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from ultra_runtime.tables.limits import MESSAGE_KILOBYTES

from tests.kit.table import each
from ultra_runtime.text.colour import COLOURS, coloured, wants_colour
from ultra_runtime.text.json_lines import DEEPEST as DEEPEST_KEY
from ultra_runtime.text.json_lines import key_lines
from ultra_runtime.text.timestamp import instant, is_date
from ultra_runtime.text.xmltext import DEEPEST, XmlError, element, escape, read_xml, verbatim
from ultra_runtime.text.yaml_document import read_yaml
from ultra_runtime.text.yaml_mapping import LONGEST_KEY, MappingError, MappingReader, clean
from ultra_runtime.text.yaml_value import typed

# -- YAML files

NAMES = st.text("abc", min_size=1, max_size=3)
SCALARS = st.sampled_from(["x", "1", "true", "'q'", '"d"', "a b", "1.5", "~", ""])
LISTS = st.lists(st.sampled_from(["x", "1", "'q'"]), min_size=1, max_size=3)
INNER = st.dictionaries(NAMES, SCALARS, min_size=1, max_size=3)


@st.composite
def files(draw: st.DrawFn) -> str:
    """Return a file of the subset, with comments and empty lines."""
    rows: list[str] = []
    noise = st.sampled_from([[], [], [], [""], ["# a comment"], ["  # a comment"]])
    for name in draw(st.lists(NAMES, unique=True, min_size=1, max_size=4)):
        rows += draw(noise)
        shape = draw(st.sampled_from(["scalar", "list", "flow", "inner"]))
        end = draw(st.sampled_from(["", " # more"]))
        if shape == "scalar":
            rows.append(f"{name}: {draw(SCALARS)}{end}")
        elif shape == "flow":
            rows.append(f"{name}: [{', '.join(draw(LISTS))}]{end}")
        elif shape == "list":
            indent = draw(st.sampled_from(["", "  "]))
            rows += [f"{name}:{end}", *(f"{indent}- {item}" for item in draw(LISTS))]
        else:
            rows.append(f"{name}:{end}")
            for key, value in draw(INNER).items():
                rows += draw(noise)
                rows.append(f"  {key}: {value}")
    return "\n".join(rows) + draw(st.sampled_from(["", "\n"]))


@given(files())
@example("a:\n  b : 1\n")
@example("a:\n  -b: 1\n")
@example("a:\n  - b\n  -\n")
def test_a_yaml_file_is_read_as_pyyaml_reads_it(text: str) -> None:
    found = read_yaml(text.encode(), {})
    assert found.values == yaml.safe_load(text)
    rows = text.split("\n")
    for path, line in found.lines.items():
        assert rows[line - 1].strip().startswith(path[-1])
        assert len(path) == 1 or rows[line - 1].startswith("  ")


@each(
    [
        (b"a: 1\n  b: 2\n", 2), (b"a:\n  b: 1\n c: 2\n", 3), (b"a:\n  - b\n  c: 2\n", 3),
        (b"a:\n  b:\n    c: 1\n", 3), (b"a: 1\na: 2\n", 2), (b"a: x\n\xff", 2), (b"- a\n", 1), (b"a: \x01\n", 1),
        (b"a: 1\nb\n", 2), (b"a:\n  b: 1\n  b: 2\n", 3), (b"a: {b: 1}\n", 1), (b"a:\n  b: 1\n  - c\n", 3), (b'"a: #": 1\n  b: 2\n', 2), (b'a: "b: #"\n  c: 2\n', 2), (b"\xef\xbb\xbfa: 1\nb\n", 2),
    ]
)  # fmt: skip
def test_what_is_no_yaml_file_has_its_line(data: bytes, line: int) -> None:
    with pytest.raises(MappingError) as refused:
        read_yaml(data, {})
    assert refused.value.row + 1 == line
    assert str(refused.value) == refused.value.args[0]


def test_the_type_of_the_contract_decides_at_both_levels() -> None:
    types = {("a",): "text", ("b", "c"): "text", ("d",): "integer"}
    found = read_yaml(b"\xef\xbb\xbfa: 1\nb:\n  c: 2\n  a: 3\nd: 4\n", types)
    assert found.values == {"a": "1", "b": {"c": "2", "a": 3}, "d": 4}
    assert found.lines == {("a",): 1, ("b",): 2, ("b", "c"): 3, ("b", "a"): 4, ("d",): 5}


@each(
    [
        *range(0x20), 0x7F, 0x80, 0x85, 0x9F, 0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF, 0x20, 0x7E, 0xE9,
        0x1F600,
    ]
)  # fmt: skip
def test_control_characters_are_refused(code: int) -> None:
    allowed = (
        code == 9
        or 0x20 <= code < 0x7F
        or (code >= 0xA0 and code not in (0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF))
    )
    line = f"a{chr(code)}b"
    if allowed:
        assert clean(line, 3) == line
        return
    with pytest.raises(MappingError) as refused:
        clean(line, 3)
    assert refused.value.row == 3
    assert f"U+{code:04X}" in str(refused.value)


def records(text: str) -> Any:
    """Return the values of lines that may have lists of records."""
    reader = MappingReader(text.split("\n"), records=True)
    reader.read()

    def value_of(one: Any) -> Any:
        if isinstance(one, list):
            return [value_of(item) for item in one]
        return {key: typed(item) for key, item in one.items()} if isinstance(one, dict) else typed(one)

    return {name: value_of(value) for name, value in reader.values.items()}


@each(
    [
        "a:\n- b: 1\n  c: 2\n- b: 3", "a:\n  - b: 1\n    c:\n  - d", "a:\n- {b: 1, c: 'x'}\n- {}", "a: [{b: 1}, c]", "a:\n- {b: , c: }", "a:\n- {b: 1,}", "a:\n- {b: 1} # x\nb: 2", "a:\n- b: 1 # x\n  # y\n  c: 2", "a:\n-\n- b", "a:\n- 'b: c'", "a:\n- b:", "a: 1\nb:\n- c", "a:\n- b: ''\n- {b: ''}"
    ]
)  # fmt: skip
def test_lists_of_records_are_those_of_pyyaml(text: str) -> None:
    assert records(text) == yaml.safe_load(text)


@each(["{0}: 1\n{0}: 2", "a:\n- {0}: 1\n  {0}: 2", "a:\n- {{{0}: 1, {0}: 2}}", "{1}: 1"])
def test_a_long_key_is_cut_in_a_message(form: str) -> None:
    with pytest.raises(MappingError, match=r"(?<![k1])(k{80}|1{80})(?![k1])"):
        records(form.format("k" * 81, "1" * 81))


@each(
    [
        "a:\n- {b: 1", "a:\n- {b: 'x' c}", "a:\n- {b}", "a:\n- {b: 1, b: 2}", "a:\n- {: 1}", "a:\n- {b: 1} x",
        "a:\n- {b: [1]}", "a:\n- {b: 1 # c}", "a:\n- b: 1\n  b: 2", "a:\n- b: [1]", "a:\n- b: {c: 1}",
        "a:\n- b: 1\n   c: 2", "a:\n- b: 1\n c: 2", "a:\n  - b\n - c", "a: 1\n- b", "a:\n- [b]", "a:\n- - b",
        f"{'k' * (LONGEST_KEY + 1)}: 1", "'a' 1: x", "'a':x", "<<: x", "1: x", "--- a: 1", "a: b: c",
        " a: 1\nb: 2", "a: 1\n  b", "a: [1]x", "a: [1]]", "a: [1", "a: 'b'x",
    ]
)  # fmt: skip
def test_what_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(MappingError):
        records(text)


WORDS = [
    form(word)
    for word in ("true", "false", "null", "yes", "no", "on", "x")
    for form in (str.lower, str.title, str.upper)
]


@each(
    [
        *WORDS, "~", "tRUE", "0", "1", "-1", "+1", "01", "1.0", "-1.5", ".5", "5.", "1e3", "'true'", '"1"',
        "[true, NULL, 1, x]",
    ]
)  # fmt: skip
def test_a_word_has_the_type_that_yaml_gives_it(word: str) -> None:
    found = read_yaml(f"a: {word}".encode(), {}).values["a"]
    theirs = yaml.safe_load(f"a: {word}")["a"]
    if word.lower() in ("yes", "no", "on", "off", "01"):  # text for us: it is more in old YAML only
        assert found == word
    else:
        assert (found, type(found)) == (theirs, type(theirs))


def test_the_longest_key_is_read() -> None:
    for indent in ("", "  "):
        assert records(f"{indent}{'k' * LONGEST_KEY}: 1") == {"k" * LONGEST_KEY: 1}


# -- lines of JSON

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.integers() | st.text('a}{"\\,:\n', max_size=4) | st.none(),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text('ab"\n', max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text('ab"\n', max_size=2), VALUES, max_size=3),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
)
def test_every_key_has_its_line(value: dict[str, Any], indent: int | None, more: bool) -> None:
    text = "\n" * more + json.dumps(value, indent=indent, separators=(",", ":") if more else None)
    expected: dict[tuple[str, ...], int] = {}

    def walk(one: dict[str, Any], path: tuple[str, ...]) -> None:
        for name, inner in one.items():
            whole = (*path, name)
            expected[whole] = 0
            if isinstance(inner, dict) and len(path) + 1 < DEEPEST_KEY:
                walk(inner, whole)

    walk(value, ())
    found = key_lines(text)
    assert list(found) == list(expected)
    rows = text.split("\n")
    for path, line in found.items():
        assert json.dumps(path[-1]) in rows[line - 1]
    assert list(found.values()) == sorted(found.values())
    if indent is not None and more:
        top = [found[name,] for name in value]
        assert top == sorted(set(top))


# -- XML

TEXTS = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f"), max_size=12
) | st.text("a<>&]\"'\n\t", max_size=12)


@given(TEXTS, TEXTS)
def test_xml_is_read_back_by_us_and_by_the_library(text: str, value: str) -> None:
    made = element("a", {"k": value}, [element("b", {}, text), element("c", {}), verbatim("d", text)])
    ours, theirs = read_xml(made), ET.fromstring(made)  # noqa: S314  made here
    assert (ours.name, ours.attributes) == (theirs.tag, theirs.attrib)
    assert ours.attributes["k"] == value.replace("\n", " ").replace("\t", " ")
    assert [one.name for one in ours.inner] == ["b", "c", "d"]
    assert [one.text for one in ours.inner] == [one.text or "" for one in theirs] == [text, "", text]
    assert ours.words("b") == text.strip()
    assert (ours.words("x"), ours.find("x"), ours.inside("x"), ours.inside("b")) == ("", None, [], [])
    assert element("a", {}, "") == element("a", {}, []) == "<a/>"


@each([*range(0x20), 0xFFFE, 0xFFFF])
def test_characters_that_xml_does_not_have_are_left_out(code: int) -> None:
    assert escape(f"a{chr(code)}b") == (f"a{chr(code)}b" if chr(code) in "\n\t" else "ab")


def nested(depth: int) -> str:
    return "<a>" * depth + "</a>" * depth


def test_a_message_has_a_size_and_a_depth() -> None:
    assert read_xml(nested(DEEPEST)).name == "a"
    with pytest.raises(XmlError, match=f"line 1: elements are nested deeper than {DEEPEST}"):
        read_xml(nested(DEEPEST + 1))
    room = MESSAGE_KILOBYTES * 1024 - len("<a></a>")
    assert len(read_xml(f"<a>{'x' * room}</a>").text) == room
    with pytest.raises(XmlError, match=f"more than {MESSAGE_KILOBYTES} KiB"):
        read_xml(f"<a>{'x' * (room + 1)}</a>")


@each(
    [
        ("<!DOCTYPE a><a/>", 1), ("<a>\n<?x y?></a>", 2), ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", 1), ("<a>\n</b>", 2),
        ("", 1), ("<a/>\n<b/>", 2), ("x", 1), ("<a>&x;</a>", 1),
    ]
)  # fmt: skip
def test_what_is_no_message_has_its_line(text: str, line: int) -> None:
    with pytest.raises(XmlError) as refused:
        read_xml(text)
    assert str(refused.value).startswith(f"line {line}: ")


# -- colour


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_only_a_terminal_gets_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    assert wants_colour(Terminal())


@each(COLOURS.items())
def test_the_first_word_of_a_line_has_its_colour(word: str, code: str) -> None:
    assert coloured(f"{word} a {word}\nx {word} y") == f"\x1b[{code}m{word}\x1b[0m a {word}\nx {word} y"
    assert coloured(word) == word
    assert coloured(f"{word}s a") == f"{word}s a"


# -- the calendar


@each(
    [
        1, 3, 4, 99, 100, 399, 400, 401, 1600, 1700, 1900, 1995, 1996, 1999, 2000, 2001, 2024, 2100, 2400, 9996,
        9999,
    ]
)  # fmt: skip
def test_the_days_of_a_year_are_those_of_the_calendar(year: int) -> None:
    for month in range(14):
        for day in range(33):
            text = f"{year:04}-{month:02}-{day:02}"
            try:
                expected = datetime.datetime(year, month, day, tzinfo=datetime.timezone.utc)
            except ValueError:
                assert not is_date(text)
                assert instant(f"{text}T00:00:00Z") is None
                continue
            assert is_date(text)
            nanoseconds = expected.toordinal() * 86_400 * 1_000_000_000
            assert instant(f"{text}T00:00:00Z") == nanoseconds


@each((place, sign) for place in range(10) for sign in "x² :")
def test_a_date_with_another_sign_is_none(place: int, sign: str) -> None:
    text = f"{'2026-01-31'[:place]}{sign}{'2026-01-31'[place + 1 :]}"
    assert not is_date(text)
    assert instant(f"{text}T00:00:00Z") is None


@given(
    st.datetimes(
        timezones=st.sampled_from(
            [datetime.timezone(datetime.timedelta(minutes=by)) for by in (0, 90, -1439, 1439)]
        )
    )
)
def test_a_moment_is_that_of_the_library(moment: datetime.datetime) -> None:
    first = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc) - datetime.timedelta(0)
    passed = moment - first
    expected = (passed.days + 1) * 86_400 * 10**9 + passed.seconds * 10**9 + passed.microseconds * 1000
    assert instant(moment.isoformat()) == expected
    assert instant(moment.isoformat(" ").replace(".", ",")) == expected
