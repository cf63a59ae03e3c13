"""What a worker elsewhere gets, and what counts of its result."""

from __future__ import annotations

from tests.waves.rules import Rules
from tests.waves.sample import PROJECT
from ultra_runtime.waves.attempts import attempt_of
from ultra_runtime.waves.leasing import facts_of, job_of
from ultra_runtime.waves.taking import STRANGE, take_result


def test_a_worker_elsewhere_is_told_what_its_session_needs(rules: Rules) -> None:
    run, tip = rules.run, rules.commit({"src/part1.py": "x"}, branch=1)
    run.note("wave", wave=2, base=tip)
    for number in (1, 2, 3):
        run.git.set_refs(run.place_of(number).slug, {"step-1": tip, "plan": run.state.begin["blob"]})
    rules.lease(4)
    job = job_of(run, attempt_of(run, rules.one(4)))
    assert job["facts"] == {run.place_of(number).slug: {"step-1": tip} for number in (1, 2)}
    assert (job["start"], job["base"], job["files"]) == (tip, tip, {})
    assert job["author"] == {"user.name": "A Person", "user.email": "person@example.com"}
    rules.lease(1, depth=1)
    run.note("audit", session=1, state="waiting", missing=[2], depth=1, tip=tip)
    job = job_of(run, attempt_of(run, rules.one(1)))
    assert (job["facts"], job["start"], job["base"]) == ({}, tip, rules.base)
    assert [*job["files"]] == [run.spec_of(1, 1)]


FACTS = {"start": "a", "end": "b", "begin-1": "c", "step-12": "d", "skip-3": "e"}
NO_FACTS = {"plan": "f", "claim-1": "g", "step-": "h", "step-x": "i", "wip-1": "j", "around": "k", "1": "l"}


def test_of_a_result_elsewhere_only_the_commits_of_steps_are_facts() -> None:
    assert facts_of({**FACTS, **NO_FACTS}) == FACTS


def test_the_result_of_the_leased_attempt_becomes_the_branch_and_replaces_the_facts(rules: Rules) -> None:
    run = rules.run
    earlier = rules.commit({"src/part1.py": "earlier"}, branch=1)
    tip, rest = rules.commit({"src/part1.py": "x"}), rules.commit({"src/rest.py": "x"})
    run.git.set_refs(run.place_of(1).slug, {"start": rules.base, "step-2": rules.base})
    rules.lease()
    told = {
        "end": {"status": 0}, "spoken": {}, "tip": tip, "refs": {"start": rules.base, "step-1": tip, "wip": tip},
        "rest": rest, "progress": {f"{PROJECT}/p.json": "{}", "../outside.json": "{}"},
    }  # fmt: skip
    assert take_result(run, rules.one(), told) == {"status": 0, "spoken": {}, "machine": ""}
    facts = run.git.refs(run.place_of(1).slug)
    assert facts == {"start": rules.base, "step-1": tip, "plan": run.state.begin["blob"]}
    assert run.tip_of(1) == tip
    assert {rules.git("rev-parse", ref) for ref in rules.rescued()} == {earlier, rest}
    assert (rules.tree() / PROJECT / "p.json").read_text() == "{}"
    assert not (rules.tree().parent / "outside.json").exists()


def test_a_result_that_does_not_descend_from_its_lease_is_kept_and_counts_for_nothing(rules: Rules) -> None:
    run = rules.run
    strange = rules.git("commit-tree", f"{rules.base}^{{tree}}", "-m", "strange")
    rules.lease()
    told = {"end": {"status": 0}, "spoken": {}, "tip": strange, "refs": {"step-1": strange}}
    assert take_result(run, rules.one(), told)["why"] == STRANGE
    assert (run.tip_of(1), run.git.refs(run.place_of(1).slug)) == ("", {})
    assert [rules.git("rev-parse", ref) for ref in rules.rescued()] == [strange]
