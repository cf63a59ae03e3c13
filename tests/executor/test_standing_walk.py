"""Where a project stands after any sequence of events, in any order: whoever is asked says the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.executor.sample import PLAN, PROGRESS, PROJECT, STATE, Repo, plan, step
from tests.executor.status_sample import add_brief, artifact, plan_text
from tests.executor.test_standing import IN, REVIEW, Asked, remedy, verdict
from tests.kit.quick import examples

BRIEF = f"{PROJECT}/brief.md"
TWO_STEPS = plan(step(1), step(2, verify="test -s src/part2.py"))
Act = Callable[[Repo], object]


def _remove(*names: str) -> Act:
    def remove(repo: Repo) -> None:
        for name in names:
            (repo.folder / name).unlink(missing_ok=True)

    return remove


def _write(name: str, text: str) -> Act:
    return lambda repo: repo.write({name: text})


def _try(*lines: str) -> Act:
    """Call verbs; a refusal is as good an event as any other."""
    return lambda repo: [repo.say(*line.split()) for line in lines]


def _work(number: int) -> Act:
    def do(repo: Repo) -> None:
        repo.say("step", "begin", str(number))
        repo.write({f"src/part{number}.py": f"done {number}\n"})
        repo.say("step", "verify", str(number))
        repo.say("step", "commit", str(number))

    return do


def _leave(repo: Repo) -> None:
    if repo.has(".git/ultra/run.json"):
        repo.end_session()


def _remedy(repo: Repo) -> None:
    if repo.has(REVIEW):
        repo.write({PLAN: remedy(repo, "src/fixed.py")})


ACTS: dict[str, Act] = {
    "a brief": lambda repo: add_brief(repo, answered=0),
    "a partial brief": lambda repo: repo.write(
        {BRIEF: artifact("brief", "valid.md").replace("brief_quality: complete", "brief_quality: partial")}
    ),
    "half of the research": lambda repo: add_brief(repo, answered=1),
    "all research": lambda repo: add_brief(repo, answered=2),
    "a brief that is broken": _write(BRIEF, "# no front matter\n"),
    "no brief": _remove(BRIEF),
    "a draft of the brief": _write(f"{BRIEF}.draft", "x"),
    "a plan": _write(PLAN, TWO_STEPS),
    "another plan": _write(PLAN, plan(step(1), step(2), step(3))),
    "a plan of sessions": _write(PLAN, plan_text()),
    "a plan that is broken": _write(PLAN, TWO_STEPS.replace("**Verify:**", "**Vrfy:**")),
    "no plan": _remove(PLAN),
    "a draft of the plan": _write(f"{PLAN}.draft", "x"),
    "specs of sessions": _try(f"sessions write {PLAN} {IN}"),
    "a start": _try(f"run start {PLAN}"),
    "a start of session 1": _try(f"run start {PLAN} --session 1", "step begin 0", "step verify 0", "step commit 0"),
    "a start of session 2": _try(f"run start {PLAN} --session 2"),
    "a resume": _try(f"run start {PLAN} --mode resume"),
    "a failure": _try("step begin 2", "step verify 2", "step verify 2", "step verify 2"),
    "step 1": _work(1),
    "step 2": _work(2),
    "step 3": _work(3),
    "an end": _try("run finish"),
    "an abort": _try("run abort"),
    "a session that is gone": _leave,
    "no state": _remove(STATE),
    "no progress": _remove(PROGRESS),
    "progress that is broken": _write(PROGRESS, "{"),
    "a BLOCK": lambda repo: verdict(repo, "BLOCK"),
    "a WARN": lambda repo: verdict(repo, "WARN"),
    "an ALLOW": lambda repo: verdict(repo, "ALLOW"),
    "no review": _remove(REVIEW),
    "a remediation plan": _remedy,
}  # fmt: skip


LIFE = (
    "a brief", "all research", "a plan", "a start", "step 1", "an abort", "a resume", "step 2", "an end", "a WARN",
    "a remediation plan", "a start", "an end", "an ALLOW",
)  # fmt: skip


@pytest.mark.soak
@settings(max_examples=examples(36), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, len(LIFE)), st.lists(st.sampled_from(sorted(ACTS)), min_size=1, max_size=6))
def test_everybody_says_the_same_in_any_order(
    bundle: Path, python: Path, lived: int, events: list[str]
) -> None:
    """Let a project live for a while, then let anything happen to it."""
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo(Path(folder) / "repo", bundle, python).create(TWO_STEPS)
        for name in LIFE[:lived]:
            ACTS[name](repo)
        for at, name in enumerate(events, 1):
            ACTS[name](repo)
            try:
                Asked(repo, {}).compare()
            except AssertionError as problem:
                raise AssertionError(f"after {', '.join((*LIFE[:lived], *events[:at]))}") from problem
