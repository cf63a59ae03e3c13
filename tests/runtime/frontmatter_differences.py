"""The deliberate differences between our front matter and PyYAML's `safe_load`: one row each.

`ours` and `theirs` are the value of the key `k` (or the whole mapping where the key is the point);
an error is spelled by its class, ours by its code. `covers` is a pattern of the plain scalars that a row
speaks of, so that a random document may differ there and nowhere else.
"""

from __future__ import annotations

import datetime
from typing import NamedTuple


class Difference(NamedTuple):
    """One row: why, the text between the fences, what we make of it and what PyYAML does."""

    why: str
    text: str
    ours: object
    theirs: object
    covers: str = ""


class Error(str):
    """The code or the class of an error."""

    __slots__ = ()


PARSE = Error("FM_PARSE")
DATE = datetime.date(2026, 1, 31)
MOMENT = datetime.datetime(2026, 1, 31, 12, 0, tzinfo=datetime.timezone.utc)

DIFFERENCES = [
    Difference("yes, no, on and off are words", "k: no", "no", False, "(?i:yes|no|on|off)"),
    Difference("they are words as keys too", "on: 1", {"on": 1}, {True: 1}),
    Difference("a number does not begin with 0", "k: 012", "012", 10, "[-+]?0[0-7_]+"),
    Difference("binary is text", "k: 0b101", "0b101", 5, "[-+]?0b[01_]+"),
    Difference("hexadecimal is text", "k: 0x1F", "0x1F", 31, "[-+]?0x[0-9a-fA-F_]+"),
    Difference("underscores make text", "k: 1_000", "1_000", 1000, r"[-+]?[0-9][0-9_]*(\.[0-9_]*)?"),
    Difference("underscores make text after a point", "k: .5_0", ".5_0", 0.5, r"\.[0-9][0-9_]*"),
    Difference("base 60 is text", "k: 1:30", "1:30", 90, r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"),
    Difference("exponents make text", "k: 1.0e+3", "1.0e+3", 1000.0, r"[-+]?[0-9_]*\.[0-9_]*[eE][-+][0-9]+"),
    Difference("infinity is text", "k: -.inf", "-.inf", float("-inf"), r"[-+]?\.(inf|Inf|INF)"),
    Difference("a fraction may have a sign", "k: -.5", -0.5, "-.5", r"[-+]\.[0-9]+"),
    Difference("a date is text", "k: 2026-01-31", "2026-01-31", DATE, r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    Difference(
        "a timestamp is text", "k: 2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z", MOMENT, r"[0-9]{4}-.+:.+"
    ),
    Difference("a date that is none is text", "k: 2026-13-45", "2026-13-45", Error("ValueError")),
    Difference("= is text", "k: =", "=", Error("ConstructorError"), "="),
    Difference("<< is text as a value", "k: <<", "<<", Error("ConstructorError"), "<<"),
    Difference("<< is no key", "<<: {}", PARSE, {}),
    Difference("a key is text: no number", "1: a", PARSE, {1: "a"}),
    Difference("a key is text: no fraction", "1.5: a", PARSE, {1.5: "a"}),
    Difference("a key is text: no truth", "true: a", PARSE, {True: "a"}),
    Difference("a key is text: no null", "~: a", PARSE, {None: "a"}),
    Difference("a key stands once", "k: 1\nk: 2", Error("FM_DUPLICATE_KEY"), 2),
    Difference("front matter is not empty", "", PARSE, None),
    Difference("a comment is not enough", "# only this", PARSE, None),
    Difference("a value stands on the line of its key", "k:\n  a", PARSE, "a"),
    Difference("plain text has one line", "k: a\n  b", PARSE, "a b"),
    Difference("quoted text has one line", 'k: "a\n  b"', PARSE, "a b"),
    Difference("an item of a list has one line", "k: [a\n  b]", PARSE, ["a b"]),
    Difference("no block scalar", "k: |\n  a", PARSE, "a\n"),
    Difference("no anchor", "k: &x a", PARSE, "a"),
    Difference("no alias", "a: &x 1\nk: *x", PARSE, 1),
    Difference("no tag", "k: !!str 1", PARSE, "1"),
    Difference("no explicit key", "? k\n: a", PARSE, "a"),
    Difference("no mapping in braces", "{k: a}", PARSE, "a"),
    Difference("no mapping in the mapping", "k:\n  a: b", Error("FM_NESTED"), {"a": "b"}),
    Difference("no mapping in braces in the mapping", "k: {a: b}", Error("FM_NESTED"), {"a": "b"}),
    Difference("no mapping in a list", "k:\n  - a: b", Error("FM_NESTED"), [{"a": "b"}]),
    Difference("no mapping in a list in brackets", "k: [a: b]", Error("FM_NESTED"), [{"a": "b"}]),
    Difference("no list in a list", "k:\n  - - a", Error("FM_NESTED"), [["a"]]),
    Difference("no list in a list in brackets", "k: [[a]]", Error("FM_NESTED"), [["a"]]),
    Difference("a mapping, not a list", "- a", PARSE, ["a"]),
    Difference("a comment follows a space", 'k: "a"#b', PARSE, "a"),
    Difference("a comment in a list follows a space", "k: [a,#b\n]", PARSE, ["a"]),
    Difference("the end of a document is the fence alone", "k: a\n...", PARSE, "a"),
    Difference("no directive", "%YAML 1.1\n--- \nk: a", PARSE, "a"),
    Difference("U+0085 ends no line", "k: a\u0085", PARSE, "a"),
    Difference("U+2028 ends no line", "k: a\u2028", PARSE, "a"),
    Difference("U+2029 ends no line", "k: a\u2029", PARSE, "a"),
    Difference("a carriage return alone ends no line", "k: a\rb: c", PARSE, "a"),
    Difference("the byte order mark stands at the top of the file", "\ufeffk: a", PARSE, "a"),
    Difference("half a surrogate pair is no character", 'k: "\\ud800"', PARSE, "\ud800"),
    Difference("no number of more than 300 digits", "k: " + "9" * 301, PARSE, int("9" * 301)),
    Difference("no fraction of more than 300 digits", "k: " + "9" * 400 + ".0", PARSE, float("inf")),
]
