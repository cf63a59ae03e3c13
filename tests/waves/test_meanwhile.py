"""What a user, a second call or a reboot does while waves are under way: a sentence each, and nothing is lost."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.calls import ISOLATED
from tests.kit.names import BRANCHES
from tests.kit.quick import later
from tests.waves.lives import MINE, SERVED, cut_off, live
from tests.waves.processes import kill_all, processes_of
from tests.waves.sample import PLAN, PROJECT, QUICK, TWO_WAVES, Waves, part
from tests.waves.test_faults import merged_once
from ultra_runtime.files.process import stat_fields

Make = Callable[..., Waves]
SLUG = Path(PROJECT).name
OWNER = re.compile(rb'"pid":\s*[1-9]\d*')
RESUME = f"`ultra waves resume {PLAN}`"


def go_back(repo: Waves) -> None:
    repo.git("switch", "--quiet", "main")


def merge_as_told(repo: Waves) -> None:
    """Do what the sentence says."""
    why = repo.ok("waves wait")["why"][0]
    repo.git("merge", "--quiet", "--no-edit", why.partition("`git merge ")[2][:12])


def nothing(_: Waves) -> None:
    """The sentence asks for nothing but to resume."""


ACTS = (
    ("git switch --quiet --create other", f"other is checked out instead of main: `git switch main`, then {RESUME}", go_back),
    ("git branch --quiet --move main trunk", f"trunk is checked out instead of main: `git switch --create main`, then {RESUME}",
     lambda repo: repo.git("switch", "--quiet", "--create", "main")),
    ("git checkout --quiet --detach", f"HEAD is detached instead of main: `git switch main`, then {RESUME}", go_back),
    ("echo more >> mine.txt && git commit --quiet --all --message='docs: mine'",
     f" docs: mine): {RESUME} merges onto them", nothing),
    ("echo 'not committed' > src/part1.py", "main cannot be moved to ", lambda repo: (repo.folder / part(1)).unlink()),
    ("git commit --quiet --amend --message='docs: in other words'",
     "main was rewritten meanwhile and no longer contains ", merge_as_told),
)  # fmt: skip


def test_a_user_who_works_on_the_branch_gets_a_sentence_and_keeps_everything(make: Make) -> None:
    """The user acts in the moment before the branch is moved."""
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    for act, sentence, remedy in ACTS:
        assert live(repo, "act before advance 1", ACT=f"{act} && git rev-parse HEAD > ../head") == SERVED
        end = repo.ok("waves wait")
        assert (end["result"], sentence in end["why"][0]) == ("stopped", True), end["why"]
        assert repo.git("rev-parse", "HEAD") == (repo.folder.parent / "head").read_text().strip()
        assert repo.git("diff", "--name-only", "HEAD") == ""
        remedy(repo)
        (repo.folder.parent / "deaths").unlink()
    assert live(repo) == SERVED
    assert repo.ok("waves wait")["result"] == "completed"
    assert [repo.read(part(number)) for number in (1, 2, 3)] == [f"part {number}\n" for number in (1, 2, 3)]
    assert repo.read("mine.txt") == "mine\nmore\n"
    assert sorted(repo.branches()) == ["main", "other", "trunk"]
    assert (repo.trees(), processes_of(repo)) == ([], [])
    assert [call["act"] for call in repo.journal()].count("lease") == 3


SETTINGS = """
[merge]
  ff = only
  renames = false
[rerere]
  enabled = true
[commit]
  verbose = true
[core]
  quotePath = false
  logAllRefUpdates = false
[submodule]
  recurse = true
[branch]
  autoSetupMerge = always
[status]
  showUntrackedFiles = no
  short = true
[log]
  showSignature = true
[color]
  ui = always
[push]
  default = nothing
[diff]
  noprefix = true
  renames = copies
  external = false
[alias]
  merge = !false
  worktree = !false
