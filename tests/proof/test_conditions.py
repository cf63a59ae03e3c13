"""Which commands must pass at the end, which of them another step decides about, and how often each is run."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.sample import plan, step
from ultra_runtime.checkout.settings import settings_of
from ultra_runtime.plan.inline import InlineCommand
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.session_spec import NO_CHANGES
from ultra_runtime.proof.background import AUDITING, FINISHING, make_job
from ultra_runtime.proof.conditions import Condition, Tried, conditions_of, judge
from ultra_runtime.proof.drift import CLEAN
from ultra_runtime.run.life.exits import judge_exits
from ultra_runtime.run.state.run_place import RunPlace

PLACE = RunPlace("/repo", "/repo/plan.md", None, None)


def conditions(*steps: str, verification: str = "") -> list[Condition]:
    """Return what must pass at the end of a plan whose steps are all completed."""
    made = read(plan(*steps, verification=verification).encode())
    assert not made.problems, made.problems
    return conditions_of(made.steps, made.verification)


def tried(*failed: str, here: bool = False, lacks: tuple[str, ...] = (), **others: Any) -> Tried:
    """Return how commands ended: those that failed, and those that did not print what they should."""
    row = {"problem": "", "lacks": list(lacks), "log": "x.log", "passes_here": here}
    rows = {name: {**row, "problem": "failed with exit status 1, see x.log"} for name in failed}
    return Tried(CLEAN, {**dict.fromkeys(("echo", "one", "two", "same"), row), **rows}, **others)


def test_verify_of_every_step_comes_first_then_the_exit_conditions() -> None:
    found = conditions(step(1, verify="one"), step(2, verify="two"), verification="all")
    assert [(one.command, one.step) for one in found] == [("one", 1), ("two", 2), ("all", None)]


def test_the_pre_flight_of_a_session_is_no_condition_of_its_end() -> None:
    steps = read(plan(step(1, verify="one"), step(2, verify="two")).encode()).steps
    assert steps[0].manifest
    steps[0].manifest.sandbox_preflight = True
    assert [(one.command, one.step) for one in conditions_of(steps, [])] == [("two", 2)]


@pytest.mark.parametrize(
    ("first", "second", "later"),
    [
        (["src/a.py"], ["src/a.py"], 2),
        (["src/a.py"], ["src/b.py"], None),
        (["src/a.py", "src/b.py"], ["src/b.py"], 2),
        (["src"], ["src/b.py"], 2),
        (["src/a.py"], ["src"], 2),
        (["src/a.py"], ["src/*.py"], 2),
        (["src/*.py"], ["src/a.py"], 2),
        (["src/a.py"], ["src/a.pyi"], None),
    ],
)
def test_the_last_step_that_touches_the_files_decides(
    first: list[str], second: list[str], later: int | None
) -> None:
    found = conditions(step(1, first, verify="one"), step(2, second, verify="two"))
    assert [one.later for one in found] == [later, None]
    drifts, notes = judge(found, tried("one"))
    assert [(one.check, one.step) for one in drifts] == ([] if later else [("verify", 1)])
    assert [note[:26] for note in notes] == (["Verify of step 1 failed wi"] if later else [])
    assert [(one.check, one.step) for one in judge(found, tried("two"))[0]] == [("verify", 2)]


@pytest.mark.parametrize(
    ("held", "checks"),
    [
        ({"c1": []}, []),
        ({"c1": ["of another step"]}, []),
        ({"c1": ["ok"]}, [("verify", 1)]),
        ({}, [("verify", 1)]),
        ({"c2": []}, [("verify", 1)]),
    ],
)
def test_a_later_step_decides_only_about_what_held_in_the_commit_of_its_step(
    held: dict[str, list[str]], checks: list[tuple[str, int]]
) -> None:
    found = [Condition("one", "ok", step=1, later=2, commit="c1"), Condition("two", step=2)]
    ended = tried("one")
    ended.rows["one"]["held"] = held  # type: ignore[index]
    drifts, notes = judge(found, ended)
    assert [(one.check, one.step) for one in drifts] == checks
    assert len(notes) == (not checks)
    assert judge(found, tried())[0] == []


def test_an_equal_command_fails_only_for_the_step_that_decides() -> None:
    found = conditions(step(1, ["a"], verify="same"), step(2, ["a"], verify="same"), verification="same")
    drifts, _ = judge(found, tried("same"))
    assert [(one.check, one.step) for one in drifts] == [("verify", 2), ("exit_condition", None)]


def test_an_expected_text_that_was_not_printed() -> None:
    found = conditions(step(1, verify="`echo` -> expected: `fine`"))
    assert [one.expected for one in found] == ["fine"]
    assert judge(found, tried())[0] == []
    drifts, _ = judge(found, tried(lacks=("fine",)))
    assert drifts[0].actual == "it did not print fine, see x.log"


def test_what_passes_in_the_working_tree_is_not_committed() -> None:
    found = conditions(step(1, verify="one"))
    assert "working tree" not in judge(found, tried("one"))[0][0].actual
    assert judge(found, tried("one", here=True))[0][0].actual == (
        "it failed with exit status 1, see x.log; it passes in the working tree, so what it needs is not committed: "
        "commit it, or name it in `.worktreeinclude`, or give a setup command"
    )


def test_a_command_that_was_not_run_does_not_pass() -> None:
    found = conditions(step(1, verify="one"), verification="all")
    assert [one.actual for one in judge(found, Tried(CLEAN, {}))[0]] == ["it was not run", "it was not run"]
    assert [one.check for one in judge(found, Tried("no disk", {}))[0]] == ["exit_condition"]
    assert [one.check for one in judge(found, Tried("no disk", {}, required=True))[0]] == ["proof"]


def test_a_proof_that_is_required_and_missing() -> None:
    drifts, _ = judge([], Tried("no disk", {}, required=True))
    assert [(one.check, one.expected, one.actual) for one in drifts] == [("proof", CLEAN, "no disk")]
    assert judge([], Tried("no disk", {})) == ([], [])


def test_equal_commands_are_run_once_and_checked_for_every_text() -> None:
    found = conditions(
        step(1, ["a"], verify="`echo` -> expected: `one`"),
        step(2, ["a"], verify="`echo` -> expected: `two`"),
        step(3, ["a"], verify="last"),
        verification="last",
    )
    job = make_job(PLACE, "0" * 40, found, settings_of({}), None, FINISHING)
    assert job["commands"] == [
        {"command": "echo", "expected": ["one", "two"], "exit": False, "compare": False, "commits": []},
        {"command": "last", "expected": [], "exit": True, "compare": True, "commits": []},
    ]
    found = [Condition("echo", step=number, later=4, commit=f"c{number % 2}") for number in (1, 2, 3)]
    job = make_job(PLACE, "0" * 40, found, settings_of({}), None, FINISHING)
    assert [one["commits"] for one in job["commands"]] == [["c1", "c0"]]
    job = make_job(PLACE, "0" * 40, conditions(step(1), verification="last"), settings_of({}), None, AUDITING)
    assert [one["compare"] for one in job["commands"]] == [False, False]


def test_the_exit_conditions_of_a_run_as_arithmetic() -> None:
    """Every mix of a command, a clean tree and prose, however the command ended and whatever is not committed."""
    kinds = {
        "command": InlineCommand("`check`", 1, "check"),
        "clean": InlineCommand(f"{NO_CHANGES.capitalize()} remain.", 2),
        "prose": InlineCommand("The moon is full.", 3),
    }
    row = {"problem": "", "lacks": (), "log": "", "passes_here": False}
    ends = {"passed": {"check": row}, "failed": {"check": {**row, "problem": "failed"}}, "not run": {}}
    for named in itertools.product((False, True), repeat=3):
        asked = [one for one, is_there in zip(kinds.values(), named, strict=True) if is_there]
        command, clean, prose = named
        live: Any = SimpleNamespace(assignment=SimpleNamespace(exits=asked))
        skipped = judge_exits(live, asked, None, ["x.txt"])
        assert (skipped.status, skipped.rows) == ("skipped" if command or clean else "n/a", ())
        for (end, rows), left, required in itertools.product(ends.items(), ([], ["x.txt"]), (False, True)):
            found = judge_exits(live, asked, Tried(CLEAN, rows, required), left)
            ran = command and end != "not run"
            problems = [
                command and (end == "failed" or (end == "not run" and not required)),
                clean and bool(left),
            ]
            expected = (
                "n/a"
                if not command and not clean
                else "skipped"
                if not ran and not clean
                else "fail"
                if any(problems)
                else "pass"
            )
            case = (named, end, left, required)
            assert found.status == expected, case
            assert len(found.to_check) == prose, case
            if expected in ("pass", "fail"):
                assert len(found.rows) == sum(problems), case
                assert ("`check` passes" in found.held, NO_CHANGES in found.held) == (
                    command and end == "passed",
                    clean and not left,
                ), case
