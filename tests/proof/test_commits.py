"""What the commits of a run have to contain: each promise of a manifest, kept and broken."""

from __future__ import annotations

import itertools

import pytest

from tests.executor.sample import step
from tests.kit.repository import git
from tests.proof.history import LINK, SCRIPT, SUBMODULE, Content, History, faults, steps_of
from ultra_runtime.files.git import find_git
from ultra_runtime.plan.values import Fence
from ultra_runtime.proof.checks import StepCommits
from ultra_runtime.proof.objects import is_ancestor
from ultra_runtime.run.life.recorded import MOST_STRAYS, Facts, stray_commits

ONE = steps_of(step(1, ["src/a.py"]))
OTHER_COMMIT = "1" * 40

# What the plan expects, what the commit has, and whether that will do.
PATHS: dict[str, tuple[str, dict[str, Content], bool]] = {
    "a file": ("src/a.py", {"src/a.py": "a"}, True),
    "an executable": ("src/a.py", {"src/a.py": (SCRIPT, "a")}, True),
    "nothing": ("src/a.py", {"src/b.py": "b"}, False),
    "a link instead of a file": ("src/a.py", {"src/a.py": (LINK, "b.py")}, False),
    "a folder instead of a file": ("src/a.py", {"src/a.py/b": "b"}, False),
    "a submodule instead of a file": ("src/a.py", {"src/a.py": (SUBMODULE, OTHER_COMMIT)}, False),
    "a folder": ("src/pack/", {"src/pack/b.py": "b"}, True),
    "a link where a folder may be": ("src/pack/", {"src/pack": (LINK, "other")}, True),
    "a file instead of a folder": ("src/pack/", {"src/pack": "b"}, False),
    "a name with brackets": ("app/[id].tsx", {"app/[id].tsx": "x"}, True),
    "what brackets would match": ("app/[id].tsx", {"app/i.tsx": "x"}, False),
    "a name that begins like a pathspec": (":(glob)a*", {":(glob)a*": "x"}, True),
    "a pattern": ("docs/*.md", {"docs/a.md": "x"}, True),
    "a pattern of one letter": ("docs/?.md", {"docs/a.md": "x"}, True),
    "a pattern that a link matches": ("docs/*.md", {"docs/a.md": (LINK, "b")}, False),
    "a pattern that nothing matches": ("docs/*.md", {"docs/a.txt": "x"}, False),
    "brackets in a pattern": ("app/[id]/*.tsx", {"app/[id]/a.tsx": "x"}, True),
    "what brackets in a pattern would match": ("app/[id]/*.tsx", {"app/i/a.tsx": "x"}, False),
    "a name in another spelling": ("./src//a.py", {"src/a.py": "a"}, True),
}


@pytest.mark.parametrize("name", PATHS)
def test_expected_paths(history: History, name: str) -> None:
    expected, files, holds = PATHS[name]
    found = history.check(
        steps_of(step(1, [expected, "app", "docs", "src"], expected_paths=[expected])), history.commit(files)
    )
    wrong = [] if holds else [("expected_paths", 1)]
    assert [one for one in faults(found) if one[0] == "expected_paths"] == wrong


def test_a_wrong_kind_says_how_to_write_what_is_meant(history: History) -> None:
    found = history.check(ONE, history.commit({"src/a.py/b": "b"}))
    assert found.drifts[0].actual == (
        "it is a folder, not a regular file; if the plan means that, the name must end with /"
    )


@pytest.mark.parametrize(
    ("text", "holds"), [("def greet(): pass\n", True), ("x\ndef greet", True), ("# def greet", False), ("", False)]
)  # fmt: skip
def test_must_contain_is_searched_in_the_committed_bytes(history: History, text: str, holds: bool) -> None:
    steps = steps_of(step(1, ["src/a.py"], must_contain=[{"path": "src/a.py", "pattern": "^def greet"}]))
    found = history.check(steps, history.commit({"src/a.py": text}))
    assert faults(found) == ([] if holds else [("must_contain", 1)])


