"""The whole way in the real client: brief, research, plan, execute, review, the plan that fixes it, executing that.

One repository, one project, nine sessions. The brief is interviewed in the terminal, the rest is headless. Claude acts its parts,
of acting/, on what verbs and client answer; each command that is typed is the one that the stage before it offered, and what
is played in a stage is what its command and guides ask for. What happened is compared with the recording that the tutorial
shows; `make tutorial` records it anew.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory, TerminalFactory
from tests.client.model import ScriptedModel
from tests.client.session import Client
from tests.client.terminal import Terminal
from tests.flagship import acting
from tests.flagship.recording import PLACE, calls, dialog, section
from tests.flagship.way import Stage, Way
from tests.flagship.weight import weighs_as_recorded
from tests.kit.files import write_tree
from tests.kit.model import asked, by_name, validated
from tests.kit.names import COMMANDS, NAME

TYPED = f"{COMMANDS['brief']} {acting.TASK}"
CONTINUE = COMMANDS["continue"]
STEPS = [
    "feat: find the most frequent words",
    "feat: show the most frequent words with --top",
    "docs: describe --top",
    "fix: report an invalid N in one line",
]


@pytest.fixture
def way(client: Client, scripted: ModelFactory, project: Path, bundle: Path) -> Way:
    """Return the sample repository, with the rule that `ultra-install --permissions minimal` writes."""
    write_tree(project, acting.scenes("repository.md"))
    way = Way(client, scripted, project, bundle)
    way.commit("Count the words of a text")
    settings = {"permissions": {"allow": ["Bash(ultra:*)"]}}
    (client.home.config / "settings.json").write_text(json.dumps(settings))
    return way


def interview(way: Way, screen: Terminal, model: ScriptedModel) -> tuple[Stage, list[str]]:
    """Answer every question with its first option; return the stage and the dialogs."""
    screen.send(TYPED)
    options = [one.options for one in acting.INTERVIEW]
    seen = [
        dialog(screen.choose(f"1. {next(iter(one))}", 60)) for one in (*options, acting.WRONG_N, acting.GO_ON)
    ]
    stage = Stage(TYPED, model, spoken(screen.wait_for("--project", 60)))
    way.was_told(stage)
    return stage, seen


def test_from_a_task_to_reviewed_and_fixed_work(way: Way, terminal: TerminalFactory) -> None:
    sample = acting.scenes("repository.md")
    way.tells(
        sample=sample["tally.py"],
        sample_test=sample["test_tally.py"],
        sample_readme=sample["README.md"],
        text=sample["rose.txt"],
    )
    research_typed, plan_typed = write_the_brief(way, terminal)
    answer_its_question(way, research_typed, plan_typed)
    execute_typed = make_the_plan(way, plan_typed)
    resume_typed = fail_on_the_first_day(way, execute_typed)
    review_typed = go_on_the_next_day(way, resume_typed)
    fix_typed = have_it_reviewed(way, review_typed)
    again_typed = plan_what_was_found(way, fix_typed)
    fix_it(way, again_typed)
    assert (again_typed, way.status()["next"]) == (execute_typed, review_typed)
    look_at_the_end(way)
    agrees_with(way.recording(), PLACE)
    weighs_as_recorded("whole way", way.weights)


def write_the_brief(way: Way, terminal: TerminalFactory) -> tuple[str, str]:
    """An interview, a review that is not content, one more question; the brief offers the next two commands."""
    model = way.scripted(partial(acting.brief, way.folder), agents=way.agents)
    screen = terminal(model, plugin_dirs=[way.bundle])
    begun, dialogs = interview(way, screen, model)
    screen.close()
    questions = len(acting.INTERVIEW)
    assert begun.verbs == [
        "project new", "AskUserQuestion", *["brief note", "AskUserQuestion"] * (questions - 1), "brief note", "put brief",
        "Agent", "gate brief", "AskUserQuestion", "brief note", "put brief", "Agent", "gate brief", "AskUserQuestion",
    ]  # fmt: skip
    assert begun.agents == ["brief-reviewer"] * 2
    first, last = begun.answers("gate brief")
    assert (first["passed"], last["passed"], last["interview_turns"]) == (False, True, questions + 1)
    assert len(set(asked(model.main))) == questions + 2
    assert not [result for result in begun.results if result.is_error]
    assert begun.answers("project new")[0]["path"] == way.project
    assert sorted(path.name for path in way.place.iterdir() if path.is_file()) == [".gitignore", "brief.md"]
    brief = way.read("brief.md")
    assert acting.text("criteria.md") in brief
    assert way.status()["stage"] == "research"
    commands = section(brief, "## How to continue").split("\n\n")[1].strip().split("\n    ")
    assert begun.said.split() == " ".join(commands).split()
    way.tells(
        brief_typed=begun.typed,
        first_question=dialogs[0],
        sharpened=dialogs[3],
        reviewers_question=dialogs[questions],
        brief_said="\n".join(begun.words[-2:]),
        brief_on_disk=section(brief, "## Success Criteria"),
    )
    research_typed, plan_typed = commands
    return research_typed, plan_typed


def answer_its_question(way: Way, typed: str, next_typed: str) -> None:
    """Three agents, and a confidence that nobody felt."""
    research = way.claude(typed, acting.research)
    assert research.verbs == [
        "research begin", *["Agent"] * 3, "confidence", "put research",
    ]  # fmt: skip
    assert research.agents == ["local-structure", "local-dependencies", "web-docs"]
    (sure,) = research.answers("confidence")
    found = way.read("research/01-what-a-word-is.md")
    assert f"confidence: {sure['confidence']}\n" in found
    assert "research_status: complete" in way.read("brief.md")
    assert next_typed in research.said
    assert way.status()["next"] == next_typed
    way.tells(
        research_typed=typed,
        research_opening=research.opening,
        research_did=calls(research.results),
        research_on_disk=section(found, "## Executive Summary"),
    )


def make_the_plan(way: Way, typed: str) -> str:
    """In parts, by its self-check and past its critics; the gate offers the command that runs it."""
    plan = way.claude(typed, partial(acting.plan, way.folder))
    assert plan.verbs == [
        "plan begin", "Agent", "Agent", "put plan", "Agent", "Agent", "gate plan",
    ]  # fmt: skip
    assert plan.agents == ["task-finder", "test-strategist", "plan-critic", "scope-guardian"]
    passed = plan.answers("gate plan")[-1]
    assert (passed["passed"], passed["path"]) == (True, f"{way.project}/plan.md")
    planned = way.read("plan.md")
    assert re.findall(r"^### Step (\d)", planned, re.MULTILINE) == ["1", "2", "3"]
    assert way.status()["next"] == passed["run"]
    way.commit("docs: brief, research and plan of --top")
    way.tells(
        plan_typed=typed,
        plan_opening=plan.opening,
        plan_said=plan.said,
        plan_on_disk=section(planned, "### Step 2"),
        verification=section(planned, "## Verification"),
    )
    return str(passed["run"])


def fail_on_the_first_day(way: Way, typed: str) -> str:
    """Step 1 is committed, step 2 fails three times and is undone; the run's end offers how to go on."""
    failed = way.claude(typed, acting.Executing(way.folder, acting.day_one()))
    assert [verb for verb in failed.verbs if verb != "Write"] == [
        "run start", *["step verify"] * 4, "run finish",
    ]  # fmt: skip
    written = [Path(str(one.call.input["file_path"])).name for one in by_name(failed.model, "Write")]
    assert written[:2] == ["test_tally.py", "tally.py"]
    assert [one["next"] for one in failed.answers("step verify 2")] == ["retry", "retry", "stop"]
    (ended,) = failed.answers("run finish")
    assert (ended["result"], way.clean()) == ("failed", True)
    assert way.subjects()[-1] == STEPS[0]
    report = (way.folder / str(ended["report"])).read_text()
    assert "## Execution failed at step 2: 1 of 3 steps" in report
    way.tells(
        execute_typed=typed,
        execute_did=calls(failed.since("step verify 1"), answers=True),
        execute_said=failed.said,
        failed_report=report,
    )
    resume, _, amend = str(ended["next"]).partition("to continue: ")[2].partition("; if the plan is wrong: ")
    assert amend == f"`ultra plan amend --project {way.project}`"
    return resume


