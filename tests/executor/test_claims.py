"""Commits of the user during a run: they stay, and what the user claims is a note instead of a difference."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.executor.sample import PLAN, PROJECT, Repo, plan, step
from ultra_runtime.run.state.claims import claims_in

Make = Callable[..., Repo]
NEEDS = plan(step(1, verify="test -e needed.txt"))


def commit(repo: Repo, **files: str) -> None:
    """Commit files as the user does; `__` stands for a slash and `_` for a point."""
    names = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
    repo.write(names)
    repo.git("add", *names)
    repo.git("commit", "-qm", "mine", "--", *names)


@pytest.mark.soak
def test_commits_that_the_user_claims_are_a_note(make: Make) -> None:
    """Between the steps, and after a step has passed: then it has to pass again, on top of the new commit."""
    repo = make(plan(step(1), step(2)))
    repo.write({"src/hello.py": "print('mine')\n"})
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    commit(repo, README_md="# Mine\n")
    repo.ok("step begin 2 --mine README.md")
    repo.write({"src/part2.py": "two\n"})
    repo.ok("step verify 2")
    commit(repo, src__hello_py="print('mine')\n")
    repo.ok("step begin 2 --mine src/hello.py")
    assert "step 2 has not passed" in repo.refused("step commit 2")
    repo.ok("step verify 2")
    repo.ok("step commit 2")
    assert repo.ok("run finish")["result"] == "completed"
    assert repo.ultra(f"audit {PLAN}")["status"] == "pass"
    report = repo.read(f"{PROJECT}/logs/report.md")
    assert "claimed by the user at step 2: README.md" in report
    assert "- note: committed by the user: README.md, src/hello.py" in report


def test_claims_count_in_the_order_in_which_they_were_made() -> None:
    numbers = range(1, 13)
    refs = {f"claim-{number}": f"to {number}" for number in reversed(numbers)}
    refs |= {f"claim-{number}-from": f"from {number}" for number in numbers if number != 7}
    assert claims_in({**refs, "start": "x", "step-1": "y"}) == [
        (f"from {number}", f"to {number}") for number in numbers if number != 7
    ]


@pytest.mark.soak
def test_what_changes_after_the_claim_is_not_the_users(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    commit(repo, README_md="# Mine\n")
    repo.ok("step begin 1 --mine README.md")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    commit(repo, README_md="# Not mine\n")
    answer = repo.ok("run finish")
    assert answer["result"] == "partial"
    assert [one["check"] for one in answer["ultraexecute_summary"]["drift_details"]] == ["scope"]


def test_what_the_proof_needs_can_be_committed_and_claimed_at_the_end(make: Make) -> None:
    repo = make(NEEDS)
    repo.write({"needed.txt": "x\n"})
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    (drift,) = repo.ok("run finish")["ultraexecute_summary"]["drift_details"]
    assert "what it needs is not committed: commit it" in drift["actual"]
    commit(repo, needed_txt="x\n")
    notes = " ".join(repo.start("--mode", "resume")["notes"])
    assert "change needed.txt; if they are the user's: ask, then `ultra run finish --mine`" in notes
    assert [one["check"] for one in repo.ok("run finish")["ultraexecute_summary"]["drift_details"]] == [
        "scope"
    ]
    repo.start("--mode", "resume")
    answer = repo.ok("run finish --mine")
    assert answer["result"] == "completed"
    assert answer["findings"] == ["claimed by the user, committed after the last step: needed.txt"]
    assert repo.ultra(f"audit {PLAN}")["status"] == "pass"


@pytest.mark.soak
@pytest.mark.parametrize("on_failure", ["skip", "revert"])
def test_a_commit_of_the_user_stays_when_the_step_is_undone(make: Make, on_failure: str) -> None:
    repo = make(plan(step(1, verify="false", on_failure=on_failure), step(2)))
    repo.write({"src/hello.py": "print('mine')\n"})
    repo.git("add", "src/hello.py")
    repo.start()
    before, staged = repo.tree(), repo.staged()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "wrong\n"})
    repo.git("add", PROJECT)
    repo.git("commit", "-qm", "the project", "--", PROJECT)
    commit(repo, README_md="# Mine\n", docs__new_md="new\n")
    repo.write({"README.md": "# Mine, and more of the step\n"})
    for _ in range(3 if on_failure == "revert" else 1):
        answer = repo.ok("step verify 1")
    assert answer["next"] == {"skip": "skip", "revert": "stop"}[on_failure]
    assert answer["undone"].startswith("README.md, src/part1.py;")
    mode = 0o100644
    mine = {"README.md": (mode, b"# Mine\n"), "docs/new.md": (mode, b"new\n")}
    assert (repo.tree(), repo.staged()) == (before | mine, staged)
    assert repo.git("status", "--porcelain", "src", "docs", "README.md") == "M  src/hello.py"


def test_an_uncommitted_part_of_a_file_stays_when_the_user_commits_the_other(make: Make) -> None:
    repo = make(plan(step(1, verify="false", on_failure="skip"), step(2)))
    repo.write({"README.md": "# Greet\nnot yet\n"})
    repo.start()
    repo.ok("step begin 1")
    commit(repo, README_md="# Mine\n")
    repo.write({"README.md": "# Mine\nnot yet\n"})
    repo.ok("step verify 1")
    assert repo.read("README.md") == "# Mine\nnot yet\n"
    assert repo.git("show", "HEAD:README.md") == "# Mine"
