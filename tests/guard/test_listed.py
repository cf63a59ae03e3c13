"""Listed calls, for all words: what matches is compared with the sentences of the manual, written down a second time."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.quick import examples
from tests.kit.table import each
from ultra_runtime.guard.follow.listed import MAX_INPUT, rules_for, split_call
from ultra_runtime.guard.policy import Policy
from ultra_runtime.guard.shell.calls import Call
from ultra_runtime.guard.shell.marks import HOME
from ultra_runtime.guard.shell.shell_state import Shell, Work

SHELL = Shell(Work(10**9))


def matches(
    listed: str, args: list[str], stdin: str = "", unless: tuple[str, ...] = (), name: str = "tool"
) -> bool:
    """Tell whether a call of a tool matches a listed call."""
    policy = Policy({}, {}, {}, {}, {}, {}, (), {name: [("own", split_call(listed), unless)]})
    return rules_for(Call(name, args, stdin, SHELL), policy) == ["own"]


def fits(arg: str, word: str) -> bool:
    return any(fnmatchcase(text.lower(), word.lower()) for text in (arg, arg.rpartition("/")[2]))


def has_option(args: list[str], option: str) -> bool:
    """An option counts in front of `--`: by its name, with a value, or as one of joined letters."""
    before = args[: args.index("--")] if "--" in args and option != "--" else args
    names = [arg.partition("=")[0] for arg in before]
    if option in before or (option.startswith("--") and option in names):
        return True
    joined = [arg for arg in before if arg[:1] == "-" and arg[:2] != "--"]
    return len(option) == 2 and option != "--" and any(option[1] in arg[1:] for arg in joined)


def operands_follow(args: list[str], wanted: list[str]) -> bool:
    """Operands follow each other as listed; behind an option without = one word may be its value."""
    if not wanted:
        return True
    if wanted[0] == "...":
        return any(operands_follow(args[at:], wanted[1:]) for at in range(len(args) + 1)) or wanted == ["..."]
    at, valued = 0, False
    while at < len(args):
        arg = args[at]
        if arg[:1] == "-" and len(arg) > 1:
            valued = "=" not in arg and arg != "--"
        elif fits(arg, wanted[0]):
            return operands_follow(args[at + 1 :], wanted[1:])
        elif valued:
            valued = False
        else:
            return False
        at += 1
    return False


WORDS = st.sampled_from(["a", "b", "c", "-f", "-xf", "--all", "--all=1", "--", "x/a", "A", "-", "del-x", ""])
LISTED = st.lists(st.sampled_from(["a", "b", "-f", "--all", "--", "del-*"]), max_size=4)


@settings(deadline=None, max_examples=examples(4000))
@given(LISTED, st.lists(WORDS, max_size=6))
def test_words_and_options_match_as_the_manual_says(listed: list[str], args: list[str]) -> None:
    options = [word for word in listed if word[0] == "-"]
    operands = [word for word in listed if word[0] != "-"]
    expected = all(has_option(args, one) for one in options) and operands_follow(args, operands)
    assert matches(" ".join(listed), args) == expected


@settings(deadline=None, max_examples=examples(2000))
@given(
    st.sampled_from(["... a", "a ... b", "... del-*", "a ...", "...", "... a b"]), st.lists(WORDS, max_size=6)
)
def test_dots_stand_for_any_words(listed: str, args: list[str]) -> None:
    first, _, rest = listed.partition("...")
    assert matches(listed, args) == dotted(args, first.split(), rest.split())


def dotted(args: list[str], first: list[str], rest: list[str]) -> bool:
    """Words in their order, then any words, then the first place where the next word fits and the others follow."""
    places = range(len(args) + 1)
    for at in places if first else [0]:
        if first and not (at and fits(args[at - 1], first[0]) and operands_follow(args[:at], first)):
            continue
        if not rest:
            return True
        for start in range(at, len(args)):
            if not (args[start][:1] == "-" and len(args[start]) > 1) and fits(args[start], rest[0]):
                return operands_follow(args[start + 1 :], rest[1:])
        return False
    return False


@each(
    [
        ("'drop table'", ["-c", "DROP   TABLE x"], "", True),
        ("'drop table'", ["-c", "drop", "table"], "", False),
        ("'drop table'", [], "x; drop\ntable y", True),
        ("'drop table'", [], "drop tabl", False),
        ("'drop table '", ["drop tables"], "", False),
        ("'drop table '", ["drop table x"], "", True),
        ('"drop table"', ["drop table"], "", True),
        ("a 'x y' b", ["a", "b"], "x y", True),
        ("a 'x y' b", ["a", "b"], "x", False),
        ("a 'x y' b", ["a"], "x y", False),
        ("a", [f"{HOME}/a"], "", True),
        ("~/a", [f"{HOME}/a"], "", True),
        ("~/a", ["a"], "", False),
        ("del-*", ["del-"], "", True),
        ("del-*-x", ["del-x"], "", False),
        ("del-*-x", ["del--x"], "", True),
        ("-f*", ["-fx"], "", True),
        ("-f*", ["-xf"], "", False),
        ("-fg", ["-fg"], "", True),
        ("-fg", ["-gf"], "", False),
        ("-f", ["--f"], "", False),
        ("-f", ["f"], "", False),
        ("--all", ["--", "--all"], "", False),
        ("--", ["a", "--", "b"], "", True),
        ("--", ["a"], "", False),
    ]
)
def test_phrases_stars_and_letters(listed: str, args: list[str], stdin: str, expected: bool) -> None:
    assert matches(listed, args, stdin) == expected


def test_only_the_beginning_of_a_long_input_is_looked_at() -> None:
    assert matches("'x'", [], " " * (MAX_INPUT - 1) + "x")
    assert not matches("'x'", [], " " * MAX_INPUT + "x")


@each([("-n", ["-n"]), ("--dry-run", ["--dry-run"]), ("x", ["x"]), ("x*", ["xy"]), ("-n", ["-an"])])
def test_a_word_lifts_a_listed_call(word: str, args: list[str]) -> None:
    assert matches("a", ["a", *args])
    assert not matches("a", ["a", *args], unless=(word,))
    assert matches("a", ["a", "other"], unless=(word,))
    assert not matches("a", ["a", *args], unless=("other", word))


@each(
    [
        (["push", "-f"], True),
        (["-C", "d", "push", "-f"], True),
        (["-c", "alias.p=push", "p", "-f"], True),
        (["push", "--", "-f"], False),
        (["-f", "push"], False),
    ]
)
def test_git_is_looked_at_from_its_subcommand_on(args: list[str], expected: bool) -> None:
    assert matches("push -f", args, name="git") == expected
