"""Undone work comes back by a verb, in a run and after it, and nothing is lost on the way."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.executor.sample import FILES, PROJECT, Repo, Stand, plan, step
from tests.kit.repository import git
from tests.modes import obey_modes

Make = Callable[..., Repo]
SAVE = "refs/ultra/rescue/2026-01-31-greet/step-1"
WORK: Mapping[str, str | bytes] = {
    "src/part1.py": "wrong\n",
    "src/more/deep.bin": b"\0\xff\r\n",
    "run.sh": "#!/bin/sh\n",
}


def fail(repo: Repo) -> dict[str, object]:
    """Fail a step until it is undone, and return the last answer."""
    answer = {}
    for _ in range(3):
        answer = repo.ok("step verify 1")
    return answer


def undo_a_step(repo: Repo) -> None:
    repo.start()
    repo.ok("step begin 1")
    repo.write(WORK)
    (repo.folder / "src/hello.py").unlink()
    (repo.folder / "README.md").chmod(0o600)
    (repo.folder / "src/more/empty").mkdir(mode=0o711)
    (repo.folder / "src/more").chmod(0o750)
    os.mkfifo(repo.folder / "src/pipe")
    answer = fail(repo)
    assert answer["undone"] == (
        "README.md, run.sh, src/hello.py, src/more/deep.bin, src/part1.py, src/pipe; to get this back: `ultra step rescue 1`"
    )


@pytest.fixture
def repo(stand: Stand) -> Repo:
    """Return a repository whose only step is undone: it wrote files, removed one and changed a mode."""
    text = plan(step(1, ["src/", "run.sh", "README.md"], verify="grep -q right src/part1.py"))
    return stand(undo_a_step, text)


def assert_there(repo: Repo) -> None:
    for name, content in WORK.items():
        assert (repo.folder / name).read_bytes() == (
            content if isinstance(content, bytes) else content.encode()
        )
    assert not repo.has("src/hello.py")
    assert (repo.folder / "README.md").stat().st_mode & 0o777 == 0o600
    assert (repo.folder / "run.sh").stat().st_mode & 0o777 == 0o755
    modes = [(repo.folder / name).stat().st_mode for name in ("src/more", "src/more/empty", "src/pipe")]
    assert modes == [stat.S_IFDIR | 0o750, stat.S_IFDIR | 0o711, stat.S_IFIFO | 0o644]


@pytest.mark.soak
def test_undone_work_comes_back_at_once_when_the_step_ended_the_run(repo: Repo) -> None:
    repo.ok("step rescue 1")
    assert_there(repo)
    findings = repo.ok("run finish")["findings"]
    assert findings[-1].startswith("changed outside any step, not committed: run.sh, src/hello.py")


@pytest.mark.soak
def test_undone_work_comes_back_when_the_run_is_over(repo: Repo) -> None:
    assert "step 1 was undone" in repo.ok("run finish")["findings"][0]
    undone = repo.tree()
    repo.git("gc", "-q", "--prune=now")
    told = repo.ok("step rescue 1")
    files = "README.md, run.sh, src/hello.py, src/more/deep.bin, src/more/empty, src/part1.py, src/pipe"
    assert told["rescued"] == files
    assert_there(repo)
    assert told["next"] == "look at what came back; `ultra step rescue 1` brings back what it replaced"
    repo.ok("step rescue 1")
    assert repo.tree() == undone


def test_undone_work_comes_back_into_its_step_when_the_run_goes_on(repo: Repo) -> None:
    repo.ok("run finish")
    repo.start("--mode", "resume")
    assert "step 1 has not begun" in repo.refused("step rescue 1")
    repo.ok("step begin 1")
    repo.ok("step rescue 1")
    assert_there(repo)
    repo.write({"src/part1.py": "right\n", "README.md": "# Changed\n"})
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    assert repo.ok("run finish")["result"] == "completed"


@pytest.mark.soak
def test_work_of_a_skipped_step_waits_until_the_run_is_over_and_overwrites_no_commit(make: Make) -> None:
    both = ["src/part1.py", "src/both.py"]
    repo = make(plan(step(1, both, verify="false", on_failure="skip"), step(2, ["src/both.py"])))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n", "src/both.py": "of step 1\n"})
    repo.ok("step verify 1")
    said = repo.refused("step rescue 1")
    assert said == (
        "step 1 is skipped, and the run is in progress | finish the run first, then `ultra step rescue 1`"
    )
    repo.do_step(2, {"src/both.py": "of step 2\n"})
    repo.ok("run finish")
    said = repo.refused("step rescue 1 src/both.py")
    assert said.startswith("commits since the undo have changed src/both.py | `git show ")
    answer = repo.ok("step rescue 1")
    show = f"git show {SAVE}:src/both.py"
    assert answer["rescued"] == "src/part1.py"
    assert answer["left"] == [f"src/both.py: later commits changed it: `{show}` prints what was saved"]
    assert (repo.read("src/part1.py"), repo.read("src/both.py")) == ("one\n", "of step 2\n")
    assert repo.git(*show.split()[1:]) == "of step 1"


@pytest.mark.soak
def test_only_what_is_named_comes_back_and_what_is_there_now_is_saved(repo: Repo) -> None:
    repo.ok("run finish")
    repo.write({"src/part1.py": "mine, and newer\n"})
    assert repo.ok("step rescue 1 src/part1.py")["rescued"] == "src/part1.py"
    assert repo.read("src/part1.py") == "wrong\n"
    assert not repo.has("run.sh")
    assert repo.git("show", f"{SAVE}-2:src/part1.py") == "mine, and newer"
    assert repo.ok("step rescue 1 run.sh")["rescued"] == "run.sh"
    assert repo.ok("step rescue 1 run.sh")["rescued"] == "everything is there already"


def test_what_could_not_be_written_did_not_come_back(repo: Repo) -> None:
    repo.ok("run finish")
    (repo.folder / "src").chmod(0o500)
    told = repo.ok("step rescue 1 src/part1.py", before=obey_modes)
    assert (told["rescued"], told["left"]) == ("nothing", ["src/part1.py: Permission denied"])
    (repo.folder / "src").chmod(0o755)
    assert repo.ok("step rescue 1 src/part1.py")["rescued"] == "src/part1.py"


def test_what_a_link_leads_to_is_neither_written_nor_removed(make: Make) -> None:
    repo = make(
        plan(step(1, ["src/"], verify="false")), files={**FILES, "src/old/x": "x\n", "far/in/x": "x\n"}
    )
    outside = repo.folder.parent / "outside"
    repo.start()
    repo.ok("step begin 1")
    shutil.copytree(repo.folder / "far", outside)
    (outside / "in/x").write_text("precious\n")
    shutil.rmtree(repo.folder / "far")
    (repo.folder / "far").symlink_to(outside)
    told = repo.ok("step restore 1 far/in/x")
    assert told["left"] == ["far/in/x: far is a symbolic link"]
    shutil.rmtree(repo.folder / "src/old")
    fail(repo)
    repo.ok("run finish")
    (repo.folder / "src/old").rename(outside / "old")
    (repo.folder / "src/old").symlink_to(outside / "old")
    assert "src/old" not in repo.ok("step rescue 1")["rescued"]
    assert [(outside / name).read_text() for name in ("in/x", "old/x")] == ["precious\n", "x\n"]


def test_nothing_is_brought_back_where_nothing_was_undone(repo: Repo) -> None:
    repo.ok("run finish")
    before = repo.tree()
    assert "nothing that step 2 changed was undone | there is nothing" in repo.refused("step rescue 2")
    assert "nothing in mine.txt that step 1 changed" in repo.refused("step rescue 1 mine.txt")
    repo.git("update-ref", "refs/ultra/rescue/other/step-1", "HEAD")
    assert "step 1 of several runs was undone: 2026-01-31-greet and other" in repo.refused("step rescue 1")
    assert repo.tree() == before
    repo.ok(f"step rescue 1 --project {PROJECT}")
    assert_there(repo)


@pytest.mark.soak
def test_what_is_there_now_must_be_saved_before_anything_is_written(repo: Repo) -> None:
    repo.ok("run finish")
    repo.write({"src/part1.py": "mine\n"})
    before = repo.tree()
    (repo.folder / ".git" / f"{SAVE}-2.lock").write_text("")
    said = repo.refused("step rescue 1")
    assert said.startswith(
        "nothing was written, because what is there now could not be saved first: git update-ref"
    )
    assert repo.tree() == before


@pytest.mark.soak
@pytest.mark.parametrize("on_failure", ["revert", "skip"])
def test_a_run_stops_when_a_step_cannot_be_saved_before_its_undo(make: Make, on_failure: str) -> None:
    repo = make(plan(step(1, verify="grep -q right src/part1.py", on_failure=on_failure), step(2)))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "wrong\n", "notes.txt": "stray\n"})
    lock = repo.folder / ".git" / f"{SAVE}.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("")
    said = repo.refused("step restore 1 notes.txt")
    assert said.startswith("nothing was restored, because it could not be saved first: git update-ref failed")
    before = repo.tree()
    answer = repo.ok("step verify 1") if on_failure == "skip" else fail(repo)
    assert (answer["next"], answer["do"]) == ("escalate", "ultra run finish")
    assert str(answer["undone"]).startswith(
        "nothing was undone, because it could not be saved first: git update-ref"
    )
    assert repo.tree() == before
    ended = repo.ok("run finish")
    assert ended["result"] == "stopped"
    assert "could not be saved first" in ended["why"][0]
    lock.unlink()
    repo.start("--mode", "resume")
    repo.ok("step begin 1")
    repo.ok("step restore 1 notes.txt")
    repo.write({"src/part1.py": "right\n"})
    assert repo.ok("step verify 1")["passed"]


def test_what_cannot_be_put_back_stops_the_run_and_is_not_forgotten(make: Make) -> None:
    repo = make(plan(step(1, verify="false", on_failure="skip"), step(2)))
    repo.write({"mine.txt": "mine\n"})
    repo.start()
    repo.ok("step begin 1")
    (repo.folder / "mine.txt").unlink()
    # A repository of its own stands where the user's file was; an undo takes no repository away.
    git(repo.folder, "init", "--quiet", "mine.txt", env=repo.env)
    answer = repo.ok("step verify 1")
    assert (answer["next"], "mine.txt (Is a directory)" in answer["undone"]) == ("escalate", True), answer
    (repo.folder / "mine.txt").rename(repo.folder.parent / "aside")
    repo.ok("run finish")
    repo.start("--mode", "resume")
    repo.ok("step begin 1")
    repo.ok("step restore 1")
    assert repo.read("mine.txt") == "mine\n"


@pytest.mark.soak
def test_a_repository_with_sha_256(tmp_path: Path, bundle: Path, python: Path) -> None:
    repo = Repo(tmp_path / "repo", bundle, python)
    repo.folder.mkdir()
    git(repo.folder, "init", "--quiet", "--object-format=sha256", env=repo.env)
    repo.create(
        plan(
            step(1, ["README.md", "src/hello.py"], expected_paths=["src/part1.py"], min_file_count=1),
            step(2, verify="grep -q right src/part2.py"),
        ),
        {**FILES, ".gitattributes": "*.py text\n"},
    )
    assert len(repo.git("rev-parse", "HEAD")) == 64
    repo.write({"mine.py": b"mine\r\n"})
    repo.git("add", "mine.py")
    repo.start()
    repo.ok("step begin 1")
    repo.git("rm", "-q", "README.md")
    (repo.folder / "src/hello.py").unlink()
    repo.write({"src/part1.py": "one\n"})
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    assert (
        repo.git("show", "--format=", "--name-status", "--no-renames")
        == "D\tREADME.md\nD\tsrc/hello.py\nA\tsrc/part1.py"
    )
    before, staged = repo.tree(), repo.staged()
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "wrong\n", "mine.py": "not mine\n"})
    repo.git("rm", "-q", "-f", "--cached", "mine.py")
    for _ in range(3):
        answer = repo.ok("step verify 2")
    assert answer["next"] == "stop"
    assert (repo.tree(), repo.staged()) == (before, staged)
    repo.ok("run finish")
    repo.ok("step rescue 2")
    assert repo.read("src/part2.py") == "wrong\n"
