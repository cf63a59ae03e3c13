"""What a run took: measured from the client's own record of the session, or by the recorded figures without one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, Repo, plan, step

Make = Callable[..., Repo]

SESSION = "0b6bafb2-0000-4000-8000-000000000001"


def line(name: str, command: str, written: int, read: int, cached: int) -> str:
    """Return a line of the client's record: one answer of the model."""
    usage = {
        "output_tokens": written,
        "input_tokens": read,
        "cache_read_input_tokens": cached,
        "speed": "standard",
    }
    content = [{"type": "tool_use", "name": "Bash", "input": {"command": command}}]
    return (
        json.dumps({"type": "assistant", "message": {"id": name, "content": content, "usage": usage}}) + "\n"
    )


def test_the_tokens_of_the_session_are_counted_from_the_start_of_the_run(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1)))
    config = tmp_path / "config"
    record = config / "projects/-somewhere" / f"{SESSION}.jsonl"
    record.parent.mkdir(parents=True)
    record.write_text(
        line("m1", "ls", 9000, 9000, 9000)
        + line("m2", "ultra run start plan.md --go-on --json", 100, 20, 3000)
        + line("m2", "ultra run start plan.md --go-on --json", 100, 20, 3000)
        + 'not json with "usage"\n'
        + line("m3", "ultra step verify 1", 50, 10, 4000)
    )
    repo.env |= {"CLAUDE_CONFIG_DIR": str(config), "CLAUDE_CODE_SESSION_ID": SESSION}
    repo.ok(f"run start {PLAN} --go-on")
    repo.write({"src/part1.py": "1\n"})
    repo.ok("step verify 1 --go-on")
    used = repo.ok("run finish --short")["used"]
    assert (
        used
        == "no agents, 1 attempt at 1 step; tokens since its start: 150 written, 7,030 read (7,000 cached)"
    )


@pytest.mark.soak
def test_without_a_record_the_recorded_figures_are_told(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.ok(f"run start {PLAN} --go-on")
    repo.write({"src/part1.py": "1\n"})
    repo.ok("step verify 1 --go-on")
    assert repo.ok("run finish --short")["used"].startswith("no agents, 1 attempt at 1 step, about ")


@pytest.mark.soak
def test_attempts_before_a_resume_are_not_hidden(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.ok(f"run start {PLAN} --go-on")
    for _ in range(3):
        repo.ok("step verify 1 --go-on")
    assert repo.ok("run finish --short")["used"].startswith("no agents, 3 attempts at 1 step, about ")
    repo.ok(f"run start {PLAN} --mode resume --go-on")
    repo.write({"src/part1.py": "1\n"})
    repo.ok("step verify 1 --go-on")
    told = "no agents, 1 attempt at 1 step, not counting those that a resume reset, about "
    assert repo.ok("run finish --short")["used"].startswith(told)
