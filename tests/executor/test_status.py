"""Where a project stands: in words, as data and as a page that refers to nothing outside itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.executor.page_reader import page_of, status
from tests.executor.sample import PLAN, PROGRESS, PROJECT, Repo, Stand, plan, step
from tests.executor.status_sample import add_brief, artifact, finished, plan_text
from tests.kit.names import COMMANDS
from ultra_runtime.contract.stages import Next
from ultra_runtime.run.life.standing import RunPart, audit_words, run_words
from ultra_runtime.status.lines import data_of, lines_of, list_data, list_lines

Make = Callable[..., Repo]


def words_of(repo: Repo, *words: str) -> dict[str, str]:
    """Return the lines for a person, by their title."""
    told = repo.say("status", *words)
    assert told.status == 0, told.err
    return {line[:8].strip(): line[9:] for line in told.out.splitlines()}


# The order of the pipeline


@pytest.mark.soak
def test_each_stage_names_the_next_command(make: Make) -> None:
    repo = make(plan(step(1)))
    text = repo.read(PLAN)
    (repo.folder / PLAN).unlink()

    def comes() -> tuple[str, str]:
        answer = status(repo, "--project", PROJECT)
        return answer["stage"], answer["next"]

    where = f"--project {PROJECT}"
    assert comes() == ("brief", COMMANDS["brief"])
    repo.write({f"{PROJECT}/brief.md.draft": "x"})
    assert status(repo)["reason"] == "the brief is a draft whose review has not ended"
    add_brief(repo, answered=1)
    assert comes() == ("research", f"{COMMANDS['research']} {where}")
    assert status(repo)["research"] == {"answered": 1, "topics": 2, "status": "in_progress"}
    add_brief(repo, answered=2)
    assert comes() == ("plan", f"{COMMANDS['plan']} {where}")
    repo.write({PLAN: "# no plan\n"})
    assert status(repo)["reason"] == "the plan is not valid"
    repo.write({PLAN: text})
    assert comes() == ("execute", f"{COMMANDS['execute']} {where}")
    repo.start()
    assert comes() == ("execute", "ultra step begin 1")
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert comes() == ("execute", "ultra run finish")
    repo.ok("run finish")
    assert comes() == ("review", f"{COMMANDS['review']} {where}")
    repo.write({f"{PROJECT}/review.md": artifact("review", "valid-flow-list.md")})
    assert comes() == ("plan", f"{COMMANDS['plan']} --brief {PROJECT}/review.md")
    (grave,) = re.findall(r"^findings: \[([0-9a-f]{40})", repo.read(f"{PROJECT}/review.md"), re.MULTILINE)
    fix = plan(step(1, files=["src/fixed.py"])).replace(
        "---\n\n#", f"source_findings: [{grave}]\n---\n\n#", 1
    )
    repo.write({PLAN: fix})
    assert comes() == ("execute", f"{COMMANDS['execute']} {where}")
    repo.start()
    repo.do_step(1, {"src/fixed.py": "fixed\n"})
    repo.ok("run finish")
    assert comes() == ("review", f"{COMMANDS['review']} {where}")
    repo.write({f"{PROJECT}/review.md": artifact("review", "valid-nothing-found.md")})
    assert comes() == ("done", "the project is complete")


@pytest.mark.soak
def test_after_a_review_its_plan_is_executed_and_then_the_work_is_reviewed_again(make: Make) -> None:
    repo = make(plan(step(1)))
    text = repo.read(PLAN)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run finish")
    review = repo.folder / PROJECT / "review.md"
    repo.write({f"{PROJECT}/review.md": artifact("review", "valid-flow-list.md")})
    found = re.findall("[0-9a-f]{40}", review.read_text())
    listed = "".join(f"  - {one}\n" for one in dict.fromkeys(found))

    def comes(reviewed: float, planned: float) -> str:
        os.utime(review, (reviewed, reviewed))
        os.utime(repo.folder / PLAN, (planned, planned))
        return str(status(repo, "--project", PROJECT)["next"])

    now = time.time()
    again, where = f"{COMMANDS['plan']} --brief {PROJECT}/review.md", f"--project {PROJECT}"
    assert comes(now - 20, now - 10) == again
    assert 'plan_version: "1.7"\n' in text
    repo.write({PLAN: text.replace('"1.7"\n', f'"1.7"\nsource_findings:\n{listed}', 1)})
    assert comes(now - 20, now - 10) == f"{COMMANDS['execute']} {where}"
    repo.start()
    repo.do_step(1, {"src/part1.py": "two\n"})
    repo.ok("run finish")
    assert comes(now - 20, now + 20) == f"{COMMANDS['review']} {where}"
    assert comes(now + 30, now + 20) == again
    assert comes(now + 20, now - 10) == again


def test_a_few_lines_for_a_person(stand: Stand) -> None:
    repo = stand(finished, plan_text())
    told = words_of(repo)
    assert told == {
        "Project": PROJECT,
        "Task": "Limit the rate of requests to the public API",
        "Brief": "there",
        "Research": "2 of 2 topics answered (complete)",
        "Plan": "5 steps, version 1.7, 2 sessions in 2 waves",
        "Run": "completed, all 5 steps are over (1 skipped)",
        "Audit": "pass (checked now, commits from git refs)",
        "Review": "WARN: 1 major, 1 minor",
        "Next": f"{COMMANDS['plan']} --brief {PROJECT}/review.md  (the review says WARN: plan the fixes)",
    }


@pytest.mark.soak
def test_a_small_task_lacks_no_other_stage(make: Make) -> None:
    repo = make(plan(step(1)).replace("---\n\n# Plan", 'task: "Say hello"\n---\n\n# Plan'))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert "Review" not in repo.ok("run finish")["next"]
    assert words_of(repo) == {
        "Project": PROJECT,
        "Task": "Say hello",
        "Plan": "1 step, version 1.7",
        "Run": "completed, the only step is over",
        "Audit": "pass (checked now, commits from git refs)",
        "Next": "the project is complete",
    }
    assert {"brief", "research", "review"}.isdisjoint(repo.ok("status"))
    assert "not there yet" not in page_of(repo).text
    assert "not there yet" not in repo.say("continue").out


@pytest.mark.soak
def test_a_run_under_way_is_told_with_its_step(make: Make) -> None:
    repo = make(plan(step(1), step(2, verify="false")))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    repo.ok("step verify 2")
    repo.ok("step verify 2")
    assert words_of(repo)["Run"] == (
        'in progress (this session), step 2 of 2 "Make part 2" is in progress after 2 attempts; 1 is over'
    )
    data = status(repo)["run"]
    assert (data["step"], data["of"], data["state"], data["attempts"], data["held_by"]) == (
        2,
        2,
        "in_progress",
        2,
        "this session",
    )
    other = {"CLAUDE_CODE_SESSION_ID": "session-b", "CLAUDE_PID": str(os.getppid())}
    elsewhere = repo.ok("status", env=other)
    assert elsewhere["run"]["held_by"] == "another session"
    assert "another session" in elsewhere["next"]
    repo.ok("run abort")
    assert status(repo)["next"] == f"{COMMANDS['execute']} --project {PROJECT} --resume"


@pytest.mark.soak
def test_a_claim_that_git_does_not_know_is_not_shown_as_done(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("run abort")
    values = repo.progress()
    values["steps"]["2"] = {**values["steps"]["1"]}
    values["status"] = "completed"
    repo.write({PROGRESS: json.dumps(values)})
    assert "git has no record that it is completed" in page_of(repo).text


def test_the_audit_is_made_now(stand: Stand) -> None:
    repo = stand(finished, plan_text())
    repo.git("reset", "-q", "--hard", "HEAD^")
    answer = status(repo)
    assert answer["run"]["audit"] == "drift"
    assert [drift["check"] for drift in answer["run"]["drift_details"]] == ["history"]
    assert "HEAD does not contain it" in page_of(repo).text


# Projects


def test_several_projects_are_listed_and_one_can_be_named(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.write({".claude/projects/2026-02-02-later/notes.txt": "x"})
    told = repo.say("status")
    assert told.out.splitlines() == [
        ".claude/projects/2026-02-02-later  brief: there is no brief yet",
        f"{PROJECT}  execute: the plan has not been executed".replace(PROJECT, f"{PROJECT:33}"),
        "",
        "`ultra status --project DIR` shows more.",
    ]
    listed = status(repo)["projects"]
    assert [one["stage"] for one in listed] == ["brief", "execute"]
    assert status(repo, "--project", PROJECT)["project"] == PROJECT
    assert "several projects" in repo.refused("status --html")
    repo.start()
    assert status(repo)["project"] == PROJECT  # the run that holds the tree


def test_without_projects_it_says_how_to_begin(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1)))
    (tmp_path / "empty").mkdir()
    told = repo.say("status", cwd=tmp_path / "empty")
    assert (told.status, told.out) == (0, f"No projects here. To start one: {COMMANDS['brief']}\n")
    assert "no project directory" in repo.refused("status --project nowhere")


@pytest.mark.soak
def test_sessions_are_shown_with_their_waves(make: Make) -> None:
    repo = make(plan_text())
    repo.ok(f"run start {PLAN} --session 1")
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.do_step(2, {"src/part2.py": "two\n"})
    repo.do_step(3, {"src/part3.py": "three\n"})
    repo.ok("run finish")
    assert status(repo)["next"] == f"{COMMANDS['execute']} --project {PROJECT} --session 2"
    text = page_of(repo).text
    assert "Wave 1 Session 1 The limiter Steps 1, 2, 3 completed" in text
    assert "Wave 2 Session 2 What people see Steps 4, 5 pending" in text


@pytest.mark.soak
def test_status_changes_nothing(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})

    def everything() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in repo.folder.rglob("*") if path.is_file()}

    before = everything()
    status(repo)
    page_of(repo)
    repo.ok("status", env={"CLAUDE_CODE_SESSION_ID": "session-b", "CLAUDE_PID": str(os.getppid())})
    assert everything() == before


def test_it_works_without_git(stand: Stand, tmp_path: Path) -> None:
    repo = stand(finished, plan_text())
    shutil.rmtree(repo.folder / ".git")
    assert words_of(repo)["Audit"] == "pass (from the end of the run)"


@pytest.mark.soak
def test_pictures_need_a_browser_and_say_which() -> None:
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "tests.screenshots"], cwd=root, capture_output=True, text=True, check=False,
        env={"PATH": "/nowhere", "PYTHONPATH": str(root / "generator")}, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "apt-get install chromium" in done.stderr


def test_the_pictures_of_the_readme_are_there_and_small() -> None:
    root = Path(__file__).parent.parent.parent
    for scheme in ("light", "dark"):
        assert f"tests/pictures/status-{scheme}.png" in (root / "README.md").read_text()
        assert 20_000 < (root / f"tests/pictures/status-{scheme}.png").stat().st_size < 200_000


def test_a_call_imports_nothing_slow(make: Make) -> None:
    repo = make(plan_text())
    add_brief(repo)
    repo.start("--mode", "fg")
    words = [
        "python3",
        "-I",
        "-S",
        "-X",
        "utf8",
        "-X",
        "importtime",
        str(repo.command),
        "status",
    ]
    done = subprocess.run(words, cwd=repo.folder, env=repo.env, capture_output=True, check=True, timeout=60)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "ultra_runtime.standing.project_standing" in loaded
    slow = {
        "json",
        "re",
        "typing",
        "subprocess",
        "html",
        "ultra_runtime.status.page",
        "ultra_runtime.run.life.audit",
    }
    assert loaded & slow == set()


def facts(status: str, states: str = "", **values: Any) -> Any:
    """Return the facts of a run: `o` for a step that is over, `s` for a skipped one, `p` for a pending one."""
    at = states.find("p")
    current = SimpleNamespace(
        number=at + 1, state="pending", title=values.pop("title", ""), attempts=values.pop("attempts", 0)
    )
    known = {"holder": "", "held": "", "audit": "", "drifts": [], "proof": "", "audit_source": "git"}
    steps, skipped = list(states), states.count("s")
    over = states.count("o") + skipped
    return SimpleNamespace(
        status=status,
        own=steps,
        counted=steps,
        over=over,
        skipped=skipped,
        current=current if at >= 0 else None,
        **{**known, **values},
    )


# Words about a run -> its facts.
WORDS: dict[str, Any] = {
    "its progress file cannot be read": facts(""),
    "completed, the only step is over": facts("completed", "o"),
    "completed, all 2 steps are over": facts("completed", "oo"),
    "completed, all 3 steps are over (2 skipped)": facts("completed", "sos"),
    "stopped, step 3 of 3 is pending; 2 are over (1 skipped)": facts("stopped", "sop"),
    "in progress (held by b), step 1 of 2 is pending; none are over": facts(
        "in_progress", "pp", holder="b", held="held by b"
    ),
    "stopped, step 2 of 3 is pending; 1 is over": facts("stopped", "opp", attempts=1, held="held by nobody"),
    'failed, step 3 of 3 "Third" is pending after 2 attempts; 2 are over': facts(
        "failed", "oop", attempts=2, title="Third"
    ),
}
AUDITS: dict[str, Any] = {
    "": None,
    "not yet: `ultra run finish` runs it": facts("partial", "o"),
    "pass (git)": facts("completed", "o", audit="pass"),
    "drift, 1 difference (git)": facts("partial", "o", audit="drift", drifts=[1]),
    "drift, 2 differences (git); proof: off": facts(
        "partial", "o", audit="drift", drifts=[1, 2], proof="off"
    ),
}
# Colour and caption -> the facts of the newest run.
MARKED: list[tuple[str, str, Any]] = [
    ("wait", "not started", None),
    ("done", "2 of 2 steps, audit pass", facts("completed", "oo", audit="pass")),
    ("done", "2 of 2 steps, completed", facts("completed", "oo")),
    ("warn", "2 of 2 steps, audit drift", facts("completed", "oo", audit="drift")),
    ("warn", "2 of 2 steps, partial", facts("partial", "oo", audit="drift")),
    ("bad", "1 of 2 steps, failed", facts("failed", "op", audit="drift")),
    ("bad", "0 of 1 steps, blocked", facts("blocked", "p")),
    ("warn", "0 of 1 steps, stopped", facts("stopped", "p", audit="pass")),
    ("now", "1 of 2 steps, in progress", facts("in_progress", "op")),
    ("bad", "0 of 0 steps, unreadable", facts("")),
]


def test_what_is_said_of_a_run_is_a_function_of_its_facts() -> None:
    assert [run_words(run) for run in WORDS.values()] == list(WORDS)
    assert [audit_words(run) for run in AUDITS.values()] == list(AUDITS)
    for mark, caption, run in MARKED:
        part: Any = object.__new__(RunPart)
        part.run, part.waves = run, None
        assert (part.mark, part.caption) == (mark, caption)


def standing(shown: str, coming: Next, task: str = "", issues: int = 0) -> Any:
    """Return where a project stands whose one part has two lines."""
    part = SimpleNamespace(rows=lambda: [("Plan", "made"), ("Run", "")], data=lambda: {"plan": "there"})
    found = [f"problem {number}" for number in range(issues)]
    project = SimpleNamespace(shown=shown)
    return SimpleNamespace(project=project, coming=coming, task=task, issues=found, parts=[part])


def test_the_lines_and_the_data_of_a_project_are_those_of_its_parts() -> None:
    """Three problems are enough for a person; a program gets them all, and a line without text is left out."""
    for command, task, issues in ((one, two, three) for one in ("", "/go") for two in ("", "a task") for three in range(6)):  # fmt: skip
        here = standing("p", Next("plan", "it is time", command), task, issues)
        lines = [("Project", "p"), ("Task", task), ("Plan", "made")]
        lines += [("Problem", f"problem {number}") for number in range(min(issues, 3))]
        lines += [("Next", "/go  (it is time)" if command else "it is time")]
        assert lines_of(here) == [f"{title:8} {text}" for title, text in lines if text]
        said = {"ok": True, "project": "p", "task": task, "plan": "there"}
        more = {"issues": here.issues} if issues else {}
        comes = {"stage": "plan", "reason": "it is time", "next": command or "it is time"}
        assert data_of(here) == {**said, **more, **comes}


def test_a_list_of_projects_has_one_line_for_each() -> None:
    projects = [standing("a", Next("done", "complete")), standing("bbb", Next("plan", "it is time", "/go"))]
    assert list_lines(projects) == ["a    complete", "bbb  plan: it is time"]
    assert list_data(projects) == [
        {"project": "a", "stage": "done", "reason": "complete", "next": "complete"},
        {"project": "bbb", "stage": "plan", "reason": "it is time", "next": "/go"},
    ]
    long = [*projects, standing("c" * 61, Next("done", "complete"))]
    assert [line.index("complete") for line in list_lines(long) if "complete" in line] == [62, 63]
