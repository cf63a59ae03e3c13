"""What the user had dirty or staged before a run stays exactly so, whatever becomes of the steps."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.executor.sample import PLAN, Repo, plan, step
from tests.kit.quick import later

Make = Callable[..., Repo]

TEN = "".join(f"line {number}\n" for number in range(1, 11))
FILES = {"README.md": "# Greet\n", "src/hello.py": TEN, "src/staged.py": "old\n", "src/gone.py": "gone\n"}


@pytest.fixture
def dirty(make: Make) -> Repo:
    """Return a repository whose user is in the middle of everything; the step changes other files."""
    repo = make(plan(step(1), step(2, verify="false")), files=FILES)
    repo.write(
        {
            "src/staged.py": "staged\n",
            "untracked.txt": "mine\n",
            "both.txt": "added\n",
            "\u00e4 b\n.txt": "odd\n",
        }
    )
    repo.git("add", "src/staged.py", "both.txt", "\u00e4 b\n.txt")
    repo.write(
        {
            "src/staged.py": "staged and dirty\n",
            "README.md": "# Greet\ndirty\n",
            "both.txt": "added and dirty\n",
        }
    )
    os.unlink(repo.folder / "src/gone.py")
    (repo.folder / "link").symlink_to("nowhere")
    (repo.folder / "src/hello.py").chmod(0o755)
    (repo.folder / "private").write_text("p")
    (repo.folder / "private").chmod(0o600)
    return repo


def status(repo: Repo) -> str:
    return repo.git("status", "--porcelain=v1", "-z", "--no-renames")


@pytest.mark.soak
def test_commit_and_undo_leave_all_of_it(dirty: Repo) -> None:
    tree, staged, before = dirty.tree(), dirty.staged(), status(dirty)
    index = dirty.git("ls-files", "-s")
    dirty.start()
    dirty.do_step(1, {"src/part1.py": "one\n"})
    assert dirty.git("show", "--name-only", "--format=", "HEAD") == "src/part1.py"
    assert (dirty.staged(), status(dirty)) == (staged, before)
    new = [row for row in dirty.git("ls-files", "-s").split("\n") if "part1" not in row]
    assert "\n".join(new) == index
    dirty.ok("step begin 2")
    dirty.write(
        {"src/part2.py": "x\n", "untracked.txt": "spoilt\n", "README.md": "spoilt\n", "both.txt": "spoilt\n"}
    )
    os.unlink(dirty.folder / "link")
    (dirty.folder / "link").write_text("no link\n")
    (dirty.folder / "src/gone.py").write_text("back\n")
    os.unlink(dirty.folder / "private")
    (dirty.folder / "src/hello.py").chmod(0o644)
    for _ in range(3):
        answer = dirty.ok("step verify 2")
    assert answer["next"] == "stop"
    found = dirty.tree()
    assert found.pop("src/part1.py")[1] == b"one\n"
    assert found == tree
    assert (dirty.staged(), status(dirty)) == (staged, before)


@pytest.mark.soak
def test_a_file_of_the_step_that_the_user_had_changed_elsewhere(make: Make) -> None:
    """The commit has the step's line; the user's stays in the tree, uncommitted, and staged as it was."""
    repo = make(plan(step(1, ["src/hello.py"])), files=FILES)
    repo.write({"src/hello.py": TEN.replace("line 2\n", "staged 2\n")})
    repo.git("add", "src/hello.py")
    repo.write({"src/hello.py": TEN.replace("line 2\n", "staged 2\n").replace("line 9\n", "dirty 9\n")})
    staged, unstaged = repo.staged(), repo.git("diff", "--stat")
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/hello.py": repo.read("src/hello.py").replace("line 5\n", "step 5\n")})
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    assert repo.git("show", "HEAD:src/hello.py") + "\n" == TEN.replace("line 5\n", "step 5\n")
    lines = [
        line for line in repo.staged().split("\n") if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert lines == [
        line for line in staged.split("\n") if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert lines == ["-line 2", "+staged 2"]
    assert repo.git("diff", "--stat") == unstaged
    assert "staged 2\n" in repo.read("src/hello.py")
    assert "dirty 9\n" in repo.read("src/hello.py")


@pytest.mark.soak
def test_the_same_lines_cannot_be_told_apart_and_end_the_run(make: Make) -> None:
    repo = make(plan(step(1, ["src/hello.py"])), files=FILES)
    repo.write({"src/hello.py": TEN.replace("line 5\n", "mine 5\n")})
    before = repo.tree()
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/hello.py": TEN.replace("line 5\n", "step 5\n")})
    answer = repo.ok("step verify 1")
    assert answer["why"][0].startswith(
        "the same lines had uncommitted changes before the step: src/hello.py;"
    )
    assert (answer["attempt"], answer["next"]) == (1, "stop")
    assert repo.tree() == before


@pytest.mark.soak
def test_undo_gives_back_bytes_that_filters_of_git_would_change(make: Make) -> None:
    repo = make(
        plan(step(1, ["data.txt"], verify="false")),
        files={".gitattributes": "*.txt text eol=lf filter=up\n", "data.txt": "a\n"},
    )
    repo.git("config", "filter.up.clean", "tr a-z A-Z")
    (repo.folder / "data.txt").write_bytes(b"mixed\r\nends\nMiXeD\r\n")
    (repo.folder / "data.txt").chmod(0o640)
    before = repo.tree()
    repo.start()
    repo.ok("step begin 1")
    repo.write({"data.txt": "spoilt\n"})
    assert repo.ok("step verify 1")["next"] == "stop"
    assert repo.tree() == before


@pytest.mark.soak
def test_files_become_folders_links_and_back(make: Make) -> None:
    repo = make(
        plan(step(1, ["a", "b"], verify="false")), files={"a": "file\n", "b/c": "below\n", "x.sh": "true\n"}
    )
    before = repo.tree()
    repo.start()
    repo.ok("step begin 1")
    os.unlink(repo.folder / "a")
    repo.write({"a/deep/file": "new\n"})
    os.unlink(repo.folder / "b/c")
    (repo.folder / "b").rmdir()
    (repo.folder / "b").symlink_to("x.sh")
    for _ in range(3):
        repo.ok("step verify 1")
    assert repo.tree() == before


@pytest.mark.soak
def test_deletions_and_renames_are_committed(make: Make) -> None:
    repo = make(plan(step(1, ["src/hello.py", "src/hi.py"], expected_paths=["src/hi.py"], min_file_count=1)))
    repo.start()
    repo.ok("step begin 1")
    os.rename(repo.folder / "src/hello.py", repo.folder / "src/hi.py")
    (repo.folder / "src/hi.py").chmod(0o755)
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    assert repo.git("ls-tree", "-r", "--name-only", "HEAD") == "README.md\nsrc/hi.py"
    assert repo.git("ls-tree", "HEAD", "src/hi.py").startswith("100755")
    assert repo.git("status", "--porcelain", "-uno") == ""


@pytest.mark.soak
def test_ignored_files_are_nobody_s_business(make: Make) -> None:
    repo = make(plan(step(1)), files={".gitignore": "build/\n*.pyc\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n", "build/out": "x", "src/part1.pyc": "y"})
    assert repo.ok("step verify 1")["passed"]


def test_a_step_with_a_folder_and_a_glob(make: Make) -> None:
    repo = make(plan(step(1, ["lib/", "docs/*.md"], expected_paths=["lib/a/b.py", "docs/one.md"])))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"lib/a/b.py": "b\n", "docs/one.md": "1\n", "docs/two.md": "2\n"})
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    assert repo.git("show", "--name-only", "--format=", "HEAD") == "docs/one.md\ndocs/two.md\nlib/a/b.py"


@pytest.mark.soak
def test_hundreds_of_files(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1, ["many/"], expected_paths=["many/0"])))
    repo.start()
    repo.ok("step begin 1")
    repo.write({f"many/{number}": f"{number}\n" for number in range(500)})
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    assert len(repo.git("show", "--name-only", "--format=", "HEAD").split("\n")) == 500
    assert repo.git("status", "--porcelain", "-uno") == ""
    assert PLAN not in repo.git("ls-files")


@pytest.mark.soak
@pytest.mark.parametrize("field", ["verify", "test_first"])
@pytest.mark.parametrize(
    "command",
    [
        "git add -A",
        "git stash -qu && git stash pop -q",
        later("git rm -qr --cached src/staged.py"),
        later("git status"),
    ],
)
def test_what_a_command_of_the_plan_stages_is_put_back(make: Make, field: str, command: str) -> None:
    manifest = {"test_first": f"`{command}`"} if field == "test_first" else {"verify": command}
    repo = make_staged(make, step(1, **manifest))
    if "stash" not in command:  # git stashes no intended files
        intend(repo)
    before = status(repo)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert status(repo) == before
    found = re.findall(
        r"index changed while it ran and was put back; `git (diff [0-9a-f ]+)`", str(run_lock(repo))
    )
    assert bool(found) == (command != "git status")
    for words in found:
        assert repo.git(*words.split()) != repo.staged()


def make_staged(make: Make, text: str) -> Repo:
    """Return a repository whose user has changes that are staged and changes that are not."""
    repo = make(plan(text), files=FILES)
    repo.write({"src/staged.py": "staged\n", "both.txt": "added\n"})
    repo.git("add", "src/staged.py", "both.txt")
    repo.write({"README.md": "# Greet\ndirty\n"})
    return repo


def intend(repo: Repo) -> None:
    """Let the user intend to add an empty file, and one that is gone since."""
    repo.write({"intended.txt": "", "gone.txt": "gone\n"})
    repo.git("add", "--intent-to-add", "intended.txt", "gone.txt")
    os.unlink(repo.folder / "gone.txt")


def run_lock(repo: Repo) -> dict[str, Any]:
    """Return what is kept about the run in progress, with its findings."""
    found = json.loads(repo.read(".git/ultra/run.json"))
    assert isinstance(found, dict)
    return found


def test_a_call_that_is_ended_puts_back_what_its_command_staged(make: Make) -> None:
    repo = make_staged(make, step(1, verify="git add -A; kill -TERM $PPID; sleep 60"))
    before = status(repo)
    repo.start()
    repo.ok("step begin 1")
    assert repo("step", "verify", "1").status
    assert status(repo) == before


def test_a_lock_that_a_command_leaves_is_named_and_the_step_passes(make: Make) -> None:
    repo = make_staged(make, step(1, verify="git add README.md; touch .git/index.lock"))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    assert repo.ok("step verify 1")["passed"]
    assert f"could not be put back: git update-index failed: {repo.folder}/.git/index.lock exists" in str(
        run_lock(repo)
    )
