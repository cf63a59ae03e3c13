"""Front matter: PyYAML's data on the subset, a code and a line outside it, whatever the bytes."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.quick import examples
from tests.kit.table import each
from tests.runtime.frontmatter_differences import DIFFERENCES, Difference, Error
from ultra_runtime.text.frontmatter import parse
from ultra_runtime.text.yaml_mapping import MappingError, MappingReader

CORPUS = Path(__file__).parent.parent.parent.parent / "shared" / "corpus" / "frontmatter.jsonl"


def document(text: str) -> bytes:
    return f"---\n{text}\n---\nBody.\n".encode()


def ours(text: str) -> object:
    found = parse(document(text))
    return Error(found.problem.code) if found.problem else found.values


def theirs(text: str) -> object:
    try:
        return yaml.safe_load(text + "\n")
    except (yaml.YAMLError, ValueError) as problem:
        return Error(type(problem).__name__)


def same(one: object, two: object) -> bool:
    return repr(one) == repr(two)


# The table of differences


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.why)
def test_each_difference_is_as_the_table_says(row: Difference) -> None:
    for expected, found in ((row.ours, ours(row.text)), (row.theirs, theirs(row.text))):
        if isinstance(found, dict) and "k" in found and not (isinstance(expected, dict) and "k" in expected):
            found = found["k"]
        assert same(expected, found)
    assert not same(row.ours, row.theirs)
    assert not row.covers or re.fullmatch(row.covers, row.text.partition(": ")[2])


def explained(text: str) -> bool:
    return any(row.covers and re.fullmatch(row.covers, text) for row in DIFFERENCES)


def agree(one: object, two: object) -> bool:
    """Tell whether two values are the same but for what the table explains."""
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(agree, one, two))
    text = one if isinstance(one, str) else str(two)
    return same(one, two) or explained(text)


# Random documents

LETTERS = st.sampled_from("abzé😀 #:,-?!&*[]{}|>%@`'\"\\/~=<.+_0123456789")
WORDS = st.sampled_from(
    ["yes", "no", "true", "False", "null", "~", "0", "7", "-3", "+12", "012", "08", "1.7", "1.10", "1.", ".5", "-.5",
     "1e3", "0x1F", "2026-01-31", "1:30", "a:b", "a#b", "-a", "it's", "a,b", "<<", "="]
)  # fmt: skip
MARKS = st.sampled_from(["a: b", "#c", "-", "?a", ":a", "[a]", "{a}", "- ", "x:", "&a", "*a", "!a"])
TEXT = WORDS | MARKS | st.text(LETTERS, max_size=12) | st.lists(WORDS | MARKS, max_size=3).map(" ".join)
SPACES = st.sampled_from(["", " ", "   "])
COMMENTS = st.sampled_from(["", "", " # a comment: [x", "   #"])
UNQUOTED_KEYS = st.sampled_from(
    ["key", "a-b", "a b", "-x", "?x", ":x", "é", "a#b", "on", "x:y", "2026-01-31", "it's"]
)


@st.composite
def single_quoted(draw: st.DrawFn) -> str:
    return "'" + draw(TEXT).replace("'", "''") + "'"


@st.composite
def double_quoted(draw: st.DrawFn) -> str:
    pieces = TEXT.map(lambda text: text.replace("\\", "\\\\").replace('"', '\\"'))
    escapes = st.sampled_from(
        ["\\n", "\\t", "\\x41", "\\u263A", "\\U0001F600", "\\/", "\\0", "\\e", "\\_", "\\ ", "\t"]
    )
    return '"' + "".join(draw(st.lists(pieces | escapes, max_size=4))) + '"'


PLAIN_VALUES = WORDS | st.sampled_from(
    [
        "two words",
        "a [b]",
        "a {b}",
        'say "x"',
        "x ? y",
        "x - y",
        "ends with -",
        "é 😀",
        "http://a/b?c",
        "?a",
        ":a",
    ]
)
FLOW_PLAIN = PLAIN_VALUES.filter(lambda text: not set(text) & set(",?[]{}") and text[0] != ":")
SCALARS = PLAIN_VALUES | single_quoted() | double_quoted()
FLOW_SCALARS = FLOW_PLAIN | single_quoted() | double_quoted()


@st.composite
def flow_list(draw: st.DrawFn) -> str:
    gap = st.sampled_from(["", " ", "\n  ", "  # why\n", "\n\n"])
    items = draw(st.lists(FLOW_SCALARS, max_size=4))
    inner = "".join(f"{draw(gap)}{item}{draw(gap)}," for item in items)
    return "[" + (inner if draw(st.booleans()) else inner[:-1]) + draw(gap) + "]"


@st.composite
def block_list(draw: st.DrawFn, indent: str) -> str:
    inside = indent + draw(SPACES)
    items = draw(st.lists(SCALARS | st.just(""), min_size=1, max_size=4))
    blank = st.sampled_from(["", "", "\n", "\n# between"])
    return "".join(f"{draw(blank)}\n{inside}- {draw(SPACES)}{item}{draw(COMMENTS)}" for item in items)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, int]:
    """Draw a document of the subset, in every spelling that it has, and the number of its keys."""
    indent = draw(st.sampled_from(["", "", "  "]))
    keys = draw(
        st.lists(UNQUOTED_KEYS | single_quoted() | double_quoted(), min_size=1, max_size=5, unique=True)
    )
    lines = []
    for key in keys:
        value = draw(SCALARS | flow_list() | block_list(indent) | st.just(""))
        separator = "" if value.startswith("\n") or not value else draw(st.sampled_from([" ", "   "]))
        comment = "" if value.startswith("\n") else draw(COMMENTS)
        lines.append(f"{indent}{key}{draw(st.sampled_from(['', ' ']))}:{separator}{value}{comment}")
        lines += draw(st.sampled_from([[], [], [""], ["# a line"], ["   "]]))
    return "\n".join(lines).replace("\n", draw(st.sampled_from(["\n", "\r\n"]))), len(keys)


@given(documents())
@settings(deadline=None, max_examples=examples(400))
def test_the_subset_is_read_as_pyyaml_reads_it(drawn: tuple[str, int]) -> None:
    text, keys = drawn
    expected = yaml.load(text + "\n", Loader=yaml.BaseLoader)  # noqa: S506 - text only, no objects
    found = ours(text)
    if len(expected) < keys:
        assert found == "FM_DUPLICATE_KEY"
        return
    assert isinstance(found, dict), found
    assert list(found) == list(expected)
    reference = theirs(text)
    if isinstance(reference, Error):  # one that the table knows: a date that is none, << or =
        assert reference in ("ValueError", "ConstructorError")
        return
    assert isinstance(reference, dict)
    assert all(agree(one, two) for one, two in zip(found.values(), reference.values(), strict=True))


@given(
    st.lists(
        LETTERS | st.sampled_from(["\n", "\n", "\nk: ", "\n- ", "\n  - ", ": ", "a: [", "\t", " #"])
    ).map("".join)
)
@settings(deadline=None, max_examples=examples(600))
def test_what_we_accept_pyyaml_accepts_with_the_same_data(text: str) -> None:
    if any(line.rstrip() == "---" for line in text.split("\n")):
        return
    found = ours("a: " + text)
    if isinstance(found, Error):
        return
    assert isinstance(found, dict)
    reference = theirs("a: " + text)
    if isinstance(reference, Error):
        assert reference in ("ValueError", "ConstructorError")
        return
    assert isinstance(reference, dict)
    assert all(agree(one, two) for one, two in zip(found.values(), reference.values(), strict=True))


@given(st.binary() | st.binary().map(lambda data: b"---\n" + data + b"\n---\n") | st.text().map(str.encode))
@settings(deadline=None, max_examples=examples(300))
def test_any_bytes_give_a_result(data: bytes) -> None:
    found = parse(data)
    assert (found.values is None) != (found.problem is None)
    if found.problem:
        assert found.problem.code.startswith("FM_")
        assert 1 <= found.problem.line <= 1 + data.count(b"\n")
        assert str(found.problem)


# The corpus


def corpus() -> list[dict[str, object]]:
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.skipif(not CORPUS.exists(), reason=f"{CORPUS} is not on this machine")
def test_the_corpus_never_gives_other_data() -> None:
    cases = corpus()
    assert len(cases) == 120
    accepted = 0
    for case in cases:
        found = parse(str(case["text"]).encode())
        allowed = [case["expect"], case.get("also_acceptable")]
        if found.problem:
            assert {"ok": False} in [{"ok": one["ok"]} for one in allowed if isinstance(one, dict)], case[
                "text"
            ]
        else:
            assert {"ok": True, "data": found.values} in allowed, case["text"]
            accepted += 1
    assert accepted == 15


# Codes, lines and types


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "FM_MISSING", 1),
        (b"# Title\n---\na: 1\n---\n", "FM_MISSING", 1),
        (b"\n---\na: 1\n---\n", "FM_MISSING", 1),
        (b" ---\na: 1\n---\n", "FM_MISSING", 1),
        (b"----\na: 1\n----\n", "FM_MISSING", 1),
        (b"---", "FM_UNCLOSED", 1),
        (b"---\na: 1\n", "FM_UNCLOSED", 1),
        (b"---\na: 1\n ---\n----\n", "FM_UNCLOSED", 1),
        (b"---\n---\n", "FM_PARSE", 1),
        (b"---\n\n# nothing\n---\n", "FM_PARSE", 1),
        (b"---\na: 1\n\nb\n---\n", "FM_PARSE", 4),
        (b"---\r\na: 1\r\nb\r\n---\r\n", "FM_PARSE", 3),
        (b"---\ra: 1\r---\r", "FM_PARSE", 1),
        (b"---\na: 1\rb: 2\n---\n", "FM_PARSE", 2),
        (b"---\na: 1\r\r\n---\n", "FM_PARSE", 2),
        (b"---\na: \x07\n---\n", "FM_PARSE", 2),
        (b"---\na: 'x\0'\n---\n", "FM_PARSE", 2),
        (b"---\na: 1\n# \x7f\n---\n", "FM_PARSE", 3),
        (b"---\na: \xef\xbf\xbf\n---\n", "FM_PARSE", 2),
        (b"---\na:\n\t- b\n---\n", "FM_PARSE", 3),
        (b"---\na:\tb\n---\n", "FM_PARSE", 2),
        (b"---\na: b\tc\n---\n", "FM_PARSE", 2),
        (b"---\na: [\n  b,\n  c d,\n  'x' y]\n---\n", "FM_PARSE", 5),
        (b"---\na: [\n  b,\n---\n", "FM_PARSE", 3),
        (b"---\na: [b]\n\nc: [d] e\n---\n", "FM_PARSE", 4),
        (b"---\na: [\nb\n] c\n---\n", "FM_PARSE", 4),
        (b"---\na: [what?]\n---\n", "FM_PARSE", 2),
        (b"---\na: 1\n- b\n---\n", "FM_PARSE", 3),
        (b"---\na:\n  - b\n - c\n---\n", "FM_PARSE", 4),
        (b"---\na: 'b\n---\n", "FM_PARSE", 2),
        (b'---\na: "\\q"\n---\n', "FM_PARSE", 2),
        (b'---\na: "\\U00110000"\n---\n', "FM_PARSE", 2),
        (b"---\n" + b"k" * 1025 + b": 1\n---\n", "FM_PARSE", 2),
        (b"---\na: 1\nb: 2\na: 3\n---\n", "FM_DUPLICATE_KEY", 4),
        (b"---\na: 1\n'a': 3\n---\n", "FM_DUPLICATE_KEY", 3),
        (b"---\na:\n  b: 1\n---\n", "FM_NESTED", 3),
        (b"---\na:\n  - b\n  - c: 1\n---\n", "FM_NESTED", 4),
        (b"---\na:\n  - 'c' : 1\n---\n", "FM_NESTED", 3),
        (b"---\na: [\n  b,\n  {c: 1}]\n---\n", "FM_NESTED", 4),
        (b"---\na: {}\n---\n", "FM_NESTED", 2),
        (b"---\na: 1\n---\n\xff\n", "FM_NOT_UTF8", 4),
        (b"\xff\xfe-\0-\0-\0\n\0", "FM_NOT_UTF8", 1),
    ],
)  # fmt: skip
def test_what_is_wrong_has_its_code_and_line(data: bytes, code: str, line: int) -> None:
    problem = parse(data).problem
    assert problem is not None
    assert (problem.code, problem.line) == (code, line)
    assert str(problem) == problem.args[0]


def test_a_file_as_people_write_it() -> None:
    text = (
        "\ufeff--- \r\ntype: ultrabrief  # the kind\r\n\r\nfindings:\r\n  - a\r\n  - 'b: c'\r\nflow: [x, \"y\", ]\r\n"
        "empty:\r\n---\t\r\n# Title\r\n---\r\nnot: this\r\n"
    )
    found = parse(text.encode())
    assert found.values == {
        "type": "ultrabrief",
        "findings": ["a", "b: c"],
        "flow": ["x", "y"],
        "empty": None,
    }
    assert found.lines == {"type": 2, "findings": 4, "flow": 7, "empty": 8}
    assert (found.body, found.body_line) == ("# Title\r\n---\r\nnot: this\r\n", 10)


def test_without_a_contract_the_form_decides() -> None:
    text = "a: 1.10\nb: 007\nc: no\nd: ~\ne: +5\nf: TRUE\ng: '1'\nh: 1.\ni: nan\nj: -0\nk: 1e3\nl: tRUE"
    assert ours(text) == {
        "a": 1.1, "b": "007", "c": "no", "d": None, "e": 5, "f": True, "g": "1", "h": 1.0, "i": "nan", "j": 0,
        "k": "1e3", "l": "tRUE",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "plain", "value"),
    [
        ("text", "1.10", "1.10"),
        ("text", "no", "no"),
        ("text", "true", "true"),
        ("text", "012", "012"),
        ("text", "9" * 400, "9" * 400),
        ("text", "", None),
        ("text", "null", None),
        ("text", '""', ""),
        ("date", "2026-01-31", "2026-01-31"),
        ("timestamp", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
        ("integer", "5", 5),
        ("integer", "'5'", "5"),
        ("integer", "5.0", "5.0"),
        ("integer", "true", "true"),
        ("number", "5", 5),
        ("number", "0.5", 0.5),
        ("boolean", "true", True),
        ("boolean", "1", "1"),
        ("list", "[1, 0012, true]", ["1", "0012", "true"]),
        ("list", "5", "5"),
    ],
)
def test_the_contract_s_type_decides(kind: str, plain: str, value: object) -> None:
    found = parse(document(f"k: {plain}\nother: 5"), {"k": kind})
    assert same(found.values, {"k": value, "other": 5})


def test_time_grows_with_the_length_and_no_faster() -> None:
    lines = {
        "plain": "k: " + "a: #" * 300_000,
        "quote": "k: '" + "''" * 500_000 + "'",
        "escapes": 'k: "' + "\\x41" * 300_000 + '"',
        "flow": "k: [" + "a, " * 300_000 + "]",
        "rows": "\n".join(f"k{number}: [a]" for number in range(50_000)),
        "items": "k:\n" + "- a\n" * 100_000,
        "brackets": "k: " + "[" * 500_000,
        "spaces": "k:" + " " * 1_000_000,
    }
    for name, text in lines.items():
        started = time.process_time()
        parse(document(text))
        assert time.process_time() - started < 20, name


QUOTES = [
    "'a'", '"a"', "'a", '"a', "a'", "'a' b", '"a" b', "'a' # c", '"a" # c', "'a'#c", '"a"#c', "'a''b'", "'a'' b", "''", "'",
    '"', '""', '"\\""', '"\\"', "'a' 'b'", "'a':", "{b: c", "{b: c} d", "{b: c}", "{b: c, ", "{b", "{", "[", "[b", "[b] c",
]  # fmt: skip
PLACES = [
    "k: {}",
    "k:\n  - {}",
    "k:\n  - a\n  - {}",
    "k: [{}]",
    "k: [x, {}]",
    "{}: v",
    "k:\n  - x: {}",
    "k:\n  - x: y\n    z: {}",
]


@each((place.format(quote), records) for place in PLACES for quote in QUOTES for records in (True, False))
def test_what_pyyaml_refuses_is_refused(text: str, records: bool) -> None:
    try:
        yaml.safe_load(text)
    except yaml.YAMLError:
        reader = MappingReader(text.split("\n"), records=records)
        with pytest.raises(MappingError):
            reader.read()