def test_must_contain_in_what_is_no_file(history: History) -> None:
    steps = steps_of(step(1, ["src/a.py"], expected_paths=[], min_file_count=0, must_contain=[{"path": "src/a.py", "pattern": "x"}]))  # fmt: skip
    for made in ({"src/a.py": (LINK, "x")}, {"src/b.py": "x"}):
        assert ("must_contain", 1) in faults(history.check(steps, history.commit(made)))


@pytest.mark.parametrize(("text", "holds"), [("if true; then :; fi\n", True), ("if then\n", False)])
def test_scripts_are_parsed_as_they_were_committed(history: History, text: str, holds: bool) -> None:
    listed = steps_of(step(1, ["bin/run"], bash_syntax_check=["bin/run"]))
    changed = steps_of(step(1, ["bin/run.sh"]))
    for steps, path in ((listed, "bin/run"), (changed, "bin/run.sh")):
        found = history.check(steps, history.commit({path: text}))
        assert faults(found) == ([] if holds else [("bash_syntax_check", 1)])


# What changed, and what speaks against it; the one step names src/a.py and all of lib, and forbids lib/core.py.
SCOPE: dict[str, tuple[dict[str, Content], list[tuple[str, int | None]]]] = {
    "what is named": ({"src/a.py": "a", "lib/x/y.py": "y"}, []),
    "a file that is not named": ({"src/a.py": "a", "src/b.py": "b"}, [("scope", None)]),
    "a deleted file": ({"src/a.py": "a", "src/old.py": None}, [("scope", None)]),
    "a new mode": ({"src/a.py": "a", "README.md": (SCRIPT, "# Greet\n")}, [("scope", None)]),
    "what is forbidden": ({"src/a.py": "a", "lib/core.py": "c"}, [("forbidden_paths", 1)]),
    "what is forbidden elsewhere": ({"src/a.py": "a", "x/secret.txt": "c"}, [("forbidden_paths", 1)]),
    "what the guard protects": ({"src/a.py": "a", "lib/.env": "K=1"}, [("protected", 1)]),
    "a submodule": ({"src/a.py": "a", "lib/sub": (SUBMODULE, OTHER_COMMIT)}, [("submodule", 1)]),
    "what another session has": ({"src/a.py": "a", "lib/theirs.py": "t"}, [("never_touch", 1)]),
}


@pytest.mark.parametrize("name", SCOPE)
def test_only_what_a_completed_step_names_may_change(history: History, name: str) -> None:
    files, expected = SCOPE[name]
    steps = steps_of(
        step(
            1,
            ["src/a.py", "lib"],
            expected_paths=["src/a.py"],
            min_file_count=1,
            forbidden_paths=["lib/core.py", "secret.*"],
        )
    )
    found = history.check(steps, history.commit(files), Fence(never_touch=("lib/theirs.py",)))
    assert faults(found) == expected


def test_a_skipped_step_allows_nothing(history: History) -> None:
    steps = steps_of(step(1, ["src/a.py"]), step(2, ["src/b.py"], on_failure="skip"))
    end = history.commit({"src/a.py": "a", "src/b.py": "b"})
    assert faults(history.check(steps, end)) == []
    assert faults(history.check(steps[:1], end)) == [("scope", None)]


def test_what_one_step_forbids_another_may_change(history: History) -> None:
    steps = steps_of(step(1, ["src/a.py"], forbidden_paths=["src/b.py"]), step(2, ["src/b.py"]))
    assert faults(history.check(steps, history.commit({"src/a.py": "a", "src/b.py": "b"}))) == []


def test_the_last_step_that_forbids_a_path_is_named(history: History) -> None:
    steps = steps_of(
        *(step(number, [f"src/{number}.py"], forbidden_paths=["lib"]) for number in (1, 2)),
        step(3, ["src/3.py"]),
    )
    files: dict[str, Content] = {f"src/{number}.py": "x" for number in (1, 2, 3)}
    assert faults(history.check(steps, history.commit({**files, "lib": "x"}))) == [("forbidden_paths", 2)]


def test_a_broken_script_is_told_once(history: History) -> None:
    steps = steps_of(step(1, ["bin/run.sh"], bash_syntax_check=["bin/run.sh"]))
    assert faults(history.check(steps, history.commit({"bin/run.sh": "if then\n"}))) == [
        ("bash_syntax_check", 1)
    ]


