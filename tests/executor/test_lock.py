"""One run in a working tree: whose it is, who may go on with it, and what happens to one that nobody has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, PROJECT, Repo, plan, step
from tests.kit.repository import make_repository
from ultra_runtime.answer import RefusedError
from ultra_runtime.files.run_files import STEP
from ultra_runtime.run.state.lock import Busy
from ultra_runtime.run.state.record import TURNS, Record, Records
from ultra_runtime.run.tree.workspace import find_workspace

Make = Callable[..., Repo]

TWO = plan(step(1), step(2))
OTHER = {"CLAUDE_CODE_SESSION_ID": "session-b", "CLAUDE_PID": str(os.getppid())}
LOCK = ".git/ultra/run.json"


def gone() -> str:
    """Return the id of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return str(process.pid)


def test_the_call_that_runs_is_named_and_an_earlier_record_of_a_step_counts_for_nothing(
    tmp_path: Path,
) -> None:
    workspace = find_workspace(str(make_repository(tmp_path / "repo", {"a": "a\n"})))
    for called in ("step verify 12 --go-on", "run abort", "step begin 1"):
        with Busy(workspace, called), pytest.raises(RefusedError) as refused:
            Busy(workspace, "another")
        assert refused.value.error == f"`ultra {called}` is running in this tree"
    records = Records(workspace, "run")
    step_file, turns = Path(workspace.path("run", STEP)), Path(workspace.path("run", TURNS))
    records.write(Record(1, "start", "tree"))
    earlier = step_file.read_bytes()
    ways: list[Callable[[], None]] = [
        lambda: records.write(Record(2, "start", "tree")),
        records.clear,
        turns.unlink,
    ]
    for replace in ways:
        found = records.read()
        assert found
        assert not records.is_foreign()
        replace()
        step_file.write_bytes(earlier)
        assert (records.read(), records.is_foreign()) == (None, True)
        records.write(Record(1, "start", "tree"))
        earlier = step_file.read_bytes()


@pytest.mark.soak
def test_another_session_that_lives_is_refused(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    for call in (f"run start {PLAN}", f"run start {PLAN} --mode resume"):
        assert "is in progress in this tree (session session-a, process" in repo.refused(call, env=OTHER)
    for call in ("step begin 1", "run finish"):
        assert "belongs to another session" in repo.refused(call, env=OTHER)
    assert "--force" in repo.refused("run abort", env=OTHER)
    repo.ok("step begin 1")
    assert repo.ok("run abort --force", env=OTHER)["status"] == "stopped"


def test_another_process_of_the_same_session_is_called_that(make: Make) -> None:
    """The conversation was opened twice."""
    repo = make(TWO)
    repo.start()
    twice = {"CLAUDE_PID": OTHER["CLAUDE_PID"]}
    for call in ("step begin 1", "run abort"):
        assert "belongs to another process of this session" in repo.refused(call, env=twice)


@pytest.mark.soak
def test_the_same_session_in_a_new_process_goes_on(make: Make) -> None:
    """The client was started again and took up the conversation."""
    repo = make(TWO)
    repo.start()
    # In a process of its own: the next one above it that is no shell is the owner.
    told = repo.run([repo.command, "step", "begin", "1", "--json"], env={"CLAUDE_PID": gone()})
    assert told.data["ok"] is True


@pytest.mark.soak
def test_a_stale_lock_is_taken_over_and_said(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.end_session()
    said = repo.refused("step begin 1")
    assert "was left by a session that is gone (session session-z, process" in said
    assert "--mode resume" in said
    answer = repo.start("--mode", "resume")
    assert "took over the lock of a run" in answer["notes"][0]
    repo.ok("step begin 1")


@pytest.mark.soak
def test_a_copy_of_the_tree_has_no_run(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    copy = Repo(repo.folder.parent / "copy", repo.bundle, repo.folder)
    copy.env = {**repo.env, **OTHER}
    shutil.copytree(repo.folder, copy.folder)
    assert "no run is in progress" in copy.refused("step begin 1")
    assert copy.ok(f"run start {PLAN} --mode resume")["run"] == "resumed"
    repo.ok("step begin 1")


@pytest.mark.soak
def test_another_plan_in_the_same_tree(make: Make) -> None:
    repo = make(TWO)
    repo.write({"other/plan.md": TWO})
    repo.start()
    assert "is still in progress in this tree | end it first" in repo.refused("run start other/plan.md")
    repo.ok("run abort")
    repo.ok("run start other/plan.md")


@pytest.mark.soak
def test_abort_leaves_word_and_the_edits(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "half\n"})
    answer = repo.ok("run abort")
    assert answer["status"] == "stopped"
    assert f"--project {PROJECT} --resume" in answer["next"]
    state = json.loads(repo.read(f"{PROJECT}/.session-state.local.json"))
    assert (state["status"], state["next_session_label"]) == ("stopped", "Continue")
    assert repo.read("src/part2.py") == "half\n"
    assert not repo.has(LOCK)
    assert repo.start("--mode", "resume")["first"] == 2
    assert repo.ok("step begin 2")["step"] == 2
    repo.write({"src/part2.py": "whole\n"})
    repo.ok("step verify 2")
    repo.ok("step commit 2")
    assert repo.git("show", "HEAD:src/part2.py") == "whole"
    assert repo.ok("run finish")["result"] == "completed"


def test_an_edited_plan_is_no_reason_to_stay_stuck(make: Make) -> None:
    repo = make(TWO)
    repo.start()
    repo.write({PLAN: "nonsense"})
    assert repo.ok("run abort")["status"] == "stopped"