def go_on_the_next_day(way: Way, expected: str) -> str:
    """The client is asked what was left, and goes on there; then it is asked what comes after."""
    stopped = way.claude(CONTINUE, acting.going_on)
    (state,) = stopped.answers("continue")
    assert state["command"] == expected == way.status()["next"]
    assert state["label"] == "the run failed at step 2 of 3"
    rest = acting.Executing(way.folder, acting.work_of("step", 2, 3), resume=True)
    resumed = way.claude(str(state["command"]), rest)
    (started,) = resumed.answers("run start")
    assert started["run"] == "resumed"
    assert resumed.answers("step verify 2")
    (ended,) = resumed.answers("run finish")
    assert ended["result"] == "completed"
    assert way.tried("rose.txt", "--top", "2") == (0, "3 a\n3 rose\n")
    assert (way.clean(), way.tests().count("OK")) == (True, 1)
    way.tells(
        continue_typed=CONTINUE,
        continue_said=stopped.said,
        resume_typed=resumed.typed,
        report=(way.folder / str(ended["report"])).read_text(),
    )
    (state,) = way.claude(CONTINUE, acting.going_on).answers("continue")
    assert way.status()["next"] == state["command"]
    return str(state["command"])


def have_it_reviewed(way: Way, typed: str) -> str:
    """What no Verify asked for is found, twice, and told once; the verdict offers to plan it."""
    review = way.claude(typed, acting.review)
    assert review.verbs == [
        "triage", *["Agent"] * 3, "review add", "Agent", "review verdict",
    ]  # fmt: skip
    assert review.agents == [
        "correctness-reviewer", "conformance-reviewer", "test-reviewer", "review-coordinator",
    ]  # fmt: skip
    assert [one["source"] for one in review.answers("triage")] == ["run"]
    (ruled,) = review.answers("review verdict")
    assert (ruled["verdict"], ruled["merged"], "missing" in ruled) == ("BLOCK", 1, False)
    reviewed = way.read("review.md")
    assert "- not shown: `python3 tally.py rose.txt --top many`" in reviewed
    assert way.tried("rose.txt", "--top", "many")[0] == 1
    offered = acting.offered(ruled, "--brief")
    assert way.status()["next"] == offered
    way.commit("docs: review of --top")
    way.tells(
        review_typed=typed,
        review_opening=review.opening,
        review_said=review.said,
        review_on_disk=section(reviewed, "## Findings (BLOCKER)"),
    )
    return offered


