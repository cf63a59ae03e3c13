"""Names and lists in messages: nothing is lost without being counted, and nothing leaves its line or its word."""

from __future__ import annotations

import errno
import io
import itertools
import math
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.table import each
from ultra_runtime.__main__ import _print, _refusal
from ultra_runtime.answer import Answer, RefusedError, Refusing, UsageError, brief_answer, said_by_the_machine
from ultra_runtime.errors import UltraError
from ultra_runtime.words import bare_words, counted, first_of, listed, one_line, shell_word, shortened

NAMES = st.lists(st.text("abc", min_size=1, max_size=3), max_size=8)


@given(NAMES, st.integers(1, 8))
def test_names_that_are_not_shown_are_counted(names: list[str], most: int) -> None:
    shown = shortened(iter(names), most)
    left = len(names) - most
    assert shown == (names if left <= 0 else [*names[:most], f"{left} more"])
    for sign in (", ", "; ", " / "):
        words = first_of(iter(names), most, sign)
        assert words == sign.join(names[:most]) + (f" and {left} more" if left > 0 else "")
    assert first_of(names, most) == first_of(names, most, ", ")


@pytest.mark.parametrize(
    ("names", "words"),
    [([], "nothing"), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_a_list_in_words(names: list[str], words: str) -> None:
    assert listed(names) == words
    assert listed(iter(names), "or") == words.replace(" and ", " or ")


@given(st.text(max_size=60), st.integers(8, 40))
def test_a_message_is_one_line_of_bounded_length(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert line.isprintable()
    if text.isprintable():
        cut = f"{text[: limit // 2]}...{text[-math.ceil(limit / 4) :]}"
        assert line == (text if len(text) <= limit else cut)
        assert len(line) <= max(limit, len("..."))


@given(st.text(max_size=20))
def test_a_word_of_a_shell_is_one_word(text: str) -> None:
    word = shell_word(text)
    assert shlex.split(word) == [text]
    assert shell_word("aZ09_-./:@%+=,") == "aZ09_-./:@%+=,"


@given(st.text(max_size=20))
def test_only_the_words_of_a_text_are_compared(text: str) -> None:
    bare = bare_words(text)
    assert bare == bare_words(f" {text.upper()}. ") or text.casefold() != text.upper().casefold()
    assert all(one.isalnum() or one == " " for one in bare)
    assert "  " not in bare


@pytest.mark.parametrize(("number", "words"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps")])
def test_a_count_has_its_noun(number: int, words: str) -> None:
    assert counted(number, "step") == words


COUNTS = st.dictionaries(st.sampled_from("xy"), st.integers(0, 2) | st.booleans(), max_size=2)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(0, 1)
    | st.sampled_from(["", "a"])
    | COUNTS
    | st.lists(COUNTS, max_size=1)
)


@given(st.dictionaries(st.sampled_from(["passed", "a", "b"]), VALUES))
def test_a_brief_answer_leaves_out_what_says_nothing(data: dict[str, Any]) -> None:
    told = brief_answer(Answer(data, "text", 1))
    expected = {}
    for name, value in data.items():
        if isinstance(value, dict) and all(type(one) is int for one in value.values()):
            value = {key: one for key, one in value.items() if one}
        if value or name == "passed":
            expected[name] = value
    assert (told.data, told.text, told.status) == (expected, "text", 1)


@each((number, name) for number in [None, *errno.errorcode] for name in (None, "a\nb"))
def test_what_is_wrong_with_the_machine_is_said(number: int | None, name: str | None) -> None:
    problem = OSError(number, "so it is", name) if number else OSError("so it is")
    words = ["ENOSPC", "EDQUOT", "EIO", "EROFS", "EFBIG", "EPERM", "EACCES", "EMFILE", "ENFILE"]
    said = "" if errno.errorcode.get(number or 0) not in words else "so it is (a\\nb)" if name else "so it is"
    assert said_by_the_machine(problem) == said
    assert said_by_the_machine(ValueError(number)) == ""


@each([UltraError("x"), UsageError("x", "y"), ValueError("x")])
def test_only_an_expected_error_becomes_a_refusal_with_the_hint(problem: Exception) -> None:
    with (
        pytest.raises(type(problem) if type(problem) is not UltraError else RefusedError) as caught,
        Refusing("do"),
    ):
        raise problem
    if isinstance(caught.value, RefusedError):
        hint = "y" if problem is caught.value else "do"
        assert caught.value.as_answer().data == {"ok": False, "error": "x", "next": hint}
        assert caught.value.as_answer().status == (2 if problem is caught.value else 1)


def test_every_error_becomes_an_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(problem: Exception) -> tuple[str, str, int]:
        answer = _refusal(problem, ["x"]).as_answer()
        return answer.data["error"], answer.data["next"], answer.status

    assert told(RefusedError("no", "do")) == ("no", "do", 1)
    assert told(UsageError("no", "do")) == ("no", "do", 2)
    assert told(UltraError("no")) == ("no", "fix this and retry", 1)
    assert told(OSError(errno.ENOSPC, "full")) == (
        "full",
        "fix this and retry; what was done before stays",
        1,
    )
    for debug, log in itertools.product(("", "0", "1"), ("", "x.log")):
        monkeypatch.setenv("ULTRA_DEBUG", debug)
        monkeypatch.setattr("ultra_runtime.files.unexpected.keep", lambda *_, log=log: log)
        hint = f"The log is {log}; please report it." if log else "No log could be written"
        error, remedy, status = told(KeyError("boom"))
        assert (error, remedy.startswith(hint), status) == ("internal error, KeyError: 'boom'", True, 3)
        assert bool(capsys.readouterr().err) == (debug == "1")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("no_colour", ["", "1"])
def test_an_answer_is_printed_for_programs_or_for_people(
    monkeypatch: pytest.MonkeyPatch, no_colour: str
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_colour)
    row, rows = {"ok": True}, [{"a": 1}, {"a": 2}]
    green = "ok a" if no_colour else "\x1b[32mok\x1b[0m a"
    lines = '{"a":1}\n{"a":2}\n'
    for batch, as_json, stream, out in (
        (None, False, io.StringIO(), "ok a\n"), (None, False, Terminal(), f"{green}\n"), (None, True, Terminal(), '{"ok":true}\n'),
        (rows, False, io.StringIO(), lines), (rows, True, Terminal(), lines), ([], False, Terminal(), ""),
    ):  # fmt: skip
        assert _print(Answer(row, "ok a\n\n", 1, batch), as_json, stream) == 1
        assert stream.getvalue() == out
    assert _print(Answer(row, "x", 2), False, None) == 2
