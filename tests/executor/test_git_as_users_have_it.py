"""Repositories as users have them: each gets a clear answer, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, PROGRESS, PROJECT, SLUG, Repo, plan, step
from tests.kit.repository import git
from tests.modes import obey_modes

Make = Callable[..., Repo]

ONE = plan(step(1))


def hook(repo: Repo, name: str, script: str) -> None:
    path = repo.folder / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_no_repository(make: Make) -> None:
    repo = make(ONE)
    shutil.rmtree(repo.folder / ".git")
    assert "is not in a git repository | plans run in a git repository: run `git init`" in repo.refused(
        f"run start {PLAN}"
    )
    assert repo.ok(f"run dry-run {PLAN}")["verdict"] == "READY"
    assert repo.ok(f"run validate {PLAN}")["verdict"] == "READY"


def test_a_repository_that_git_does_not_know_is_not_made_anew(make: Make) -> None:
    """`git init` would write another HEAD."""
    repo = make(ONE)
    repo.write({".git/HEAD": "\0\0\0\0"})
    said = repo.refused(f"run start {PLAN}")
    assert said.startswith(f"git does not take {repo.folder}/.git for a repository | ask the user: ")
    repo.write({".git/HEAD": "ref: refs/heads/main\n"})
    shutil.rmtree(repo.folder / ".git/objects")
    (repo.folder / ".git/objects").mkdir()
    assert "an object of the repository is missing, changed or damaged" in repo.refused(f"run start {PLAN}")


def test_no_commit_yet(make: Make) -> None:
    repo = make(ONE)
    shutil.rmtree(repo.folder / ".git")
    repo.git("init", "-q")
    assert "has no commit yet | make one" in repo.refused(f"run start {PLAN}")
    assert not repo.has(PROGRESS)


def test_no_identity(make: Make) -> None:
    repo = make(ONE)
    repo.git("config", "--unset", "user.name")
    repo.git("config", "--unset", "user.email")
    repo.git("config", "user.useConfigOnly", "true")
    said = repo.refused(f"run start {PLAN}")
    assert "git cannot commit here" in said
    assert "set user.name and user.email" in said


@pytest.mark.soak
def test_an_identity_that_goes_missing_later_loses_nothing(make: Make) -> None:
    repo = make(ONE)
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.git("config", "--unset", "user.email")
    repo.git("config", "user.useConfigOnly", "true")
    assert "git commit failed" in repo.refused("step commit 1")
    repo.git("config", "user.email", "person@example.com")
    repo.ok("step commit 1")
    assert repo.subjects() == ["first", "feat: part 1"]


@pytest.mark.soak
def test_a_hook_that_fails_and_then_does_not(make: Make) -> None:
    repo = make(ONE)
    repo.write({"mine.txt": "mine\n"})
    repo.git("add", "mine.txt")
    staged = repo.staged()
    hook(
        repo,
        "pre-commit",
        'git diff --cached --name-only > ../seen; test -e ../fine || { echo "lint: too long" >&2; exit 1; }',
    )
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    said = repo.refused("step commit 1")
    assert "git commit failed: lint: too long" in said
    assert "then `ultra step commit 1`" in said
    assert (repo.staged(), repo.read("src/part1.py"), repo.subjects()) == (staged, "one\n", ["first"])
    (repo.folder.parent / "fine").touch()
    repo.ok("step commit 1")
    assert (repo.folder.parent / "seen").read_text() == "src/part1.py\n"
    assert (repo.staged(), repo.subjects()) == (staged, ["first", "feat: part 1"])
    assert repo.ok("run finish")["result"] == "completed"


def test_hooks_that_change_the_message_and_the_files(make: Make) -> None:
    steps = [step(number, [f"src/part{number}.py", "VERSION"], expected_paths=[]) for number in (1, 2)]
    repo = make(plan(*steps))
    hook(repo, "commit-msg", 'printf "\\n\\nTicket: 7\\n" >> "$1"')
    hook(
        repo,
        "pre-commit",
        "for f in $(git diff --cached --name-only) VERSION; do echo formatted >> $f; git add $f; done",
    )
    repo.write({"README.md": "# Staged\n"})
    repo.git("add", "README.md")
    staged = repo.staged()
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert "Ticket: 7" in repo.git("log", "-1", "--format=%B")
    assert repo.git("show", "HEAD:src/part1.py") == "one\nformatted"
    assert repo.staged() == staged  # and nothing that takes back what the hook has made of the commit
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.staged() == staged
    assert repo.ok("run finish")["result"] == "completed"


@pytest.mark.soak
def test_a_signature_that_cannot_be_made(make: Make) -> None:
    repo = make(ONE)
    signer = repo.folder.parent / "signer"
    signer.write_text('#!/bin/sh\necho "no pinentry here" >&2\nexit 1\n')
    signer.chmod(0o755)
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "gpg.program", str(signer))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    assert "git commit failed" in repo.refused("step commit 1")
    repo.git("config", "commit.gpgsign", "false")
    repo.ok("step commit 1")


@pytest.mark.soak
def test_messages_in_another_encoding_and_with_a_sign_of_comments(make: Make) -> None:
    subject = "#12 Grüße"
    repo = make(plan(step(1, message=subject, commit_message_pattern=f"^{subject}$")))
    repo.git("config", "i18n.logOutputEncoding", "ISO-8859-1")
    repo.git("config", "i18n.commitEncoding", "ISO-8859-1")
    repo.git("config", "commit.cleanup", "strip")
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert subject.encode() in subprocess.check_output(["git", "cat-file", "commit", "HEAD"], cwd=repo.folder)


@pytest.mark.soak
def test_a_partial_clone_whose_remote_is_out_of_reach(make: Make, tmp_path: Path) -> None:
    remote = make(ONE)
    remote.write({"far/away.txt": "away\n"})
    remote.git("add", "far")
    remote.git("commit", "-qm", "far")
    remote.git("config", "uploadpack.allowFilter", "true")
    repo = Repo(tmp_path / "clone", remote.bundle, Path(remote.env["PATH"].split(":")[0]))
    words = ("clone", "-q", "--filter=blob:none", "--sparse", f"file://{remote.folder}", str(repo.folder))
    git(tmp_path, *words, env=remote.env)
    repo.git("config", "user.name", "x")
    repo.git("config", "user.email", "x@y")
    repo.git("sparse-checkout", "add", "src")
    repo.write({PLAN: ONE})
    remote.folder.rename(tmp_path / "gone")
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    (why,) = repo.ok("run finish")["why"]
    assert why.startswith("proof: expected clean checkout; found git ls-tree failed: ")
    assert why.endswith("from promisor remote")


@pytest.mark.soak
def test_a_detached_head(make: Make) -> None:
    repo = make(ONE)
    repo.git("checkout", "-q", "--detach")
    assert "HEAD is detached" in repo.start()["notes"][0]
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert repo.git("log", "-1", "--format=%s", "main") == "first"


@pytest.mark.soak
def test_a_shallow_clone(make: Make, tmp_path: Path) -> None:
    repo = make(ONE)
    repo.write({"README.md": "second\n"})
    repo.git("commit", "-qam", "second")
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.folder}", str(tmp_path / "shallow"))
    clone = Repo(tmp_path / "shallow", repo.bundle, Path(repo.env["PATH"].split(os.pathsep)[0]))
    clone.git("config", "user.name", "A Person")
    clone.git("config", "user.email", "person@example.com")
    clone.write({PLAN: ONE})
    clone.start()
    clone.do_step(1, {"src/part1.py": "one\n"})
    assert clone.ok("run finish")["result"] == "completed"


def test_submodules(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1)))
    other = Repo(tmp_path / "other", repo.bundle, tmp_path).create("x")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.folder), "vendor/lib")
    repo.git("commit", "-qm", "submodule")
    repo.write({PLAN: plan(step(1, ["vendor/lib/README.md"]))})
    assert "it is in the submodule vendor/lib" in repo.refused(f"run start {PLAN}")
    repo.write({PLAN: plan(step(1))})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    module = repo.folder / "vendor/lib"
    repo.git(
        "-C",
        str(module),
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@y",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "moved",
    )
    told = ["changed outside Files and expected_paths: vendor/lib", "a submodule was changed: vendor/lib"]
    assert repo.ok("step verify 1")["why"] == told
    repo.git("-C", str(module), "reset", "-q", "--hard", "HEAD^")
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    assert repo.ok("run finish")["result"] == "completed"


def test_a_plan_that_asks_for_a_submodule_uses_up_one_attempt(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1, ["lib", ".gitmodules"], expected_paths=["lib/", ".gitmodules"])))
    other = Repo(tmp_path / "other", repo.bundle, tmp_path).create("x")
    repo.start()
    repo.ok("step begin 1")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.folder), "lib")
    answer = repo.ok("step verify 1")
    assert answer["next"] == "escalate"
    assert "no step can do that: the user changes and commits it before the run" in answer["why"][0]


@pytest.mark.soak
def test_a_repository_inside_without_a_commit_and_one_with(make: Make) -> None:
    repo = make(ONE)
    for name in ("empty", "full"):
        (repo.folder / name).mkdir()
        repo.git("-C", str(repo.folder / name), "init", "-q")
    repo.git(
        "-C",
        str(repo.folder / "full"),
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@y",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
    )
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"


@pytest.mark.parametrize(("state", "words"), [("merge", "a merge"), ("rebase", "a rebase")])
def test_git_is_in_the_middle_of_something(make: Make, state: str, words: str) -> None:
    repo = make(ONE)
    repo.git("checkout", "-qb", "other")
    repo.write({"README.md": "other\n"})
    repo.git("commit", "-qam", "other")
    repo.git("checkout", "-q", "main")
    repo.write({"README.md": "main\n"})
    repo.git("commit", "-qam", "main")
    repo.git(state, "other", check=False)
    assert f"{words} is in progress" in repo.refused(f"run start {PLAN}")


def test_a_linked_worktree_has_a_lock_of_its_own(make: Make, tmp_path: Path) -> None:
    repo = make(ONE)
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    side = Repo(tmp_path / "tree", repo.bundle, Path(repo.env["PATH"].split(os.pathsep)[0]))
    other = PLAN.replace("greet", "other")
    side.write({other: ONE})
    repo.start()
    side.ok(f"run start {other}")
    repo.do_step(1, {"src/part1.py": "one\n"})
    side.do_step(1, {"src/part1.py": "one\n"})
    assert [repo.ok("run finish")["result"], side.ok("run finish")["result"]] == ["completed", "completed"]


@pytest.mark.soak
def test_a_split_index_and_a_locked_one(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.git("update-index", "--split-index")
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "two\n"})
    repo.ok("step verify 2")
    (repo.folder / ".git/index.lock").touch()
    answer = repo.ok("step commit 2")
    assert "the git index is locked" in answer["notes"][0]
    os.unlink(repo.folder / ".git/index.lock")
    assert repo.subjects() == ["first", "feat: part 1", "feat: part 2"]


def test_a_git_dir_that_cannot_be_written(make: Make) -> None:
    repo = make(ONE)
    (repo.folder / ".git/ultra").write_text("in the way")
    said = repo.refused(f"run start {PLAN}")
    assert "cannot be created" in said
    assert not repo.has(PROGRESS)


def test_a_read_only_folder(make: Make) -> None:
    repo = make(ONE)
    (repo.folder / PROJECT).chmod(0o555)
    try:
        assert "cannot be written" in repo.refused(f"run start {PLAN}", before=obey_modes)
    finally:
        (repo.folder / PROJECT).chmod(0o755)


def test_a_progress_file_that_cannot_be_replaced(make: Make) -> None:
    """What a read-only folder looks like to root, too: something else stands in the place of the file."""
    repo = make(ONE)
    (repo.folder / PROGRESS).mkdir()
    said = repo.refused(f"run start {PLAN}")
    assert "PROGRESS_READ_ERROR" in said
    assert not repo.has(".git/ultra/run.json")


@pytest.mark.soak
def test_odd_names_of_plans(make: Make) -> None:
    repo = make(ONE)
    repo.write({"docs/My plan..lock.md": ONE})
    told = repo("run", "start", "docs/My plan..lock.md")
    assert told.data["ok"], told.data
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert repo.has("docs/.ultraexecute-progress-My plan..lock.json")
    assert repo.has("docs/.session-state.local.json")
    assert not any(name.startswith(f"run/{SLUG}/") for name in repo.refs())
    audited = repo("audit", "docs/My plan..lock.md")
    assert audited.data["status"] == "pass"


@pytest.mark.soak
def test_an_undo_says_that_it_does_not_restore_a_repository_inside_the_tree(make: Make) -> None:
    repo = make(plan(step(1, verify="false")))
    repo.git("worktree", "add", "--quiet", "--detach", "lib/own")
    repo.start()
    repo.ok("step begin 1")
    repo.git("worktree", "remove", "--force", "lib/own")
    repo.write({"src/part1.py": "new\n"})
    answers = [repo.ok("step verify 1") for _ in range(3)]
    assert not repo.has("src/part1.py")
    assert "lib/own (a repository of its own, which no undo restores)" in str(answers[-1])


def test_a_commit_of_the_user_just_before_that_of_the_step_stays(make: Make) -> None:
    repo = make(ONE)
    # git runs the filter when the index of the commit is made: a moment after the last look at HEAD.
    script = repo.folder.parent / "clean"
    script.write_text(
        '#!/bin/sh\ncase "$GIT_INDEX_FILE" in */commit.*) unset GIT_INDEX_FILE; '
        "echo mine > README.md; git commit -q --no-verify -m mine README.md;; esac; exec cat\n"
    )
    script.chmod(0o755)
    repo.git("config", "filter.slow.clean", str(script))
    repo.write({".git/info/attributes": "src/part1.py filter=slow\n"})
    hook = repo.folder / ".git/hooks/commit-msg"
    repo.write({".git/hooks/commit-msg": '#!/bin/sh\necho "another subject" > "$1"\n'})
    hook.chmod(0o755)
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    said = repo.refused("step commit 1")
    hook.unlink()
    assert "commits were made outside the run since the step was verified | verify it again" in said
    assert repo.git("log", "-1", "--format=%s") == "mine"
    assert repo.git("show", "HEAD:README.md") == "mine"
    repo.git("config", "--unset", "filter.slow.clean")
    assert "`ultra step begin 1 --mine README.md`" in repo.ok("step verify 1")["do"]
    repo.ok("step begin 1 README.md --mine")
    assert repo.ok("step verify 1")["next"] == "commit"
    repo.ok("step commit 1")
    assert repo.subjects()[-2:] == ["mine", "feat: part 1"]
    assert repo.git("show", "HEAD:README.md") == "mine"