def plan_what_was_found(way: Way, typed: str) -> str:
    """Every grave finding is a goal of the plan that takes the first one's place."""
    planning = way.claude(typed, partial(acting.plan_fixes, way.folder))
    assert planning.verbs == [
        "plan begin", "Agent", "Agent", "put plan", "Agent", "Agent", "gate plan",
    ]  # fmt: skip
    assert planning.agents == ["dependency-tracer", "test-strategist", "plan-critic", "scope-guardian"]
    (source,) = planning.answers("plan begin")
    ids = re.findall(r"^  - ([0-9a-f]{40})$", way.read("review.md"), re.MULTILINE)
    assert (source["source"], source["goals"]) == (
        "review", [{"id": ids[0], "severity": "BLOCKER"}, {"id": ids[1], "severity": "MAJOR"}],
    )  # fmt: skip
    assert all(f"  - {one}\n" in way.read("plan.md") for one in ids)
    offered = str(planning.answers("gate plan")[-1]["run"])
    assert way.status()["next"] == offered
    way.commit("docs: plan to fix what the review found")
    way.tells(fix_typed=typed, fix_said=planning.said)
    return offered


def fix_it(way: Way, typed: str) -> None:
    """A plan in the place of a completed one starts by itself."""
    fixed = way.claude(typed, acting.Executing(way.folder, acting.work_of("fix", 1)))
    assert [one["run"] for one in fixed.answers("run start")] == ["started"]
    assert [one["result"] for one in fixed.answers("run finish")] == ["completed"]
    assert way.tried("rose.txt", "--top", "many") == (2, "tally: --top needs a number above 0\n")
    assert way.tried("rose.txt") == (0, "8\n")
    way.tells(again_typed=typed, again_said=fixed.said)


def look_at_the_end(way: Way) -> None:
    """Commits, tree, artifacts, audit and statistics."""
    assert [subject for subject in way.subjects() if subject in STEPS] == STEPS
    assert way.clean()
    whole = validated(way.bundle, way.folder, "project", way.project)
    assert (whole["valid"], whole["errors"], whole["warnings"]) == (True, [], [])
    kinds = [(one["kind"], one["path"]) for one in whole["parsed"]["artifacts"]]
    assert [kind for kind, _ in kinds] == ["brief", "research", "plan", "progress", "review", "session-state"]
    for kind, path in kinds:
        way.ultra("validate", kind, path, "--strict")
    assert way.ultra("audit", f"{way.project}/plan.md").startswith("pass")
    lines = (way.client.home.config / f"plugins/data/{NAME}-inline").glob("*.jsonl")
    assert sorted(path.name.partition("-")[0] for path in lines) == [
        "ultrabrief", "ultraexecute", "ultraplan", "ultraresearch", "ultrareview",
    ]  # fmt: skip
    way.tells(
        log=way.git("log", "--oneline", "--max-count=8"),
        tests=way.tests(),
        valid=way.ultra("validate", "project", way.project),
        project_files=listing(way.place),
    )


def spoken(screen: str) -> list[str]:
    """Return what Claude said on a screen, in order; the client's lines about calls are not among it."""
    found = []
    for part in re.sub(r"(?m)^  Ran \d+ .*$", "● ", screen).split("\n● ")[1:]:
        first, *lines = part.split("\n")
        rest = itertools.takewhile(lambda line: line.startswith("  ") or not line.strip(), lines)
        found.append("\n".join([first, *(line[2:] for line in rest)]).rstrip())
    return [one for one in found if one and not one.startswith("User answered")]


def listing(folder: Path) -> str:
    """Return what a project directory holds, logs without their names."""
    paths: Sequence[Path] = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in paths]
    return "\n".join(dict.fromkeys("logs/" if name.startswith("logs/") else name for name in names))


def agrees_with(recording: str, place: Path) -> None:
    """Compare a recording with the one that the tutorial shows, or replace that one."""
    if "ULTRA_RECORD" in os.environ:
        place.write_text(recording)
        return
    known = place.read_text() if place.exists() else ""
    assert recording == known, (
        "the tutorial shows another session: look at the difference, then `make tutorial`"
    )
