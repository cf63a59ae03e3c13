"""A plan that turned out wrong is amended: a draft from it, the gate, new specs, and the run goes on with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.door.samples import DIMENSIONS
from tests.executor.sample import PLAN, PROJECT, Repo, Stand, plan, step
from tests.executor.test_modes import SESSIONS
from tests.kit.names import COMMANDS

Make = Callable[..., Repo]
AMEND = f"plan amend --project {PROJECT}"
WRONG, RIGHT = step(2, verify="false"), step(2, verify="true")


def fenced(block: object) -> str:
    return f"```json\n{json.dumps(block)}\n```\n"


CRITICS = fenced({**{name: {"score": 5, "issues": []} for name in DIMENSIONS}, "verdict": "READY"}) + fenced(
    {"gaps": {"score": 5, "missing": []}, "creep": {"score": 5, "surplus": []}, "verdict": "ALIGNED"}
)


def amended(repo: Repo, place: int | str, text: str) -> dict[str, Any]:
    """Change a step or a section of the plan, and return the answer of the gate."""
    repo.ok(AMEND)
    put = (
        f"put plan --project {PROJECT} --draft {'--step' if isinstance(place, int) else '--section'} {place}"
    )
    assert repo.ok(put, given=text)["errors"] == []
    answer = repo.ok(f"gate plan --project {PROJECT}", given=CRITICS)
    assert answer["passed"] is True
    return answer


def fail_at_second(repo: Repo) -> None:
    repo.start()
    repo.do_step(1, {"src/part1.py": "1\n"})
    repo.ok("step begin 2")
    for _ in range(3):
        repo.ok("step verify 2")


@pytest.fixture
def failed(stand: Stand) -> Repo:
    """Return a repository whose run failed at a step that nobody can do."""
    return stand(fail_at_second, plan(step(1), WRONG))


@pytest.mark.soak
def test_a_failed_run_names_it_and_goes_on_with_the_amended_plan(failed: Repo) -> None:
    ended = failed.ok("run finish")
    assert ended["next"].endswith(f"if the plan is wrong: `ultra {AMEND}`")
    old = failed.read(PLAN)
    told = amended(failed, 2, RIGHT)
    offered = f"{COMMANDS['execute']} --project {PROJECT} --resume --accept-plan-change"
    assert told["run"] == failed.ok("status")["next"] == failed.ok("continue")["command"] == offered
    assert told["next"].endswith("the run failed at step 2 of 2, and the plan was changed since it started")
    assert failed.read(f"{PROJECT}/plan.2.md") == old
    assert "accept-plan-change" in failed.refused(f"run start {PLAN} --mode resume")
    begun = failed.ok(f"run start {PLAN} --mode resume --accept-plan-change --go-on")["begun"]
    assert (begun["step"], begun["verify"]) == (2, "true")
    failed.write({"src/part2.py": "2\n"})
    failed.ok("step verify 2 --go-on")
    assert failed.ok("run finish")["result"] == "completed"


@pytest.mark.parametrize(
    ("place", "text", "why"),
    [
        (1, step(1, verify="echo"), "the edit changes step 1, which is over"),
        ("Verification", "- `echo`\n", "the edit changes more of the plan than its remaining steps"),
    ],
)
def test_an_amended_plan_that_needs_a_new_run_says_so_at_once(
    failed: Repo, place: int | str, text: str, why: str
) -> None:
    failed.ok("run finish")
    told = amended(failed, place, text)
    assert told["next"].endswith(
        f"the plan was changed since it started: {why}, so the run must start over; its commits stay"
    )
    assert told["run"] == f"{COMMANDS['execute']} --project {PROJECT} --restart"
    assert why in failed.refused(f"run start {PLAN} --mode resume --accept-plan-change")
    assert failed.start("--restart")["run"] == "started"


@pytest.mark.soak
def test_the_page_shows_the_steps_of_the_plan_that_was_run(failed: Repo) -> None:
    failed.ok("run finish")
    amended(failed, 2, RIGHT.replace("Make part 2", "Something else"))
    page = failed.say("status", "--html", "-").out
    assert ("Make part 2" in page, "Something else" in page) == (True, False)


def test_the_draft_is_the_plan_and_the_plan_stays_meanwhile(failed: Repo) -> None:
    failed.ok("run finish")
    answer = failed.ok(AMEND)
    assert failed.read(answer["path"]) == failed.read(PLAN)
    assert "## D. Critics" in answer["guide"]
    assert f"`ultra gate plan --project {PROJECT}`, or delete the draft" in failed.refused(AMEND)
    (failed.folder / answer["path"]).unlink()
    assert "## D. Critics" in failed.say(*AMEND.split()).out, "the words that `next` offers have no --json"


def test_a_run_under_way_is_not_amended(failed: Repo) -> None:
    assert "is in use by the run in progress" in failed.refused(AMEND)


def test_without_a_plan_there_is_nothing_to_amend(failed: Repo) -> None:
    failed.ok("run finish")
    (failed.folder / PLAN).unlink()
    assert "there is no such file" in failed.refused(AMEND)


def test_specs_follow_the_amended_plan_and_old_ones_are_kept_and_not_run(make: Make) -> None:
    repo = make(plan(step(1), WRONG, strategy=SESSIONS))
    repo.ok(f"sessions write {PLAN} --project {PROJECT}")
    spec = f"{PROJECT}/sessions/session-2.md"
    repo.write({f"{PROJECT}/sessions/session-3.md": repo.read(spec)})
    old = repo.read(spec)
    assert "`false`" in old
    amended(repo, 2, RIGHT)
    assert "`true`" in repo.read(spec)
    names = sorted(path.name for path in (repo.folder / PROJECT / "sessions").glob("*.md"))
    assert names == ["session-1.md", "session-2.2.md", "session-2.md", "session-3.2.md"]
    assert repo.read(f"{PROJECT}/sessions/session-2.2.md") == old
    for name in ("sessions/session-2.2.md", "sessions/session-3.2.md", "plan.2.md"):
        for verb in ("run start", "run dry-run", "run validate", "waves start"):
            assert "an earlier version that is kept to be read" in repo.refused(f"{verb} {PROJECT}/{name}")


@pytest.mark.soak
def test_a_spec_that_is_older_than_the_plan_is_refused_with_the_remedy(make: Make) -> None:
    repo = make(plan(step(1), WRONG, strategy=SESSIONS))
    repo.ok(f"sessions write {PLAN} --project {PROJECT}")
    repo.write({PLAN: plan(step(1, verify="test -f src/part1.py"), WRONG, strategy=SESSIONS)})
    said = repo.refused(f"run start {PLAN} --session 1")
    assert "session-1.md is older than the plan" in said
    assert f"ultra sessions write {PLAN} --project {PROJECT}" in said
    repo.ok(f"sessions write {PLAN} --project {PROJECT}")
    assert repo.ok(f"run start {PLAN} --session 1 --go-on")["begun"]["step"] == 1


ONE_SESSION = SESSIONS.partition("### Session 2")[0].replace("1\n- **Wave", "1, 2\n- **Wave")


def fail_in_a_session(repo: Repo) -> None:
    repo.ok(f"sessions write {PLAN} --project {PROJECT}")
    repo.ok(f"run start {PLAN} --session 1 --go-on")
    repo.write({"src/part1.py": "1\n"})
    repo.ok("step verify 1 --go-on")
    for _ in range(3):
        repo.ok("step verify 2")
    repo.ok("run finish")


@pytest.fixture
def session(stand: Stand) -> Repo:
    """Return a repository in which a session of two steps failed at its second."""
    strategy = ONE_SESSION.replace("`src/part1.py`", "`src/part1.py`, `src/part2.py`")
    return stand(fail_in_a_session, plan(step(1), WRONG, strategy=strategy))


@pytest.mark.soak
def test_a_session_goes_on_with_the_amended_plan(session: Repo) -> None:
    assert session.ok("status")["reason"] == "the run failed at step 2 of 2"  # step 0 is not counted
    told = amended(session, 2, RIGHT)
    assert (
        told["run"] == f"{COMMANDS['execute']} --project {PROJECT} --resume --session 1 --accept-plan-change"
    )
    resume = f"run start {PLAN} --session 1 --mode resume"
    assert "was edited since the run started" in session.refused(resume)
    assert session.ok(f"{resume} --accept-plan-change --go-on")["begun"]["verify"] == "true"
    session.write({"src/part2.py": "2\n"})
    session.ok("step verify 2 --go-on")
    assert session.ok("run finish")["result"] == "completed"
    assert session.ultra(f"audit {PLAN} --session 1")["status"] == "pass"


@pytest.mark.soak
def test_the_rest_of_a_spec_is_not_accepted_with_its_steps(session: Repo) -> None:
    amended(session, 2, RIGHT)
    spec = f"{PROJECT}/sessions/session-1.md"
    resume = f"run start {PLAN} --session 1 --mode resume --accept-plan-change"
    for old, new in (
        ("- [ ] `true`\n", ""),
        ("- **Entry condition:** none", "- **Entry condition:** git clean"),
    ):
        text = session.read(spec)
        assert old in text
        session.write({spec: text.replace(old, new)})
        assert "more of the plan than its remaining steps" in session.refused(resume)
        session.write({spec: text})


def test_a_resumed_session_does_not_go_on_with_a_spec_that_is_older_than_the_plan(session: Repo) -> None:
    session.write({PLAN: session.read(PLAN).replace("`false`", "`true`")})
    write = f"ultra sessions write {PLAN} --project {PROJECT}"
    assert write in session.refused(f"run start {PLAN} --session 1 --mode resume")
    assert session.ok("status")["next"] == write


@pytest.mark.soak
def test_a_spec_names_its_plan_and_only_what_the_change_concerns_is_written_again(make: Make) -> None:
    text = plan(step(1), WRONG, strategy=SESSIONS)
    repo = make(text)
    repo.ok(f"sessions write {PLAN} --project {PROJECT}")
    first, second = (f"{PROJECT}/sessions/session-{number}.md" for number in (1, 2))
    digest = f"- **Plan digest:** `{hashlib.sha256(text.encode()).hexdigest()}`\n"
    before = repo.read(first)
    assert digest in before
    assert digest in repo.read(second)
    amended(repo, 2, RIGHT)
    assert repo.read(first) == before
    assert f"`{hashlib.sha256(repo.read(PLAN).encode()).hexdigest()}`" in repo.read(second)
    assert repo.ok(f"run start {PLAN} --session 1 --go-on")["begun"]["step"] == 1


def test_a_spec_with_the_scope_of_an_earlier_plan_is_refused(make: Make) -> None:
    repo = make(plan(step(1), WRONG, strategy=SESSIONS))
    repo.ok(f"sessions write {PLAN} --project {PROJECT}")
    repo.write({PLAN: repo.read(PLAN).replace("Never touch: `README.md`", "Never touch: `docs/`")})
    assert "session-1.md is older than the plan" in repo.refused(f"run start {PLAN} --session 1")
