"""What a step may change, what is reported of it, and what follows: each rule on both sides, many in one run."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.sample import FILES, PROJECT, SLUG, Repo, plan, step
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import Fence
from ultra_runtime.run.state.record import Record
from ultra_runtime.run.step.verify import _sort_out
from ultra_runtime.run.tree.snapshot import Change, Entry

Make = Callable[..., Repo]
SESSION = """\
### Session 1: All

- **Steps:** {steps}
- **Wave:** 1
- **Depends on:** none
- **Scope fence:**
  - Touch: {touch}
  - Never touch: `docs/`
"""


def test_what_a_verify_changes_is_sorted_path_by_path_in_any_order() -> None:
    """A file that no commit has may stay where nothing is forbidden, and may change again; what else changes is named."""
    (one,) = read(plan(step(1, ["src/part1.py"], forbidden_paths=["locked/"])).encode()).steps
    live: Any = SimpleNamespace(assignment=SimpleNamespace(fence=Fence(never_touch=("docs/",))))
    kinds = {"known.txt": "left", "new.txt": "new", "old.txt": "named", "report.xml": "new", "src/part1.py": "named", ".env": "named",
             "locked/new": "named", "docs/new": "named"}  # fmt: skip
    for paths in itertools.permutations(kinds, 3):
        record = Record(1, "", "")
        record.artefacts = ["known.txt"]
        there = Entry("100644", "x")
        changes = [
            Change(path, there if path in ("old.txt", "known.txt", "report.xml") else None, there)
            for path in paths
        ]
        named = _sort_out(live, one, record, changes, {"report.xml"})
        assert named == [path for path in paths if kinds[path] == "named"], paths
        assert record.artefacts == ["known.txt", *(path for path in paths if kinds[path] == "new")], paths


@pytest.mark.soak
def test_what_a_verify_may_leave_and_what_of_an_attempt_is_reported(make: Make) -> None:
    """It may leave new files where nothing is forbidden: what else it changes fails the attempt, place by place."""
    one = step(1, ["src/part1.py", "src/a.log"], "sh check.sh", "escalate", forbidden_paths=["locked/"])
    changes = (
        "mkdir docs locked left\ntouch docs/new locked/new left/new .env src/part1.py\necho x >> README.md\n"
    )
    files = {**FILES, ".gitignore": "*.log\n", "check.sh": changes}
    repo = make(plan(one, strategy=SESSION.format(steps=1, touch="`src/`")), files=files)
    repo.start("--session", "1")
    repo.ok("step begin 1")
    repo.write({"src/a.log": "ignored\n", "mine.txt": "x\n"})
    repo.git("add", "mine.txt")
    repo.git("commit", "-qm", "mine")
    answer = repo.ok("step verify 1")
    during, where = next(row.partition(";")[0].split(": ") for row in answer["why"] if "while Verify" in row)
    assert during == "changed while Verify ran"
    assert set(where.split(", ")) == {".env", "README.md", "docs/new", "locked/new", "src/part1.py"}
    head = "step 1, attempt 1: "
    found = [one.removeprefix(head) for one in repo.ok("run finish")["findings"] if one.startswith(head)]
    assert [one.partition(":")[0].partition(";")[0] for one in found] == [
        "commits were made outside the run",
        "forbidden paths were changed",
        "paths outside the session's fence were changed",
        "protected paths were changed",
        "changed outside Files and expected_paths",
        "git would not add src/a.log",
    ]
    assert found[4].endswith("expected_paths: README.md, mine.txt")


def test_lines_that_the_user_had_changed_end_the_step_at_once(make: Make) -> None:
    repo = make(plan(step(1, ["README.md"], on_failure="retry")))
    repo.write({"README.md": "# The user's\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"README.md": "# The step's\n"})
    answer = repo.ok("step verify 1")
    assert (answer["attempt"], answer["next"]) == (1, "stop")
    assert "had uncommitted changes before the step: README.md" in answer["why"][0]
    assert repo.read("README.md") == "# The user's\n"


@pytest.mark.soak
def test_ignored_files_that_change_before_and_in_a_step_are_notes_of_it(make: Make) -> None:
    """What a Verify leaves is its own, and no note of this step or of the next."""
    steps = step(1, verify="test -e a.log && touch c.log"), step(2)
    repo = make(plan(*steps), files={**FILES, ".gitignore": "*.log\n"})
    repo.start()
    repo.write({"a.log": "before\n"})
    repo.ok("step begin 1")
    repo.write({"b.log": "during\n", "src/part1.py": "one\n"})
    assert repo.ok("step verify 1")["note"] == "changed, but ignored by git: a.log, b.log"
    assert repo.progress()["steps"]["1"]["manifest_audit"] == "pass-with-note"
    repo.ok("step commit 1")
    assert "c.log" not in str(repo.ok("step begin 2"))
    repo.write({"src/part2.py": "two\n"})
    assert "note" not in repo.ok("step verify 2")


@pytest.mark.soak
@pytest.mark.parametrize("count", [5, 6])
def test_up_to_five_paths_outside_are_named_in_what_to_do(make: Make, count: int) -> None:
    repo = make(plan(step(1, verify="false")))
    repo.start()
    repo.ok("step begin 1")
    names = [f"out{at}.txt" for at in range(count)]
    repo.write(dict.fromkeys(names, "x\n"))
    named = "".join(f" {name}" for name in names) if count == 5 else ""
    assert f"`ultra step restore 1{named}`" in repo.ok("step verify 1")["do"]


@pytest.mark.soak
def test_the_manifest_of_a_step_fails_only_with_a_difference(make: Make) -> None:
    repo = make(plan(step(1, verify="false")))
    repo.start()
    repo.ok("step begin 1")
    audits = []
    for files in ({"src/part1.py": "one\n"}, {"out.txt": "x\n"}):
        repo.write(files)
        repo.ok("step verify 1")
        values = repo.progress()["steps"]["1"]
        audits.append(
            (values.get("manifest_audit"), [one["check"] for one in values.get("manifest_drift") or ()])
        )
    assert audits == [(None, []), ("fail", ["scope"])]


@pytest.mark.soak
@pytest.mark.parametrize("progress", ["kept", "lost"])
def test_a_skip_is_a_fact_in_git_at_the_commit_where_it_was_decided(make: Make, progress: str) -> None:
    repo = make(plan(step(1), step(2, verify="false", on_failure="skip"), step(3)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    repo.git("commit", "-q", "--allow-empty", "-m", "meanwhile")
    assert repo.ok("step verify 2")["next"] == "skip"
    assert repo.refs()[f"run/{SLUG}/skip-2"] == repo.git("rev-parse", "HEAD")
    if progress == "lost":
        (repo.folder / PROJECT / "progress.json").unlink()
    repo.ok("run abort")
    assert repo.start("--mode", "resume")["first"] == 3
    assert repo.progress()["steps"]["2"]["status"] == "skipped"


@pytest.mark.soak
@pytest.mark.parametrize("claim", ["an edit", "a commit"])
def test_what_the_user_claimed_stays_his_when_the_step_is_undone(make: Make, claim: str) -> None:
    repo = make(plan(step(1, verify="false", on_failure="skip"), step(2)))
    repo.start()
    repo.write({"README.md": "# Mine\n"})
    if claim == "a commit":
        repo.git("commit", "-qam", "mine")
    repo.ok("step begin 1 --mine README.md")
    repo.ok("step verify 1")
    assert "notes" not in repo.ok("step begin 2")
    assert repo.read("README.md") == "# Mine\n"


def test_an_edit_before_the_step_and_its_test_first_are_undone_together(make: Make) -> None:
    first = "`echo test >> src/hello.py; false`"
    repo = make(plan(step(1, ["src/hello.py"], "false", "skip", test_first=first), step(2)))
    repo.start()
    before = repo.tree()
    repo.write({"src/hello.py": "early\n"})
    repo.ok("step begin 1")
    assert repo.read("src/hello.py") == "early\ntest\n"
    repo.ok("step verify 1")
    assert repo.tree() == before


def test_commits_are_claimed_only_where_none_of_them_is_of_the_steps_files(make: Make) -> None:
    for names, claimable in ((["README.md"], True), (["README.md", "src/part1.py"], False)):
        repo = make(plan(step(1)))
        repo.start()
        repo.write(dict.fromkeys(names, "mine\n"))
        repo.git("add", *names)
        repo.git("commit", "-qm", "mine")
        assert ("--mine README.md" in repo.refused("step begin 1")) is claimable
        shutil.rmtree(repo.folder)


@pytest.mark.soak
@pytest.mark.parametrize(("touch", "path", "goes"), [("`src/`", "src/part1.py", True), ("`src/`", "lib/part1.py", False), ("none", "lib/part1.py", True)])  # fmt: skip
def test_a_session_begins_only_steps_inside_what_it_may_touch(
    make: Make, touch: str, path: str, goes: bool
) -> None:
    repo = make(plan(step(1, [path]), strategy=SESSION.format(steps=1, touch=touch)))
    repo.start("--session", "1")
    answer = repo.ultra("step begin 1")
    assert answer["ok"] is goes, answer
    assert goes or f"step 1 must change {path}, but this session must not touch that" in answer["error"]


@pytest.mark.soak
def test_the_pattern_of_a_message_is_searched_in_its_subject(make: Make) -> None:
    """Subject and pattern differ, so that neither can be taken for the other."""
    rows = [(r"^feat\(api\): \w+$", True), ("^feat: ", False), ("feat.api.: x y", False), ("api", True)]
    steps = [
        step(number, message="feat(api): x", commit_message_pattern=pattern)
        for number, (pattern, _) in enumerate(rows, 1)
    ]
    repo = make(plan(*steps))
    repo.start()
    done = [repo.do_step(number, {f"src/part{number}.py": "x\n"}) for number in range(1, len(steps) + 1)]
    assert ["drift" not in answer for answer in done] == [fits for _, fits in rows]


def hook(repo: Repo, name: str, text: str) -> None:
    path = repo.folder / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_a_commit_that_exists_counts_although_git_was_killed(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    hook(repo, "post-commit", "kill -9 $PPID")
    repo.start()
    commit = repo.do_step(1, {"src/part1.py": "one\n"})["commit"]
    assert repo.git("rev-parse", "HEAD").startswith(commit)
    assert repo.subjects() == ["first", "feat: part 1"]


@pytest.mark.soak
def test_a_commit_that_a_lock_prevents_says_which_and_is_made_later(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    lock = repo.folder / ".git/HEAD.lock"
    lock.touch()
    said = repo.refused("step commit 1")
    assert "HEAD.lock exists | if no git runs in this repository, a killed one left it: remove " in said
    lock.unlink()
    repo.ok("step commit 1")
    assert repo.subjects() == ["first", "feat: part 1"]


def test_a_commit_made_by_hand_after_a_hook_refused_it_is_not_the_steps(make: Make) -> None:
    """Not even with the message and the files of the step: nobody has verified these bytes."""
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "verified\n"})
    repo.ok("step verify 1")
    hook(repo, "pre-commit", "exit 1")
    assert "git commit failed" in repo.refused("step commit 1")
    repo.write({"src/part1.py": "never verified\n"})
    repo.git("add", "src/part1.py")
    repo.git("commit", "-q", "--no-verify", "-m", "feat: part 1")
    repo.write({"src/part1.py": "verified\n"})
    assert "commits were made outside the run" in repo.refused("step commit 1")
    assert repo.progress()["steps"]["1"]["status"] == "in_progress"


def test_a_step_that_cannot_be_undone_is_left_to_the_user_whatever_on_failure_says(make: Make) -> None:
    for on_failure in ("skip", "revert"):
        repo = make(plan(step(1, verify="false", on_failure=on_failure), step(2)))
        repo.git("worktree", "add", "--quiet", "--detach", "lib/own")
        repo.start()
        repo.ok("step begin 1")
        repo.git("worktree", "remove", "--force", "lib/own")
        answer = [repo.ok("step verify 1") for _ in range(1 if on_failure == "skip" else 3)][-1]
        assert (answer["next"], answer["undone"][:34]) == (
            "escalate",
            "not everything could be undone: li",
        ), answer
        assert repo.progress()["status"] == "stopped"
        shutil.rmtree(repo.folder)


@pytest.mark.soak
def test_only_what_the_last_attempt_passed_is_committed(make: Make) -> None:
    """What passed before a failed attempt has to pass again, also when nothing of it has changed."""
    repo = make(plan(step(1, verify="grep -q good src/part1.py", on_failure="retry")))
    repo.start()
    repo.ok("step begin 1")
    for text in ("good\n", "bad\n"):
        repo.write({"src/part1.py": text})
        assert repo.ok("step verify 1")["passed"] == (text == "good\n")
    repo.write({"src/part1.py": "good\n"})
    assert "step 1 has not passed | verify it first" in repo.refused("step commit 1")
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")


def test_a_step_is_not_verified_on_a_rewritten_history(make: Make) -> None:
    """A commit on top is a fault of the attempt; one that replaces the start of the step is none to judge."""
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.git("commit", "-q", "--amend", "-m", "another first")
    repo.refused("step verify 1")
    assert repo.progress()["steps"]["1"]["attempts"] == 0
    repo.git("reset", "-q", "--soft", "HEAD@{1}")
    repo.git("commit", "-q", "--allow-empty", "-m", "on top")
    assert "commits were made outside the run" in str(repo.ok("step verify 1")["why"])
    assert repo.progress()["steps"]["1"]["attempts"] == 1
