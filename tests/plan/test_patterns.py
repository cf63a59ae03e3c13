"""Patterns of a plan: what is sound, what is found, and what a hostile one costs."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tests.interpreters import interpreters, sampled
from tests.kit.names import SOURCES
from tests.kit.quick import times
from ultra_runtime.files import patterns
from ultra_runtime.files.patterns import PatternError, check, search, weigh

SLOW_CLASS = "(?i)" + "[\\0-\U0010ffff]" * 300
CALL = """
import json, resource, sys
sys.path.insert(0, sys.argv[1])
from ultra_runtime.files.patterns import PatternError, check, search

def used():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usages)

for task, pattern, text in json.loads(sys.argv[2]):
    before = used()
    try:
        answer = check([pattern]) if task == "check" else search(pattern, text, task == "multiline")
    except PatternError as problem:
        answer = type(problem).__name__
    print(json.dumps([answer, used() - before]))
"""
HOSTILE = [
    (r"(a+)+$", "a" * 40 + "b"),
    (r".*.*.*=x", "y" * 5000),
    (r"(?:a?){40}a{40}$", "a" * 39 + "b"),
    (r"(a|a)*$", "a" * 40 + "b"),
    (r"a?" * 30 + "a" * 30, "a" * 29 + "b"),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60),
    (r"(x+x+)+y", "x" * 60),
]
MALFORMED = (
    "(a{1,99999999999999999999})", "(" * 4000 + ")" * 4000, "x" * 100_000, "[", "(?P<", "*", "a\\", "(?<=a+)",
)  # fmt: skip
NAMES = [path.parent.parent.name for path in sampled()]


def ask(python: Path, *tasks: tuple[str, str, str]) -> list[tuple[object, float]]:
    """Return the answer to each task and the processor time that it took, children included."""
    call = [str(python), "-I", "-S", "-c", CALL, str(SOURCES / "runtime"), json.dumps(tasks)]
    done = subprocess.run(call, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    return [(answer, seconds) for answer, seconds in map(json.loads, done.stdout.splitlines())]


@pytest.mark.parametrize("python", sampled(), ids=NAMES)
def test_a_hostile_search_ends_within_a_second_of_work(python: Path) -> None:
    hostile = HOSTILE[: times(2, len(HOSTILE))]
    told = ask(python, *(("search", pattern, text) for pattern, text in hostile))
    assert [answer for answer, _ in told][:2] == ["PatternTimeoutError"] * 2
    assert all(answer in ("PatternTimeoutError", False) and seconds < 1 for answer, seconds in told)


@pytest.mark.parametrize("python", sampled(), ids=NAMES)
def test_a_pattern_that_does_not_compile_is_told(python: Path) -> None:
    patterns = (SLOW_CLASS, *MALFORMED)
    told = ask(python, *(("check", pattern, "") for pattern in patterns))
    for pattern, (answer, seconds) in zip(patterns, told, strict=True):
        assert isinstance(answer, dict), pattern[:20]
        assert list(answer) == [pattern]
        assert answer[pattern]
        assert seconds < 1


@pytest.mark.parametrize("python", sampled(), ids=NAMES)
def test_sound_patterns_are_searched_as_python_does(python: Path) -> None:
    sound = [
        ("search", r"^feat\(api\):", "feat(api): x", True),
        ("search", r"(?i)CLASS \w+", "a class B", True),
        ("search", r"(ab)+c", "ababc", True),
        ("search", "^b$", "a\nb\n", False),
        ("multiline", "^b$", "a\nb\n", True),
        ("multiline", "(?:^b$)+", "a\nb\n", True),
        ("check", "[[a]]", "", {}),
        ("search", "é+\U0001f600", "é\U0001f600" * 3000, True),
    ]
    told = ask(python, *((task, pattern, text) for task, pattern, text, _ in sound))
    assert [answer for answer, _ in told] == [expected for *_, expected in sound]


def test_only_a_short_pattern_is_plain_and_lines_count_only_if_asked() -> None:
    assert weigh("a" * patterns.LONGEST_PLAIN) == (0, 0)
    assert weigh("a" * (patterns.LONGEST_PLAIN + 1)) is None
    for pattern, text in itertools.product(("^b", "a$", "^a$", "^b$"), ("a\nb", "b\na", "a", "b\n")):
        assert search(pattern, text) == bool(re.search(pattern, text))
        assert search(pattern, text, multiline=True) == bool(re.search(pattern, text, re.MULTILINE))


def test_many_hostile_patterns_cost_no_more_than_one() -> None:
    faults = check(SLOW_CLASS + str(number) for number in range(50))
    assert list(faults) == [SLOW_CLASS + "0"]


def test_what_is_quick_starts_no_process_and_what_is_too_long_neither(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each loop multiplies the work by the length of the text, and each choice doubles it."""

    def refuse(*_: object) -> object:
        raise AssertionError("a process was started")

    monkeypatch.setattr(patterns, "capture", refuse)
    ordinary = [r"^feat\(limit\):", "", "^(feat|fix): ", r"def \w+\(", r"\b429\b", "^# Limits$", "a.*b"]
    assert check(ordinary) == {}
    assert search(r"^feat\(limit\): .* bucket$", "feat(limit): add a bucket")
    for pattern, work in {"a": 4, "a+b*": 4**3, "a?": 8, "a?|b": 16, "a+b?": 32}.items():
        monkeypatch.setattr(patterns, "MOST_STEPS", work)
        assert search(pattern, "bab")
        monkeypatch.setattr(patterns, "MOST_STEPS", work - 1)
        with pytest.raises(AssertionError):
            search(pattern, "bab")
    long = "(a+)+" + "x" * (patterns.LONGEST - 5)
    too_long = f"it is longer than {patterns.LONGEST} characters"
    with pytest.raises(AssertionError):
        check([long])
    assert check(["a", f"{long}x"]) == {f"{long}x": too_long}
    with pytest.raises(PatternError, match=f"^{too_long}$"):
        search(f"{long}x", "a")


