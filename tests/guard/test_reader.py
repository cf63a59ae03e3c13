"""The reader against bash itself, and its trees for the constructs that matter."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard.rows import every_row
from tests.guard.shell_programs import PROGRAM, SETTING, SOUP, WORD
from tests.kit.quick import examples
from ultra_runtime.guard.follow import expand
from ultra_runtime.guard.follow.follower import Follower
from ultra_runtime.guard.shell.reader import read
from ultra_runtime.guard.shell.syntax import Compound, Script, SimpleCommand
from ultra_runtime.guard.shell.wordreader import MAX_BRACKETS, MAX_DEPTH


def bash_accepts(text: str) -> bool:
    """Tell whether bash reads the text without a word of complaint."""
    done = subprocess.run(["bash", "-n"], input=text.encode(), capture_output=True, check=False)
    return done.returncode == 0 and not done.stderr


def words_of(text: str) -> list[list[str]]:
    """Return the words of all simple commands at the top of a text."""
    script, error, _ = read(text)
    assert not error
    follower = Follower(None, len(text))
    return [
        expand.words(follower, command.words)
        for pipeline in script.pipelines
        for command in pipeline.commands
        if isinstance(command, SimpleCommand)
    ]


def kinds_of(script: Script) -> list[str]:
    """Return the kinds of all compound commands in a script, outermost first."""
    out: list[str] = []
    for pipeline in script.pipelines:
        for command in pipeline.commands:
            if isinstance(command, Compound):
                out.append(command.kind)
                for inner in command.scripts:
                    out += kinds_of(inner)
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls -l", [["ls", "-l"]]),
        ("l\\s '-l' \"a b\" c\\ d", [["ls", "-l", "a b", "c d"]]),
        ("a;b&c&&d||e|f|&g\nh", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]]),
        ("a\\\nb \\\n c", [["ab", "c"]]),
        ("A=1 B=2 cmd C=3", [["cmd", "C=3"]]),
        ("2>&1 cmd >out <in", [["cmd"]]),
        ("cmd # not 'this", [["cmd"]]),
        ("echo a#b '#c'", [["echo", "a#b", "#c"]]),
        ("! a", [["a"]]),
        ("time -p a", [["time", "-p", "a"]]),
        ("$'a\\x41\\n' $'\\'' ", [["aA\n", "'"]]),
        ("{a,b}{1..2} {x} {,y}z", [["a1", "a2", "b1", "b2", "{x}", "z", "yz"]]),
        ("cat <<A <<'B'\n1\nA\n2\nB\nls", [["cat"], ["ls"]]),
        ("cat <<-E\n\tx\n\tE\nls", [["cat"], ["ls"]]),
        ("cat <<E", [["cat"]]),
        ("cat <<A $(cat <<B\n2\nB\n)\nit's\nA\nls", [["cat", "2"], ["ls"]]),
        ("cat <<A | (cat\nit's\nA\n)\nls", [["cat"], ["ls"]]),
        ("echo }", [["echo", "}"]]),
        ("echo if then fi", [["echo", "if", "then", "fi"]]),
        ("a=(1 2) b", [["b"]]),
        ("if'x' a", [["ifx", "a"]]),
        ("case\\x a", [["casex", "a"]]),
        ('echo "a"@(b|c) d', [["echo", "a@(b|c)", "d"]]),
        *((f"echo {sign}{group} c", [["echo", f"{sign}{group}", "c"]]) for sign in "?*+@!"
          for group in ("(a)", "(a|b)", "(a(b)c)", "()", "(a)d")),
        (f"echo @({'a' * (MAX_BRACKETS - 2)}) c", [["echo", f"@({'a' * (MAX_BRACKETS - 2)})", "c"]]),
    ],
)  # fmt: skip
def test_words(text: str, expected: list[list[str]]) -> None:
    assert words_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if a; then b; elif c; then d; else e; fi", ["if"]),
        ("while a; do b; done | (c)", ["while", "subshell"]),
        ("for x in 1 2; do { a; }; done", ["for", "group"]),
        ("for ((;;)); do a; done", ["for"]),
        ("case x in a|b) c;; (d) if e; then f; fi;; esac", ["case", "if"]),
        ("f() { a; }; function g { b; }", ["function", "group", "function", "group"]),
        ("[[ a < b && (c) ]] && ((1 + 2))", ["test", "arithmetic"]),
        ("((a); b)", ["subshell", "subshell"]),
        ("coproc X { a; }", ["group"]),
        ("echo {", []),
        ("f(){a;}", ["function", "group"]),
    ],
)
def test_compounds(text: str, expected: list[str]) -> None:
    script, error, _ = read(text)
    assert not error
    assert kinds_of(script) == expected


@pytest.mark.parametrize(
    "text",
    [
        "'",
        '"',
        "`",
        "$(",
        "${x",
        "$'",
        "<(",
        'a "$(b',
        "a '\nb",
        "a $(b 'c)",
        'echo "`"',
        "a\0b",
        "(" * 50,
        "$(" * 50,
    ],
)
def test_without_a_reading(text: str) -> None:
    assert read(text)[1]


@pytest.mark.parametrize(
    "text", ["fi", ")", "a )", "if a", "{ a", "case x", "done; ls", "f() ", "a |", "> ", "&& a", ";;"]
)
def test_lenient_where_bash_is_not(text: str) -> None:
    assert not read(text)[1]


# What opens, what closes, and what stands between two that follow each other.
NESTS = [
    ("( ", " )", "; "), ("{ ", "; }", "; "), ("if ", "; then :; fi", "; "), ("while ", "; do :; done", "; "), ("f() { ", "; }", "; "),
    ("for x in ", "; do :; done", "; "), ("for x in a; do ", "; done", "; "), ("case x in x) ", ";; esac", "; "), ("a $(", ")", " "),
    ('a "$(', ')"', " "), ("a ${x:-", "}", " "), ("a <(", ")", " "), ("x=(", ")", "; "), ("! (", ")", " | "),
]  # fmt: skip


@pytest.mark.parametrize(("opens", "closes", "between"), NESTS)
def test_depth_is_limited_and_length_is_not(opens: str, closes: str, between: str) -> None:
    one = f"{opens}a{closes}"
    assert not read(between.join([one] * (3 * MAX_DEPTH)))[1]
    assert not read(opens * 8 + "a" + closes * 8)[1]
    if not opens.startswith(("x=", "for x in ")) or "do" in opens:
        assert read(opens * (MAX_DEPTH + 1) + "a" + closes * (MAX_DEPTH + 1))[1]


def test_what_came_before_the_error_is_kept() -> None:
    script, error, _ = read("one\ntwo; echo 'open")
    assert error
    assert len(script.pipelines) == 3


@settings(deadline=None, max_examples=examples(150))
@given(PROGRAM)
def test_reads_the_programs_that_bash_reads(program: str) -> None:
    if bash_accepts(program):
        assert not read(program)[1]


@settings(deadline=None, max_examples=examples(150))
@given(SOUP)
def test_reads_what_bash_makes_of_soup(text: str) -> None:
    if "\0" not in text and bash_accepts(text):
        assert not read(text)[1]


def test_reads_every_row_that_bash_reads() -> None:
    refused = [row for row in every_row() if read(row)[1]]
    assert [row for row in refused if bash_accepts(row)] == []


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(WORD, min_size=1, max_size=3), min_size=1, max_size=12))
def test_words_are_those_of_bash(cases: list[list[str]]) -> None:
    lines = ["printf '%s\\0' " + " ".join(case) + "\nprintf 'END\\0'" for case in cases]
    script = "\n".join(["set -f", SETTING, *lines])
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    theirs: list[list[str]] = [[]]
    for item in done.stdout.decode().split("\0")[:-1]:
        if item == "END":
            theirs.append([])
        else:
            theirs[-1].append(item)
    assert theirs.pop() == []
    for case, expected in zip(cases, theirs, strict=True):
        assert (_ours(case) or [""]) == expected  # printf without arguments prints an empty one


def _ours(case: list[str]) -> list[str]:
    text = SETTING + "; echo " + " ".join(case)
    follower = Follower(None, 100_000)
    script, error, _ = read(text)
    assert not error
    setting, last = Script(), script.pipelines[-1].commands[0]
    setting.pipelines = script.pipelines[:-1]
    follower.run(setting, "")
    assert isinstance(last, SimpleCommand)
    return expand.words(follower, last.words)[1:]
