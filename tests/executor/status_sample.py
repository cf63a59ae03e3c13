"""A project with everything that the page of `ultra status` can show, made by a real run."""

from __future__ import annotations

import json
from pathlib import Path

from tests.executor.sample import PROGRESS, PROJECT, Repo, plan, step

CONTRACTS = Path(__file__).parents[2] / "plugin_src/contracts/fixtures"
TITLES = {
    1: "Count the requests of each key",
    2: "Answer 429 with Retry-After when the budget is spent",
    3: "Keep the counters in the store",
    4: "Show the budget in the admin panel",
    5: "Document the limits",
}
ENDS = {1: "12:04:10", 2: "12:11:42", 3: "12:29:05", 5: "12:33:30"}
STRATEGY = """\
### Session 1: The limiter

- Steps: 1-3
- Wave: 1
- Depends on: none

### Session 2: What people see

- Steps: 4-5
- Wave: 2
- Depends on: 1
"""
# What the topics of the brief ask, in their order.
QUESTIONS = (
    "Which limits do the upstream services have?",
    "Which middleware sees every request first?",
)


def plan_text() -> str:
    """Return a plan of five steps in two waves; the fourth is skipped when it fails."""
    steps = [
        step(1),
        step(2),
        step(3, verify="test -s src/part3.py"),
        step(4, verify="false", on_failure="skip"),
        step(5),
    ]
    text = plan(*steps, verification="test -f src/part5.py", strategy=STRATEGY)
    for number, title in TITLES.items():
        text = text.replace(f"### Step {number}: Make part {number}", f"### Step {number}: {title}")
    return text


def artifact(kind: str, name: str) -> str:
    """Return a sample of the contracts, for the project of the sample repository."""
    return (CONTRACTS / kind / name).read_text().replace(".claude/projects/2026-01-31-rate-limit", PROJECT)


def add_brief(repo: Repo, answered: int = 2) -> None:
    """Put the brief and its research there, as far as it has gone."""
    status = "complete" if answered == 2 else "in_progress"
    brief = artifact("brief", "valid.md").replace("research_status: pending", f"research_status: {status}")
    repo.write({f"{PROJECT}/brief.md": brief})
    valid = (CONTRACTS / "research/valid.md").read_text()
    for number in range(1, answered + 1):
        text = valid.replace(QUESTIONS[0], QUESTIONS[number - 1])
        repo.write({f"{PROJECT}/research/{number:02}-answer.md": text})


def do_steps(repo: Repo) -> None:
    """Run all five steps: the third passes at its second attempt, the fourth is skipped."""
    repo.start("--mode", "fg")
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.do_step(2, {"src/part2.py": "two\n"})
    repo.ok("step begin 3")
    repo.ok("step verify 3")
    repo.write({"src/part3.py": "three\n"})
    repo.ok("step verify 3")
    repo.ok("step commit 3")
    repo.ok("step begin 4")
    while repo.ok("step verify 4")["next"] == "retry":
        pass
    repo.do_step(5, {"src/part5.py": "five\n"})


def finished(repo: Repo) -> Repo:
    """Make the project whole: brief, research, a completed run and a review."""
    add_brief(repo)
    do_steps(repo)
    repo.ok("run finish")
    values = repo.progress()
    values.update(started_at="2026-01-31T12:00:00Z", updated_at="2026-01-31T12:33:41Z")
    for number, clock in ENDS.items():
        values["steps"][str(number)]["completed_at"] = f"2026-01-31T{clock}Z"
    repo.write({PROGRESS: json.dumps(values)})
    repo.write({f"{PROJECT}/review.md": artifact("review", "valid-flow-list.md")})
    return repo
