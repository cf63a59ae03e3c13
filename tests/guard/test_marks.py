"""What may be a name, and what is the same path, for all words: compared with regular expressions and the system."""

from __future__ import annotations

import posixpath
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.quick import examples
from tests.kit.table import each
from ultra_runtime.guard.shell.calls import options, skip_options
from ultra_runtime.guard.shell.marks import (
    ALL,
    DECODED,
    FETCHED,
    HOME,
    MAX_MADE,
    UNKNOWN,
    USER_HOME,
    clean,
    collapsed,
    known,
    may_be,
    pieces,
    replaced,
    show,
    taint,
)
from ultra_runtime.guard.shell.quotes import ansi, resolve

LETTERS = st.text("ab", max_size=3)
WILD = st.sampled_from(["*", "?", "[ab]", "[", UNKNOWN, FETCHED, DECODED])


@settings(deadline=None, max_examples=examples(3000))
@given(st.lists(LETTERS, min_size=1, max_size=4), st.data(), st.text("ab", max_size=6))
def test_a_word_may_be_what_its_known_parts_allow(parts: list[str], data: st.DataObject, target: str) -> None:
    signs = [data.draw(WILD) for _ in parts[1:]]
    if "[" in signs and "[ab]" in signs:
        signs = [sign.replace("[ab]", "*") for sign in signs]
    word = parts[0] + "".join(sign + part for sign, part in zip(signs, parts[1:], strict=True))
    assert pieces(word) == parts
    assert may_be(word, target) == bool(re.fullmatch(".*".join(parts), target))


@settings(deadline=None, max_examples=examples(3000))
@given(st.lists(st.sampled_from(["a", "b", "..", ".", ""]), min_size=1, max_size=6), st.booleans())
def test_a_path_that_is_collapsed_is_the_same_path(names: list[str], absolute: bool) -> None:
    path = ("/" if absolute else "") + "/".join(names)
    made = collapsed(path)
    assert _normal(made) == _normal(path)
    assert collapsed(made) == made
    if made != path:
        parts = made.split("/")
        assert "" not in parts[1:] or made == "/"
        assert "." not in parts[1:]
        assert (
            ".." not in parts or parts[: parts.count("..")] == [".."] * parts.count("..") or parts[0] == "."
        )


def _normal(path: str) -> str:
    """Return what the system says; two slashes in front are one for us."""
    found = posixpath.normpath(path)
    return found[1:] if found.startswith("//") else found


@each(
    [
        (f"{HOME}/..", f"{HOME}/.."),
        (f"{HOME}/./x", f"{HOME}/x"),
        (f"{HOME}/a/../x", f"{HOME}/x"),
        (f"{UNKNOWN}/../x", f"{UNKNOWN}/../x"),
        (f"a{UNKNOWN}/../x", f"a{UNKNOWN}/../x"),
        ("/../x", "/x"),
        ("/a/../../x", "/x"),
        ("../../x", "../../x"),
        ("a/b/", "a/b/"),
        (".x", ".x"),
        ("a/.x", "a/.x"),
    ]
)
def test_what_is_not_known_is_not_left_out(path: str, expected: str) -> None:
    assert collapsed(path) == expected


def test_marks_are_told_apart() -> None:
    assert [known(f"a{mark}b") for mark in ALL] == [False, False, False, True, True]
    assert [taint(f"a{mark}b") for mark in ALL] == ["", FETCHED, DECODED, "", ""]
    assert taint(DECODED + UNKNOWN + FETCHED) == FETCHED + DECODED
    assert [show(f"a{mark}b") for mark in ALL] == ["a...b", "a...b", "a...b", "a~b", "a~b"]
    assert show(USER_HOME + "bob") == "~bob"
    assert clean("".join(ALL) + "a\r\nb\rc") == "\ufffd" * len(ALL) + "a\nb\rc"


@each([1, 2, 3, -1])
def test_a_text_that_grows_too_long_is_unknown(times: int) -> None:
    count = 3 if times < 0 else times
    fits = (MAX_MADE - 3 + count) // count
    text = replaced("xxx", "x", "y" * fits, times)
    assert text == "xxx".replace("x", "y" * fits, times)
    assert replaced("xxx", "x", "y" * (fits + 1), times) == UNKNOWN
    assert replaced("xxx", "x", FETCHED + "y" * fits, times) == UNKNOWN + FETCHED


