"""What is merged, in which order, and what stops a merge."""

from __future__ import annotations

import pytest

from tests.kit.files import write_tree
from tests.kit.repository import git
from tests.waves.rules import WAVE, Rules, before_git, merged
from ultra_runtime.files.git import GitError


def test_what_passed_is_merged_in_the_order_of_the_plan_with_a_merge_commit_each(rules: Rules) -> None:
    rules.git("config", "merge.ff", "true")
    tips = [rules.commit({"src/part1.py": "1"}, branch=1), rules.commit({"lib/part3.py": "3"}, branch=2)]
    for number in (2, 1):
        rules.passed(number, tips[number - 1])
    late = rules.commit({"src/late.py": "x"}, tips[0], branch=1)
    assert merged(rules)
    rows = rules.git("log", "--first-parent", "--reverse", "--format=%P %s", f"{rules.base}..{WAVE}")
    first = rules.run.state.waves[1].merges[0][1]
    assert rows.split("\n") == [
        f"{rules.base} {tips[0]} merge: ultraplan session 1 (Part 1)",
        f"{first} {tips[1]} merge: ultraplan session 2 (Part 2)",
    ]
    assert rules.git("rev-parse", "HEAD") == rules.base
    # What came after the audit is kept, and not merged.
    assert [rules.git("rev-parse", ref) for ref in rules.rescued()] == [late]
    assert "src/late.py" not in rules.git("ls-tree", "-r", "--name-only", WAVE)
    acts = [row["act"] for row in rules.run.journal.rows()]
    assert (merged(rules), [row["act"] for row in rules.run.journal.rows()]) == (True, acts)


@pytest.mark.parametrize(
    "state", ["waiting", "running", "ended", "failed", "partial", "merged", "merge-failed"]
)
def test_only_what_passed_is_merged(rules: Rules, state: str) -> None:
    tip = rules.commit({"src/part1.py": "1"}, branch=1)
    rules.run.note("audit", session=1, state=state, tip=tip, depth=0)
    assert merged(rules)
    assert rules.run.state.waves[1].merges == []


@pytest.mark.parametrize(("changes", "before", "words"), [
    ({"lib/part3.py": "x"}, {}, "changed: lib/part3.py"),
    ({"src/old.py": None}, {}, "changed: src/old.py"),
    ({"src/part1.py": "mine"}, {"src/part1.py": "yours"}, "it conflicts in src/part1.py"),
    ({"src/part1.py": None}, {"src/part1.py": "yours"}, "it conflicts in src/part1.py"),
])  # fmt: skip
def test_what_cannot_be_merged_is_said_and_stops_the_wave(
    rules: Rules, changes: dict[str, str | None], before: dict[str, str | None], words: str
) -> None:
    onto = rules.commit(before) if before else rules.base
    rules.run.note("onto", wave=1, onto=onto)
    rules.passed(1, rules.commit(changes, branch=1))
    rules.passed(2, rules.commit({"lib/part3.py": "3"}, branch=2))
    assert not merged(rules)
    stand = rules.run.state
    assert (stand.sessions[1].state, stand.sessions[2].state) == ("merge-failed", "passed")
    assert (words in stand.sessions[1].why, stand.waves[1].tip, stand.waves[1].merges) == (True, onto, [])
    integration = rules.tree().with_name("integration")
    if integration.exists():
        assert (git(integration, "rev-parse", "HEAD"), git(integration, "status", "--porcelain")) == (
            onto,
            "",
        )


@pytest.mark.parametrize(
    "text",
    [
        "git reset --quiet --hard HEAD^",
        "git commit --quiet --amend --message=again",
        "git commit --quiet --allow-empty --message=more",
    ],
)
def test_a_hook_that_changes_the_merge_is_named_and_nothing_counts_as_merged(rules: Rules, text: str) -> None:
    hook = rules.folder / ".git/hooks/post-merge"
    write_tree(hook.parent, {hook.name: f"#!/bin/sh\n{text}\n"})
    hook.chmod(0o755)
    rules.passed(1, rules.commit({"src/part1.py": "1"}, branch=1))
    amended = "amend" in text
    assert merged(rules) is amended
    why = "" if amended else "the merge is not that of the two commits: a hook may have changed it"
    assert (rules.one().why, len(rules.run.state.waves[1].merges)) == (why, int(amended))


@pytest.mark.parametrize("driver", ["ours", "union"])
def test_a_merge_driver_chooses_no_side(rules: Rules, driver: str) -> None:
    """Both sides changed the file, and git would merge it without a word."""
    rules.git("config", "merge.ours.driver", "true")
    write_tree(rules.folder, {".git/info/attributes": f"*.py merge={driver}\n"})
    onto = rules.commit({"src/part1.py": "yours\n"})
    rules.run.note("onto", wave=1, onto=onto)
    tip = rules.commit({"src/part1.py": "mine\n"}, branch=1)
    rules.passed(1, tip)
    assert not merged(rules)
    assert "it conflicts in src/part1.py, which a merge driver of git would hide" in rules.one().why
    # A user who has merged the branch by hand has decided.
    by_hand = rules.git("commit-tree", f"{tip}^{{tree}}", "-p", onto, "-p", tip, "-m", "by hand")
    rules.run.note("onto", wave=1, onto=by_hand)
    rules.passed(1, tip)
    assert merged(rules)


def test_a_worktree_that_loses_its_git_file_does_not_lead_to_the_users_tree(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file goes between two calls of git, as when somebody removes the folder meanwhile."""
    rules.passed(1, rules.commit({"src/part1.py": "1"}, branch=1))
    write_tree(rules.folder, {"README.md": "not committed", "notes.txt": "new"})
    before_git(rules, monkeypatch, "/integration reset ", 'rm -f "$2/.git"')
    with pytest.raises(GitError, match="not a git repository"):
        merged(rules)
    assert rules.git("rev-parse", "HEAD") == rules.base
    assert (rules.folder / "README.md").read_text() == "not committed"
    assert (rules.folder / "notes.txt").read_text() == "new"
