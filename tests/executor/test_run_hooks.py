"""The hooks around a run, started as the client starts them: silent elsewhere, and never an error of a session."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.built import copy_bundle
from tests.executor.sample import PLAN, PROGRESS, PROJECT, SLUG, STATE, Repo, plan, step
from tests.kit.names import COMMANDS

Make = Callable[..., Repo]
EXECUTE = COMMANDS["execute"]
RESUME = f"{EXECUTE} --project {PROJECT} --resume"
TWO = plan(step(1), step(2))
HOOKS = ("pre_compact", "stop", "session_start", "user_message")
ELSEWHERE = {"CLAUDE_CODE_SESSION_ID": "session-b", "CLAUDE_PID": str(os.getppid())}


def call(
    repo: Repo,
    hook: str,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    given: bytes | None = None,
    **payload: object,
) -> str:
    """Run a hook as the client does, for session-a unless told otherwise; it never fails."""
    variables = {**repo.env, **(env or {})}
    said = {"session_id": variables["CLAUDE_CODE_SESSION_ID"], "cwd": str(repo.folder), **payload}
    path = repo.bundle / "runtime/ultra_runtime/hooks" / f"{hook}.py"
    done = subprocess.run(
        ["python3", "-I", "-S", "-X", "utf8", path], cwd=cwd or repo.folder, env=variables, check=False,
        input=json.dumps(said).encode() if given is None else given, capture_output=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def stop(repo: Repo, **payload: Any) -> str:
    """Return the reminder that a stop brings, if any."""
    told = call(repo, "stop", **{"hook_event_name": "Stop", **payload})
    if not told:
        return ""
    answer = json.loads(told)
    assert set(answer) == {"decision", "reason"}
    assert answer["decision"] == "block"
    return str(answer["reason"])


@pytest.mark.parametrize("hook", HOOKS)
def test_nothing_is_said_and_nothing_written_without_a_run(make: Make, tmp_path: Path, hook: str) -> None:
    repo = make(TWO)
    assert call(repo, hook) == ""
    assert call(repo, hook, cwd=tmp_path) == ""
    assert not repo.has(".git/ultra")


@pytest.mark.soak
def test_a_finished_run_is_silent_everywhere(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run finish")
    assert [call(repo, hook) for hook in HOOKS] == [""] * len(HOOKS)


# PreCompact


@pytest.mark.soak
def test_the_summariser_is_told_plan_step_and_command(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    assert "Next command: `ultra step begin 1`" in call(repo, "pre_compact")
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    told = call(repo, "pre_compact", cwd=repo.folder / "src")
    assert f"Plan: {PLAN}" in told
    assert 'step 2 of 2 is in progress ("Make part 2"); 1 of 2 steps are over' in told
    assert "Next command: `ultra step verify 2`, once the step's edits are made" in told
    assert RESUME in told
    repo.write({PLAN: TWO.replace("Make part", "Skip part")})
    assert 'step 2 of 2 is in progress ("Make part 2")' in call(repo, "pre_compact")
    repo.write({PLAN: TWO, "src/part2.py": "two\n"})
    repo.ok("step verify 2")
    assert "Next command: `ultra step commit 2`" in call(repo, "pre_compact")
    repo.ok("step commit 2")
    told = call(repo, "pre_compact")
    assert "all 2 steps are over" in told
    assert "Next command: `ultra run finish`" in told


@pytest.mark.soak
def test_progress_catches_up_with_git(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    before = repo.read(PROGRESS)
    repo.do_step(1, {"src/part1.py": "one\n"})
    commit = repo.progress()["steps"]["1"]["commit"]
    repo.write({PROGRESS: before})
    assert "step 2 of 2 is next" in call(repo, "pre_compact")
    after = repo.progress()["steps"]
    assert (after["1"]["status"], after["1"]["commit"], after["2"]["status"]) == (
        "completed",
        commit,
        "pending",
    )
    assert repo.ultra(f"validate progress {PROGRESS}")["valid"]


def test_progress_never_goes_back(make: Make) -> None:
    """A file that claims more than git knows is the next verb's business: compaction takes nothing away."""
    repo = make(TWO)
    repo.start()
    claimed = repo.progress()
    claimed["steps"]["1"]["status"] = "completed"
    repo.write({PROGRESS: json.dumps(claimed)})
    call(repo, "pre_compact")
    assert repo.progress()["steps"]["1"]["status"] == "completed"
    repo.ok("step begin 1")
    assert repo.progress()["steps"]["1"]["status"] == "in_progress"