# Each of these before and behind a broken script, in the order in which git lists paths.
BESIDE: dict[str, Content] = {
    "no script": "if then\n",
    "a good script.sh": "true\n",
    "a link.sh": (LINK, "if then"),
    "named.sh": "true\n",
}


def test_every_changed_script_is_parsed_whatever_stands_beside_it(history: History) -> None:
    steps = steps_of(
        step(1, ["bin/"], expected_paths=[], min_file_count=0, bash_syntax_check=["bin/1 named.sh"])
    )
    for name, content in BESIDE.items():
        made = {f"bin/{place} {name}": content for place in (1, 3)}
        made["bin/1 named.sh"] = "true\n"
        found = history.check(steps, history.commit({**made, "bin/2.sh": "if then\n", "bin/4.sh": "fi\n"}))
        told = [one.expected for one in found.drifts if one.check == "bash_syntax_check"]
        assert told == [f"bash -n passes for bin/{number}.sh" for number in (2, 4)], name


# What the user's commit made of a file outside the steps, and what the end has: his as long as it is as he made it.
CLAIMED: dict[str, tuple[Content, Content]] = {
    "as he made it": ("his", "his"),
    "changed again": ("his", "other"),
    "removed again": ("his", None),
    "another mode": ("his", (SCRIPT, "his")),
    "taken away by him": (None, None),
    "put back": (None, "other"),
}


@pytest.mark.parametrize("name", CLAIMED)
def test_what_the_user_committed_is_his_while_it_stays_so(history: History, name: str) -> None:
    made, left = CLAIMED[name]
    before = history.commit({"theirs.txt": "old"})
    claim = history.commit({"theirs.txt": made}, before)
    end = history.commit({"theirs.txt": left, "src/a.py": "a"}, claim)
    found = history.check(ONE, end, start=before, claims=[(before, claim)])
    assert faults(found) == ([] if made == left else [("scope", None)])
    assert found.notes == (["committed by the user: theirs.txt"] if made == left else [])


# What a later step changes rightly


def test_a_later_step_may_rename_and_delete_what_an_earlier_one_made(history: History) -> None:
    steps = steps_of(step(1, ["src/a.py"]), step(2, ["src/a.py", "src/b.py"], expected_paths=["src/b.py"], min_file_count=1))  # fmt: skip
    found = history.check(steps, history.chain({"src/a.py": "a"}, {"src/a.py": None, "src/b.py": "a"}))
    assert faults(found) == []
    assert found.notes == ["expected_paths of step 1: step 2 changed src/a.py"]


def test_a_commit_that_no_step_made_removes_nothing_rightly(history: History) -> None:
    steps = steps_of(step(1, ["src/a.py"]), step(2, ["src/a.py", "src/b.py"], expected_paths=["src/b.py"], min_file_count=1))  # fmt: skip
    gone = history.chain({"src/a.py": "a"}, {"src/b.py": "b"}, {"src/a.py": None})
    assert faults(history.check(steps, gone)) == [("expected_paths", 1)]


def test_a_file_that_never_was_is_missing_although_a_later_step_names_it(history: History) -> None:
    steps = steps_of(step(1, ["src/a.py"]), step(2, ["src/a.py", "src/b.py"], expected_paths=["src/b.py"], min_file_count=1))  # fmt: skip
    assert faults(history.check(steps, history.chain({}, {"src/b.py": "b"}))) == [("expected_paths", 1)]


def test_a_file_that_no_later_step_names_is_missing(history: History) -> None:
    steps = steps_of(step(1, ["src/a.py"]), step(2, ["src/b.py"]))
    gone = history.chain({"src/a.py": "a"}, {"src/a.py": None, "src/b.py": "b"})
    assert faults(history.check(steps, gone)) == [("expected_paths", 1)]
    assert faults(history.check(list(reversed(steps)), gone)) == [("expected_paths", 1)]


def test_a_later_step_that_expects_the_file_decides(history: History) -> None:
    steps = steps_of(step(1, ["src/a.py"]), step(2, ["src/a.py"]))
    gone = history.chain({"src/a.py": "a"}, {"src/a.py": None})
    assert faults(history.check(steps, gone)) == [("expected_paths", 2)]


