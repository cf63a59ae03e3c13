"""Names and lists in messages: nothing is lost without being counted, and nothing leaves its line or its word."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        assert line == text if len(text) <= limit else len(line) <= limit
        assert line.startswith(text[: limit // 2])
        assert line.endswith(text[-(limit // 4) :])


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
