"""How the branch of the user moves to a wave, and the branch of a session to its next attempt."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.files import write_tree
from tests.kit.repository import git
from tests.waves.rules import Rules, before_git, merged
from ultra_runtime.waves.advancing import advance
from ultra_runtime.waves.session_tree import make_tree


def make_commit(rules: Rules) -> None:
    rules.git("commit", "--quiet", "--allow-empty", "--message=mine")


def make_four(rules: Rules) -> None:
    for _ in range(4):
        make_commit(rules)


def rewrite(rules: Rules) -> None:
    rules.git("commit", "--quiet", "--amend", "--message=again")


def switch(rules: Rules) -> None:
    rules.git("switch", "--quiet", "--create", "other")


def rename(rules: Rules) -> None:
    rules.git("branch", "--move", "main", "other")


def detach(rules: Rules) -> None:
    rules.git("checkout", "--quiet", "--detach")


def change(rules: Rules) -> None:
    write_tree(rules.folder, {"src/part1.py": "mine"})


def refuse(rules: Rules) -> None:
    hook = rules.folder / ".git/hooks/reference-transaction"
    write_tree(
        hook.parent,
        {hook.name: '#!/bin/sh\n[ "$1" = prepared ] && grep -q refs/heads/main && exit 1\nexit 0\n'},
    )
    hook.chmod(0o755)


def nothing(_: Rules) -> None:
    """Leave everything as it is."""


def other_change(rules: Rules) -> None:
    write_tree(rules.folder, {"README.md": "mine"})


def squash(rules: Rules) -> None:
    rules.git("config", "branch.main.mergeOptions", "--squash --no-commit")


def autostash(rules: Rules) -> None:
    rules.git("config", "merge.autoStash", "true")
    change(rules)


def unseen_change(rules: Rules) -> None:
    rules.git("update-index", "--assume-unchanged", "src/part1.py")
    change(rules)


def ignored_file(rules: Rules) -> None:
    write_tree(rules.folder, {".git/info/exclude": "src/added.py\n", "src/added.py": "mine"})


@pytest.mark.parametrize(("meanwhile", "words"), [
    (nothing, ""),
    (other_change, ""),
    (squash, ""),
    (autostash, "main cannot be moved to "),
    (unseen_change, "main cannot be moved to "),
    (ignored_file, "main cannot be moved to "),
    (make_commit, "main has commits that were made meanwhile ("),
    (make_four, " mine; and more): `ultra waves resume "),
    (rewrite, "main was rewritten meanwhile and no longer contains "),
    (switch, "other is checked out instead of main: `git switch main`"),
    (rename, "other is checked out instead of main: `git switch --create main`"),
    (detach, "HEAD is detached instead of main: `git switch main`"),
    (change, "main cannot be moved to "),
    (refuse, "main cannot be moved to "),
])  # fmt: skip
def test_the_users_branch_moves_forward_only_and_only_from_where_it_was(
    rules: Rules, meanwhile: Any, words: str
) -> None:
    rules.passed(1, rules.commit({"src/part1.py": "1", "src/added.py": "1"}, branch=1))
    assert merged(rules)
    rules.git("config", "merge.ff", "false")
    to = rules.run.state.waves[1].tip
    meanwhile(rules)
    mine = {path: path.read_text() for path in (rules.folder / "src").iterdir()}
    before = rules.git("rev-parse", "HEAD"), rules.git("status", "--porcelain", "--untracked-files=no")
    why = advance(rules.run, 1)
    assert (words in why, bool(why)) == (True, bool(words)), why
    after = rules.git("rev-parse", "HEAD"), rules.git("status", "--porcelain", "--untracked-files=no")
    assert after == (before if words else (to, before[1]))
    assert not words or {path: path.read_text() for path in (rules.folder / "src").iterdir()} == mine
    assert rules.one().state == ("passed" if words else "merged")
    assert len(rules.journal("advanced")) == (not words)


def test_a_user_who_switches_in_the_very_moment_is_told_and_the_branch_arrives_later(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules.passed(1, rules.commit({"src/part1.py": "1"}, branch=1))
    assert merged(rules)
    with monkeypatch.context() as meanwhile:
        before_git(rules, meanwhile, " merge --ff-only ", "$git switch --quiet --create other")
        why = advance(rules.run, 1)
    assert "main cannot be moved to " in why
    assert "other was checked out in that moment" in why
    assert (rules.git("rev-parse", "main"), rules.journal("advanced")) == (rules.base, [])
    rules.git("switch", "--quiet", "main")
    assert advance(rules.run, 1) == ""
    assert rules.git("rev-parse", "main") == rules.run.state.waves[1].tip


@pytest.mark.parametrize(
    "stray",
    [
        ["branch", "--move", "mine"],
        ["switch", "--quiet", "--create", "mine"],
        ["checkout", "--quiet", "--detach"],
    ],
)
def test_the_next_attempt_works_on_the_branch_of_its_session_again(rules: Rules, stray: list[str]) -> None:
    run, path = rules.run, rules.tree()
    make_tree(run, str(path), rules.base, run.branch_of(1), ready=False)
    rules.lease()
    rules.lease()
    git(path, *stray)
    write_tree(path, {"src/part1.py": "1", "src/new.py": "not committed"})
    git(path, "commit", "--quiet", "--message=feat: part 1", "src/part1.py")
    made = git(path, "rev-parse", "HEAD")
    again = make_tree(run, str(path), rules.base, run.branch_of(1), ready=False)
    assert (again.branch(), again.head(), git(path, "status", "--porcelain")) == (
        run.branch_of(1),
        rules.base,
        "",
    )
    (kept,) = rules.rescued()
    assert rules.git("rev-parse", f"{kept}^") == made
    assert rules.git("show", f"{kept}:src/new.py") == "not committed"
