"""One USAGE line both documents a call and parses it."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ultra_runtime.answer import UsageError
from ultra_runtime.usage import Args, Usage, parse

LINE = (
    "run start PATH [NOTE] [--mode fg|resume] [--step N|--session N] [--strict|--soft] [--dir DIR] [--json]"
)


def call(line: str, *words: str) -> Args:
    return parse(Usage(line), words)


def test_the_parts_of_a_line() -> None:
    usage = Usage(LINE)
    assert usage.verb == ["run", "start"]
    assert (usage.arguments, usage.needed) == (["PATH", "NOTE"], ["PATH"])
    assert list(usage.options) == ["--mode", "--step", "--session", "--strict", "--soft", "--dir", "--json"]
    assert usage.options["--mode"].choices == ["fg", "resume"]
    assert usage.options["--step"].excludes == ["--session"]


def test_a_call_in_every_form() -> None:
    args = call(LINE, "--dir=a=b", "p", "--mode", "fg", "--soft", "--step", "3", "--", "--json")
    assert (args.need("PATH"), args.get("NOTE")) == ("p", "--json")
    assert (args.get("--dir"), args.get("--mode"), args.get("--step")) == ("a=b", "fg", "3")
    assert (args.flag("--soft"), args.flag("--strict"), args.flag("--json")) == (True, False, False)
    assert args.get("--session") is None


def test_one_dash_is_an_argument_and_so_is_what_follows_two() -> None:
    assert call("x PATH", "-").need("PATH") == "-"
    assert call("x PATH", "--", "--").need("PATH") == "--"
    assert call("x PATH [--n N]", "a", "--n", "-1").get("--n") == "-1"


def test_an_argument_that_takes_the_rest() -> None:
    assert call("stats COMMAND PAIR... --data DIR", "plan", "--data", "d", "a=1", "b=2").rest("PAIR") == [
        "a=1",
        "b=2",
    ]
    assert call("x [WORD...]").rest("WORD") == []


@pytest.mark.parametrize(
    ("line", "words", "error"),
    [
        ("x PATH", [], "missing PATH"),
        ("x A B", ["a"], "missing B"),
        ("x A WORD...", ["a"], "missing WORD"),
        ("x", ["a"], "unexpected argument: a"),
        ("x [--json]", ["--jsn"], "unknown option: --jsn (did you mean --json?)"),
        ("x [--json]", ["-q"], "unknown option: -q"),
        ("x [--json]", ["--json", "--json"], "--json is given twice"),
        ("x [--json]", ["--json=1"], "--json takes no value"),
        ("x [--dir DIR]", ["--dir"], "--dir needs a value: --dir DIR"),
        ("x [--dir DIR] [--json]", ["--dir", "--json"], "--dir needs a value: --dir DIR"),
        ("x [--dir DIR]", ["--dir="], "--dir needs a value: --dir DIR"),
        ("x [--dir DIR]", ["--dir", "a", "--dir=b"], "--dir is given twice"),
        ("x [--mode a|b]", ["--mode", "c"], "--mode must be a or b, not c"),
        ("x [--a|--b]", ["--b", "--a"], "--b and --a cannot be used together"),
        ("x [--a N|--b N]", ["--a", "1", "--b", "2"], "--a and --b cannot be used together"),
        ("x --dir DIR", [], "missing --dir DIR"),
    ],
)
def test_what_does_not_fit_is_said_with_the_line(line: str, words: list[str], error: str) -> None:
    with pytest.raises(UsageError) as caught:
        call(line, *words)
    assert caught.value.error == error
    assert caught.value.next_step == f"usage: ultra {line}"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ([], None),
        (["--at"], ""),
        (["--at", "x"], "x"),
        (["--at="], ""),
        (["--at", "--json"], ""),
        (["--at", "-1"], "-1"),
    ],
)
def test_a_value_in_brackets_may_be_left_out(words: list[str], value: str | None) -> None:
    args = call("x [--at [TIME]] [--json]", *words)
    assert (args.get("--at"), args.flag("--json")) == (value, "--json" in words)


def test_a_name_that_the_line_does_not_have_fails_loudly() -> None:
    with pytest.raises(KeyError):
        call("x [--json]").flag("--jsno")
    with pytest.raises(KeyError):
        call("x PATH", "p").get("PTAH")


@given(
    st.lists(st.sampled_from(["p", "--json", "--dir", "--dir=x", "--", "-", "", "--x", "--mode", "fg", "-x"]))
)
@settings(deadline=None)
def test_any_words_parse_or_are_refused(words: list[str]) -> None:
    with contextlib.suppress(UsageError):
        assert call(LINE, *words).need("PATH") in words
