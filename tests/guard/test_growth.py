"""No command makes the guard work more than in proportion to its length, however the text that it describes grows.

Work is counted as calls of functions, by the interpreter itself, so that no part can forget to count its own.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard.policy_tables import policy
from tests.kit.quick import examples
from ultra_runtime.guard.follow.follower import WORK_BASE, WORK_PER_CHARACTER
from ultra_runtime.guard.follow.watch import Watcher, watch
from ultra_runtime.guard.judge import Judge
from ultra_runtime.guard.realpath import MAX_PATH
from ultra_runtime.guard.shell.marks import MAX_MADE
from ultra_runtime.guard.site import site_of_plan

POLICY = policy()
CALLS, CALLS_PER_CHARACTER = 1_200_000, 250
MEMORY = 16_000_000

GROWN = "x=aaaaaaaaaa;" + "x=$x$x$x$x$x$x$x$x$x$x;" * 3  # ten thousand characters
# Each may follow each other, and makes x, a file f or what is printed longer.
STEPS = (
    "x=${x//a/aaaaaaaaaa};",
    'x=${x/a/"$x$x"};',
    "x=$x$x$x$x;",
    'x=$(echo "$x" | sed -e s/a/aaaaaaaa/g -e s/a/aaaaaaaa/g -e s/a/aaaaaaaa/g);',
    'x=$(printf \'%s%s%s\' "$x" "$x" "$x");',
    'echo "$x" | sed "s/^/$x/" | tr a "\\n" | sed "s/^/$x/" > f; cat f f f f f f > g; mv g f;',
    'echo "$x" | xargs -I a echo "$x" "$x" a "$x";',
    'parallel echo "{}{}{}{}{}{}" ::: "$x" "$x" "$x";',
    "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} {1..250};",
    'for i in "$x" {1..15}; do for j in {1..15}; do for k in {1..15}; do echo $i$j$k; done; done; done;',
    'echo "$x" | tr a "\\n" | while read l; do while read m; do echo $l$m; done; done;',
    'a=("${a[@]}" "$x" "${a[@]}" "$x");',
    "f() { g $1$1; g $1; g $1; }; g() { h $1$1; h $1; h $1; }; h() { echo $1$1; echo $1; }; f $x;",
    "if a; then x=$x$x; else y=$x; fi; echo $x$y;",
    'IFS="$x"; echo $x$x;',
    'tee f1 f2 f3 f4 f5 f6 f7 f8 f9 <<< "$x";',
    'echo "$x" >f1 >f2 >f3 >f4 >f5 >f6 >f7 >f8;',
    'trap "echo $x" EXIT;',
    "cd " + "a/" * 60 + "; >b >c >d;",
    "printf 'a:\\n\\t$(X)$(X)\\n' > Makefile; make; make;",
    "${x}?$y -r $x; r$x[[[[ -f;",
    "paste f f f f f f; cut -d a -f 2- f; rev f; find . -exec cat f \\; -exec cat f \\;;",
    'eval "echo $x"; alias a="b $x"; a; bash -c "$x"; bash <<< "echo $x";',
    'python3 -c "print(\'$x\')"; awk "BEGIN { print $x }";',
)
SHAPES: dict[str, Callable[[int], str]] = {
    "redirections": lambda n: " ".join(f">f{at}" for at in range(n)),
    "long folder, many files": lambda n: "cd " + "a/" * 400 + ";" + ">a " * n,
    "copies": lambda n: "cp " + " ".join(f"f{at}" for at in range(n)) + " d;",
    "removals": lambda n: "rm " + " ".join(f"d{at}/f" for at in range(n)),
    "substitutions": lambda n: GROWN + "x=${x//a/aa};" * n,
    "sed": lambda n: "echo aaaaaaaaaa | sed" + " -e s/a/aaaa/g" * n,
    "loops": lambda n: "for a in 1 2 3 4 5 6 7 8; do " * 9 + "echo $a;" * n + "done;" * 9,
    "branches": lambda n: "if a; then x=1; else x=2; fi; $x b;" * n,
    "traps": lambda n: "trap 'echo a' EXIT;" * n,
    "slices": lambda n: GROWN + "y=${x:1:99}${x: -5};" * n,
}


class Counted:
    """Count the calls of functions while a command is judged, and the memory that it takes at most."""

    def __init__(self, judge: Callable[[str], object], text: str, memory: bool = False) -> None:
        self.calls = self.peak = 0
        if memory:
            tracemalloc.start()
            judge(text)
            self.peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            judge(text)
        finally:
            sys.setprofile(before)

    def _note(self, frame: object, event: str, about: object) -> None:
        self.calls += event in ("call", "c_call")


def followed(text: str) -> Watcher:
    return watch(text, POLICY)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], object]:
    """Return the whole judge, for a run in an empty repository: with the paths of what is written."""
    root = str(tmp_path_factory.mktemp("growth"))
    site = site_of_plan(root, "")
    return lambda text: Judge(root, site).command(text)


@settings(deadline=None, max_examples=examples(90))
@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=12), st.integers(0, 6))
def test_whatever_grows_the_work_stays_in_proportion(steps: list[str], loops: int) -> None:
    text = GROWN + "for q in 1 2 3 4 5; do " * loops + "".join(steps) + "done;" * loops
    counted = Counted(followed, text)
    assert counted.calls <= CALLS + CALLS_PER_CHARACTER * len(text)
    watcher = followed(text)
    assert watcher.work.spent <= WORK_BASE + WORK_PER_CHARACTER * len(text) + 16 * MAX_MADE
    assert all(len(write.path) <= 2 * MAX_MADE + MAX_PATH for write in watcher.writes)


@settings(deadline=None, max_examples=examples(20))
@given(st.lists(st.sampled_from(STEPS), min_size=4, max_size=20))
def test_whatever_grows_the_memory_is_bounded(steps: list[str]) -> None:
    assert Counted(followed, GROWN + "".join(steps), memory=True).peak <= MEMORY


@pytest.mark.parametrize("name", SHAPES)
def test_twice_the_text_is_at_most_twice_the_work(name: str, judged: Callable[[str], object]) -> None:
    small, large = SHAPES[name](150), SHAPES[name](300)
    judged(small)  # loads what it needs
    before, after = Counted(judged, small).calls, Counted(judged, large).calls
    assert after <= 2.3 * before + 20_000
    assert after <= CALLS + CALLS_PER_CHARACTER * len(large)


def test_thousands_of_files_are_judged_or_refused(tmp_path: Path) -> None:
    """What costs too much to judge is refused in a run, and left alone elsewhere."""
    text = "cd " + "a/" * 1500 + ";" + " ".join(f">f{at}" for at in range(3000))
    assert Judge(str(tmp_path), site_of_plan(str(tmp_path), "")).command(text).rule == "unreadable"
    assert Judge(str(tmp_path), None).command(text).verdict == "allow"


def test_a_path_that_no_system_opens_is_refused(tmp_path: Path) -> None:
    judge = Judge(str(tmp_path), site_of_plan(str(tmp_path), ""))
    room = MAX_PATH - len(str(tmp_path)) - 1
    assert judge.path("a/" * (room // 2)).verdict == "allow"
    assert judge.path("a/" * (room // 2 + 1)).rule == "bad_path"
