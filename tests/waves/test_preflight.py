"""Everything that keeps waves from starting: a sentence each, all in one answer, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from ultra_runtime.tables.limits import CHECKOUT_MEGABYTES

from tests.kit.names import BRANCHES
from tests.kit.repository import make_repository
from tests.waves.lives import SERVED, cut_off, live
from tests.waves.processes import processes_of
from tests.waves.sample import PLAN, PROGRESS, QUICK, STATE, TWO_WAVES, Waves, part, plan, session, step
from ultra_runtime.waves.preflight import MEGABYTE, _room
from ultra_runtime.waves.wave_run import find_wave_run

Make = Callable[..., Waves]
SLUG = "2026-01-31-greet"


def detach(repo: Waves) -> None:
    repo.git("checkout", "--quiet", "--detach")


def dirty(repo: Waves) -> None:
    repo.write({"README.md": "changed\n", "new.txt": "new\n"})


def merging(repo: Waves) -> None:
    repo.write({".git/MERGE_HEAD": repo.git("rev-parse", "HEAD") + "\n"})


def nameless(repo: Waves) -> None:
    repo.git("config", "user.useConfigOnly", "true")
    repo.git("config", "--unset", "user.email")


def no_client(repo: Waves) -> None:
    (repo.folder.parent / "programs/claude").unlink()


def old_client(repo: Waves) -> None:
    (repo.folder.parent / "programs/claude").write_text("#!/bin/sh\necho '1.0.0 (Claude Code)'\n")


def silent_client(repo: Waves) -> None:
    (repo.folder.parent / "programs/claude").write_text("#!/bin/sh\nexit 1\n")


def key(repo: Waves) -> None:
    repo.env["ANTHROPIC_API_KEY"] = "dummy"


def users_branch(repo: Waves) -> None:
    repo.git("branch", f"{BRANCHES}/{SLUG}/session-2")


def users_short_branch(repo: Waves) -> None:
    repo.git("branch", BRANCHES)


def users_branch_of_the_plan(repo: Waves) -> None:
    repo.git("branch", f"{BRANCHES}/{SLUG}")


def users_worktree(repo: Waves) -> None:
    repo.git("worktree", "add", "--quiet", "--detach", f".claude/worktrees/{SLUG}/session-1")
    repo.write({".git/info/exclude": ".claude/worktrees\n"})


def users_link(repo: Waves) -> None:
    (repo.folder / f".claude/worktrees/{SLUG}").mkdir(parents=True)
    (repo.folder / f".claude/worktrees/{SLUG}/session-3").symlink_to(repo.folder / "src")
    repo.write({".git/info/exclude": ".claude/worktrees\n"})


def linked_folder(repo: Waves) -> None:
    (repo.folder.parent / "elsewhere").mkdir()
    (repo.folder / ".claude/worktrees").symlink_to(repo.folder.parent / "elsewhere")
    repo.write({".git/info/exclude": ".claude/worktrees\n"})


def file_in_the_way(repo: Waves) -> None:
    (repo.folder / ".claude/worktrees").write_text("mine\n")
    repo.write({".git/info/exclude": ".claude/worktrees\n"})


def long_path(repo: Waves) -> None:
    """Track a path that fits into the repository and not into a worktree below it."""
    name = "/".join(["d" * 200] * 20)[: 4090 - len(str(repo.folder))]
    blob = repo.git("rev-parse", "HEAD:README.md")
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    repo.git("commit", "--quiet", "--message=a long path")
    repo.git("update-index", "--skip-worktree", name)


def no_worktrees(repo: Waves) -> None:
    git = shutil.which("git", path=repo.env["PATH"])
    program = repo.folder.parent / "programs/git"
    program.write_text(f'#!/bin/sh\ncase " $* " in *" worktree "*) exit 1;; esac\nexec {git} "$@"\n')
    program.chmod(0o755)


def rebasing(repo: Waves) -> None:
    (repo.folder / ".git/rebase-merge").mkdir()


def users_folder(repo: Waves) -> None:
    repo.write({f".claude/worktrees/{SLUG}/integration/work.txt": "mine\n"})
    repo.write({".git/info/exclude": ".claude/worktrees\n"})


SENTENCES = {
    "this git has no `git worktree`: install a newer git": no_worktrees,
    "a rebase is in progress in this repository: finish or abort it": rebasing,
    f"the paths in .claude/worktrees/{SLUG} would be too long: move the repository up": long_path,
    f".claude/worktrees/{SLUG}/integration exists and no run of this plan made it: move it away": users_folder,
    "HEAD is detached: `git switch` to the branch that the work should go to": detach,
    "the working tree is not clean (README.md, new.txt): commit or stash it": dirty,
    "a merge is in progress in this repository: finish or abort it": merging,
    "git cannot commit here": nameless,
    "claude is not on PATH: install the client": no_client,
    "Claude Code 1.0.0 is older than ": old_client,
    "claude --version did not print a version": silent_client,
    "ANTHROPIC_API_KEY is set, so the sessions would be billed to that key": key,
    f"the branch {BRANCHES}/{SLUG}/session-2 exists and no run of this plan made it": users_branch,
    f"a branch is called {BRANCHES}, so no branch can be called {BRANCHES}/...: rename it": users_short_branch,
    f"a branch is called {BRANCHES}/{SLUG}, so no branch can be called {BRANCHES}/{SLUG}/...: rename it": users_branch_of_the_plan,
    f".claude/worktrees/{SLUG}/session-1 exists and no run of this plan made it: move it away": users_worktree,
    f".claude/worktrees/{SLUG}/session-3 exists and no run of this plan made it: move it away": users_link,
    ".claude/worktrees is not a folder: put a folder there instead": linked_folder,
    "worktrees is not a folder: put a folder there instead": file_in_the_way,
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_for_each_reason(make: Make, sentence: str) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    assert repo.ok(f"waves show {PLAN}")["problems"] == []
    SENTENCES[sentence](repo)
    before = snapshot(repo)
    found = repo.ok(f"waves show {PLAN}")["problems"]
    assert len(found) == 1, found
    assert sentence in found[0]
    assert snapshot(repo) == before


def snapshot(repo: Waves) -> list[tuple[str, int]]:
    """Return every path of the repository with its time; git's own index may be refreshed."""
    return sorted(
        (str(path), path.lstat().st_mtime_ns)
        for path in repo.folder.rglob("*")
        if path.name not in ("index", ".git") and not path.is_symlink()
    )


