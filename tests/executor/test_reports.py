"""What a run says at its start and at its end, and what its records say of conditions and audits."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, PROGRESS, PROJECT, STATE, Repo, plan, step
from tests.kit.names import COMMANDS

Make = Callable[..., Repo]
REPORT = f"{PROJECT}/logs/report.md"
PARTS = {"src/part1.py": "1\n"}
STRATEGY = """\
### Session 1: First

- Steps: 1
- Wave: 1
- Depends on: none
- Scope fence:
  - Touch: `src/part1.py`
  - Never touch: `src/part2.py`

### Session 2: Second

- Steps: 2
- Wave: 2
- Depends on: Session 1
- Scope fence:
  - Touch: `src/part2.py`
  - Never touch: `src/part1.py`
"""
SPEC = f"{PROJECT}/sessions/session-1.md"


@pytest.fixture
def session(make: Make) -> Repo:
    """Return a repository with the spec of a session, written by the runtime."""
    repo = make(plan(step(1), step(2), strategy=STRATEGY))
    repo.ok(f"sessions write {PLAN}")
    return repo


@pytest.mark.soak
def test_the_summary_is_the_last_line_of_the_report_and_of_the_words(make: Make) -> None:
    repo = make(plan(step(1)))
    for number in (1, 2):
        repo.start(*(["--restart"] if number == 2 else []))
        repo.do_step(1, {"src/part1.py": f"{number}\n"})
        told = repo.say("run", "finish").out
        lines = repo.read(REPORT).rstrip("\n").split("\n")
        assert lines[-1] == told.rstrip("\n").split("\n")[-1]
        assert json.loads(lines[-1])["ultraexecute_summary"] == repo.progress()["summary"]
        assert sum("ultraexecute_summary" in line for line in lines) == 1


def test_the_short_line_leaves_out_only_the_plan_paths_and_what_is_none(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, PARTS)
    line = repo.ok("run finish --short")["last_line"]
    whole = repo.progress()["summary"]
    told = json.loads(line)["ultraexecute_summary"]
    known = {"plan", "plan_type", "plan_version", "progress_file"}
    assert told == {name: value for name, value in whole.items() if value and name not in known}
    assert (told["result"], told["steps_total"], told["steps_passed"]) == ("completed", 1, 1)
    assert line.startswith('{"ultraexecute_summary":')


@pytest.mark.soak
def test_the_report_names_legacy_and_recovery(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, PARTS)
    repo.ok("run finish")
    report = repo.read(REPORT)
    assert "- Legacy plan: no\n- Recovery: none\n" in report
    repo.write({PLAN: plan(step(1), version="1.6")})
    repo.ok(f"run start {PLAN} --restart")
    repo.do_step(1, {"src/part1.py": "2\n"})
    repo.ok("run finish")
    assert "- Legacy plan: yes\n" in repo.read(REPORT)
    repo.ok(f"run start {PLAN} --restart")
    repo.write({PROGRESS: json.dumps({**repo.progress(), "recovery_dispatched": True, "recovery_depth": 2})})
    repo.do_step(1, {"src/part1.py": "3\n"})
    repo.ok("run finish")
    assert "\n- Recovery: depth 2\n" in repo.read(REPORT)


@pytest.mark.soak
def test_a_failure_is_reported_with_its_first_lines_and_its_log(make: Make) -> None:
    repo = make(plan(step(1, verify="seq 1 40; false", on_failure="escalate")))
    repo.start()
    repo.ok("step begin 1")
    repo.write(PARTS)
    repo.ok("step verify 1")
    repo.ok("run finish")
    details = repo.read(REPORT).partition("### Failure details\n")[2]
    log = f"{PROJECT}/logs/step-1-verify-1.log"
    assert f"first 20 lines of {log}:" in details
    shown = re.findall(r"^    (.*)$", details, re.MULTILINE)
    assert shown == ["$ seq 1 40; false", *map(str, range(1, 20))]


def test_the_report_has_its_parts(make: Make) -> None:
    repo = make(
        plan(step(1, verify="true || pip install x"), step(2, verify="false", on_failure="escalate"), step(3))
    )
    assert repo.start()["notes"][0].startswith("Step 1, Verify: `true || pip install x`: adding a package")
    repo.do_step(1, PARTS)
    repo.git("rm", "--quiet", "src/part1.py")
    repo.git("commit", "--quiet", "--message=feat: part 1 again")
    refused = repo.refused("step begin 2")
    assert "outside the run" in refused
    repo.ok("step begin 2 --mine src/part1.py")
    repo.ok("step verify 2")
    answer = repo.ok("run finish")
    assert (answer["result"], answer["ultraexecute_summary"]["manifest_audit"]) == ("stopped", "drift")
    report = repo.read(REPORT)
    for part in (
        f"- Plan: {PLAN} (plan, version 1.7)\n- Mode: execute\n- Result: **stopped**\n",
        "| Step | Description | Result | Attempts | Commit | Manifest |",
        "| 3 | Make part 3 | not reached | 0 | none | n/a |",
        "### Manifest audit\n\ndrift ",
        "### Security advisories and blocks\n\n- Step 1, Verify: `true || pip install x`",
        "3 steps: 1 passed, 1 failed, 0 skipped, 1 not reached, 0 blocked.",
        "- Step 2 (Make part 2), on failure escalate, 1 of 1 attempt: ",
        f"- Step 3: Make part 3\n- To continue: {COMMANDS['execute']} --project {PROJECT} --resume\n",
    ):
        assert part in report, part


def test_a_session_state_that_cannot_be_written_is_a_warning(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, PARTS)
    (repo.folder / STATE).unlink()
    (repo.folder / STATE).mkdir()
    answer = repo.ok("run finish")
    assert answer["result"] == "completed"
    assert any(".session-state.local.json" in note for note in answer["notes"])


def test_what_fails_validation_has_its_first_code(make: Make) -> None:
    repo = make(plan(step(1), step(3)))
    answer = repo.ultra(f"run validate {PLAN}")
    assert (answer["verdict"], answer["errors"][0]["code"]) == ("FAIL", "PLAN_STEP_NUMBERING")
    assert "PLAN_STEP_NUMBERING" in answer["error"]
    repo.write({PLAN: plan(step(1)), PROGRESS: "{"})
    answer = repo.ultra(f"run validate {PLAN}")
    assert (answer["verdict"], answer["errors"][0]["code"]) == ("FAIL", "PROGRESS_PARSE_ERROR")


@pytest.mark.soak
def test_nothing_audited_is_not_a_pass(make: Make) -> None:
    repo = make(plan(step(1, verify="false", on_failure="escalate")))
    repo.start()
    repo.ok("step begin 1")
    repo.ok("step verify 1")
    summary = repo.ok("run finish")["ultraexecute_summary"]
    assert (summary["manifest_audit"], "manifest_audit" in repo.progress()) == ("n/a", False)
    assert "| 1 | Make part 1 | FAIL | 1 | none | fail |" in repo.read(REPORT)


@pytest.mark.soak
def test_the_pre_flight_has_no_manifest_to_audit(session: Repo) -> None:
    started = session.ok(f"run start {SPEC}")
    assert (started["type"], started["scope"]) == ("session-spec", "1 to touch, 1 never to touch")
    session.ok("step begin 0")
    session.ok("step verify 0")
    session.ok("step commit 0")
    assert session("run", "abort").status == 0
    progress = json.loads(session.read(f"{PROJECT}/progress-session-1.json"))
    assert progress["steps"]["0"]["manifest_audit"] == "n/a"


@pytest.mark.soak
@pytest.mark.parametrize("left", ["", "src/left.py", "README.md"])
def test_uncommitted_changes_fail_the_exit_condition_of_a_session(session: Repo, left: str) -> None:
    assert "- [ ] No uncommitted changes remain." in session.read(SPEC)
    session.write({"notes.txt": "the user's own, before the run\n"})
    session.ok(f"run start {SPEC}")
    for number in (0, 1):
        session.do_step(number, PARTS if number else {})
    if left:
        session.write({left: "forgotten\n"})
    done = session.ok("run finish")
    summary = done["ultraexecute_summary"]
    assert (summary["result"], summary["exit_condition"]) == (
        ("partial", "fail") if left else ("completed", "pass")
    )
    assert any(left in row for row in done.get("why", [])) == bool(left)
    progress = json.loads(session.read(f"{PROJECT}/progress-session-1.json"))
    assert progress["exit_condition_checked"] is (not left)


def test_an_entry_condition_that_is_not_met_is_not_checked_off(session: Repo) -> None:
    spec = session.read(SPEC).replace("**Entry condition:** none", "**Entry condition:** git clean")
    session.write({SPEC: spec, "README.md": "changed\n"})
    assert "entry condition" in session.refused(f"run start {SPEC}")
    progress = json.loads(session.read(f"{PROJECT}/progress-session-1.json"))
    assert (progress["status"], progress["entry_condition_checked"]) == ("stopped", False)
    session.git("checkout", "--quiet", "README.md")
    session.ok(f"run start {SPEC} --mode resume")
    assert json.loads(session.read(f"{PROJECT}/progress-session-1.json"))["entry_condition_checked"] is True


@pytest.mark.soak
def test_conditions_that_are_not_there_are_not_checked_off(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    assert repo.progress()["entry_condition_checked"] is False
    repo.do_step(1, PARTS)
    assert repo.ok("run finish")["ultraexecute_summary"]["exit_condition"] == "n/a"
    assert repo.progress()["exit_condition_checked"] is False


def test_a_start_says_what_it_starts(make: Make) -> None:
    repo = make(plan(step(1)))
    told = repo.say("run", "start", PLAN).out
    assert (
        f"Started {PLAN}: 0 of 1 steps are done.\nMode: execute\nProject: {PROJECT}\nType: plan\nNext: "
        in told
    )
    repo.ok("run abort")
    answer = repo.ok(f"run start {PLAN} --mode resume")
    assert (answer["mode"], {"type", "scope"} & set(answer)) == ("resume", set()), (
        "only a session spec needs them"
    )


def test_a_missing_plan_names_the_command_that_makes_it(make: Make) -> None:
    repo = make(plan(step(1)))
    (repo.folder / PLAN).unlink()
    for call in (f"run start {PROJECT}", f"run dry-run {PROJECT}", f"run validate {PROJECT}"):
        assert f"make it with `{COMMANDS['plan']} --project " in repo.refused(call), call
    repo.write({f"{PROJECT}/logs/small-task.json": '{"task": "Say hello"}\n'})
    (repo.folder / PROJECT / "brief.md").unlink(missing_ok=True)
    task = f"make it with `{COMMANDS['plan']} --task 'Say hello'`"
    assert task in repo.refused(f"run start {PROJECT}"), "there is no brief to make it from"
    for verb in ("start", "dry-run", "validate"):
        assert "docs/gone.md: there is no such file" in repo.refused(f"run {verb} docs/gone.md"), verb


def test_a_plan_that_is_gone_after_its_run_comes_back_from_git(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("run abort")
    shutil.rmtree(repo.folder / ".claude")
    said = repo.refused(f"run start {PLAN} --mode resume")
    assert "there is no such file | ask the user; `mkdir" in said
    assert repo.run(["bash", "-c", said.split("`")[1]]).status == 0
    assert repo.start("--mode", "resume")["run"] == "resumed"


def test_what_is_ready_names_the_command_that_runs_it(make: Make) -> None:
    repo = make(plan(step(1)))
    run = f"{COMMANDS['execute']} {PLAN}"
    answer = repo.ok(f"run validate {PLAN}")
    assert answer["next"] == f"run it: {run}"
    said = {name: answer[name] for name in ("verdict", "type", "plan_version", "steps", "warnings")}
    assert said == {"verdict": "READY", "type": "plan", "plan_version": "1.7", "steps": 1, "warnings": []}
    assert repo.ok(f"run dry-run {PLAN}")["report"].endswith(f"READY\n\nTo run it: {run}")


@pytest.mark.parametrize("verb", ["run dry-run", "run validate"])
def test_a_project_and_a_file_together(make: Make, verb: str) -> None:
    repo = make(plan(step(1)))
    repo.write({f"{PROJECT}/other.md": plan(step(1), step(2))})
    answer = repo.ok(f"{verb} {PROJECT}/other.md --project {PROJECT}")
    assert (answer["verdict"], answer["steps"]) == ("READY", 2)
    assert repo(*verb.split(), PLAN, "--project", ".claude/projects/none").status == 1
    repo.write({"docs/other.md": plan(step(1), step(2))})
    assert repo.ok(f"run start docs/other.md --project {PROJECT}")["steps"] == 2
    assert repo.progress()["plan"] == "docs/other.md"


def test_a_dry_run_tells_new_files_from_missing_ones(make: Make) -> None:
    text = plan(
        step(1, ["src/new.py", "src/hello.py", "src/odd.py"], expected_paths=["src/new.py", "src/hello.py"])
    )
    repo = make(text.replace("`src/odd.py`", "`src/odd.py`, `src/marked.py` (new)"))
    report = repo.ok(f"run dry-run {PLAN}")["report"]
    for row in (
        "- src/new.py: NOT FOUND (new file)",
        "- src/hello.py: EXISTS",
        "- src/odd.py: NOT FOUND (unexpected: may be missing)",
        "- src/marked.py: NOT FOUND (new file)",
    ):
        assert f"{row}\n" in report


@pytest.mark.soak
@pytest.mark.parametrize("way", ["the files", "the hook"])
def test_a_commit_that_a_hook_rejects_has_ways_on(make: Make, way: str) -> None:
    repo = make(plan(step(1)))
    hook = repo.folder / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\ngrep -q good src/part1.py || { echo 'src/part1.py is not good'; exit 1; }\n")
    hook.chmod(0o755)
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "bad\n"})
    repo.ok("step verify 1")
    refused = repo.refused("step commit 1")
    assert "src/part1.py is not good" in refused
    assert "`ultra step verify 1` again" in refused
    assert repo.read("src/part1.py") == "bad\n"
    if way == "the hook":
        hook.unlink()
    else:
        repo.write({"src/part1.py": "good\n"})
        assert repo.ok("step verify 1")["next"] == "commit"
    repo.ok("step commit 1")
    assert repo.ok("run finish")["result"] == "completed"


DAMAGE: dict[str, tuple[str, str]] = {
    "PROGRESS_PARSE_ERROR": ("{", "{{"),
    "PROGRESS_SCHEMA_MISMATCH": ('"schema_version": "1"', '"schema_version": "7"'),
    "PROGRESS_MISSING_FIELD": ('"total_steps"', '"all_steps"'),
    "PROGRESS_STEP_RANGE": ('"current_step": 1', '"current_step": 9'),
}


@pytest.mark.parametrize("code", sorted(DAMAGE))
def test_a_progress_file_that_cannot_be_used_stops_a_resume(make: Make, code: str) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, PARTS)
    repo.end_session()
    broken = repo.read(PROGRESS).replace(*DAMAGE[code], 1)
    repo.write({PROGRESS: broken})
    for flags in ("--mode resume", ""):
        refused = repo.refused(f"run start {PLAN} {flags}")
        assert code in refused
        assert "--mode resume --rebuild" in refused
        assert repo.read(PROGRESS) == broken
    answer = repo.ok(f"run start {PLAN} --mode resume --rebuild")
    assert (answer["run"], answer["first"]) == ("resumed", 2)
    assert repo.read(f"{PROGRESS}.broken") == broken
    assert repo.progress()["steps"]["1"]["status"] == "completed"
    assert repo("run", "start", PLAN, "--rebuild").status == 2


@pytest.mark.soak
def test_a_progress_file_that_is_missing_is_rebuilt_by_a_resume(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, PARTS)
    repo.end_session()
    Path(repo.folder / PROGRESS).unlink()
    assert repo.ok(f"run start {PLAN} --mode resume")["first"] == 2
    assert not repo.has(f"{PROGRESS}.broken")
