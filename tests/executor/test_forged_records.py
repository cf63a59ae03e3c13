"""Records that somebody else wrote are named and ignored: refs, lists, step records, locks and progress files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.executor.sample import PLAN, PROGRESS, PROJECT, SLUG, Repo, Stand, plan, step
from ultra_runtime.files.git import find_git
from ultra_runtime.files.run_refs import _found
from ultra_runtime.files.seal import sealed

Make = Callable[..., Repo]

TWO = plan(step(1), step(2))
RUN = f"refs/ultra/run/{SLUG}"
STEP, LIST, LOCK = f".git/ultra/{SLUG}/step.json", f".git/ultra/refs/{SLUG}.json", ".git/ultra/run.json"


def do_first(repo: Repo) -> None:
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})


@pytest.fixture
def half(stand: Stand) -> Repo:
    """Return a repository in which one of two steps is done."""
    return stand(do_first, TWO)


def steps(repo: Repo) -> dict[str, str]:
    return {number: one["status"] for number, one in repo.progress()["steps"].items()}


def edit(repo: Repo, name: str, **values: Any) -> None:
    """Change values of a JSON file as anybody could."""
    repo.write({name: json.dumps({**json.loads(repo.read(name)), **values})})


@pytest.mark.parametrize(
    "change",
    [
        "true", f"git symbolic-ref {RUN}/step-2 {RUN}/step-1", f"touch .git/{RUN}/plan.lock", "git pack-refs --all",
        f"git update-ref {RUN}/wip/deep HEAD", f"echo broken > .git/{RUN}/skip-1", f"git pack-refs --all; git update-ref {RUN}/skip-2 HEAD",
    ],
)  # fmt: skip
def test_refs_are_read_as_git_names_them(half: Repo, change: str) -> None:
    half.shell(change)
    said = half.git("for-each-ref", "--format=%(refname) %(objectname)", f"{RUN}/")
    names = dict(row.split(" ") for row in said.splitlines())
    assert _found(find_git(str(half.folder)), SLUG) == {
        name[len(RUN) + 1 :]: one for name, one in names.items()
    }


def finish(repo: Repo) -> str:
    """Do the second step, finish, and return the report."""
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ok("run finish")["result"] == "completed"
    return repo.read(f"{PROJECT}/logs/report.md")


@pytest.mark.soak
@pytest.mark.parametrize("name", ["skip-2", "step-2", "end"])
def test_a_ref_written_by_hand_is_named_and_ignored(half: Repo, name: str) -> None:
    before = half.refs()
    half.git("update-ref", f"{RUN}/{name}", "HEAD")
    assert "step 2 is not done" in half.refused("run finish")
    assert steps(half) == {"1": "completed", "2": "pending"}
    assert half.refs() == before
    assert f"{RUN}/{name} was not written by the runtime and is ignored" in finish(half)


def test_the_audit_ignores_a_ref_written_by_hand(half: Repo) -> None:
    half.ok("run abort")
    half.git("update-ref", f"{RUN}/step-2", "HEAD")
    assert half.ultra(f"audit {PLAN}")["completed_steps"] == [1]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "value"),
    [("start", "HEAD"), ("begin-1", "HEAD"), ("step-1", "HEAD~1"), ("plan", "HEAD:README.md")],
)
def test_a_ref_changed_by_hand_is_put_back(half: Repo, name: str, value: str) -> None:
    before = half.refs()
    half.git("update-ref", f"{RUN}/{name}", half.git("rev-parse", value))
    assert half.refs() != before
    half.ok("step begin 2")
    assert half.refs()[f"run/{SLUG}/{name}"] == before[f"run/{SLUG}/{name}"]
    assert f"{RUN}/{name} was not written by the runtime" in finish(half)


@pytest.mark.soak
def test_refs_that_were_removed_come_back_from_the_list(half: Repo) -> None:
    before = half.refs()
    for name in before:
        half.git("update-ref", "-d", f"refs/ultra/{name}")
    half.ok("step begin 2")
    assert before.items() <= {**half.refs(), f"run/{SLUG}/seal": before[f"run/{SLUG}/seal"]}.items()
    assert f"{RUN}/step-1 was not written by the runtime" in finish(half)


def forged_list(repo: Repo, refs: Mapping[str, str]) -> str:
    """Return a list in the right form with refs added, as somebody without the key would write it."""
    values = json.loads(repo.git("cat-file", "blob", f"{RUN}/seal"))
    values["refs"].update(refs)
    values["number"] += 1
    return json.dumps(values)


@pytest.mark.soak
@pytest.mark.parametrize("where", ["git", "file", "both"])
def test_a_list_written_by_hand_is_no_list(half: Repo, where: str) -> None:
    head = half.git("rev-parse", "HEAD")
    text = forged_list(half, {"skip-2": head})
    half.git("update-ref", f"{RUN}/skip-2", head)
    if where != "file":
        half.write({"list": text})
        half.git("update-ref", f"{RUN}/seal", half.git("hash-object", "-w", "list"))
        os.unlink(half.folder / "list")
    if where != "git":
        half.write({LIST: text})
    assert "step 2 is not done" in half.refused("run finish")
    assert steps(half) == {"1": "completed", "2": "pending"}
    finish(half)


def test_without_the_folder_in_the_git_dir_the_list_in_git_decides_and_it_is_said(half: Repo) -> None:
    half.git("update-ref", f"{RUN}/skip-2", "HEAD")
    shutil.rmtree(half.folder / ".git/ultra")
    notes = " ".join(half.start("--mode", "resume")["notes"])
    assert f"the key of {RUN} is lost, so its records count as git has them" in notes
    assert f"{RUN}/skip-2 was not written by the runtime" in notes
    assert steps(half) == {"1": "completed", "2": "pending"}
    finish(half)


@pytest.mark.soak
def test_without_any_list_no_step_counts_as_skipped(half: Repo) -> None:
    half.git("update-ref", f"{RUN}/skip-2", "HEAD")
    half.git("update-ref", "-d", f"{RUN}/seal")
    os.unlink(half.folder / LIST)
    half.ok("step begin 2")
    assert f"the list of {RUN} is lost, so no step counts as skipped" in finish(half)


def test_a_call_killed_before_git_had_the_refs_is_completed_in_silence(half: Repo) -> None:
    """The list in the file is written first: git may still have the refs of the list before it."""
    before, head = half.refs(), half.git("rev-parse", "HEAD")
    values = json.loads(half.read(LIST))
    values.update(number=values["number"] + 1, after=before[f"run/{SLUG}/seal"])
    values["refs"]["step-2"] = values["refs"]["begin-2"] = head
    text = json.dumps(sealed(str(half.folder / ".git"), values))
    half.write({LIST: text, "list": text})
    half.git("hash-object", "-w", "list")
    os.unlink(half.folder / "list")
    answer = half.ok("run finish")
    assert (steps(half)["2"], half.refs()[f"run/{SLUG}/step-2"]) == ("completed", head)
    assert not [one for one in answer.get("findings", []) if "was not written" in one]


@pytest.mark.soak
@pytest.mark.parametrize(
    "values", [{"attempts": -1}, {"verified": "made up"}, {"artefacts": ["src/part2.py"]}]
)
def test_an_edited_record_of_a_step_is_named_and_ignored(half: Repo, values: dict[str, Any]) -> None:
    half.ok("step begin 2")
    edit(half, STEP, **values)
    assert "has not begun" in half.refused("step commit 2")
    half.ok("step begin 2")
    assert "the record of the step in progress was not written by the runtime" in finish(half)


@pytest.mark.soak
def test_attempts_go_on_after_an_edited_record(make: Make) -> None:
    repo = make(plan(step(1, verify="false")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.ok("step verify 1")
    edit(repo, STEP, attempts=0)
    repo.ok("step begin 1")
    assert repo.ok("step verify 1")["next"] == "stop"


@pytest.mark.soak
@pytest.mark.parametrize("values", [{"digest": "0"}, {"step": 2}, {"findings": []}])
def test_an_edited_lock_is_refused(half: Repo, values: dict[str, Any]) -> None:
    edit(half, LOCK, **values)
    said = half.refused("step begin 2")
    assert "run.json was not written by this version of the runtime" in said
    assert "`ultra run abort`" in said
    half.ok("run abort")
    half.start("--mode", "resume")
    finish(half)


def forge_progress(repo: Repo, **step: Any) -> None:
    values = json.loads(repo.read(PROGRESS))
    values["steps"]["2"] = {"attempts": 1, **step}
    repo.write({PROGRESS: json.dumps(values)})


@pytest.mark.soak
@pytest.mark.parametrize("state", ["completed", "skipped"])
@pytest.mark.parametrize("when", ["in the run", "after an abort"])
def test_a_progress_file_alone_says_nothing_about_a_step(half: Repo, state: str, when: str) -> None:
    if when == "after an abort":
        half.ok("run abort")
    head = half.git("rev-parse", "HEAD")
    forge_progress(half, status=state, commit=head, completed_at="2026-01-31T10:00:00Z", start_commit=head)
    if when == "after an abort":
        assert half.start("--mode", "resume")["first"] == 2
    assert "step 2 is not done" in half.refused("run finish")
    assert half.progress()["steps"]["2"] == {"attempts": 1, "start_commit": head, "status": "pending"}
    assert f"said that step 2 is {state}, but git has no record of that" in finish(half)


@pytest.mark.soak
def test_a_progress_file_alone_completes_no_run(half: Repo) -> None:
    edit(
        half,
        PROGRESS,
        status="completed",
        completed_at="2026-01-31T10:00:00Z",
        summary={"result": "completed"},
    )
    half.ok("step begin 2")
    values = half.progress()
    assert (values["status"], "completed_at" in values, "summary" in values) == ("in_progress", False, False)
    assert "said that the run is completed, but `ultra run finish` did not set that" in finish(half)


@pytest.mark.soak
def test_a_start_in_the_progress_file_does_not_shrink_the_run(half: Repo) -> None:
    start = half.refs()[f"run/{SLUG}/start"]
    half.ok("run abort")
    edit(half, PROGRESS, session_start_sha=half.git("rev-parse", "HEAD"))
    half.start("--mode", "resume")
    assert half.progress()["session_start_sha"] == start == half.refs()[f"run/{SLUG}/start"]
    assert "named another start of the run than git has" in finish(half)


@pytest.mark.soak
def test_a_progress_file_written_before_the_run_is_put_aside(half: Repo, make: Make) -> None:
    half.ok("run abort")
    made_up = half.read(PROGRESS)
    for name in half.refs():
        half.git("update-ref", "-d", f"refs/ultra/{name}")
    shutil.rmtree(half.folder / ".git/ultra")
    for flags in ((), ("--mode", "resume")):
        half.write({PROGRESS: made_up})
        answer = half.start(*flags)
        assert (answer["run"], answer["first"]) == ("started", 1)
        assert "is ignored: git has no record of the run that it describes" in answer["notes"][0]
        half.ok("run abort")
        for name in half.refs():
            half.git("update-ref", "-d", f"refs/ultra/{name}")
        shutil.rmtree(half.folder / ".git/ultra")


@pytest.mark.soak
def test_a_run_in_a_repository_with_long_names_of_objects(make: Make) -> None:
    repo = make(plan(step(1)))
    shutil.rmtree(repo.folder / ".git")
    repo.git("init", "-q", "--object-format=sha256", "--initial-branch=main")
    repo.git(
        "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "first"
    )
    repo.env |= {
        f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    repo.start()
    repo.git("update-ref", f"{RUN}/skip-1", "HEAD")
    assert "step 1 is not done" in repo.refused("run finish")
    assert f"run/{SLUG}/skip-1" not in repo.refs()