@pytest.mark.parametrize(("text", "sentence"), [
    (plan(step(1), step(2), strategy=session(1, "1-2", 1, ["src/"])), "the plan has one session"),
    (plan(step(1), step(2), strategy=session(1, "1", 1, ["src/"]) + "\n" + session(2, "2", 1, ["src/"])),
     "PLAN_SCOPE_OVERLAP: sessions 1 and 2 of wave 1 both touch src/"),
    (plan(step(1), step(2), strategy=session(1, "1-2", 1, ["src/"]) + "\n" + session(2, "none", 1, ["lib/"])),
     "PLAN_SESSION_STEPS: session 2 has no steps"),
    (plan(step(1), step(2), strategy=session(1, "1", 1, ["src/"], "Session 2") + "\n" + session(2, "2", 2, ["lib/"], "Session 1")),
     "PLAN_CYCLE: the dependencies form a cycle"),
    (TWO_WAVES.replace("- **Wave:** 2\n", ""), "session 3 has no wave"),
    (TWO_WAVES.replace("`test -f src/part3.py`", "`rm -rf /`"), "the command policy blocks "),
])  # fmt: skip
def test_a_plan_that_cannot_run_in_waves(make: Make, text: str, sentence: str) -> None:
    repo = make(text, files=QUICK)
    assert any(sentence in one for one in repo.ok(f"waves show {PLAN}")["problems"])
    assert sentence in repo.refused(f"waves start {PLAN}")
    assert (repo.branches(), repo.trees(), repo.subjects(), processes_of(repo)) == (
        ["main"],
        [],
        ["first"],
        [],
    )


