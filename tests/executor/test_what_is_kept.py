"""What a run leaves is not lost by the next one: findings, attempts, logs, reports, and a plan that was replaced."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.executor.sample import PLAN, PROJECT, Repo, plan, step
from tests.executor.test_another_plan import OTHER, completed
from tests.kit.names import COMMANDS, EXAMPLE

Make = Callable[..., Repo]
LOGS = f"{PROJECT}/logs"


def failed(make: Make) -> Repo:
    """Return a repository whose run has failed, with a finding."""
    repo = make(plan(step(1, verify="cat src/part1.py; grep -q right src/part1.py")))
    repo.start()
    repo.ok("step begin 1")
    repo.ok("run note the-tone-is-wrong")
    repo.write({"src/part1.py": "wrong\n"})
    for _ in range(3):
        repo.ok("step verify 1")
    answer = repo.ok("run finish")
    assert answer["steps"] == ["1 Make part 1: FAIL"]
    assert "Verify failed with exit status 1" in answer["why"][0]
    assert "the-tone-is-wrong" in answer["findings"]
    return repo


@pytest.mark.soak
def test_a_resumed_run_keeps_what_was_found_and_tried(make: Make) -> None:
    repo = failed(make)
    first = repo.read(f"{LOGS}/report.md")
    before = "step 1 failed after 3 attempts: Verify failed with exit status 1"
    (told,) = (one for one in repo.start("--mode", "resume")["notes"] if one.startswith(before))
    assert told.endswith(f"(logs in {LOGS})")
    repo.do_step(1, {"src/part1.py": "right\n"})
    answer = repo.ok("run finish")
    assert {"the-tone-is-wrong", told} <= set(answer["findings"])
    assert not any("was undone" in one for one in answer["findings"])
    report = repo.read(answer["report"])
    for words in ("the-tone-is-wrong", before, f"The previous report: {LOGS}/report.2.md"):
        assert words in report
    assert repo.read(f"{LOGS}/report.2.md") == first
    assert "wrong" in repo.read(f"{LOGS}/step-1-verify-1.log")
    assert "right" in repo.read(f"{LOGS}/step-1-verify-1.2.log")


def test_a_finding_has_words(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    for text in ("", " ", "\n"):
        refused = repo.say("run", "note", text)
        assert (refused.status, refused.out) == (2, ""), text
        assert "TEXT must be a sentence, not empty" in refused.err
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert "findings" not in repo.ok("run finish")


@pytest.mark.soak
def test_findings_survive_an_abort_and_end_with_the_run(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("run note something")
    repo.write({PLAN: "# No plan any more\n"})
    repo.ok("run abort")
    assert repo.progress()["status"] == "stopped", "whatever became of its plan"
    repo.write({PLAN: plan(step(1))})
    repo.start("--mode", "resume")
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["findings"] == ["something"]
    repo.start("--restart")
    repo.do_step(1, {"src/part1.py": "two\n"})
    assert "findings" not in repo.ok("run finish")


@pytest.mark.soak
def test_another_plan_puts_the_run_before_it_aside(make: Make) -> None:
    repo = completed(make)
    old = {name: repo.read(name) for name in (PLAN, f"{LOGS}/report.md", f"{PROJECT}/progress.json")}
    repo.write({PLAN: OTHER, f"{LOGS}/review-findings.json": "{}"})
    answer = repo.start()
    assert f"the previous run is kept in {LOGS}/run-1" in answer["notes"]
    assert sorted(path.name for path in (repo.folder / LOGS / "run-1").iterdir()) == [
        "plan.md", "progress.json", "proof-1.log", "report.md", "step-1-verify-1.log",
    ]  # fmt: skip
    for name, text in old.items():
        assert repo.read(f"{LOGS}/run-1/{name.rpartition('/')[2]}") == text
    assert sorted(path.name for path in (repo.folder / LOGS).iterdir()) == ["review-findings.json", "run-1"]
    repo.do_step(1, {"src/other.py": "other\n"})
    repo.ok("run abort")
    assert f"the previous run is kept in {LOGS}/run-2" in repo.start("--restart")["notes"]


@pytest.mark.soak
def test_finish_says_why_a_run_is_partial(make: Make) -> None:
    repo = make(plan(step(1, message="fix: off")))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    answer = repo.ok("run finish")
    (why,) = answer["why"]
    assert (answer["result"], why) == (
        "partial",
        "step 1: commit_message_pattern: expected ^feat: part 1; found fix: off",
    )
    resume = f"{COMMANDS['execute']} --project {PROJECT} --resume"
    amend = f"if the plan is wrong: `ultra plan amend --project {PROJECT}`"
    assert (
        answer["next"]
        == f"tell the user; what `why` says must be fixed first; to continue: {resume}; {amend}"
    )
    assert f"First fix what differs, then continue: {resume}" in repo.read(answer["report"])
    assert repo.ok("continue")["label"] == "the run is partial: first do what its report says"


def test_a_project_before_its_run_is_continued_when_the_last_run_is_complete(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run finish")
    later = ".claude/projects/2026-02-01-later"
    repo.write({f"{later}/brief.md": (EXAMPLE / "brief.md").read_text()})
    assert repo.ok("continue")["project"] == PROJECT, "the run is not reviewed yet"
    review = (EXAMPLE / "review.md").read_text().replace("verdict: BLOCK", "verdict: ALLOW")
    repo.write({f"{PROJECT}/review.md": review})
    told = repo.ok("continue")
    assert (told["project"], told["status"]) == (later, "no run has started")


@pytest.mark.soak
def test_finish_names_the_review_when_all_is_done(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    answer = repo.ok("run finish")
    assert list(answer) == ["ok", "result", "steps", "report", "ultraexecute_summary", "next"]
    assert answer["steps"] == ["1 Make part 1: pass"]
    assert answer["next"] == f"tell the user; to continue: {COMMANDS['review']} --project {PROJECT}"


def test_others_may_do_with_what_is_kept_what_the_umask_says_and_nothing_with_its_key(make: Make) -> None:
    umask = os.umask(0)
    try:
        repo = make(plan(step(1)))
        repo.write({".claude/ultra.yaml": "setup: echo ready\n"})
        repo.start()
        repo.do_step(1, {"src/part1.py": "one\n"})
        repo.ok("run finish")
    finally:
        os.umask(umask)
    found = [*(repo.folder / ".git/ultra").rglob("*"), *(repo.folder / PROJECT).rglob("*")]
    modes = {path: path.stat().st_mode & 0o7777 for path in found if path.is_file()}
    private = {path for path, mode in modes.items() if mode == 0o600}
    assert {path.name for path in private} == {"key", "turn"}
    logs = {path for path in modes if path.suffix == ".log" or path.name == "busy"}
    assert {path.name for path in logs} == {"busy", "proof-1.log", "setup.log", "step-1-verify-1.log"}
    assert {modes[path] for path in logs} == {0o644}
    assert {modes[path] for path in modes.keys() - private - logs} == {0o666}
