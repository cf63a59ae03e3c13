"""What the guard denies inside the worktree of a session: the main tree, the stash, and the folders of the others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kit.repository import git
from tests.waves.sample import PLAN, QUICK, TWO_WAVES, Waves

Make = Callable[..., Waves]
DENIED = (
    "git stash", "git stash push -u", "git -c core.pager=cat stash pop", "bash -c 'git stash drop'", "cd src && git stash",
    "git -C ../../../.. status", "git --git-dir=../../../../.git log", "echo x > ../session-2/src/part2.py",
    "git branch -D main", "git branch -f main HEAD", "git branch -qfd other", "git update-ref refs/heads/main HEAD",
    "git symbolic-ref HEAD refs/heads/main", "git worktree remove --force ../session-2", "git worktree prune", "git gc --prune=now",
    "git reflog expire --expire=now --all", "git replace HEAD HEAD~1", "git config core.hooksPath hooks", "git config --unset a.b",
    "git remote add x y", "git tag -d v1", "git checkout -B main", "git switch -C main", "git fetch . +HEAD:refs/heads/main",
    "git push . HEAD:main", "bash -c 'git branch -D main'", "git -c alias.x='branch -D main' x", "git init x; git branch -D main",
    "rm ../session-2/README.md", "echo x > ../../../../README.md", "cp README.md ../../../../src/",
)  # fmt: skip
ALLOWED = (
    "git stash list",
    "git stash show",
    "git status",
    "echo stash > src/part1.py",
    "git commit -m 'git stash'",
    "git commit -m 'git branch -D main'",
    *(
        "git branch",
        "git branch --list",
        "git branch -vv",
        "git branch --show-current",
        "git worktree list",
        "git tag -l",
    ),
    *(
        "git config user.name",
        "git config --get user.name",
        "git config --list",
        "git remote -v",
        "git reflog",
        "git fetch",
    ),
    *(
        "git switch -c mine",
        "git checkout -b mine",
        "git checkout -- src",
        "git symbolic-ref HEAD",
        "git gc --auto",
    ),
    *(
        "git push origin HEAD",
        'cd "$(mktemp -d)" && git init -q && git config user.name me',
        "git fetch origin main",
    ),
)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory, bundle: object, python: object) -> Waves:
    """Return a repository whose first session is open and has a run in progress."""
    repo = Waves(tmp_path_factory.mktemp("guard") / "repo", bundle, python).create(TWO_WAVES, QUICK)  # type: ignore[arg-type]
    for number in (1, 2):
        opened = repo.ok(f"session open {number} --plan {PLAN}")
        assert git(repo.tree(number), "branch", "--show-current") == opened["branch"]
    repo.env |= {"CLAUDE_CODE_SESSION_ID": "session-a", "CLAUDE_PID": str(__import__("os").getpid())}
    assert repo(*f"run start {PLAN} --session 1".split(), cwd=repo.tree(1)).data["ok"]
    return repo


def verdict(repo: Waves, command: str) -> str:
    """Return what the hook says to a command in the worktree of the first session."""
    given = {
        "session_id": "session-a",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "cwd": str(repo.tree(1)),
    }
    told = repo.hook("guard", given, cwd=repo.tree(1), env={"CLAUDE_PROJECT_DIR": str(repo.tree(1))})
    return told.out


@pytest.mark.parametrize("command", DENIED)
def test_a_session_stays_in_its_own_tree(session: Waves, command: str) -> None:
    assert '"deny"' in verdict(session, command), command


@pytest.mark.parametrize("command", ALLOWED)
def test_what_reads_or_stays_inside_is_left_alone(session: Waves, command: str) -> None:
    assert "deny" not in verdict(session, command), command


@pytest.mark.parametrize(
    "call",
    [
        f"waves start {PLAN}",
        f"waves resume {PLAN}",
        "waves stop",
        "waves wait",
        f"session open 2 --plan {PLAN}",
    ],
)
def test_a_session_has_no_say_in_the_waves(session: Waves, call: str) -> None:
    told = session(*call.split(), cwd=session.tree(1))
    assert (told.status, "were started in another working tree" in told.out) == (1, True), told.out


def test_a_run_in_the_main_tree_may_stash(session: Waves) -> None:
    answer = session("check-command", "git stash").data
    assert answer["verdict"] == "allow"