def test_all_reasons_come_at_once_and_the_stop_is_written_down(make: Make) -> None:
    text = TWO_WAVES.replace("`test -f src/part3.py`", "`no-such-program --check`")
    repo = make(text, files={**QUICK, ".claude/ultra.yaml": "setup: exit 3\n"})
    dirty(repo)
    key(repo)
    said = repo.refused(f"waves start {PLAN}")
    for sentence in (
        "the working tree is not clean",
        "ANTHROPIC_API_KEY is set",
        "the setup command failed with exit status 3",
        "or run everything in one session with --fg",
    ):
        assert sentence in said
    state = json.loads(repo.read(STATE))
    assert set(state) == {
        "schema_version", "project", "next_session_brief_path", "next_session_label", "status", "updated_at",
    }  # fmt: skip
    assert (state["project"], state["status"]) == (f".claude/projects/{SLUG}", "stopped")
    assert repo.progress()["status"] == "stopped"
    assert repo.ok("continue")["command"].endswith(f"--project .claude/projects/{SLUG}")
    assert (repo.branches(), repo.trees(), processes_of(repo)) == (["main"], [], [])
    assert repo.subjects() == ["first"]

    repo.write({".claude/ultra.yaml": "proof: off\n"})
    repo.git("add", "--all", "--", "README.md", "new.txt", ".claude/ultra.yaml")
    repo.git("commit", "--quiet", "--message=mine")
    said = repo.refused(f"waves start {PLAN} --accept-api-billing")
    assert "the Verification of the plan needs no-such-program, which a fresh checkout does not have" in said

    repo.write({PLAN: TWO_WAVES})
    repo.play({"1": ["hang"]})
    repo.ok(f"waves start {PLAN} --accept-api-billing --jobs 2")
    assert "are in progress" in repo.refused(f"waves start {PLAN}")
    problems = repo.ok(f"waves show {PLAN} --accept-api-billing")["problems"]
    assert problems == ["a supervisor is already working on this plan: `ultra waves wait` shows its progress"]
    repo.ok("waves stop --now")
    assert repo.wait()["result"] == "stopped"
    assert not repo.has(PROGRESS)


@pytest.mark.parametrize(("words", "sentence"), [
    ("--jobs 0", "--jobs must be a number from 1 to 999, not 0"),
    ("--jobs many", "--jobs must be a number from 1 to 999, not many"),
    ("--budget-usd 0", "--budget-usd must be a number above 0, not 0"),
    ("--session-minutes -1", "--session-minutes must be a number above 0, not -1"),
    ("--on moon", "--on must be local, ssh or slurm, not moon"),
])  # fmt: skip
def test_wrong_usage_is_said(make: Make, words: str, sentence: str) -> None:
    told = make(TWO_WAVES, files=QUICK)("waves", "start", PLAN, *words.split())
    assert (told.status, sentence in told.out) == (2, True), told.out


def test_what_belongs_to_the_user_is_never_touched(make: Make) -> None:
    """Look-alikes: branches and worktrees of the user that have almost the names of ours."""
    repo = make(TWO_WAVES, files=QUICK, without_verbs=True)
    repo.write({".git/info/exclude": ".claude/worktrees\n"})
    repo.git("branch", f"{BRANCHES}/other/session-1")
    repo.git("branch", f"{BRANCHES}/{SLUG}/session-10")
    repo.git("worktree", "add", "--quiet", "-b", "mine", f".claude/worktrees/{SLUG}/session-9")
    repo.git("worktree", "add", "--quiet", "--detach", ".claude/worktrees/session-1")
    (repo.folder / ".claude/worktrees/session-1/work.txt").write_text("not committed\n")
    repo.git("worktree", "add", "--quiet", "--detach", "../away")
    shutil.rmtree(repo.folder.parent / "away")  # as on a disk that is not mounted
    repo.git("update-ref", f"refs/ultra/rescue/{SLUG}/session-1/attempt-1", "HEAD")
    branches, trees = repo.branches(), repo.trees()
    assert repo.waves("--jobs 2")["result"] == "completed"
    assert (repo.branches(), repo.trees()) == (branches, trees)
    assert (repo.folder / ".claude/worktrees/session-1/work.txt").read_text() == "not committed\n"
    assert Path(repo.folder / f".claude/worktrees/{SLUG}/session-9/README.md").exists()
    assert all(repo.has(part(number)) for number in (1, 2, 3))


