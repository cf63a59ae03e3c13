"""No text makes the guard stumble, and none makes it work more than in proportion to its length."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import load, policy
from tests.guard.shell_programs import PROGRAM, SOUP
from tests.kit.quick import examples
from ultra_runtime.guard.follow.follower import WORK_BASE, WORK_PER_CHARACTER, Follower, walk
from ultra_runtime.guard.follow.watch import watch
from ultra_runtime.guard.policy import Policy
from ultra_runtime.guard.shell.reader import MAX_TEXT

POLICY = policy()
EXAMPLES = [
    text for rule in load("commands.yaml") for text in rule["examples"]["match"] + rule["examples"]["pass"]
]
RULELESS = Policy(POLICY.rules, {}, {}, POLICY.sources, {}, {})  # nothing ends the walk early
LARGE = 30_000
LARGEST = 100_000
STEPS_PER_CHARACTER = 45  # nesting is bounded, and some of it is looked at once a level

SHAPES: dict[str, Callable[[int], str]] = {
    "commands": lambda n: "a;" * n,
    "pipes": lambda n: "a|" * n,
    "background": lambda n: "a&" * n,
    "lines": lambda n: "ls -l\n" * n,
    "blank lines": lambda n: "\n" * n,
    "comment": lambda n: "#" * n,
    "words": lambda n: "a " * n,
    "one word": lambda n: "a" * n,
    "single quotes": lambda n: "'a' " * n,
    "long single quote": lambda n: "'" + "a" * n + "'",
    "long double quote": lambda n: '"' + "a" * n + '"',
    "open quote": lambda n: "'" + "a" * n,
    "ansi": lambda n: "$'" + "\\x41" * n + "'",
    "backslashes": lambda n: "\\" * n,
    "dollars": lambda n: "$" * n,
    "variables": lambda n: "${a}$b" * n,
    "backquotes": lambda n: "`a` " * n,
    "substitutions": lambda n: "$(a) " * n,
    "nested substitutions": lambda n: "$(" * n,
    "nested and closed": lambda n: "$(" * 30 + "a " * n + ")" * 30,
    "nested in quotes": lambda n: '"$(' * 12 + "a " * n + ')"' * 12,
    "parentheses": lambda n: "(" * n,
    "open arithmetic": lambda n: "((" * n,
    "arithmetic": lambda n: "$((1+1)) " * n,
    "nested arithmetic": lambda n: "$((" * n,
    "nested defaults": lambda n: "${a:-" * n,
    "braced commands": lambda n: "${ " * n,
    "patterns": lambda n: "?(" * n,
    "processes": lambda n: "<(a) " * n,
    "here-documents": lambda n: "cat <<E\nx\nE\n" * n,
    "open here-documents": lambda n: "cat <<E;" * n,
    "one here-document": lambda n: "cat <<E\n" + "x $a\n" * n + "E\n",
    "here-document for a shell": lambda n: "bash <<E\n" + "ls\n" * n + "E\n",
    "braces": lambda n: "{a,b}" * n,
    "nested braces": lambda n: "{a," * n,
    "commas": lambda n: "{" + "," * n + "}",
    "sequences": lambda n: "{1..99999999} " * n,
    "assignments": lambda n: "a=1;" * n,
    "growing variable": lambda n: "a=xx;" + "a=$a$a;" * n,
    "many variables": lambda n: "".join(f"v{i}=1;" for i in range(n)) + "$(a);" * n,
    "arrays": lambda n: "a=(" + "x " * n + ");" + 'echo "${a[@]}";' * 3,
    "functions": lambda n: "".join(f"f{i}(){{ f{i - 1}; f{i - 1}; }};" for i in range(1, n)),
    "calls": lambda n: "f() { a; };" + "f;" * n,
    "loops": lambda n: "for a in 1 2 3 4 5 6; do " * 12 + "a;" * n + "done;" * 12,
    "cases": lambda n: "case x in " + "a) b;; " * n + "esac",
    "ifs": lambda n: "if a; then " * n,
    "tests": lambda n: "[[ a == b ]];" * n,
    "growing file": lambda n: "echo aaaaaa >> f;" * n,
    "redirections": lambda n: ">a " * n,
    "wrappers": lambda n: "sudo " * n,
    "watches": lambda n: "watch " * n,
    "unknown names": lambda n: "".join(f"r{i}$x -r;" for i in range(n)),
    "globs": lambda n: "a* b? [c] " * n,
    "aliases": lambda n: "alias a='b;b';" + "a;" * n,
    "piped text": lambda n: "echo '" + "ls;" * n + "'|sh",
    "printed arguments": lambda n: "printf '%s;'" + " a" * n + "|sh",
    "shells": lambda n: "bash -c 'a';" * n,
    "evals": lambda n: "eval 'a';" * n,
    "code": lambda n: 'python3 -c "' + "system('a');" * n + '"',
    "nested code": lambda n: 'python3 -c "' + "system(" * n + '"',
    "xargs": lambda n: "echo " + "a " * n + "|xargs rm",
    "directories": lambda n: "cd a;" * n,
    "dots": lambda n: "cat > /dev/" + "../dev/" * n + "sda",
    "slashes": lambda n: "/" * n + "a",
    "shifts": lambda n: "set -- a b c;" + "shift;" * n,
    "marks": lambda n: "\ue000\ue001 " * n,
}


def work(text: str) -> tuple[int, int]:
    """Return what reading and following a text costs."""
    follower = Follower(RULELESS, len(text))
    walk(follower, text)
    return follower.steps, follower.work.spent


@pytest.mark.parametrize("name", SHAPES)
def test_work_grows_with_the_length_and_no_faster(name: str) -> None:
    make = SHAPES[name]
    small, large = make(1500), make(3000)
    (read_small, spent_small), (read_large, spent_large) = work(small), work(large)
    assert read_large <= 2.2 * read_small + 20_000
    assert read_large <= STEPS_PER_CHARACTER * len(large) + 1000
    assert spent_large <= 2.2 * spent_small + 20_000 or spent_small > WORK_BASE / 3


@pytest.mark.parametrize("name", SHAPES)
def test_a_large_text_stays_within_the_bound(name: str) -> None:
    make = SHAPES[name]
    text = make(LARGE // max(1, (len(make(200)) - len(make(100))) // 100))
    steps, spent = work(text)
    assert len(text) > LARGE / 3
    assert steps <= STEPS_PER_CHARACTER * len(text) + 1000
    assert spent <= 2 * (WORK_BASE + WORK_PER_CHARACTER * len(text))


def test_the_bound_fails_closed() -> None:
    deep = verdict_for("sudo " * 40 + "ls", POLICY)
    assert (deep.verdict, deep.rule, deep.unreadable) == ("block", "unreadable", True)
    long = verdict_for("a" * (MAX_TEXT + 1), POLICY)
    assert (long.verdict, long.rule, long.unreadable) == ("block", "unreadable", True)
    busy = verdict_for("f() { a; };" + "alias a='b;b;b;b';" + "a;" * 30_000, POLICY)
    assert (busy.verdict, busy.rule, busy.unreadable) == ("block", "unreadable", True)


def test_separators_count_each_time_they_are_used() -> None:
    separators = "IFS=" + ":" * 60_000 + "; x=a; "
    assert not verdict_for(separators + "b $x; " * 20, POLICY).unreadable
    assert verdict_for(separators + "b $x; " * 400, POLICY).unreadable
    line = "read x <<< " + "a:" * 15_000 + "; "
    assert not verdict_for("IFS=:; " + line, POLICY).unreadable


def test_a_deep_stack_of_the_caller_fails_closed_too() -> None:
    def down(levels: int) -> str:
        return down(levels - 1) if levels else verdict_for("$(" * 30 + "a" + ")" * 30, POLICY).rule

    rules = set()
    for levels in range(0, 940, 20):
        try:
            rules.add(down(levels))
        except RecursionError:  # the caller itself has gone too deep
            break
    assert rules == {"", "unreadable"}


@settings(deadline=None, max_examples=examples(400))
@given(st.text(max_size=300) | SOUP)
def test_any_text_gets_an_answer(text: str) -> None:
    assert verdict_for(text, POLICY).verdict in ("allow", "warn", "block")
    watch(text).changed()


@settings(deadline=None, max_examples=examples(200))
@given(PROGRAM, st.randoms(use_true_random=False))
def test_mutated_programs_get_an_answer(program: str, rng: random.Random) -> None:
    text = program
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(text))
        text = (
            text[:at]
            + rng.choice(["'", '"', "`", "$(", ")", "{", "}", ";", "\\", "<<E\n", "", "&"])
            + text[at + rng.randint(0, 3) :]
        )
    assert verdict_for(text, POLICY).verdict in ("allow", "warn", "block")


@pytest.mark.parametrize("seed", range(12))
def test_large_random_texts_get_an_answer_within_the_bound(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - no secret
    pieces = [
        *EXAMPLES,
        "'",
        '"',
        "`",
        "$(",
        ")",
        "${",
        "}",
        "\n",
        ";",
        " ",
        "|",
        "&",
        "<<E\n",
        "\nE\n",
        "(",
        "{a,b}",
        "\\",
    ]
    if seed % 3 == 0:
        pieces = [chr(rng.randrange(1, 0x3000)) for _ in range(400)]
    text = ""
    made: list[str] = []
    while len(text) < LARGEST:
        made += [rng.choice(pieces) for _ in range(400)]
        text = (" " if seed % 2 else "").join(made)
    text = text[:LARGEST]
    steps, spent = work(text)
    assert steps <= STEPS_PER_CHARACTER * len(text) + 1000
    assert spent <= 2 * (WORK_BASE + WORK_PER_CHARACTER * len(text))
    assert verdict_for(text, POLICY).verdict in ("allow", "warn", "block")


def test_marks_cannot_be_forged() -> None:
    assert verdict_for("\ue001 x", POLICY).verdict == "allow"
    assert verdict_for("echo '\ue001' | bash", POLICY).verdict == "allow"