def test_a_later_step_makes_no_other_thing_of_a_file_that_an_earlier_one_expects(history: History) -> None:
    steps = steps_of(step(1, ["src/a.py"]), step(2, ["src/a.py", "src/b.py"], expected_paths=["src/b.py"], min_file_count=1))  # fmt: skip
    for thing in ((LINK, "b.py"), (SUBMODULE, OTHER_COMMIT)):
        made = history.chain({"src/a.py": "a"}, {"src/a.py": thing, "src/b.py": "b"})
        assert ("expected_paths", 1) in faults(history.check(steps, made))


def test_a_later_step_may_rewrite_what_an_earlier_one_had_to_contain(history: History) -> None:
    first = step(1, ["src/a.py"], must_contain=[{"path": "src/a.py", "pattern": "^one"}])
    steps = steps_of(first, step(2, ["src/a.py"]))
    assert faults(history.check(steps, history.chain({"src/a.py": "one"}, {"src/a.py": "two"}))) == []
    never = history.chain({"src/a.py": "zero"}, {"src/a.py": "two"})
    assert faults(history.check(steps, never)) == [("must_contain", 1)]


@pytest.mark.parametrize("count", [0, 1, MOST_STRAYS, MOST_STRAYS + 1, MOST_STRAYS + 2])
def test_every_commit_that_no_step_made_is_named_or_counted(history: History, count: int) -> None:
    commits = history.commits([{"src/a.py": "a"}, *({f"{number}": "x"} for number in range(count))])
    facts = Facts("git refs", history.start, commits[-1], True)
    facts.ranges = {1: (history.start, commits[0])}
    found = stray_commits(find_git(str(history.folder)), facts)
    named = [f"no step made the commit {commit[:12]} made" for commit in commits[1 : MOST_STRAYS + 1]]
    more = count - MOST_STRAYS
    rest = [f"no step made {more} more commit{'s' if more > 1 else ''}"] if more > 0 else []
    assert found == [*named, *rest]


# Whatever lies between


def test_commits_that_cancel_each_other_change_nothing(history: History) -> None:
    made = history.chain({"sneaked.txt": "in"}, {"src/a.py": "a"}, {"sneaked.txt": None})
    assert faults(history.check(ONE, made)) == []


def test_a_merge_brings_changes_like_any_other_commit(history: History) -> None:
    ours, theirs = history.commit({"src/a.py": "a"}), history.commit({"upstream.txt": "x"})
    merged = history.commit({"upstream.txt": "x"}, ours, theirs)
    assert faults(history.check(ONE, merged)) == [("scope", None)]
    assert faults(history.check(ONE, history.commit({}, ours, theirs))) == []


def test_a_replaced_object_and_a_graft_change_nothing(history: History) -> None:
    bad, good = history.commit({"sneaked.txt": "in"}), history.commit({"src/a.py": "a"})
    git(history.folder, "replace", bad, good)
    info = history.folder / ".git/info/grafts"
    info.write_text(f"{bad}\n")
    try:
        assert "sneaked.txt" not in git(history.folder, "ls-tree", "--name-only", bad)
        assert faults(history.check(ONE, bad)) == [("scope", None), ("expected_paths", 1)]
    finally:
        info.unlink()
        git(history.folder, "replace", "-d", bad)


def test_what_a_step_changed_and_which_commits_are_below_another(history: History) -> None:
    commits = [history.start, *history.commits([{"a": "1", "b": "1"}, {"b": "2"}, {"c": "3"}])]
    found = find_git(str(history.folder))
    pairs = itertools.product(enumerate(commits), repeat=2)
    for (first, older), (second, newer) in pairs:
        assert is_ancestor(found, older, newer) == (first <= second)
        steps = StepCommits(found, {1: (older, newer), 2: (older, "1" * 40)})
        low, high = sorted((first, second))
        assert steps.changed(1) == sorted(set("".join(("ab", "b", "c")[low:high])))
        assert (steps.own(1), steps.changed(2), steps.changed(3), steps.own(3)) == (newer, [], [], "")
