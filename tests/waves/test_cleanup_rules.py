"""What is saved before a session is removed, and what is never removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kit.files import write_tree
from tests.kit.repository import git
from tests.waves.rules import Rules
from tests.waves.sample import PLAN
from ultra_runtime.waves.attempts import log_of
from ultra_runtime.waves.cleanup import clean_session, clean_up
from ultra_runtime.waves.session_tree import make_tree
from ultra_runtime.waves.wave_engine import engine_of
from ultra_runtime.waves.wave_run import find_begun


# What the session came to, what its tree has beside its branch; whether the branch stays, and how many refs keep what.
@pytest.mark.parametrize(("state", "ahead", "loose", "branch", "kept"), [
    ("merged", True, False, False, 0),
    ("merged", True, True, False, 1),
    ("passed", True, False, True, 0),
    ("passed", True, True, True, 1),
    ("failed", True, False, True, 1),
    ("partial", True, True, True, 2),
    ("failed", False, False, False, 0),
    ("waiting", False, True, False, 1),
])  # fmt: skip
def test_what_is_not_merged_is_saved_before_its_tree_goes(
    rules: Rules, state: str, ahead: bool, loose: bool, branch: bool, kept: int
) -> None:
    run, tip = rules.run, rules.base
    make_tree(run, run.tree_of(1), rules.base, run.branch_of(1), ready=False)
    if ahead:
        write_tree(rules.tree(), {"src/part1.py": "committed"})
        git(rules.tree(), "commit", "--quiet", "--all", "--message=feat: part 1")
        tip = git(rules.tree(), "rev-parse", "HEAD")
    if loose:
        write_tree(rules.tree(), {"src/loose.py": "loose"})
    temporary = rules.folder.parent / "temporary"
    temporary.mkdir()
    rules.lease(temporary=str(temporary))
    if state == "merged":
        rules.passed(1, tip)
        run.note("merged", wave=1, session=1, commit=tip)
        run.note("advanced", wave=1, to=tip)
    else:
        run.note("audit", session=1, state=state, tip=tip, depth=0)
    clean_session(run, rules.one(), engine_of(run))
    assert (rules.tree().exists(), temporary.exists(), rules.one().cleaned) == (False, False, True)
    assert run.tip_of(1) == (tip if branch else "")
    refs = rules.rescued()
    assert (len(refs), rules.one().rescued) == (kept, refs)
    saved = {name for ref in refs for name in rules.git("ls-tree", "-r", "--name-only", ref).split()}
    assert ("src/loose.py" in saved) == loose
    if kept > loose:
        assert tip in [rules.git("rev-parse", ref) for ref in refs]


@pytest.mark.parametrize(("said", "dollars"), [("", 0), ('{"type": "assistant"}\n', 2.5)])
def test_an_attempt_that_a_person_ends_counts_for_its_share(rules: Rules, said: str, dollars: float) -> None:
    run, tree = rules.run, str(rules.tree())
    values = {"tree": tree, "mark": "of-a-test", "temporary": "", "dollars": 2.5}
    run.note("lease", session=1, attempt=1, depth=0, **values)
    Path(log_of(run, 1, 1)).parent.mkdir(parents=True, exist_ok=True)
    Path(log_of(run, 1, 1)).write_text(said)
    clean_session(run, rules.one(), engine_of(run))
    assert (run.state.dollars, find_begun(PLAN, None).state.dollars) == (dollars, dollars)


def test_commits_after_the_merge_are_saved_before_their_branch_goes(rules: Rules) -> None:
    tip = rules.commit({"src/part1.py": "1"})
    late = rules.commit({"src/late.py": "x"}, tip, branch=1)
    rules.lease()
    rules.passed(1, tip)
    rules.run.note("merged", wave=1, session=1, commit=tip)
    rules.run.note("advanced", wave=1, to=tip)
    clean_session(rules.run, rules.one(), engine_of(rules.run))
    assert rules.run.tip_of(1) == ""
    assert [rules.git("rev-parse", ref) for ref in rules.rescued()] == [late]


def users_folder(rules: Rules) -> None:
    write_tree(rules.tree(), {"work.txt": "mine"})


def users_worktree(rules: Rules) -> None:
    rules.git("worktree", "add", "--quiet", "--detach", str(rules.tree()))
    write_tree(rules.tree(), {"work.txt": "mine"})


def users_locked_worktree(rules: Rules) -> None:
    users_worktree(rules)
    rules.git("worktree", "lock", "--reason", "ultra waves of another", str(rules.tree()))


def users_link(rules: Rules) -> None:
    elsewhere = rules.folder.parent / "elsewhere"
    write_tree(elsewhere, {"work.txt": "mine"})
    rules.tree().parent.mkdir(parents=True, exist_ok=True)
    rules.tree().symlink_to(elsewhere)


@pytest.mark.parametrize("where", [users_folder, users_worktree, users_locked_worktree, users_link])
def test_only_registered_worktrees_of_this_plan_are_removed(rules: Rules, where: Any) -> None:
    where(rules)
    linked, target = rules.folder.parent / "linked", rules.folder.parent / "target"
    write_tree(target, {"work.txt": "mine", "open/to": "all"})
    (target / "open").chmod(0o755)
    linked.symlink_to(target)
    rules.lease(temporary=str(linked))
    rules.run.note("audit", session=3, state="merged", tip=rules.base)
    assert clean_up(rules.run, engine_of(rules.run)) == []
    assert ((rules.tree() / "work.txt").read_text(), (target / "work.txt").read_text()) == ("mine", "mine")
    assert (linked.is_symlink(), (target / "open").stat().st_mode & 0o777) == (True, 0o755)
    # Waves that are not merged keep the refs by which they go on.
    assert rules.git("for-each-ref", "--format=%(refname)", "refs/ultra/wave")
