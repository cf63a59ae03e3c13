"""JSON without the json package: the same data as json, or an error with a line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.names import RUNTIME
from ultra_runtime.text.jsontext import JsonError, read_object, write

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(SCALARS, lambda part: st.lists(part) | st.dictionaries(st.text(), part), max_leaves=20)
OBJECTS = st.dictionaries(st.text(), VALUES)


@given(OBJECTS, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
@settings(deadline=None)
def test_reads_what_json_writes(
    values: dict[str, object], indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    assert repr(read_object(text.encode()).values) == repr(values)
    assert read_object(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()).values == values


@given(OBJECTS)
@settings(deadline=None)
def test_json_reads_what_it_writes(values: dict[str, object]) -> None:
    text = write(values)
    assert repr(json.loads(text)) == repr(values)
    assert "\n" not in text


def test_half_a_surrogate_pair_is_written_as_an_escape() -> None:
    assert write({"a\udc80": ["grün\udfff"]}).encode() == b'{"a\\udc80":["gr\\u00fcn\\udfff"]}'


def test_what_has_no_json_form_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        write({"a": {1, 2}})


def test_each_key_has_its_line() -> None:
    document = read_object(b'{"a": {"b": 1},\r\n\r\n "b": [1,\n2], "c"\n: 3}')
    assert document.lines == {"a": 1, "b": 3, "c": 4}


REFUSED = [
    (b"", 1, "it must be one object"),
    (b"\n\n[]", 3, "it must be one object"),
    (b"nul", 1, "it must be one object"),
    (b'{"a": 1', 1, "a comma or } is expected"),
    (b'{"a": 1}\n\nx', 3, "there is more text"),
    (b'{"a": 1,\n}', 2, "a key in double quotes is expected"),
    (b"{a: 1}", 1, "a key in double quotes is expected"),
    (b'{"a"\n= 1}', 2, "a colon is expected"),
    (b'{"a":\n\n}', 3, "a value is expected"),
    (b'{"a": [1,\n2,\n]}', 3, "a value is expected|illegal trailing comma"),
    (b'{"a": "x\n"}', 1, "invalid control character"),
    (b'{"a": "x\0"}', 1, "invalid control character"),
    (b'{"a": "\\x"}', 1, "invalid \\escape"),
    (b'{"a\\u00": 1}', 1, "invalid \\uxxxx escape"),
    (b'{"a": "x', 1, "unterminated string"),
    (b'{"a": 1,\n"a": 2}', 2, 'the key "a" appears twice'),
    (b'{"a": 1,\n"b": [{"c": 1, "c": 2}]}', 2, 'the key "c" appears twice'),
    (b'{"a": NaN}', 1, "NaN is not JSON"),
    (b'{"a": [-Infinity]}', 1, "-Infinity is not JSON"),
    (b'{"a": 1e999}', 1, "a number is too large"),
    (b'{"a": ' + b"9" * 301 + b"}", 1, "a number has more than 300 digits"),
    (b'{"a": ' + b"9" * 100_000 + b"}", 1, "a number has more than 300 digits"),
    (b'{"a":\n' + b"[" * 101 + b"]" * 101 + b"}", 1, "it is nested deeper than 100 levels"),
    (b'{"a": ' + b"[" * 500_000, 1, "it is nested deeper than 100 levels"),
    (b'{"a": ' + b'{"a":' * 500_000, 1, "it is nested deeper than 100 levels"),
    (b'{"a": "\\ud800"}', 1, "half a surrogate pair"),
    (b'{"\\udc00": 1}', 1, "half a surrogate pair"),
    (b'{"a": {"b": ["\\ud800x"]}}', 1, "half a surrogate pair"),
    (b'{\n"a": "\xff"}', 2, "it is not UTF-8"),
    (b'{"a": "\xed\xa0\x80"}', 1, "it is not UTF-8"),
    ('{"a": 1}'.encode("utf-16"), 1, "it is not UTF-8"),
]


@pytest.mark.parametrize(("data", "line", "message"), REFUSED, ids=lambda value: repr(value)[:40])
def test_what_is_not_json_is_an_error_with_its_line(data: bytes, line: int, message: str) -> None:
    with pytest.raises(JsonError) as caught:
        read_object(data)
    assert caught.value.line == line
    assert str(caught.value).startswith(tuple(message.split("|")))


@given(st.binary() | st.text(alphabet='{}[]":,0123456789.eE-+ntfalsrue\\u \n').map(str.encode))
@settings(deadline=None)
def test_any_bytes_are_read_as_json_reads_them_or_refused(data: bytes) -> None:
    try:
        document = read_object(data)
    except JsonError as error:
        problem = error
    else:
        assert json.loads(data.decode("utf-8-sig")) == document.values
        return
    assert 1 <= problem.line <= 1 + data.count(b"\n")


def test_without_the_c_scanner_the_package_does_the_same() -> None:
    script = (
        "import sys; sys.modules['_json'] = None; sys.path.insert(0, sys.argv[1])\n"
        "from ultra_runtime.text.jsontext import JsonError, read_object, write\n"
        'print(write(read_object(b\'{"a": [1, {"b": null}], "c": "\\\\u00e9"}\').values))\n'
        "for data in eval(sys.argv[2]):\n"
        "    try: read_object(data)\n"
        "    except JsonError as problem: print(problem.line)\n"
    )
    # The scanner in Python tells a raw line feed in a string one character, and so one line, later.
    refused = [(data, line) for data, line, _ in REFUSED if len(data) < 1000 and b'x\n"' not in data]
    command = [
        sys.executable,
        "-I",
        "-X",
        "utf8",
        "-c",
        script,
        str(RUNTIME),
        repr([data for data, _ in refused]),
    ]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split("\n")[:-1] == [
        '{"a":[1,{"b":null}],"c":"é"}',
        *(str(line) for _, line in refused),
    ]


def no_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key that is there twice, as the runtime does."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("twice")
    return dict(pairs)


def by_json(text: str) -> object:
    """Return the object in a text as json reads it, or nothing."""
    try:
        found = json.loads(text, object_pairs_hook=no_twice)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


SOUND = ["{}", " { } ", '{"a": 1}', '{"a": {"b": []}, "c": "d"}', '{"a\\n": "\\t"}']
TAILS = ["", " ", "\n", "x", "}", ",", "{}", "\0", "//", "1", "]"]


@given(
    st.builds(lambda text, tail: text + tail, st.sampled_from(SOUND), st.sampled_from(TAILS))
    | st.builds(lambda text, at, sign: text[:at] + sign + text[at + 1 :], st.sampled_from(SOUND), st.integers(0, 26),
                st.sampled_from(['"', "{", "}", "[", "]", ":", ",", "\\", "\n", "\t", "x", "0", ""]))
)  # fmt: skip
@settings(max_examples=150)
def test_accepts_what_json_accepts(text: str) -> None:
    expected = by_json(text)
    if expected is None:
        with pytest.raises(JsonError):
            read_object(text.encode())
    else:
        assert read_object(text.encode()).values == expected


def test_whatever_comes_after_an_object_is_refused_or_blank() -> None:
    for text in SOUND:
        for tail in TAILS:
            if by_json(text + tail) is None:
                with pytest.raises(JsonError):
                    read_object((text + tail).encode())
            else:
                assert tail.strip() == ""
