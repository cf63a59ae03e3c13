"""Bash itself is the oracle for values: what the guard says a word expands to is what bash makes of it."""

from __future__ import annotations

import itertools
import shlex
import subprocess

import pytest

from tests.kit.table import each
from ultra_runtime.guard.follow import braces
from ultra_runtime.guard.follow.watch import watch
from ultra_runtime.guard.shell.marks import known

VALUES = ("rm", "xrmx", "rm-rm", "a/rm/b/rm", "", "-", "Rm")
TRIMMED = [
    f"${{x{op}{pattern}}}"
    for op, pattern in itertools.product(
        ("#", "##", "%", "%%"), ("rm", "*rm", "rm*", "*/", "/*", "x", "*-", "-*", "a")
    )
    if pattern.startswith("*") == (op[0] == "#") or "*" not in pattern
]
REPLACED = [
    f"${{x{op}{old}{new}}}"
    for op, old, new in itertools.product(("/", "//", "/#", "/%"), ("rm", "r", "/", "-"), ("/q", "/", ""))
    if old != "/"
]
CASES = ["${x^}", "${x^^}", "${x,}", "${x,,}"]
SLICED = [
    f"${{x:{part}}}"
    for part in ("0", "1", "2", " -1", " -2", "0:1", "1:2", "1:-1", " -2:1", "0:-1", "9", "n:n")
]
# y is not set here; where it might be, as after `:+`, the guard takes the word.
CHOSEN = [f"${{x{op}rm}}" for op in (":+", "+")] + [
    f"${{{name}{op}rm}}" for name in "xy" for op in (":-", "-", ":=", "=")
]
OTHER = [
    "$x", "${x}", "${!r}", "$n", "${a[0]}", "${a[1]}", "${a[-1]}", "${a[n]}", "${a[9]}", "$a", "${a}", "${!#}", "$1", "$2",
    "${3}", "${a[@]:1:1}", "${a[@]:1}", "${a[*]: -1}", "${@:2}", "${@:1:1}", "${@: -1}", "${a[@]: -9}", "${a[@]#r}", "${a[@]%f}",
]  # fmt: skip
SUMS = [
    f"$(({text}))"
    for text in (
        "1+2", "7-9", "2*3+1", "1+2*3", "(1+2)*3", "7/2", "-7/2", "7%3", "-7%3", "7%-3", "0x1f", "017", "2#101", "36#z",
        "n+n", "-n", "+n", "n*-n", "$n+1", "- -1", "8/2/2", "9%5*2", "((2))", "000000000017", "1000000000", "-1000000000", "999999999+1", "0X3b9aca00",
    )
]  # fmt: skip
EXPANSIONS = [*TRIMMED, *REPLACED, *CASES, *SLICED, *CHOSEN, *OTHER, *SUMS]


def program(value: str, expansion: str) -> str:
    """Return a program that shows what a word expands to."""
    return f"x={shlex.quote(value)}; r=x; n=2; a=(rm -rf d); set -- one two; show {expansion}"


def by_bash() -> list[list[str]]:
    """Return the arguments that bash gives to the last command of all programs, in one process."""
    show = 'show() { printf \'%s\\n\' "$#" "$@"; }'
    texts = [
        f"({program(value, one)}) 2>&- || echo 0" for value, one in itertools.product(VALUES, EXPANSIONS)
    ]
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join([show, *texts])], capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = iter(done.stdout.splitlines())
    return [[next(lines) for _ in range(int(count))] for count in lines]


def by_guard(value: str, expansion: str) -> list[str]:
    """Return the arguments that the guard sees."""
    return watch(program(value, expansion)).commands()[-1][1:]


def test_values_are_those_of_bash() -> None:
    rows = list(itertools.product(VALUES, EXPANSIONS))
    truth = by_bash()
    assert len(truth) == len(rows)
    seen = [by_guard(*row) for row in rows]
    wrong = [
        (*row, bash, guard)
        for row, bash, guard in zip(rows, truth, seen, strict=True)
        if guard != bash and all(map(known, guard))
    ]
    assert not wrong


DECLARED = [
    *(f"{word} z=(rm -rf d)" for word in ("declare", "export", "readonly", "typeset", "")),
    *(f"z=1; z=2 {word} y=3" for word in ("export", "declare", "true", "read", ":")),
    *(
        f"z=1; f() {{ {word} z={value}; }}; f"
        for word in ("local", "declare", "declare -g", "typeset", "typeset -gx", "")
        for value in ("(rm -rf d)", "rm")
    ),
]


def test_what_is_declared_stays_as_long_as_in_bash() -> None:
    shown = '"${z[@]}"'
    texts = [f"({text}; printf '%s ' {shown}; echo) 2>&- < /dev/null" for text in DECLARED]
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join(texts)], capture_output=True, text=True, check=True
    )
    truth = [line.split() for line in done.stdout.splitlines()]
    seen = [watch(f"{text}; show {shown}").commands()[-1][1:] for text in DECLARED]
    rows = zip(DECLARED, truth, seen, strict=True)
    assert not [row for row in rows if row[1] != row[2] and all(map(known, row[2]))]


@pytest.mark.parametrize("expansion", EXPANSIONS)
def test_the_value_is_known(expansion: str) -> None:
    assert all(map(known, by_guard("xrm/a", expansion)))


@pytest.mark.parametrize(
    "text",
    [
        "1000000001",
        "999999999+2",
        "0000000000017",
        "1000000000*2",
        "37#1",
        "1#0",
        "1/0",
        "1%0",
        "()",
        "1+",
        "2#2",
    ],
)
def test_what_is_no_small_number_is_not_known(text: str) -> None:
    assert not known("".join(by_guard("", f"$(({text}))")))


MOST = braces.MAX_WORDS


@each(
    (first, first + sign * (count - 1) * step, step, count)
    for first in (0, 7, -7, -MOST // 2, -MOST * 2)
    for sign in (1, -1)
    for step in (1, 3)
    for count in (1, 2, MOST - 1, MOST, MOST + 1)
)
def test_a_sequence_has_both_ends_and_a_bound(first: int, last: int, step: int, count: int) -> None:
    if count > MOST:
        with pytest.raises(braces.TooMany):
            braces._steps(first, last, step)
    else:
        found = list(braces._steps(first, last, step))
        assert (found[0], found[-1], len(found)) == (first, last, count)