ARGUMENT = st.sampled_from(
    [
        "-",
        "--",
        "-a",
        "-v",
        "-av",
        "-va",
        "-vx",
        "-ax",
        "--long",
        "--long=",
        "--long=x",
        "--flag",
        "--flag=y",
        "x",
        "y",
        "",
    ]
)


def sorted_words(args: list[str], ends: bool) -> tuple[list[str], list[tuple[str, str]], list[str]]:
    """Sort arguments as getopt does: -v and --long have a value."""
    flags: list[str] = []
    values: list[tuple[str, str]] = []
    rest = args[::-1]
    operands: list[str] = []
    while rest:
        arg = rest.pop()
        if arg == "--":
            return flags, values, operands + rest[::-1]
        if arg in ("", "-") or arg[0] != "-":
            operands.append(arg)
            if ends:
                return flags, values, operands + rest[::-1]
        elif arg.startswith("--"):
            name, equals, value = arg[2:].partition("=")
            flags.append(name)
            if equals:
                values.append((name, value))
            elif name == "long" and rest:
                values.append((name, rest.pop()))
        else:
            letters, valued, value = arg[1:].partition("v")
            flags += [*letters, *valued]
            if valued and (value or rest):
                values.append(("v", value or rest.pop()))
    return flags, values, operands


@settings(deadline=None, max_examples=examples(3000))
@given(st.lists(ARGUMENT, max_size=6), st.booleans())
def test_arguments_are_sorted_as_getopt_does(args: list[str], ends: bool) -> None:
    found = options(args, "v", "long", ends)
    flags, values, operands = sorted_words(args, ends)
    assert (found.flags, found.values, found.operands) == (flags, values, operands)
    assert args[skip_options(args, "v", "long") :] == sorted_words(args, True)[2]
    assert found.has("a", "flag") == bool({"a", "flag"} & set(flags))
    given_ = [value for name, value in values if name in ("v", "long")]
    assert found.value("v", "long") == (given_[-1] if given_ else None)


ESCAPES = {
    "\\n": "\n", "\\t": "\t", "\\r": "\r", "\\a": "\a", "\\b": "\b", "\\f": "\f", "\\v": "\v", "\\e": "\x1b", "\\E": "\x1b",
    "\\\\": "\\", "\\'": "'", '\\"': '"', "\\?": "?", "\\x41": "A", "\\x4": "\x04", "\\x414": "A4", "\\xg": "\\xg",
    "\\u41": "A", "\\u00e9": "é", "\\u00e90": "é0", "\\U0001f600": "\U0001f600", "\\U110000": "\ufffd", "\\U10ffff": "\U0010ffff",
    "\\101": "A", "\\1011": "A1", "\\7": "\x07", "\\8": "\\8", "\\q": "\\q", "\\777": "\xff",
}  # fmt: skip


@each(ESCAPES.items())
def test_an_escape(text: str, expected: str) -> None:
    assert resolve(f"a{text}z") == f"a{expected}z" or text[-1] in "4"
    assert resolve(text) == expected
    assert ansi(f"{text}' rest", 0) == (expected, len(text) + 1)
    assert ansi(text, 0) == ("", -1)


@each(
    [
        ("\\0101", False, "\x081"),
        ("\\0101", True, "A"),
        ("\\0", True, "\0"),
        ("\\08", True, "\x008"),
        ("\\101", True, "A"),
        ("a\\", False, "a\\"),
        ("a\\cb", False, "a"),
    ]
)
def test_an_escape_of_echo(text: str, zero: bool, expected: str) -> None:
    assert resolve(text, zero) == expected


@each(
    [
        ("\\cA'", ("\x01", 4)),
        ("\\c'", ("", -1)),
        ("a\\0b'x", ("a", 5)),
        ("a\\", ("", -1)),
        ("'", ("", 1)),
        ("\\ca", ("", -1)),
    ]
)
def test_a_string_with_a_control_character(text: str, expected: tuple[str, int]) -> None:
    assert ansi(text, 0) == expected