def test_a_full_disk_is_said_before_anything_starts(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    monkeypatch.chdir(repo.folder)
    run, space = find_wave_run(PLAN), os.statvfs(repo.folder)
    fits = space.f_bavail * space.f_frsize // MEGABYTE // CHECKOUT_MEGABYTES - 1
    assert list(_room(run, fits // 2)) == []
    (sentence,) = _room(run, fits * 2 + 10)
    assert re.search(r"has \d+ MB left, \d+ sessions side by side need \d+ MB: free some space", sentence)


def lfs_without_its_program(repo: Waves) -> None:
    repo.write({".gitattributes": "*.bin filter=lfs\n", "large.bin": "large\n"})
    repo.git("add", "--all", "--", ".gitattributes", "large.bin")
    repo.git("commit", "--quiet", "--message=large")
    repo.git("config", "filter.lfs.smudge", "no-such-lfs")
    repo.git("config", "filter.lfs.clean", "cat")
    repo.git("config", "filter.lfs.required", "true")


def submodule_that_is_gone(repo: Waves) -> None:
    library = make_repository(repo.folder.parent / "library", {"lib.txt": "lib\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor-lib")
    repo.git("update-index", "--cacheinfo", f"160000,{'1' * 40},vendor-lib")  # a commit that nobody has
    repo.git("commit", "--quiet", "--message=vendor")


def hook_on_main(repo: Waves) -> None:
    repo.write({".git/hooks/pre-commit": "#!/bin/sh\necho 'main is protected' >&2\nexit 1\n"})
    (repo.folder / ".git/hooks/pre-commit").chmod(0o755)


def ignored_plan(repo: Waves) -> None:
    repo.write({".gitignore": ".claude/\n"})
    repo.git("add", ".gitignore")
    repo.git("commit", "--quiet", "--message=ignore")


def broken_settings(repo: Waves) -> None:
    repo.write({".claude/ultra.yaml": "setup: [\n"})
    repo.git("commit", "--quiet", "--all", "--message=settings")


@pytest.mark.parametrize(("hinder", "sentence"), [
    (lfs_without_its_program, "a working copy cannot be made ready: "),
    (submodule_that_is_gone, "a working copy cannot be made ready: "),
    (hook_on_main, "the plan cannot be committed: main is protected"),
    (ignored_plan, "no session sees it"),
    (broken_settings, ".claude/ultra.yaml"),
])  # fmt: skip
def test_what_only_a_start_finds_out_leaves_nothing_behind(
    make: Make, hinder: Callable[[Waves], None], sentence: str
) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    hinder(repo)
    head = repo.git("rev-parse", "HEAD")
    assert sentence in repo.refused(f"waves start {PLAN}")
    assert (repo.git("rev-parse", "HEAD"), repo.branches()) == (head, ["main"])
    assert (repo.trees(), processes_of(repo), repo.seen()) == ([], [], [])
    assert not (repo.folder / ".claude/worktrees").exists()
    assert repo.git("diff", "--cached", "--name-only") == ""


def test_a_bare_repository_is_said(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    repo.git("clone", "--quiet", "--bare", ".", "../bare.git")
    told = repo("waves", "start", str(repo.folder / PLAN), cwd=repo.folder.parent / "bare.git")
    assert (told.status, told.data["ok"]) == (1, False)
    assert told.data["error"] == "this is a git dir, not a working tree"


def test_a_client_that_is_gone_when_the_sessions_start_is_named(make: Make) -> None:
    repo = cut_off(make, "after begin")
    no_client(repo)
    assert live(repo) == SERVED
    end = repo.ok("waves wait")
    assert end["result"] == "failed"
    assert re.search(r"session 1: not started: .*/programs/claude cannot be started: ", end["why"][0]), end[
        "why"
    ]
    assert (repo.branches(), repo.trees(), processes_of(repo)) == (["main"], [], [])


def test_standard_input_may_be_closed(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK, without_verbs=True)
    told = repo("waves", "start", PLAN, "--jobs", "2", before=lambda: os.close(0))
    assert told.data["ok"] is True
    assert repo.wait()["result"] == "completed"


def test_no_commit_and_no_repository_are_said(make: Make, tmp_path: Path) -> None:
    repo = make(TWO_WAVES, files={})
    assert any("has no commit yet" in one for one in repo.ok(f"waves show {PLAN}")["problems"])
    outside = tmp_path / "outside"
    outside.mkdir()
    told = repo("waves", "show", str(repo.folder / PLAN), cwd=outside)
    assert (told.status, "is not in a git repository" in told.out) == (1, True)
    assert os.listdir(outside) == []
