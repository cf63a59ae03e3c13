"""The modes of a run, legacy plans, sessions and their specs, and the reports that write nothing."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.executor.sample import PLAN, PROGRESS, PROJECT, STATE, Repo, plan, step
from tests.kit.names import COMMANDS

Make = Callable[..., Repo]

SESSIONS = """\
### Session 1: Ground

- **Steps:** 1
- **Wave:** 1
- **Depends on:** none
- **Scope fence:**
  - Touch: `src/part1.py`
  - Never touch: `README.md`

### Session 2: House

- **Steps:** 2
- **Wave:** 2
- **Depends on:** Session 1
- **Scope fence:**
  - Touch: `src/part2.py`
  - Never touch: `src/part1.py`
"""
TWO_SESSIONS = plan(step(1), step(2), strategy=SESSIONS)


def state(repo: Repo) -> dict[str, object]:
    values = json.loads(repo.read(STATE))
    assert repo.ultra(f"validate session-state {STATE}")["valid"]
    assert isinstance(values, dict)
    return values


@pytest.mark.soak
def test_one_step_gives_partial_until_all_are_done(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    assert repo.start("--step", "2")["first"] == 2
    assert "step 1 is out of turn" in repo.refused("step begin 1")
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ok("run finish")["result"] == "partial"
    assert repo.progress()["mode"] == "step"
    assert "step 2 is completed already" in repo.refused(f"run start {PLAN} --step 2")
    repo.start("--mode", "step", "--step", "1")
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"


def test_foreground_is_an_ordinary_run(make: Make) -> None:
    repo = make(TWO_SESSIONS)
    answer = repo.start("--mode", "fg")
    assert (answer["mode"], answer["strategy"], "notes" in answer) == ("execute", "single", False)


def test_a_plan_with_sessions_is_left_to_waves_unless_it_is_run_here(make: Make) -> None:
    repo = make(TWO_SESSIONS)
    answer = repo.start()
    assert (answer["run"], answer["strategy"], answer["sessions"]) == ("not started", "sequential", 2)
    assert not repo.has(PROGRESS)
    answer = repo.start("--mode", "fg")
    assert (answer["run"], answer["strategy"], answer["steps"]) == ("started", "single", 2)
    assert "unfinished" in repo.refused(f"run start {PLAN}")


@pytest.mark.parametrize(
    ("sessions", "flags", "strategy"),
    [
        (SESSIONS, "", "sequential"),
        (SESSIONS.replace("**Wave:** 2", "**Wave:** 1").replace("Depends on:** Session 1", "Depends on:** none"), "", "parallel"),
        (SESSIONS, "--mode fg", "single"),
        (SESSIONS, "--step 1", "single"),
        (SESSIONS, "--session 1", "single"),
        (SESSIONS, "--mode resume", "single"),
        (SESSIONS.partition("### Session 2")[0].replace("**Steps:** 1", "**Steps:** 1-2"), "", "single"),
        ("", "", "single"),
    ],
)  # fmt: skip
def test_the_strategy_follows_the_sessions_and_the_mode(
    make: Make, sessions: str, flags: str, strategy: str
) -> None:
    repo = make(plan(step(1), step(2), strategy=sessions))
    assert repo.start(*flags.split())["strategy"] == strategy


@pytest.mark.soak
def test_failed_can_be_resumed_with_new_attempts(make: Make) -> None:
    repo = make(plan(step(1, verify="grep right src/part1.py")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "wrong\n"})
    for _ in range(3):
        repo.ok("step verify 1")
    repo.ok("run finish")
    assert state(repo)["status"] == "failed"
    assert repo.start("--mode", "resume")["first"] == 1
    repo.do_step(1, {"src/part1.py": "right\n"})
    assert repo.ok("run finish")["result"] == "completed"


@pytest.mark.soak
def test_an_escalated_step_goes_on_with_its_edits(make: Make) -> None:
    repo = make(plan(step(1, verify="grep right src/part1.py", on_failure="escalate")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "wrong\n"})
    repo.ok("step verify 1")
    repo.ok("run finish")
    repo.start("--mode", "resume")
    repo.do_step(1, {"src/part1.py": "right\n"})
    assert repo.git("show", "--format=", "--name-status", "HEAD") == "A\tsrc/part1.py"


@pytest.mark.soak
def test_the_report_names_the_conditions_that_hold(make: Make) -> None:
    repo = make(plan(step(1), verification="test -f src/part1.py"))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert "- pass\n- `test -f src/part1.py` passes\n" in repo.read(repo.ok("run finish")["report"])


@pytest.mark.soak
def test_exit_conditions(make: Make) -> None:
    repo = make(plan(step(1), verification="echo no; false"))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    answer = repo.ok("run finish")
    assert (answer["result"], answer["ultraexecute_summary"]["exit_condition"]) == ("partial", "fail")
    assert "`echo no; false` failed with exit status 1" in repo.read(answer["report"])


@pytest.mark.soak
def test_every_exit_condition_is_run(make: Make) -> None:
    repo = make(plan(step(1), verification="echo no; false`\n- `echo yes`\n- `exit 4"))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    said = repo.read(repo.ok("run finish")["report"])
    for row in ("`echo no; false` failed with exit status 1", "`echo yes` passes", "`exit 4` failed"):
        assert row in said


@pytest.mark.soak
def test_exit_conditions_wait_for_all_steps(make: Make) -> None:
    repo = make(plan(step(1, verify="false", on_failure="escalate"), verification="true"))
    repo.start()
    repo.ok("step begin 1")
    repo.ok("step verify 1")
    assert repo.ok("run finish")["ultraexecute_summary"]["exit_condition"] == "skipped"


@pytest.mark.soak
def test_a_session_of_a_plan(make: Make) -> None:
    repo = make(TWO_SESSIONS)
    said = repo.refused(f"run start {PLAN} --session 2")
    assert "the steps of session 1 are not all committed here" in said
    assert state(repo)["status"] == "stopped"
    begin = f"{COMMANDS['execute']} --project {PROJECT}"
    assert repo.ok("continue")["command"] == repo.ok("status")["next"] == begin
    assert repo.ok("status")["run"] is None
    assert "stopped" not in repo.say("status").out
    assert "has no session 7" in repo.refused(f"run start {PLAN} --session 7")
    assert repo.start("--session", "1")["steps"] == 1
    assert repo.has(f"{PROJECT}/progress-session-1.json")
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert state(repo)["next_session_label"] == "Session 2: House"
    progress = json.loads(repo.read(f"{PROJECT}/progress-session-1.json"))
    assert progress["steps"]["2"]["status"] == "deferred"
    assert repo.ultra(f"validate progress {PROJECT}/progress-session-1.json")["warnings"] == []
    assert repo.start("--mode", "session", "--session", "2")["first"] == 2
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "two\n", "src/part1.py": "spoilt\n"})
    assert "outside the session's fence were changed: src/part1.py" in repo.ok("step verify 2")["why"][0]
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 2")
    repo.ok("step commit 2")
    assert repo.ok("run finish")["result"] == "completed"
    assert state(repo)["next_session_label"] == "Complete"
    assert repo.ultra(f"audit {PLAN} --session 2")["status"] == "pass"


def test_a_session_of_a_plan_outside_a_project_has_its_progress_beside_the_plan(make: Make) -> None:
    repo = make(TWO_SESSIONS)
    repo.write({"docs/house.md": TWO_SESSIONS})
    assert repo.ok("run start docs/house.md --session 1")["steps"] == 1
    assert repo.has("docs/.ultraexecute-progress-house-session-1.json")


def test_a_step_says_what_it_reuses(make: Make) -> None:
    repo = make(plan(step(1)).replace("- **Verify:**", "- **Reuses:** `src/hello.py`\n- **Verify:**"))
    repo.start()
    begun = repo.ok("step begin 1")
    assert (begun["changes"], begun["reuses"]) == ("Write part 1.", "`src/hello.py`")


def test_a_step_outside_its_fence_is_escalated(make: Make) -> None:
    repo = make(plan(step(1, ["README.md"]), strategy=SESSIONS.split("### Session 2")[0]))
    repo.start("--session", "1")
    assert "but this session must not touch that" in repo.refused("step begin 1")
    assert repo.ok("run finish")["result"] == "stopped"


@pytest.fixture
def spec(make: Make) -> Repo:
    """Return a repository with the specs of two sessions."""
    repo = make(TWO_SESSIONS)
    repo.ok(f"sessions write {PLAN}")
    return repo


@pytest.mark.soak
def test_a_session_spec_from_its_pre_flight_to_its_exit(spec: Repo) -> None:
    path = f"{PROJECT}/sessions/session-1.md"
    assert spec.ok(f"run start {path}")["first"] == 0
    spec.ok("step begin 0")
    assert spec.ok("step verify 0")["passed"]
    assert spec.ok("step commit 0") == {"ok": True, "step": 0, "commit": None, "next": "ultra step begin 1"}
    spec.do_step(1, {"src/part1.py": "one\n"})
    summary = spec.ok("run finish")["ultraexecute_summary"]
    assert [summary[name] for name in ("result", "plan_type", "steps_total", "exit_condition")] == [
        "completed", "session-spec", 1, "pass",
    ]  # fmt: skip
    assert state(spec)["next_session_brief_path"] == f"{PROJECT}/sessions/session-2.md"
    assert spec.ok(f"run start {PROJECT}/sessions/session-2.md")["first"] == 0


def test_exit_77_of_the_pre_flight_is_blocked_and_not_failed(spec: Repo) -> None:
    path = f"{PROJECT}/sessions/session-1.md"
    spec.git("remote", "add", "origin", "/nowhere/at/all")
    spec.ok(f"run start {path}")
    spec.ok("step begin 0")
    answer = spec.ok("step verify 0")
    assert (answer["next"], answer["passed"]) == ("blocked", False)
    assert "the run has ended" in spec.refused("step begin 1")
    summary = spec.ok("run finish")["ultraexecute_summary"]
    assert [summary[name] for name in ("result", "steps_blocked", "steps_failed")] == ["blocked", 1, 0]
    assert state(spec)["status"] == "blocked"
    spec.env["ULTRAEXECUTE_SKIP_PREFLIGHT"] = "1"
    assert spec.ok(f"run start {path} --mode resume")["first"] == 0
    spec.ok("step begin 0")
    assert spec.ok("step verify 0")["passed"]


@pytest.mark.soak
def test_exit_77_of_another_step_is_a_failure(make: Make) -> None:
    repo = make(plan(step(1, verify="exit 77")))
    repo.start()
    repo.ok("step begin 1")
    assert repo.ok("step verify 1")["next"] == "retry"


def test_what_an_entry_condition_takes_away_is_put_back(spec: Repo) -> None:
    path = f"{PROJECT}/sessions/session-1.md"
    condition = "`git checkout -q -- . && rm mine.txt`"
    spec.write({path: spec.read(path).replace("condition:** none", f"condition:** {condition}")})
    mine = {"README.md": "# Mine\n", "mine.txt": "mine\n"}
    spec.write(mine)
    told = spec.ok(f"run start {path}")["notes"]
    assert "the entry condition changed files of your tree, which were put back: README.md, mine.txt" in str(
        told
    )
    assert {name: spec.read(name) for name in mine} == mine


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("none", ""),
        ("git clean", "1 path with uncommitted changes"),
        ("`test -f ready`", "`test -f ready` failed with exit status 1"),
        ("session 2", "the steps of session 2 are not all committed here"),
        ("the moon is full", 'only a person can check this: "the moon is full"'),
    ],
)
def test_entry_conditions(spec: Repo, condition: str, said: str) -> None:
    path = f"{PROJECT}/sessions/session-1.md"
    spec.write(
        {
            path: spec.read(path).replace("**Entry condition:** none", f"**Entry condition:** {condition}"),
            "dirty": "",
        }
    )
    if not said:
        spec.ok(f"run start {path}")
        return
    answer = spec.refused(f"run start {path}")
    assert said in answer
    assert state(spec)["status"] == "stopped"
    assert not spec.has(".git/ultra/run.json")
    if condition.startswith("the moon"):
        assert "--accept-entry" in answer
        spec.ok(f"run start {path} --accept-entry")
    if condition.startswith("`"):
        spec.write({"ready": ""})
        spec.ok(f"run start {path}")


def test_a_legacy_plan(make: Make) -> None:
    text = '# Old\n\n## Implementation Plan\n\n### Step 1: Old\n\n- Files: `src/part1.py`\n- Verify: `true`\n- On failure: revert\n- Checkpoint: `git commit -m "feat: old thing here"`\n'
    repo = make(text)
    assert any("PLAN_VERSION_MISMATCH" in note for note in repo.start()["notes"])
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.progress()["legacy_plan"] is True
    summary = repo.ok("run finish")["ultraexecute_summary"]
    assert (summary["result"], summary["legacy_plan"], summary["plan_version"]) == (
        "completed",
        True,
        "legacy",
    )


def test_an_invalid_plan_is_refused_with_its_codes(make: Make) -> None:
    repo = make(plan(step(1), step(3)))
    assert "PLAN_STEP_NUMBERING" in repo.refused(f"run start {PLAN}")
    answer = repo.ultra(f"run validate {PLAN}")
    assert (answer["verdict"], answer["errors"][0]["code"]) == ("FAIL", "PLAN_STEP_NUMBERING")
    text = plan(step(1))
    for code, broken in (
        ("MANIFEST_MISSING", text[: text.index("- **Manifest:**")]),
        ("MANIFEST_PATTERN_INVALID", text.replace("^feat: part 1", "^feat(")),
        ("MANIFEST_PARSE", text.replace("manifest:", "manifest")),
    ):
        repo.write({PLAN: broken})
        assert code in repo.refused(f"run start {PLAN}")
    assert not repo.has(PROGRESS)


@pytest.mark.soak
def test_a_step_without_verify_and_without_checkpoint(make: Make) -> None:
    text = plan(step(1, verify=None)).replace('- **Checkpoint:** `git commit -m "feat: part 1"`\n', "")
    repo = make(text.replace("^feat: part 1", "^Step 1"))
    assert any("PLAN_MISSING_VERIFY" in note for note in repo.start()["notes"])
    assert (
        "| none | revert | none | yes | PLAN_MISSING_VERIFY, PLAN_CHECKPOINT_FORM |"
        in repo.ok(f"run dry-run {PLAN}")["report"]
    )
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.subjects()[-1] == "Step 1: Make part 1"
    assert repo.ok("run finish")["result"] == "completed"


def test_dry_run_and_validate_write_nothing(make: Make) -> None:
    repo = make(plan(step(1), step(2, ["README.md"]), strategy=SESSIONS, verification="make check"))
    before = (repo.tree(), repo.refs())
    answer = repo.ok(f"run dry-run {PLAN}", env={"ANTHROPIC_API_KEY": "x"})
    report = answer["report"]
    assert answer["verdict"] == "READY", report
    head = "| Step | Description | Verify | On failure | Checkpoint | Manifest | Issues |"
    row = "| 1 | Make part 1 | true | revert | feat: part 1 | yes | none |"
    for words in (head, row, "src/part1.py: NOT FOUND", "README.md: EXISTS", "run `make check`",
                  "--session 2", "ANTHROPIC_API_KEY is set"):  # fmt: skip
        assert words in report
    assert repo.ok(f"run validate {PLAN}")["manifests"] == {"valid": 2, "made_up": 0}
    assert (repo.tree(), repo.refs()) == before
    assert not repo.has(".git/ultra")
    assert "has no readable step" in repo.refused("run dry-run README.md")
    repo.write({PLAN: plan(step(1, ["../x"], verify="rm -rf /"))})
    answer = repo.ok(f"run dry-run {PLAN}")
    assert answer["verdict"] == "NEEDS ATTENTION"
    assert any("BLOCKED" in issue for issue in answer["issues"])
    assert any("outside the repository" in issue for issue in answer["issues"])


def start_and_die(repo: Repo, *words: str) -> None:
    """Start a run in a session whose process is gone."""
    repo.start(*words)
    repo.end_session()


def test_a_killed_run_is_found_by_continue(make: Make) -> None:
    repo = make(plan(step(1)))
    start_and_die(repo)
    assert state(repo)["status"] == "in_progress"
    found = repo.ok("continue")
    assert (found["status"], found["command"]) == (
        "in_progress", f"{COMMANDS['execute']} --project {PROJECT} --resume",
    )  # fmt: skip


@pytest.mark.soak
def test_a_killed_session_is_resumed_as_that_session(make: Make) -> None:
    repo = make(TWO_SESSIONS)
    start_and_die(repo, "--session", "1")
    assert repo.ok("continue")["command"].endswith(f"--project {PROJECT} --resume --session 1")
    assert repo.start("--mode", "resume")["steps"] == 1
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert not repo.has(PROGRESS)


def test_a_killed_session_with_a_spec_is_named_by_continue(spec: Repo) -> None:
    start_and_die(spec, "--session", "1")
    assert spec.ok("continue")["command"].endswith(f"--project {PROJECT} --resume --session 1")


def test_of_two_sessions_that_were_left_one_has_to_be_named(make: Make) -> None:
    repo = make(
        plan(step(1), step(2), strategy=SESSIONS.replace("Depends on:** Session 1", "Depends on:** none"))
    )
    for number in ("1", "2"):
        repo.start("--session", number)
        repo.ok("step begin " + number)
        repo.ok("run abort")
    assert "sessions 1 and 2 of this plan are unfinished" in repo.refused(f"run start {PLAN} --mode resume")


def test_a_project_directory_stands_for_its_plan(make: Make) -> None:
    repo = make(plan(step(1)))
    for folder in (PROJECT, f"{PROJECT}/"):
        assert repo.ok(f"run dry-run {folder}") == repo.ok(f"run dry-run {PLAN}")
    assert repo.ok(f"run validate {PROJECT}") == repo.ok(f"run validate {PLAN}")
    assert "1 step;" in repo.ok(f"run dry-run {PROJECT}")["report"]


def test_a_plan_is_found_from_a_subfolder_as_the_answers_name_it(make: Make) -> None:
    repo = make(TWO_SESSIONS)
    below = repo.folder / "packages/deep"
    below.mkdir(parents=True)
    assert repo.ok(f"plan show {PLAN}", cwd=below)["type"] == "plan"
    assert repo.ok(f"sessions write {PLAN}", cwd=below)["ok"] is True
    assert repo.ultra(f"validate plan {PLAN}", cwd=below)["valid"]
    assert repo.ultra(f"scan {PLAN}", cwd=below)["ok"] is True
    assert repo.ok(f"run start {PLAN} --mode fg --go-on", cwd=below)["begun"]["step"] == 1
    assert repo.ultra("plan show nowhere/plan.md", cwd=below)["ok"] is False
