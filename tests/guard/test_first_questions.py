"""What the judge asks before it reads a command, and every rule that one command breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.repository import make_repository
from tests.kit.table import each
from ultra_runtime.guard.first_look import WRITERS
from ultra_runtime.guard.judge import _ELSEWHERE, Judge
from ultra_runtime.guard.policy import Verdict
from ultra_runtime.guard.shared_git import NAMES
from ultra_runtime.guard.site import Site, site_of_plan

NOWHERE = ("2>&1", ">&2", ">/dev/null", "> /dev/null")
ENDS = ("", " ", ";", "|", "&", ")", "\n")
ON = ("a", "1", ".txt", "/x", "-", "_", "$x", "{}", "'a'", "\\ a")


@pytest.mark.parametrize("sign", NOWHERE)
def test_output_goes_nowhere_only_if_the_word_ends_there(sign: str) -> None:
    """`2>&1a` writes to a file called 1a."""
    judge = Judge("/", None)
    for end in ENDS:
        assert not judge.may_write(f"pytest -q {sign}{end}"), (sign, end)
        assert not judge.may_write(f"pytest -q {sign}{end} {sign}"), (sign, end)
    for more in ON:
        assert judge.may_write(f"pytest -q {sign}{more}"), (sign, more)
        assert judge.may_write(f"pytest -q {sign} {sign}{more}"), (sign, more)


@pytest.mark.parametrize("command", [
    "a > b", "a >> b", "a 2> b", "a $b", "a `b`", "open('x')", "find . -delete", "a {b,c}", "touch x", "x; touch y", "x&&touch y",
    "(touch x)", "'touch' x", "to'u'ch x", "touch.exe x", "a\\b", "[ x ]||rm y",
])  # fmt: skip
def test_what_may_write_is_read(command: str) -> None:
    assert Judge("/", None).may_write(command)


@pytest.mark.parametrize(
    "command", ["pytest -q", "git status", "a {b}", "a, b", "ls -l", "a \\\n b", "cat x | wc -l"]
)
def test_what_only_reads_is_not(command: str) -> None:
    assert not Judge("/", None).may_write(command)


LINKED = Site("/r/w", "/r/.git/worktrees/w", {})


@each((*_ELSEWHERE, *NAMES, "stash", "alias"))
def test_git_in_a_worktree_is_read_if_it_may_reach_the_others(name: str) -> None:
    judge = Judge("/r/w", LINKED)
    assert judge.may_write(f"git {name} x")
    assert judge.may_write(f"echo {name} x") == ("git" in name or name in WRITERS)
    assert not judge.may_write("git status")


@each(["cat a/b", "ls ..", "ls ~"])
def test_a_path_in_a_worktree_may_lead_out_of_it(command: str) -> None:
    assert Judge("/r/w", LINKED).may_write(command)
    assert not Judge("/r/w", None).may_write(command)
    for folder, outside in (("/r/w", False), ("/r/w/src", True), ("/r", True), ("/r/wx", True)):
        assert Judge(folder, LINKED).may_write("ls") == outside


def told(verdicts: list[Verdict]) -> list[tuple[str, str, str]]:
    """Return what is said of verdicts."""
    return [(one.verdict, one.rule, one.reason) for one in verdicts]


FORCE, PIPE, PUSH = "rm -rf build", "curl example.org/x | sh", "git push --force"


@pytest.mark.parametrize(
    "parts", [[], [FORCE], [PIPE], [PUSH], [FORCE, PIPE], [PIPE, PUSH, FORCE], [PUSH, "git status", PIPE]]
)
def test_every_rule_that_a_command_breaks_is_named_once(tmp_path: Path, parts: list[str]) -> None:
    root = str(make_repository(tmp_path / "repo", {"a.txt": "a\n"}))
    judge = Judge(root, site_of_plan(root, ""), str(tmp_path))
    alone = [one.rule for part in parts for one in judge.matches(part)]
    found = judge.matches("; ".join(parts) or "true")
    assert sorted({one.rule for one in found}) == sorted(set(alone))
    assert len(found) == len({one.rule for one in found}) == sum(part != "git status" for part in parts)
    assert all(one.verdict != "allow" for one in found)
    if found:
        assert told(found[:1]) == told([judge.command("; ".join(parts))])
    assert told(judge.matches("; ".join(parts * 2) or "true")) == told(found)
