"""The progress file through random runs: valid after every call, never backwards, and each field as it promises."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from ultra_runtime.tables.limits import ATTEMPTS

from tests.executor.sample import PROGRESS, Repo, plan, step
from tests.kit.quick import examples
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.run.state.progress import BackwardsError, Progress

ENDINGS = ("revert", "skip", "escalate", "retry")
# What a model does between two calls: the work, half of it, or something beside it.
WORK = {"good": "good\n", "bad": "bad\n", "nothing": None}
RANK = {"pending": 0, "in_progress": 1, "failed": 1, "skipped": 2, "completed": 2}
FINAL = ("completed", "skipped")


class Model:
    """What the progress file has to say, from the calls alone."""

    def __init__(self, repo: Repo, endings: tuple[str, ...]) -> None:
        self.repo, self.endings = repo, endings
        self.head = repo.git("rev-parse", "HEAD")
        self.status, self.current = "in_progress", 0
        self.steps: list[dict[str, Any]] = [{"status": "pending", "attempts": 0} for _ in endings]
        self.last = repo.progress()

    @property
    def turn(self) -> int:
        return next((at for at, one in enumerate(self.steps) if one["status"] not in FINAL), len(self.steps))

    def act(self, work: str) -> None:
        """Do the next thing of the current step, and expect what follows."""
        at, number = self.turn, self.turn + 1
        one, path = self.steps[at], self.repo.folder / f"src/part{number}.py"
        if one["status"] != "in_progress":
            self.repo.ok(f"step begin {number}")
            one.update(status="in_progress", start=self.repo.git("rev-parse", "HEAD"))
            self.status, self.current = "in_progress", number
            return
        if one.get("passed"):
            answer = self.repo.ok(f"step commit {number}")
            one.update(status="completed", commit=self.repo.git("rev-parse", "HEAD"), error=False)
            assert one["commit"].startswith(answer["commit"])
            return
        if WORK[work] is None:
            path.unlink(missing_ok=True)
        else:
            self.repo.write({f"src/part{number}.py": str(WORK[work])})
        answer = self.repo.ok(f"step verify {number}")
        one["attempts"] += 1
        assert (answer["passed"], answer["attempt"]) == (work == "good", one["attempts"])
        one.update(passed=work == "good", error=work != "good")
        if work == "good":
            assert answer["next"] == "commit"
            return
        self.fail(one, at, answer["next"])

    def fail(self, one: dict[str, Any], at: int, told: str) -> None:
        """Expect what On failure says."""
        if self.endings[at] == "skip":
            assert told == "skip"
            one["status"] = "skipped"
        elif self.endings[at] == "escalate":
            assert told == "escalate"
            self.status, one["status"] = "stopped", "failed"
        elif one["attempts"] < ATTEMPTS:
            assert told == "retry"
        else:
            assert told == "stop"
            self.status, one["status"] = "failed", "failed"

    @property
    def is_over(self) -> bool:
        return self.status != "in_progress" or self.turn == len(self.steps)

    def compare(self) -> None:
        """Compare the file with the model, and with itself before the call."""
        result = validate_file(load_contract("progress"), str(self.repo.folder / PROGRESS))
        assert [issue.code for issue in (*result.errors, *result.warnings)] == []
        values = self.repo.progress()
        fixed = ("schema_version", "plan", "plan_type", "plan_version", "plan_digest", "started_at", "mode",
                 "total_steps", "session_start_sha", "legacy_plan")  # fmt: skip
        assert {name: values[name] for name in fixed} == {name: self.last[name] for name in fixed}
        assert (values["session_start_sha"], values["total_steps"]) == (self.head, len(self.steps))
        assert (values["status"], values["current_step"]) == (self.status, self.current)
        assert values["updated_at"] >= self.last["updated_at"]
        for at, one in enumerate(self.steps):
            now, before = values["steps"][str(at + 1)], self.last["steps"][str(at + 1)]
            assert (now["status"], now["attempts"]) == (one["status"], one["attempts"]), at
            assert RANK[now["status"]] >= RANK[before["status"]]
            assert now.get("start_commit") == one.get("start")
            assert now.get("commit") == one.get("commit")
            assert ("error" in now) == bool(one.get("error"))
            assert ("completed_at" in now) == (one["status"] == "completed")
            audit = now.get("manifest_audit")
            assert (audit == "pass") == bool(one.get("passed")), (at, now)
            if before["status"] in FINAL:
                assert now == before
        self.last = values


@pytest.fixture(scope="module")
def fresh(bundle: Path, python: Path) -> Iterator[Repo]:
    """Return a repository that every run gets a copy of."""
    with tempfile.TemporaryDirectory() as folder:
        yield Repo(Path(folder).resolve() / "first/repo", bundle, python).create("")


@pytest.mark.soak
@settings(max_examples=examples(24), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    endings=st.lists(st.sampled_from(ENDINGS), min_size=1, max_size=3).map(tuple),
    works=st.lists(st.sampled_from(["good", "good", "bad", "nothing"]), min_size=14, max_size=14),
)
@example(endings=("retry", "revert"), works=["bad"] * 2 + ["good"] * 3 + ["bad"] * 2 + ["good"] * 3)
def test_any_run_leaves_word_of_what_it_did(fresh: Repo, endings: tuple[str, ...], works: list[str]) -> None:
    texts = [
        step(number, verify=f"grep -qs good src/part{number}.py", on_failure=ending)
        for number, ending in enumerate(endings, 1)
    ]
    with tempfile.TemporaryDirectory(dir=fresh.folder.parents[1]) as folder:
        repo = Repo(Path(folder) / "repo", fresh.bundle, Path(fresh.env["PATH"].split(os.pathsep)[0]))
        shutil.copytree(fresh.folder, repo.folder)
        repo.create(plan(*texts))
        repo.start()
        model = Model(repo, endings)
        model.compare()
        for work in works:
            if model.is_over:
                break
            model.act(work)
            model.compare()
        if model.is_over:
            finish(repo, model)


def finish(repo: Repo, model: Model) -> None:
    """End the run: its last word, and nothing of a step changes any more."""
    passed = sum(one["status"] == "completed" for one in model.steps)
    result = model.status if model.status != "in_progress" else "completed" if passed else None
    answer = repo.ok("run finish")
    values = repo.progress()
    assert values["steps"] == model.last["steps"]
    assert answer["result"] == values["status"] == (result or answer["result"])
    assert answer["ultraexecute_summary"]["steps_passed"] == passed
    assert ("completed_at" in values) == (values["status"] == "completed")
    assert json.dumps(values["summary"]) == json.dumps(answer["ultraexecute_summary"])


@pytest.mark.soak
def test_every_write_sets_the_time(make: Callable[..., Repo]) -> None:
    repo, long_ago = make(plan(step(1))), "2001-01-01T00:00:00Z"
    repo.start()
    for call in ("step begin 1", "step verify 1", "step commit 1", "run finish"):
        repo.write({PROGRESS: json.dumps({**repo.progress(), "updated_at": long_ago}), "src/part1.py": "1\n"})
        repo.ok(call)
        assert repo.progress()["updated_at"] > long_ago, call


@pytest.mark.parametrize("now", [*RANK, None])
@pytest.mark.parametrize("before", RANK)
def test_the_record_of_a_step_changes_as_told_and_never_from_completed(
    tmp_path: Path, before: str, now: str | None
) -> None:
    path = tmp_path / "progress.json"
    progress = Progress(
        str(path), {"theirs": [1], "steps": {"1": {"status": before, "note": "old", "mine": 2}}}
    )
    values = {"attempts": 2, "note": None, "error": None, **({"status": now} if now else {})}
    if before == "completed" and now not in (None, "completed"):
        with pytest.raises(BackwardsError):
            progress.change_step(1, values)
        assert progress.steps["1"] == {"status": before, "note": "old", "mine": 2}
        return
    progress.change_step(1, values)
    assert progress.steps["1"] == {"status": now or before, "mine": 2, "attempts": 2}
    assert (progress.state(1), progress.attempts(1), progress.state(2), progress.attempts(2)) == (now or before, 2, "pending", 0)  # fmt: skip
    for status in RANK:
        states = [now or before, "pending", "pending"]
        assert progress.counted(status, iter([1, 2, 3])) == states.count(status)
    progress.save()
    written = json.loads(path.read_text())
    assert written == progress.values
    assert (written["theirs"], written["steps"]["3"]) == ([1], {"status": "pending", "attempts": 0})
    progress.values["steps"] = {}
    assert json.loads(progress.text())["steps"] == {}
