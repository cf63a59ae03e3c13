"""What the answers of a run tell the user: attempts that are left, reasons, what to check by hand, what stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.executor.sample import PLAN, PROGRESS, PROJECT, Repo, plan, step

Make = Callable[..., Repo]


@pytest.mark.soak
def test_begin_says_how_many_attempts_are_left(make: Make) -> None:
    good = "grep -q good src/part{}.py".format
    repo = make(plan(step(1, verify=good(1)), step(2, verify=good(2), on_failure="skip"), step(3, verify=good(3), on_failure="escalate")))  # fmt: skip
    repo.start()
    assert repo.ok("step begin 1")["attempts"] == 3
    repo.write({"src/part1.py": "bad\n"})
    failed = repo.ok("step verify 1")
    assert (failed["next"], failed["attempt"], failed["of"]) == ("retry", 1, 3)
    assert repo.ok("step begin 1")["attempts"] == 2
    repo.write({"src/part1.py": "good\n"})
    repo.ok("step verify 1")
    repo.ok("step commit 1")
    for number, then in ((2, "skip"), (3, "escalate")):
        assert repo.ok(f"step begin {number}")["attempts"] == 1
        repo.write({f"src/part{number}.py": "bad\n"})
        failed = repo.ok(f"step verify {number}")
        assert (failed["next"], failed["attempt"], failed["of"]) == (then, 1, 1)
    said = "\n".join(repo.ok("run finish")["why"])
    assert "on failure skip, 1 of 1 attempt: " in said
    assert "on failure escalate, 1 of 1 attempt: " in said


@pytest.mark.soak
def test_finish_lists_what_only_a_person_can_check(make: Make) -> None:
    prose = "\n## Verification\n\n- The page looks right.\n"
    repo = make(plan(step(1), verification="true") + "- The page looks right.\n")
    for answer in (finish(repo, PLAN), finish(repo, "plain.md", plan(step(1, ["src/other.py"])) + prose)):
        assert answer["result"] == "completed", answer
        assert answer["to_check"] == ["for a person to check: The page looks right."]
        assert "- for a person to check: The page looks right.\n" in repo.read(answer["report"])


def finish(repo: Repo, name: str, text: str = "") -> dict[str, Any]:
    """Run a plan of one step to its end."""
    if text:
        repo.write({name: text})
    repo.ok(f"run start {name}")
    repo.do_step(1, {repo.ok("step begin 1")["files"][0]: "one\n"})
    return repo.ok("run finish")


def test_finish_says_each_reason_once(make: Make) -> None:
    repo = make(plan(step(1), verification="test -f never"))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.write({"stray.py": "stray\n"})
    repo.git("add", "stray.py")
    repo.git("commit", "-q", "-m", "stray")
    answer = repo.ok("run finish")
    exits, scope = answer["why"]
    assert exits.startswith("`test -f never` failed with exit status 1")
    assert scope.startswith("scope: expected changes only where")
    assert scope.endswith("changed: stray.py")
    assert "drift_details" not in answer
    assert len(answer["ultraexecute_summary"]["drift_details"]) == 2
    assert "drift, 2 differences" in repo.say("status").out


@pytest.mark.soak
def test_abort_says_that_the_edits_stay_and_a_lost_record_can_be_rebuilt(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "half\n"})
    answer = repo.ok("run abort")
    assert answer["edits"].startswith("all commits and edits stay in the working tree")
    assert (repo.read("src/part2.py"), "`edits`" in answer["next"]) == ("half\n", True)
    assert repo.ok("continue")["label"] == "the run was stopped at step 2 of 2"
    (repo.folder / PROGRESS).unlink()
    said = repo.refused(f"run start {PLAN}")
    assert f"{PROGRESS} is missing or cannot be read, but git has the record of a run of this plan" in said
    assert "rebuild it from git with `ultra run start" in said
    assert repo.start("--mode", "resume")["first"] == 2


def test_one_is_singular(make: Make) -> None:
    repo = make(plan(step(1)))
    calls = ("status", f"plan show {PLAN}", f"scan {PLAN}", f"run validate {PLAN}", f"run dry-run {PLAN}")
    said = [repo.say(*call.split()).out for call in calls]
    repo.start()
    said += [repo.say("status").out]
    repo.do_step(1, {"src/part1.py": "one\n"})
    said += [repo.say(*call.split()).out for call in ("status", "run finish", f"audit {PLAN}", "status")]
    assert all(said)
    assert re.findall(r"(?<!of )\b1 [a-z]+s\b.*|\b0 are\b.*", "\n".join(said)) == []
    assert "pass: 1 completed step, " in said[-2]


def test_a_page_of_no_project_says_how_to_start_one(make: Make) -> None:
    repo = make(plan(step(1)))
    (repo.folder / PROJECT).rename(repo.folder / "elsewhere")
    said = repo.refused("status --html page.html")
    assert said.startswith("there is no project here, so no page was written | start one: /")
    assert not repo.has("page.html")
