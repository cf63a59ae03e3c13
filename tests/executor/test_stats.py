"""Statistics: one line a run, of fields that the contracts list; never a failure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import Repo, plan, step

Make = Callable[..., Repo]

PLAN_LINE = "slug=greet steps=3 sessions=0 self_check_rounds=1 source=brief"


def test_a_run_leaves_one_line(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok(f"run finish --data {tmp_path}/data")
    (line,) = (tmp_path / "data/ultraexecute-stats.jsonl").read_text().splitlines()
    values = json.loads(line)
    assert values.pop("ts")
    assert values == {
        "plan": "plan.md", "plan_type": "plan", "mode": "execute", "result": "completed", "steps_total": 1,
        "steps_passed": 1, "steps_failed": 0, "steps_skipped": 0, "failed_at_step": None,
    }  # fmt: skip


def test_a_run_whose_statistics_cannot_be_written_ends_all_the_same(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1)))
    (tmp_path / "file").touch()
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    answer = repo.ok(f"run finish --data {tmp_path}/file/below")
    assert answer["result"] == "completed"
    assert "no statistics" in answer["notes"][0]


def test_the_verb(make: Make, tmp_path: Path) -> None:
    repo = make(plan(step(1)))
    for _ in range(2):
        assert repo.ultra(f"stats plan {PLAN_LINE} --data {tmp_path}/data") == {"ok": True, "written": True}
    lines = (tmp_path / "data/ultraplan-stats.jsonl").read_text().splitlines()
    assert [json.loads(line)["steps"] for line in lines] == [3, 3]
    review = "slug=greet files=2 findings.BLOCKER=0 findings.MAJOR=1 findings.MINOR=0 findings.SUGGESTION=4 verdict=WARN"
    assert repo.ultra(f"stats review {review} --data {tmp_path}/data")["written"]
    line = json.loads((tmp_path / "data/ultrareview-stats.jsonl").read_text())
    assert line["findings"] == {"BLOCKER": 0, "MAJOR": 1, "MINOR": 0, "SUGGESTION": 4}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (f"plan {PLAN_LINE} prompt=secret", "unknown field: prompt"),
        (f"plan {PLAN_LINE.replace('=3', '=many')}", 'steps must be a whole number, not "many"'),
        (
            f"plan {PLAN_LINE.replace('brief', 'hearsay')}",
            'source must be brief, review or task, not "hearsay"',
        ),
        (
            f"plan {PLAN_LINE.replace('greet', 'x' * 200)}",
            "slug must be printable text of at most 100 characters",
        ),
        (f"plan {PLAN_LINE} ts=2026-01-31T12:00:00Z", "unknown field: ts"),
        ("plan slug=greet", "missing field: "),
        ("plans slug=greet", "unknown command: plans (did you mean plan?)"),
    ],
)
def test_what_is_no_line_is_told_and_not_written(make: Make, tmp_path: Path, words: str, why: str) -> None:
    repo = make(plan(step(1)))
    answer = repo.ultra(f"stats {words} --data {tmp_path}/data")
    assert (answer["ok"], answer["written"]) == (True, False)
    assert why in answer["why"]
    assert not (tmp_path / "data").exists()


def test_without_a_folder_nothing_is_written(make: Make) -> None:
    assert make(plan(step(1))).ultra(f"stats plan {PLAN_LINE}") == {
        "ok": True, "written": False, "why": "no --data folder was given",
    }  # fmt: skip
