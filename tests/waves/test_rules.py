"""How an attempt is judged: what its branch has, what its run recorded, and what a recovery adds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from ultra_runtime.tables.limits import RECOVERY_DEPTH

from tests.kit.files import write_tree
from tests.waves.rules import Rules
from tests.waves.sample import PLAN
from ultra_runtime.run.life.wave_lines import place_in_tree
from ultra_runtime.run.state.wave_state import SessionStand
from ultra_runtime.waves.branch_audit import _gather, outside
from ultra_runtime.waves.recovery import recovery_text
from ultra_runtime.waves.verdicts import _join_recoveries, judge_attempt


@pytest.mark.parametrize(("changes", "checks"), [
    ({"src/part1.py": "x", "src/new/deep.py": "x"}, []),
    ({"src/part1.py": None}, []),
    ({"src/old.py": None}, ["deleted"]),
    ({"src/old.py": None, "src/moved.py": "old\n"}, ["deleted"]),
    ({"srcs.py": "x"}, ["touch"]),
    ({"lib/part3.py": "x"}, ["touch"]),
    ({"lib/part3.py": None}, ["touch", "deleted"]),
    ({}, []),
])  # fmt: skip
def test_a_session_changes_only_its_touch_and_deletes_only_its_files(
    rules: Rules, changes: dict[str, str | None], checks: list[str]
) -> None:
    found = outside(rules.run, 1, rules.base, rules.commit(changes))
    assert [drift.check for drift in found] == checks


@pytest.mark.parametrize(("records", "depth", "missing"), [
    ([], 0, [1, 2]),
    ([(0, "step-1", "tip")], 0, [2]),
    ([(0, "step-1", "tip"), (0, "step-2", "base")], 0, []),
    ([(0, "step-1", "other"), (0, "step-2", "tip")], 0, [1]),
    ([(0, "skip-1", "tip"), (0, "skip-2", "tip")], 0, [1]),
    ([(0, "skip-2", "other"), (0, "step-1", "tip")], 0, [2]),
    ([(0, "begin-1", "tip"), (0, "claim-1", "tip"), (0, "wip", "tip")], 0, [1, 2]),
    ([(0, "step-1", "tip"), (1, "step-2", "tip")], 0, [2]),
    ([(0, "step-1", "tip"), (1, "step-2", "tip")], 1, []),
    ([(0, "step-3", "tip")], 0, [1, 2]),
])  # fmt: skip
def test_a_step_counts_that_is_recorded_below_the_tip(
    rules: Rules, records: list[tuple[int, str, str]], depth: int, missing: list[int]
) -> None:
    commits = {
        "base": rules.base,
        "tip": rules.commit({"src/part1.py": "x"}, branch=1),
        "other": rules.commit({"src/part2.py": "x"}),
    }
    for at in (0, 1):
        named: dict[str, str | None] = {name: commits[commit] for run, name, commit in records if run == at}
        rules.run.git.set_refs(rules.run.place_of(1, at).slug, named)
    rules.lease(depth=depth)
    facts = _gather(rules.run, rules.one())
    assert (facts.missing, facts.tip) == (missing, commits["tip"])
    assert [drift.step for drift in facts.drifts] == missing
    assert not {step.number for step in facts.completed} & set(missing)


def write_progress(rules: Rules, depth: int, status: str, **steps: tuple[str, str | None]) -> None:
    """Write the progress of a run into the tree of its session: like that which the verdict wrote, but for these."""
    values = json.loads(Path(rules.run.place.of_session(1).progress).read_text())
    for name, (state, error) in steps.items():
        values["steps"][name[1:]] |= {"status": state, "error": error}
    path = Path(place_in_tree(rules.run.state, rules.one(), depth).progress)
    write_tree(path.parent, {path.name: json.dumps({**values, "status": status})})


def judged(rules: Rules, end: Mapping[str, object]) -> SessionStand:
    """Return a session after the verdict on an attempt that ended so."""
    rules.run.note("end", session=1, attempt=1, **end)
    judge_attempt(rules.run, rules.one())
    return rules.one()


# How the attempt ended, whether its run began, what the branch has; state, words, depth, status in the project.
DONE = {"how": "done", "why": "", "status": 0}
BROKE = {"how": "done", "why": "Invalid API key", "status": 1}
LATE = {"how": "time limit", "why": "too slow", "status": 0}
STRAY: dict[str, str | None] = {"lib/part3.py": "x"}
VERDICTS = {
    "nothing was done": (DONE, False, {}, 0, "waiting", "step 1: step: expected step 1 completed", "in_progress"),
    "too late, whatever it did": (LATE, True, {}, 0, "failed", "time limit: too slow", "failed"),
    "no run began": (BROKE, False, {}, 0, "failed", "the client ended with status 1: Invalid API key", "failed"),
    "the run began": (BROKE, True, {}, 0, "waiting", "expected step 2 completed", "in_progress"),
    "outside": (DONE, True, STRAY, 0, "failed", "changed: lib/part3.py", "failed"),
    "the last recovery but one": (DONE, True, {}, RECOVERY_DEPTH - 1, "waiting", "expected step 1 completed", "in_progress"),
    "the last recovery": (DONE, True, {}, RECOVERY_DEPTH, "partial", f"it still lacks steps 1 and 2 after {RECOVERY_DEPTH} recoveries: ", "partial"),
    "outside after the last recovery": (DONE, True, STRAY, RECOVERY_DEPTH, "failed", "changed: lib/part3.py", "failed"),
}  # fmt: skip


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_follows_from_the_facts(rules: Rules, name: str) -> None:
    end, began, changes, depth, state, words, status = VERDICTS[name]
    tip = rules.commit(changes, branch=1)
    rules.lease(depth=depth)
    if began:
        rules.run.git.set_refs(rules.run.slugs_of(rules.one())[-1], {"start": rules.base})
    rules.run.note("end", session=1, attempt=1, **end)
    judge_attempt(rules.run, rules.one())
    one = rules.one()
    assert (one.state, words in one.why) == (state, True), one.why
    assert one.missing == ([1, 2] if state in ("waiting", "partial") else [])
    assert one.depth == depth + (state == "waiting")
    assert one.tip == (tip if "step" in one.why or changes else "")
    progress = json.loads(Path(rules.run.place.of_session(1).progress).read_text())
    assert (progress["status"], progress.get("recovery_depth") or 0) == (status, depth)
    assert bool(progress.get("recovery_dispatched")) == bool(depth)


@pytest.mark.parametrize(("status", "state"), [
    ("failed", "failed"), ("stopped", "failed"), ("blocked", "failed"),
    ("in_progress", "waiting"), ("partial", "waiting"),
])  # fmt: skip
def test_a_run_that_a_step_ended_has_failed(rules: Rules, status: str, state: str) -> None:
    rules.lease()
    judged(rules, LATE)
    write_progress(rules, 0, status, _1=("completed", "once"), _2=("failed", "for good"))
    one = judged(rules, DONE)
    assert one.state == state
    assert (one.why == f"its run is {status}; step 2: for good") == (state == "failed"), one.why
    steps = json.loads(Path(rules.run.place.of_session(1).progress).read_text())["steps"]
    assert [steps[name]["error"] for name in "12"] == ["once", "for good"]


def test_a_recovery_is_judged_by_its_own_run(rules: Rules) -> None:
    run = rules.run
    run.git.set_refs(run.place_of(1).slug, {"start": rules.base})
    rules.lease()
    judged(rules, LATE)
    write_progress(rules, 0, "failed", _1=("failed", "first"), _2=("failed", "first"))
    rules.lease(depth=1)
    assert "the client ended with status 1" in judged(rules, BROKE).why
    write_progress(rules, 1, "in_progress", _1=("failed", "second"), _3=("failed", "of another session"))
    assert (judged(rules, DONE).state, rules.one().depth) == ("waiting", 2)
    steps = json.loads(Path(run.place.of_session(1).progress).read_text())["steps"]
    assert (steps["1"]["error"], steps["3"]["status"]) == ("second", "deferred")


def test_what_recoveries_did_belongs_to_the_session_that_passes(rules: Rules) -> None:
    run = rules.run
    first = rules.commit({"src/part1.py": "x"})
    tip = rules.commit({"src/part2.py": "x"}, first, branch=1, step=2)
    rules.lease(depth=1)
    run.git.set_refs(run.place_of(1).slug, {"start": rules.base, "step-1": first, "begin-1": rules.base})
    later: dict[str, str | None] = {
        "start": first, "begin-2": first, "step-2": tip, "skip-4": tip, "claim-2": tip,
    }  # fmt: skip
    run.git.set_refs(run.place_of(1, 1).slug, later)
    _join_recoveries(run, rules.one(), tip)
    facts = run.git.refs(run.place_of(1).slug)
    wanted = {
        "start": rules.base,
        "begin-1": rules.base,
        "step-1": first,
        "begin-2": first,
        "step-2": tip,
        "skip-4": tip,
        "end": tip,
    }
    assert {name: facts.get(name) for name in wanted} == wanted
    assert "claim-2" not in facts


def test_a_session_that_lacks_nothing_passes_and_its_steps_are_over(rules: Rules) -> None:
    """Its only step was skipped, as the plan allows, so that no command decides."""
    run, tip = rules.run, rules.commit({"doc/other": "x"}, branch=3)
    rules.lease(3)
    run.git.set_refs(run.place_of(3).slug, {"start": rules.base, "skip-4": tip})
    run.note("end", session=3, attempt=1, **DONE)
    judge_attempt(run, rules.one(3))
    assert (rules.one(3).state, rules.one(3).why, rules.one(3).tip) == ("passed", "", tip)
    progress = json.loads(Path(run.place.of_session(3).progress).read_text())
    assert (progress["status"], progress["session_end_sha"]) == ("completed", tip)
    assert [progress["steps"][name]["status"] for name in "1234"] == ["deferred"] * 3 + ["completed"]


def test_a_recovery_has_the_missing_steps_and_says_where_it_goes_on(rules: Rules) -> None:
    tip = rules.commit({"src/part1.py": "x"}, branch=1)
    rules.lease()
    rules.run.note("audit", session=1, state="waiting", missing=[2], depth=1, tip=tip)
    text = recovery_text(rules.run, rules.one())
    assert ("### Step 2: " in text, "### Step 1: " in text, "### Step 3: " in text) == (True, False, False)
    assert f"previous partial session committed at {tip[:12]}" in text
    assert f"`{PLAN}`, session 1" in text