def test_a_machine_that_starts_no_process_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python3")
    faults = check(["(a+)+", "b"])
    assert list(faults) == ["(a+)+"]
    assert "cannot be checked" in faults["(a+)+"]
    with pytest.raises(PatternError):
        search("(a+)+", "a")


def test_the_child_ends_with_its_parent_s_streams_closed(tmp_path: Path) -> None:
    script = "import sys; sys.path.insert(0, sys.argv[1])\nfrom ultra_runtime.files.patterns import search\n"
    script += "open(sys.argv[2], 'w').write(str(search('(a)+', 'xa')))"
    out = tmp_path / "out"
    python = interpreters()[-1]
    call = [
        "bash",
        "-c",
        'exec "$@" <&- >&- 2>&-',
        "x",
        python,
        "-I",
        "-S",
        "-c",
        script,
        SOURCES / "runtime",
        out,
    ]
    done = subprocess.run([str(word) for word in call], check=False, timeout=30)
    assert (done.returncode, out.read_text()) == (0, "True")


@example(")(")
@given(st.text("ab().|*+?^$\\d:[]{}1,-", max_size=14))
def test_what_is_called_plain_compiles(pattern: str) -> None:
    if weigh(pattern) is not None:  # most random text is none, and needs no example of its own
        re.compile(pattern)


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(st.text("ab().|*+?^$\\w", max_size=8), st.text("ab \n", max_size=10), st.booleans())
def test_plain_patterns_are_searched_as_python_does(pattern: str, text: str, multiline: bool) -> None:
    assume(weigh(pattern) is not None)
    assert search(pattern, text, multiline) == bool(
        re.search(pattern, text, re.MULTILINE if multiline else 0)
    )


def test_every_short_pattern_that_is_plain_compiles_and_has_its_weight() -> None:
    """All of up to three signs: what is not plain is left to the child, which may fail. A group weighs nothing."""
    signs = ("a", "\\d", "\\", "\\b", "\\*", "\\1", "\\q", *"*+?()|^$.[]{}:")
    plain = 0
    for pattern in map("".join, (one for size in range(4) for one in itertools.product(signs, repeat=size))):
        weight = weigh(pattern)
        assert weight == weigh(f"(?:{pattern})") or ")" in pattern, pattern
        if weight is not None:
            plain += 1
            re.compile(pattern)
            tokens = re.findall(r"\\.|.", pattern)
            assert weight == (sum(one in "*+" for one in tokens), sum(one in "?|" for one in tokens)), pattern
            assert weight == weigh(f"({pattern})"), pattern
    assert plain > 500


def test_a_pattern_that_is_not_plain_is_searched_and_refused_as_python_does() -> None:
    for multiline in (False, True):
        assert search("(?:^b$){1}", "a\nb\n", multiline) == multiline
    for pattern in ("[", "(a", "*{1}", "(?P<x"):
        with pytest.raises(re.error) as told:
            re.compile(pattern)
        assert check([pattern]) == {pattern: str(told.value)}
        with pytest.raises(PatternError, match=f"^{re.escape(str(told.value))}$"):
            search(pattern, "")