@pytest.mark.soak
def test_a_progress_file_that_is_right_keeps_every_byte(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    before = (repo.folder / PROGRESS).stat()
    call(repo, "pre_compact")
    after = (repo.folder / PROGRESS).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.soak
def test_compaction_compares_the_commits_since_the_start_with_the_steps(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "1\n"})
    assert "- Git:" not in call(repo, "pre_compact")
    repo.git("commit", "--quiet", "--allow-empty", "--message=by somebody else")
    head = repo.git("rev-parse", "HEAD").strip()
    assert f"- Git: no step made the commit {head[:12]} by somebody else\n" in call(repo, "pre_compact")


@pytest.mark.soak
def test_compaction_goes_on_whatever_is_broken(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    for damage in ({PLAN: "no plan\n"}, {PROGRESS: b"\xff{"}, {f".git/ultra/{SLUG}/step.json": "[]"}):
        repo.write(damage)
        assert "Next command: `ultra step begin 1`" in call(repo, "pre_compact"), damage
    assert repo.ultra(f"validate progress {PROGRESS}")["valid"]  # made anew from git
    (repo.folder / ".git/ultra/run.json").write_text("{")
    path = repo.bundle / "runtime/ultra_runtime/hooks/pre_compact.py"
    done = subprocess.run(
        ["python3", "-I", "-S", path],
        cwd=repo.folder,
        env=repo.env,
        input=b"{}",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.soak
def test_a_verb_at_work_is_not_waited_for(make: Make) -> None:
    import fcntl

    repo = make(TWO)
    repo.start()
    before = repo.read(PROGRESS)
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({PROGRESS: before})
    with open(repo.folder / ".git/ultra/busy", "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert f"Plan: {PLAN}" in call(repo, "pre_compact")
    assert repo.read(PROGRESS) == before


@pytest.mark.parametrize("hook", ["pre_compact", "stop", "user_message"])
def test_the_run_of_another_session_is_none_of_ours(make: Make, hook: str) -> None:
    repo = make(TWO)
    repo.start()
    before = repo.read(PROGRESS)
    assert call(repo, hook, env=ELSEWHERE) == ""
    assert repo.read(PROGRESS) == before


# Stop and SubagentStop


@pytest.mark.soak
def test_a_stop_in_the_middle_is_reminded_once(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    told = stop(repo)
    assert f"The run of {PLAN} is not finished: step 2 of 2 is next" in told
    assert "`ultra run finish` has not been called" in told
    assert "`ultra step begin 2`" in told
    assert stop(repo) == ""
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert stop(repo) == ""


@pytest.mark.soak
def test_a_new_session_is_reminded_anew(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    assert stop(repo)
    repo.ok("run abort")
    repo.ok(f"run start {PLAN} --mode resume", env=ELSEWHERE)
    assert stop(repo) == ""  # not ours any more
    assert stop(repo, env=ELSEWHERE)
    assert stop(repo, env=ELSEWHERE) == ""


def test_a_stop_that_a_hook_prolonged_ends(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    assert stop(repo, stop_hook_active=True) == ""
    agent = {"id": "a1", "type": "subagent", "status": "running"}
    assert stop(repo, background_tasks=[agent]) == ""
    assert stop(repo, stop_hook_active=False) != ""


@pytest.mark.soak
def test_a_run_that_failed_still_wants_its_finish(make: Make) -> None:
    repo = make(plan(step(1, verify="false")))
    repo.start()
    repo.ok("step begin 1")
    for _ in range(3):
        repo.ok("step verify 1")
    told = stop(repo)
    assert "it failed after 0 of 1 steps" in told
    assert "Continue with `ultra run finish`" in told


@pytest.mark.soak
def test_only_a_sub_agent_that_runs_is_reminded(make: Make, tmp_path: Path) -> None:
    repo = make(TWO)
    repo.start()
    runs, reads = tmp_path / "runs.jsonl", tmp_path / "reads.jsonl"
    runs.write_text('{"input":{"command":"ultra step begin 1 --json"}}\n')
    reads.write_text('{"input":{"command":"ls"}}\n')

    def sub(kind: str, name: str, transcript: Path | None) -> str:
        path = str(transcript) if transcript else None
        event = {"hook_event_name": "SubagentStop", "agent_type": kind, "agent_id": name}
        return stop(repo, **event, agent_transcript_path=path)

    assert sub("", "c", runs) == ""  # compaction
    assert sub("Explore", "e", reads) == ""
    assert sub("Explore", "e", None) == ""
    assert sub("Explore", "e", tmp_path / "gone") == ""
    assert sub("general-purpose", "a", runs) != ""
    assert sub("general-purpose", "a", runs) == ""
    assert stop(repo) != ""  # the main conversation has its own


def test_what_cannot_be_noted_is_not_said(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    (repo.folder / ".git/ultra/reminded.json").mkdir()
    assert stop(repo) == ""


# UserPromptSubmit


@pytest.mark.soak
def test_a_message_in_the_middle_of_a_run_says_how_to_continue_it(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    command, _, words = RESUME.partition(" ")
    told = call(repo, "user_message", prompt="go on")
    assert f"The run of {PLAN} is in progress: step 2 of 2 is next." in told
    assert f"call the Skill tool with skill {command[1:]} and args `{words}`" in told
    assert repo.ok(f"run start {PLAN} --mode resume --go-on")["begun"]["step"] == 2
    assert call(repo, "user_message", prompt=RESUME) == "", "a command brings its own permissions"


@pytest.mark.soak
def test_a_message_before_the_finish_brings_no_step_back(make: Make) -> None:
    repo = make(plan(step(1, verify="false")))
    repo.start()
    repo.ok("step begin 1")
    for _ in range(3):
        repo.ok("step verify 1")
    assert call(repo, "user_message", prompt="go on") == ""


# SessionStart


@pytest.mark.soak
def test_the_session_of_the_run_is_told_how_to_go_on(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.ok("step begin 1")
    assert call(repo, "session_start", source="compact") == (
        f"Unfinished, execute of {PROJECT}: the run is in progress: step 1 of 2 is in progress."
        " To continue: ultra step verify 1\n"
    )


def test_another_session_is_told_to_keep_away(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    told = call(repo, "session_start", env=ELSEWHERE)
    assert told.startswith(
        f"Unfinished, execute of {PROJECT}: the run is in progress in another session: step 1 of 2 is next"
        " (session session-a, process "
    )
    assert told.count("\n") == 1


def test_an_interrupted_run_is_told_with_its_command(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.end_session()
    begin = f"Unfinished, execute of {PROJECT}: the run was interrupted"
    told = call(repo, "session_start", env=ELSEWHERE)
    assert told == f"{begin}: step 1 of 2 is next. To continue: {RESUME}\n"
    (repo.folder / ".git/ultra/run.json").unlink()
    told = call(repo, "session_start", env=ELSEWHERE)
    assert told == f"{begin} at step 1 of 2. To continue: {RESUME}\n"


def test_an_aborted_run_is_told_by_its_session_state(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.ok("run abort")
    assert repo.has(STATE)
    assert call(repo, "session_start").startswith(
        f"Unfinished, execute of {PROJECT}: the run was stopped at step 1 of 2. "
    )


def test_the_lock_of_a_copied_folder_is_not_ours(make: Make, tmp_path: Path) -> None:
    repo = make(TWO)
    repo.start()
    copy = tmp_path / "copy"
    shutil.copytree(repo.folder, copy, symlinks=True)
    told = call(repo, "session_start", cwd=copy)
    assert told.startswith(f"Unfinished, execute of {PROJECT}: the run was interrupted")
    assert [call(repo, hook, cwd=copy) for hook in ("pre_compact", "stop")] == ["", ""]


# All of them


@pytest.mark.soak
@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("given", [b"", b"\xff", b"[]", b'{"session_id": 7}', b"{" * 5000])
def test_any_bytes_on_standard_input(make: Make, hook: str, given: bytes) -> None:
    repo = make(TWO)
    repo.start()
    call(repo, hook, given=given)


@pytest.mark.soak
@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("redirection", [">&-", ">/dev/full", "| true", ">&- 2>&- <&-"])
def test_an_output_that_nobody_takes_is_no_error(make: Make, hook: str, redirection: str) -> None:
    repo = make(TWO)
    repo.start()
    path = repo.bundle / "runtime/ultra_runtime/hooks" / f"{hook}.py"
    script = f'set -o pipefail; python3 -I -S -X utf8 "{path}" {redirection}'
    done = subprocess.run(
        ["bash", "-c", script], cwd=repo.folder, env=repo.env, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.soak
@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize(
    "room", ["guard/site.py", "files/run_files.py", "guard/own_run.py", "text/jsontext.py"]
)
def test_a_damaged_bundle_does_not_fail_a_session(make: Make, tmp_path: Path, hook: str, room: str) -> None:
    repo = make(TWO)
    repo.start()
    repo.bundle = copy_bundle(repo.bundle, tmp_path / "damaged")
    for damage in ("raise SystemExit(2)\n", "not python"):
        path = repo.bundle / "runtime/ultra_runtime" / room
        assert path.exists()
        path.write_text(damage)
        call(repo, hook)


@pytest.mark.parametrize("hook", HOOKS)
def test_outside_a_run_a_hook_loads_next_to_nothing(make: Make, hook: str) -> None:
    repo = make(TWO)
    path = repo.bundle / "runtime/ultra_runtime/hooks" / f"{hook}.py"
    done = subprocess.run(
        ["python3", "-I", "-S", "-X", "importtime", path], cwd=repo.folder, env=repo.env, input=b"{}",
        capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "ultra_runtime.guard.site" in loaded
    assert not loaded & {"re", "json", "typing", "collections", "subprocess", "ultra_runtime.run.state.live"}