"""


@pytest.mark.soak
def test_settings_of_git_and_a_user_who_tidies_up_change_nothing(make: Make) -> None:
    """The user packs and prunes everything between two merges, and deletes the folder of the worktrees."""
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    repo.write({".git/config": repo.read(".git/config") + SETTINGS})
    tidy = "git gc --quiet --prune=now && git pack-refs --all && rm -rf .claude/worktrees && git worktree prune --expire now"
    assert live(repo, "act after merged 1", ACT=tidy) == SERVED
    assert live(repo) == SERVED
    end = repo.ok("waves wait")
    assert (end["result"], end["why"]) == ("completed", [])
    merged_once(repo)


@pytest.mark.soak
def test_a_link_where_a_worktree_should_be_is_left_alone(make: Make) -> None:
    """The user puts it there after the pre-flight."""
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    precious = repo.folder.parent / "precious"
    precious.mkdir()
    (precious / "work.txt").write_text("mine\n")
    link = f'ln -s "{precious}" "{repo.tree(3)}"'
    assert live(repo, "act before lease 3", ACT=f'mkdir -p "{repo.tree(3).parent}" && {link}') == SERVED
    end = repo.ok("waves wait")
    assert end["result"] == "failed"
    assert re.search(
        r"session 3: not started: .*/session-3 exists and is not a worktree of this run", end["why"][0]
    )
    assert repo.tree(3).is_symlink()
    assert [path.name for path in precious.iterdir()] == ["work.txt"]
    repo.tree(3).unlink()
    assert live(repo) == SERVED
    assert repo.ok("waves wait")["result"] == "completed"
    assert not repo.tree(3).parent.exists()


@pytest.mark.soak
def test_a_branch_that_the_user_makes_meanwhile_is_left_alone(make: Make) -> None:
    """It has the name that the branch of a session would get, and no attempt at that session was made."""
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    branch = f"{BRANCHES}/2026-01-31-greet/session-3"
    assert live(repo, "act after begin", ACT=f"git branch {branch} && git rev-parse HEAD > ../head") == SERVED
    end = repo.ok("waves wait")
    assert (
        end["result"],
        f"the branch {branch} exists and no run of this plan made it" in end["why"][0],
    ) == (
        "stopped",
        True,
    ), end
    assert repo.git("rev-parse", branch) == (repo.folder.parent / "head").read_text().strip()
    assert "exists and no run of this plan made it" in repo.refused("session open 3")
    assert sorted(repo.branches()) == ["main", branch]
    repo.git("branch", "--move", branch, "mine")
    assert live(repo) == SERVED
    assert repo.ok("waves wait")["result"] == "completed"
    assert sorted(repo.branches()) == ["main", "mine"]


@pytest.mark.parametrize(
    ("hook", "text", "sentence"),
    [
        ("reference-transaction", "[ $1 != prepared ] || ! grep -q refs/heads/main || { echo main is protected >&2; exit 1; }",
         r"main cannot be moved to \w{12}: .*main is protected"),
        later("pre-merge-commit", "echo no merges here >&2; exit 1", "session 1: git cannot merge it: no merges here"),
    ],
)  # fmt: skip
def test_a_hook_that_protects_the_branch_is_named_and_nothing_is_lost(
    make: Make, hook: str, text: str, sentence: str
) -> None:
    """The hook is installed after the plan was committed; the sessions themselves can commit."""
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    installed = repo.folder.parent / hook
    installed.write_text(f"#!/bin/sh\n{text}\n")
    installed.chmod(0o755)
    act = f'mkdir -p .git/hooks && cp -p "{installed}" .git/hooks/'
    assert live(repo, "act after begin", ACT=act) == SERVED
    end = repo.ok("waves wait")
    assert end["result"] in ("stopped", "failed")
    assert re.search(sentence, end["why"][0]), end["why"]
    assert (repo.trees(), processes_of(repo), repo.read("mine.txt")) == ([], [], "mine\n")
    assert repo.git("status", "--porcelain") == ""
    (repo.folder / ".git/hooks" / hook).unlink()
    assert live(repo) == SERVED
    assert repo.ok("waves wait")["result"] == "completed"
    assert (repo.branches(), [row["act"] for row in repo.journal()].count("lease")) == (["main"], 3)


@pytest.mark.soak
def test_a_process_that_hides_from_its_attempt_ends_with_it(make: Make) -> None:
    """It has another session, another parent and an empty environment."""
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    client = repo.folder.parent / "programs/claude"
    hidden = f'(env -i setsid sleep 100 & echo $! >> "{repo.folder.parent}/hidden") >/dev/null 2>&1'
    client.write_text(client.read_text().replace("exec ", f'[ "$1" = --version ] || {hidden}\nexec '))
    assert repo.waves("--jobs 2")["result"] == "completed"
    pids = (repo.folder.parent / "hidden").read_text().split()
    assert len(pids) >= 3
    assert [pid for pid in pids if stat_fields(int(pid))[:1] not in ([], ["Z"])] == []


def test_two_supervisors_and_two_calls_at_once_serve_a_plan_once(make: Make) -> None:
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    words = [str(repo.command), "waves", "start", PLAN, "--jobs", "2", "--json"]
    both = [subprocess.Popen(words, cwd=repo.folder, env=repo.env, stdout=subprocess.PIPE) for _ in range(2)]
    said = [one.communicate(timeout=60)[0] for one in both]
    assert sorted(one.returncode for one in both) == [0, 1], said
    refusal = next(text.decode() for text in said if b'"ok":false' in text)
    reasons = ("of this plan are in progress", "of this plan are unfinished", "working on this plan")
    assert any(reason in refusal for reason in reasons), refusal
    child = repo.bundle / "runtime/ultra_runtime/waves/child_process.py"
    subprocess.run(
        [*ISOLATED, str(child), str(repo.folder), PLAN, PROJECT], env=repo.env, check=True, timeout=60
    )
    assert repo.wait()["result"] == "completed"
    kill_all(repo)  # the second supervisor may still wait for the lock
    acts = [row["act"] for row in repo.journal()]
    assert (acts.count("begin"), acts.count("over"), acts.count("merged")) == (1, 1, 3)
    assert len(repo.git("log", "--merges", "--format=%s").split("\n")) == 3


@pytest.mark.soak
def test_a_reboot_with_process_ids_that_others_have_now(make: Make) -> None:
    """All processes are gone, and the ids that were written down belong to a process of somebody else."""
    repo = make(TWO_WAVES, files=QUICK)
    repo.play({"1": ["slow"], "2": ["slow"]})
    repo.ok(f"waves start {PLAN} --jobs 2")
    repo.eventually(lambda: bool(process_ids(repo)))
    kill_all(repo)
    stranger = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        for path, data in process_ids(repo).items():
            path.write_bytes(OWNER.sub(b'"pid":%d' % stranger.pid, data))
        assert repo.ok("waves wait --seconds 0.1")["next"] == f"the supervisor is gone: {RESUME}"
        assert "interrupted" in repo.ok("status")["waves"]
        repo.ok(f"waves resume {PLAN}")
        assert repo.wait()["result"] == "completed"
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait(timeout=10)
    assert (repo.branches(), repo.trees(), processes_of(repo)) == (["main"], [], [])


def process_ids(repo: Waves) -> dict[Path, bytes]:
    """Return the files of the git dir that name a process, with their contents."""
    found = {}
    for path in (repo.folder / ".git").rglob("*"):
        try:
            if path.is_file() and path.suffix in (".json", "") and path.stat().st_size < 100_000:
                data = path.read_bytes()
                if OWNER.search(data):
                    found[path] = data
        except OSError:  # it is gone again
            continue
    return found


def test_a_forged_line_of_the_journal_merges_nothing(make: Make) -> None:
    repo = cut_off(make, "after lease 1")
    journal = repo.folder / f".git/ultra/waves/{SLUG}/journal"
    base = repo.git("rev-parse", "main")
    with journal.open("a") as file:
        file.write(json.dumps({"act": "audit", "session": 1, "ok": True}) + "\n")
    for call in (f"waves resume {PLAN}", "waves wait"):
        assert f"line {len(repo.journal())} was not written by ultra" in repo.refused(call)
    assert repo.git("rev-parse", "main") == base
