"""A plan of six steps in three sessions, each in a session of its own, with `continue` in between: what the protocol weighs.

The calls are those that the prompts of a bundle ask for: of the release one call each, today one call a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.executor.sample import PLAN, PROJECT, Repo, plan, step
from tests.flagship.weight import Weight
from tests.kit.names import LAUNCHER, PIPELINE

SESSIONS = 3
STEPS = 2
"""How many steps each session has."""
DATA = "/home/somebody/.claude/plugins/data/plugin-inline"


def strategy() -> str:
    """Return sessions that follow each other."""
    return "\n".join(
        f"### Session {one}: Part {one}\n\n- **Steps:** {', '.join(map(str, steps_of(one)))}\n- **Wave:** {one}\n"
        f"- **Depends on:** {f'Session {one - 1}' if one > 1 else 'none'}\n- **Scope fence:**\n"
        f"  - Touch: {', '.join(f'`src/part{number}.py`' for number in steps_of(one))}\n  - Never touch: `README.md`\n"
        for one in range(1, SESSIONS + 1)
    )


def steps_of(session: int) -> list[int]:
    """Return the numbers of the steps of a session."""
    return [STEPS * (session - 1) + one for one in range(1, STEPS + 1)]


def repository(repo: Repo) -> Repo:
    """Make a repository with the plan and the specs of its sessions."""
    steps = [step(number) for number in range(1, SESSIONS * STEPS + 1)]
    repo.create(plan(*steps, strategy=strategy(), verification="true"))
    repo.ok(f"sessions write {PLAN}")
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message=docs: plan")
    repo.answers.clear()
    return repo


def work(repo: Repo, number: int) -> None:
    """Do the work of a step."""
    repo.write({f"src/part{number}.py": f"part {number}\n"})


def as_released(repo: Repo, session: int) -> None:
    """Run a session as the prompts of the release ask for."""
    repo.answers.append((("guide", "execute", "session"), repo.say("guide", "execute", "session").out))
    repo.ok(f"run start {PLAN} --session {session}")
    for number in (0, *steps_of(session)):
        repo.ok(f"step begin {number}")
        if number:
            work(repo, number)
        assert repo.ok(f"step verify {number}")["next"] == "commit"
        repo.ok(f"step commit {number}")
    assert repo.ok(f"run finish --data {DATA}")["result"] == "completed"


def as_today(repo: Repo, session: int) -> None:
    """Run a session as the prompts of today ask for."""
    answer = repo.ok(f"run start {PLAN} --session {session} --go-on")
    for number in steps_of(session):
        assert answer["begun"]["step"] == number, answer
        work(repo, number)
        answer = repo.ok(f"step verify {number} --go-on")
    assert repo.ok(f"run finish --data {DATA} --short")["result"] == "completed"


def play(repo: Repo, released: bool) -> dict[str, Weight]:
    """Run all sessions and return what each weighs; before each but the first, `continue` is asked."""
    weights: dict[str, Weight] = {}
    for session in range(1, SESSIONS + 1):
        if session > 1:
            found = repo.ok(f"continue --project {PROJECT}" + ("" if released else " --short"))
            assert f"--session {session}" in found["command"], found
            weights[f"continue ({session})"] = _weight(repo, "continue")
        (as_released if released else as_today)(repo, session)
        weights[f"execute --session {session}"] = _weight(repo, "execute")
    return weights


def _weight(repo: Repo, stage: str) -> Weight:
    """Weigh what was called since the last time, with the text of the command."""
    prompt = _prompt(repo.bundle, stage)
    calls: Sequence[tuple[Sequence[str], str]] = repo.answers
    spoken = sum(len(f"{LAUNCHER} {' '.join(words)} --json") + len(answer) for words, answer in calls)
    weight = Weight(len(calls), prompt + spoken, 0)
    repo.answers.clear()
    return weight


def _prompt(bundle: Path, stage: str) -> int:
    return len((bundle / "commands" / f"{PIPELINE[stage]}.md").read_text().split("---\n", 2)[2])
