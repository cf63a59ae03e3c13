"""The small rules of a run, each tried with all that it depends on: edits, times, limits, holders and records."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ultra_runtime.tables.limits import TIMEOUT_SECONDS

from tests.executor.sample import plan, step
from ultra_runtime.answer import RefusedError, UsageError
from ultra_runtime.checkout.surroundings import Surroundings
from ultra_runtime.files.project import Project
from ultra_runtime.files.run_refs import AROUND
from ultra_runtime.plan.reading import read
from ultra_runtime.run.life import ending, resume
from ultra_runtime.run.life.accept import change_problem, difference, refuse_more_than_later_steps
from ultra_runtime.run.life.choice import choose_strategy, strategy_note
from ultra_runtime.run.life.holder import ELSEWHERE, GONE, LIVE, held_next
from ultra_runtime.run.life.resume import _remember
from ultra_runtime.run.life.run_facts import RunFacts, StepFacts, _add_times
from ultra_runtime.run.state import around
from ultra_runtime.run.state.around import keep_around, read_around
from ultra_runtime.run.state.past import _free, free_path
from ultra_runtime.run.state.run_place import RunPlace
from ultra_runtime.run.step.numbers import amount, seconds, step_number
from ultra_runtime.run.step.strays import rewritten
from ultra_runtime.usage import Usage, parse

TEXT = plan(*(step(number) for number in (1, 2, 3)), verification="true")
LINES = TEXT.split("\n")


def test_a_head_without_the_last_commit_is_named_with_the_way_back() -> None:
    since, head = "0123456789abcdef", "fedcba9876543210"
    said = rewritten(since, head)
    assert str(said).startswith("HEAD (fedcba9876) does not contain 0123456789, the last commit of the run: ")
    assert "where 0123456789 is (`git reset --soft 0123456789ab` keeps the files)" in str(said.next_step)
    assert str(rewritten(since, "")).startswith("HEAD (without a commit) ")


def step_at(line: int) -> int | None:
    """Return the step that a line of the plan belongs to, read from the headings alone."""
    above = [row for row in LINES[: line + 1] if row.startswith(("### Step ", "## "))]
    return int(above[-1].split()[2].rstrip(":")) if above and above[-1].startswith("### Step ") else None


@given(st.integers(0, len(LINES) - 1), st.sets(st.integers(1, 3)), st.sampled_from(["change", "blank"]))
def test_only_steps_that_are_left_may_be_edited(line: int, over: set[int], how: str) -> None:
    is_text = LINES[line].strip() and not LINES[line].startswith(("---", "#", "  ```", "plan_version"))
    edited = [*LINES]
    edited[line : line + 1] = (
        [f"{LINES[line]} edited"] if how == "change" and is_text else [LINES[line], "", " "]
    )
    owner, changes = step_at(line), how == "change" and is_text
    allowed = not changes or (owner is not None and owner not in over)
    data = "\n".join(edited).encode()
    ends = {f"{'skip' if number == 3 else 'step'}-{number}": "x" for number in over}
    refs = {"plan": "pinned", **ends}
    git: Any = SimpleNamespace(refs=lambda slug: refs, blob=lambda name: TEXT.encode())
    problem = change_problem(git, "p", data)
    assert (problem == "") == allowed, (line, LINES[line], problem)
    if not allowed:
        with pytest.raises(RefusedError, match=f"step {owner}" if owner else "more of the plan"):
            refuse_more_than_later_steps(TEXT.encode(), data, over)
    added = [row[1:] for row in difference(TEXT.encode(), data)[2:] if row.startswith("+")]
    assert not changes or added == [edited[line]]


def test_without_the_pinned_plan_no_edit_can_be_judged() -> None:
    git: Any = SimpleNamespace(refs=lambda slug: {})
    assert "not available" in change_problem(git, "p", TEXT.encode())


@pytest.mark.parametrize("waves", [(), (1,), (1, 1), (1, 2), (1, 2, 2)])
@pytest.mark.parametrize("alone", [False, True])
def test_the_strategy_follows_from_the_waves(waves: tuple[int, ...], alone: bool) -> None:
    found: Any = SimpleNamespace(
        sessions=list(waves),
        waves=[(wave, [one for one in waves if one == wave]) for wave in sorted(set(waves))],
    )
    side_by_side = len(set(waves)) < len(waves)
    expected = "single" if alone or len(waves) < 2 else "parallel" if side_by_side else "sequential"
    assert choose_strategy(found, alone) == expected
    assert (strategy_note(expected, found) == "") == (expected == "single")
    assert expected == "single" or f"{len(waves)} sessions ({expected})" in strategy_note(expected, found)


def test_numbers_of_a_call_are_tried_on_both_sides_of_their_limits() -> None:
    usage = Usage("step verify N [--timeout SECONDS]")
    good = ("1", "0.5", str(TIMEOUT_SECONDS))
    for given_text in (*good, str(TIMEOUT_SECONDS + 1), "0", "-1", "nan", "inf", "soon"):
        args = parse(usage, ["1", "--timeout", given_text])
        if given_text in good:
            assert (
                seconds(args, "--timeout", 7)
                == amount(args, "--timeout", TIMEOUT_SECONDS)
                == float(given_text)
            )
        else:
            with pytest.raises(UsageError, match="--timeout must be a number of seconds up to"):
                seconds(args, "--timeout", 7)
    assert (seconds(parse(usage, ["3"]), "--timeout", 7), step_number(parse(usage, ["3"]))) == (7, 3)
    for wrong in ("x", "1.5", "²"):
        with pytest.raises(UsageError, match="N must be the number of a step"):
            step_number(parse(usage, [wrong]))


def test_a_log_is_never_overwritten(tmp_path: Path) -> None:
    seen = set()
    for _ in range(4):
        for path in (free_path(str(tmp_path / "plan-change.diff")), _free(str(tmp_path / "run"))):
            assert path not in seen
            assert not Path(path).exists()
            seen.add(path)
            Path(path).touch()
    assert {Path(one).name for one in seen} >= {"plan-change.diff", "run-1", "run-2", "run-3", "run-4"}


def test_what_comes_next_depends_on_who_holds_the_tree() -> None:
    standing: Any = SimpleNamespace(words="step 2 is next", next="call", resume="resume")
    found = {holder: held_next(holder, standing) for holder in (LIVE, ELSEWHERE, GONE)}
    assert [one.command for one in found.values()] == ["call", "", "resume"]
    assert [one.reason for one in found.values()] == [
        "the run is in progress: step 2 is next",
        "the run is in progress in another session: step 2 is next",
        "the run was interrupted: step 2 is next",
    ]
    assert {one.stage for one in found.values()} == {"execute"}


AROUND_NOW = Surroundings({}, {}, "", {"core.eol": "1"}, {"node_modules": "2"}, {"PATH": "3"})


@pytest.mark.parametrize(
    "lost", [None, "given", "settings", "include", "reading", "carried", "searched", "all"]
)
def test_surroundings_that_cannot_be_read_are_refused_not_forgotten(lost: str | None) -> None:
    kept: list[bytes] = []

    def hash_object(*_: str, given: bytes) -> bytes:
        kept.append(given)
        return b"name\n"

    writer: Any = SimpleNamespace(ask=hash_object)
    assert keep_around(writer, AROUND_NOW) == "name"
    values = json.loads(kept[0])
    values.pop(lost, None)
    data = b"[]" if lost == "all" else json.dumps(values).encode()
    reader: Any = SimpleNamespace(blob=lambda name: data)
    if lost in (None, "searched"):
        found = read_around(reader, {AROUND: "name"})
        assert found is not None
        assert found.as_data() == {**AROUND_NOW.as_data(), **({"searched": {}} if lost else {})}
    else:
        with pytest.raises(RefusedError, match="pinned to at its start cannot be read"):
            read_around(reader, {AROUND: "name"})
    assert read_around(reader, {"start": "x"}) is None


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("now", [{"core.eol": "1"}, {"core.eol": "2"}, {}])
def test_git_converts_as_at_the_start_or_nobody_knows(
    monkeypatch: pytest.MonkeyPatch, recorded: bool, now: dict[str, str]
) -> None:
    monkeypatch.setattr(around, "read_around", lambda git, refs: AROUND_NOW if recorded else None)
    monkeypatch.setattr(around, "conversions", lambda git: now)
    live: Any = SimpleNamespace(git=SimpleNamespace(refs=lambda slug: {}), place=SimpleNamespace(slug="p"))
    assert around.same_conversions(live) == (not recorded or now == AROUND_NOW.reading)


ELSEWHERE_NOW: dict[str, dict[str, Any]] = {
    "nothing": {},
    "settings": {"given": {"setup": "make"}},
    "included files": {"include": "x"},
    "a filter": {"reading": {"core.eol": "9"}},
    "dependencies": {"carried": {}},
}


@pytest.mark.parametrize("changed", [None, *ELSEWHERE_NOW])
@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("accepts", [True, False])
def test_a_resume_goes_on_with_the_surroundings_of_the_start_or_with_accepted_ones(
    monkeypatch: pytest.MonkeyPatch, changed: str | None, recorded: bool, accepts: bool
) -> None:
    was = AROUND_NOW if recorded else None
    now = Surroundings(**{**AROUND_NOW.as_data(), **ELSEWHERE_NOW[changed]}) if changed else None
    monkeypatch.setattr(resume, "read_around", lambda git, refs: was)
    monkeypatch.setattr(resume, "look_around", lambda *_: now)
    live: Any = SimpleNamespace(git=None, around=now, lock={}, notes=[])
    asked: Any = SimpleNamespace(accept_settings_change=accepts)
    is_edited = changed in ("settings", "included files") if recorded else changed == "settings"
    if changed and is_edited and not accepts:
        with pytest.raises(RefusedError) as refused:
            resume._pin_around(live, asked, {})
        named = ".worktreeinclude" if changed == "included files" else ".claude/ultra.yaml"
        assert named in refused.value.error
        assert "--accept-settings-change" in refused.value.next_step
        assert (live.around, live.lock, live.notes) == (now, {}, [])
        return
    resume._pin_around(live, asked, {})
    if changed is None or not recorded or (accepts and changed == "nothing"):
        assert (live.around, live.lock, live.notes) == (now, {}, [])
    elif accepts:
        assert (live.around, live.notes) == (now, [])
        assert live.lock["findings"][0].startswith("accepted, changed since the run started: ")
    else:
        assert (live.around, live.lock["settings"]) == (None, was and was.settings)
        assert [("cannot be completed unless" in one) for one in live.notes] == [True] * (
            changed != "nothing"
        )


def test_the_next_session_reads_its_spec_then_the_brief_then_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(str(tmp_path), "p")
    Path(project.path("sessions")).mkdir(parents=True)
    spec, brief = Path(project.path("sessions", "session-1.md")), Path(project.path("brief.md"))
    for has_spec, has_brief, own, session in itertools.product(
        [False, True], [False, True], [None, 1, 2], [None, 1]
    ):
        for path, there in ((spec, has_spec), (brief, has_brief)):
            path.touch() if there else path.unlink(missing_ok=True)
        place = RunPlace(str(tmp_path), project.path("plan.md"), project, own)
        if session and (has_spec or own != session):
            expected = project.show("sessions/session-1.md")
        else:
            expected = project.show("brief.md" if has_brief else "plan.md")
        assert ending._brief(place, session) == expected, (has_spec, has_brief, own, session)
        monkeypatch.setattr(ending, "session_after", lambda git, place: None)
        git: Any = None
        assert [ending._next(git, place, status)[1] for status in ("completed", "failed", "partial")] == [
            "Complete", "Continue", "Continue",
        ]  # fmt: skip
        monkeypatch.setattr(
            ending, "session_after", lambda git, place: SimpleNamespace(number=3, title="More")
        )
        assert ending._next(git, place, "completed") == (
            project.show("sessions/session-3.md"),
            "Session 3: More",
        )
    alone = RunPlace(str(tmp_path), str(tmp_path / "docs/plan.md"), None, None)
    brief.touch()
    assert ending._brief(alone, None) == "docs/plan.md"


@pytest.mark.parametrize(("error", "attempts"), [("", 2), ("Verify failed", 1), ("Verify failed", 3)])
def test_a_failure_is_remembered_and_the_advice_about_its_undo_is_not(error: str, attempts: int) -> None:
    kept = ["step 2 was undone: x", "step 1 was undone: a", "step 11 was undone: b", "scope"]
    progress = SimpleNamespace(
        step=lambda number: {"error": error} if error else {}, attempts=lambda number: attempts
    )
    place = SimpleNamespace(show=lambda path: "logs", logs="/logs")
    live: Any = SimpleNamespace(progress=progress, place=place, lock={"findings": [*kept]}, notes=[])
    _remember(live, 1)
    if not error:
        assert (live.lock["findings"], live.notes) == (kept, [])
        return
    (told,) = live.notes
    assert f"{attempts} attempt{'s' if attempts > 1 else ''}: {error} (logs in logs)" in told
    assert live.lock["findings"] == [kept[0], kept[2], kept[3], told]
    _remember(live, 1)
    assert live.lock["findings"] == [kept[0], kept[2], kept[3], told], "once"


@given(st.lists(st.none() | st.integers(0, 5), max_size=4), st.none() | st.integers(0, 5))
def test_a_step_took_the_time_since_the_end_before_it(ends: list[int | None], started: int | None) -> None:
    def stamp(second: int | None) -> str:
        return "" if second is None else f"2026-01-31T12:00:{second:02}Z"

    run = RunFacts("progress.json", None)
    run.started_at = stamp(started)
    run.steps = [StepFacts(number, "", {"completed_at": stamp(end)}) for number, end in enumerate(ends, 1)]
    _add_times(run)
    known = sorted((end, at) for at, end in enumerate(ends) if end is not None)
    expected: list[int | None] = [None] * len(ends)
    before = started
    for end, at in known:
        expected[at] = end - before if before is not None and end >= before else None
        before = end
    assert [one.seconds for one in run.steps] == expected


@given(
    st.lists(
        st.sampled_from(["pending", "in_progress", "completed", "skipped", "failed", "deferred"]), max_size=5
    )
)
def test_steps_are_counted_by_what_they_are(states: list[str]) -> None:
    run = RunFacts("progress.json", None)
    run.steps = [
        StepFacts(number, "", {"status": state, "attempts": "many"}) for number, state in enumerate(states)
    ]
    run.name_steps({1: "One"})
    assert [one.title for one in run.steps] == ["One" if number == 1 else "" for number in range(len(states))]
    own = [(number, state) for number, state in enumerate(states) if state != "deferred"]
    assert [one.number for one in run.own] == [number for number, _ in own]
    assert [one.number for one in run.counted] == [number for number, _ in own if number]
    assert run.over == sum(state in ("completed", "skipped") for number, state in own if number)
    left = [number for number, state in own if state not in ("completed", "skipped")]
    assert (run.current and run.current.number) == (left[0] if left else None)
    assert all(one.attempts == 0 for one in run.steps)
    for holder in (LIVE, ELSEWHERE, "", GONE):
        run.holder = holder
        assert run.held == ("interrupted" if holder == GONE else holder)


def test_the_sample_is_what_the_rules_read() -> None:
    assert [one.number for one in read(TEXT.encode()).steps] == [1, 2, 3]
