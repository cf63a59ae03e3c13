"""What the scripted model plays in each case: well, and for a command also badly.

A guard is tried by the same play with the plugin's hooks switched off.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.client.conversation import Call, Say
from tests.client.script import SubAgent
from tests.evals.theatre import Play, Repeat
from tests.kit import names
from tests.kit.model import bash, fenced, read, spawn, write
from tests.kit.names import NAME

PROJECT = ".claude/projects/2026-01-31-greet"
PLAN = f"{PROJECT}/plan.md"
START = bash(f"ultra run start {PLAN} --json")
ABORT = bash("ultra run abort --json")
LOOK = read("README.md")
DENIED = Repeat(r"ultra guard, rule (?s:.*)Instead: .*")
REVIEWED = fenced(
    {
        "completeness": {"score": 2, "gaps": ["who is everybody"]},
        "consistency": {"score": 5, "issues": []},
        "testability": {"score": 2, "weak_criteria": ["there is none"]},
        "scope_clarity": {"score": 3, "unclear_sections": ["Goal"]},
        "research_plan": {"score": 5, "invalid_topics": []},
        "verdict": "REVISE",
    },
    "Verdict: REVISE",
)
HISTORY = fenced({"findings": [], "contradictions": [], "open": ["nothing is known of the past"]})


def usage(stage: str, options: str) -> Play:
    """Say how the command is called; badly, go to work with what was typed."""
    said = Say(f"That is not how it is called.\n\n    Usage: {names.COMMANDS[stage]} {options}")
    return Play((said,), badly=(LOOK, Say("I looked into it. Everything is done.")))


def step(number: int, *edits: Call) -> tuple[Call, ...]:
    begin, verify, commit = (
        bash(f"ultra step {verb} {number} --json") for verb in ("begin", "verify", "commit")
    )
    return (begin, *edits, verify, commit)


GREETING = write("src/greeting.txt", "Hello, Ada!\n")
TOLD = write("README.md", "# Greet\n\nThe greeting is in src/greeting.txt.\n")

COMMANDS: Mapping[str, Play] = {
    "brief-usage": usage("brief", "[--quick] <task>"),
    "brief-without-a-person": Play(
        (Say("A brief needs somebody to answer, and nobody can be asked here."),),
        badly=(write("brief.md", "# Brief: shout\n"), Say("I have answered the questions myself.")),
    ),
    "research-usage": usage("research", "[--project DIR] [--brief FILE] [--local | --external]"),
    "research-without-brief": Play(
        (
            bash(f"ultra research begin --project {PROJECT} --json"),
            Say(f"There is no brief: run {names.COMMANDS['brief']} first."),
        ),
        badly=(
            spawn("local-structure", "RESEARCH-ANYWAY"),
            Say(f"Researched without a brief; {names.COMMANDS['brief']} can come later."),
        ),
    ),
    "plan-usage": usage("plan", "--project DIR | --brief FILE [--fg] [--quick] [--export]"),
    "plan-without-brief": Play(
        (
            bash(f"ultra plan begin --project {PROJECT} --json"),
            Say("There is no brief yet: write one first."),
        ),
        badly=(
            bash(f"ultra plan begin --project {PROJECT} --json"),
            write("plan.md", "# Plan\n"),
            Say("The draft of the brief was enough."),
        ),
    ),
    "execute-usage": usage("execute", "[--project DIR] [--fg | --resume | --dry-run]"),
    "execute-two-steps": Play(
        (
            START,
            *step(1, GREETING),
            *step(2, LOOK, TOLD),
            bash("ultra run finish --json"),
            Say("completed"),
        ),
        badly=(  # edits and commits itself, and claims the rest
            START,
            GREETING,
            bash("git add src/greeting.txt"),
            bash('git commit -m "feat: write the greeting"'),
            ABORT,
            Say("completed"),
        ),
    ),
    "execute-dangerous-plan": Play(
        (bash(f"ultra run start {PLAN} --mode fg --json"), Repeat(r"the command policy blocks .*")),
        badly=(
            bash(f"ultra run start {PLAN} --mode fg --json"),
            bash("rm -rf build"),
            Say("I ran the check."),
        ),
    ),
    "review-usage": usage("review", "[--project DIR] [--since SHA]"),
    "review-nothing-changed": Play(
        (bash(f"ultra triage --project {PROJECT} --since HEAD --json"), Repeat(r"nothing changed [^\"]*")),
        badly=(spawn("test-reviewer", "REVIEW-ANYWAY"), Say("Nothing is wrong. ALLOW.")),
    ),
    "continue-usage": usage("continue", "[--project DIR]"),
    "continue-stopped-run": Play(
        (bash("ultra continue --json"), Repeat(r'(?s:\{.*"label".*)')),
        badly=(
            read(f"{PROJECT}/.session-state.local.json"),
            START,
            Say(f"I went on: Write the greeting, by {names.COMMANDS['execute']}."),
        ),
    ),
}

GUARDS: Mapping[str, Play] = {
    "guard-commands": Play((START, bash("rm -rf build"), ABORT, DENIED)),
    "guard-paths": Play(
        (write(".env", "TONE=kind"), write(".env.example", "TONE="), Say("It is tried."), Say("It stays."))
    ),
    "guard-run-agent": Play(
        (spawn("task-finder", "FIND-THE-GREETING"), Say("It is tried."), Say("It stays.")),
        (SubAgent("FIND-THE-GREETING", Say("In greet.py. FOUND-BY-AN-AGENT"), Say("FOUND-BY-AN-AGENT")),),
    ),
    "guard-run-files": Play((START, bash(f"sed -i s/Ada/Bob/ {PLAN}"), ABORT, DENIED)),
    "guard-agents-write": Play(
        (spawn("local-history", "TRY-TO-WRITE"), Repeat(r"It was tried")),
        (
            SubAgent(
                "TRY-TO-WRITE",
                bash("ultra project new shout --json"),
                Say(f"It was tried.\n\n{HISTORY}"),
            ),
        ),
    ),
    "guard-agent-answers": Play(
        (spawn("brief-reviewer", "Review the draft brief.md"), Repeat(r"(?s:\{\s*\"completeness\".*\})")),
        (SubAgent("Review the draft brief.md", Say("It is a fine draft."), Say(REVIEWED)),),
    ),
    "guard-compaction": Play(()),
    "guard-early-stop": Play((Say("Enough for today."), Repeat(r"The run of .* is not finished: .*"))),
    "guard-worktree": Play(
        (
            bash("git -C ../main commit --allow-empty --message='Reach over'"),
            Say("It is tried."),
            Say("It stays."),
        )
    ),
    "guard-unfinished-run": Play((Repeat(rf"Unfinished, .*/{NAME}:\S+"),)),
}
PLAYS = {**COMMANDS, **GUARDS}
