"""`waves export github`: a workflow that fits the public schema of workflow files and names every session once."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import jsonschema
import yaml

from tests.waves.sample import PLAN, Waves, twenty_sessions

Make = Callable[..., Waves]
SCHEMA = files("check_jsonschema") / "builtin_schemas/vendor/github-workflows.json"


def checked(text: str) -> dict[str, Any]:
    """Return a workflow, which must fit the schema."""
    workflow = yaml.load(text, yaml.BaseLoader)  # noqa: S506  # plain text only: `on` is no truth value
    read: dict[str, Any] = yaml.safe_load(text.replace("\non:", '\n"on":'))
    jsonschema.validate(read, json.loads(SCHEMA.read_text()))
    assert set(workflow) == set(read)
    return read


def test_the_workflow_fits_the_schema_and_has_every_session_once(make: Make) -> None:
    repo = make(twenty_sessions())
    said = repo.ok(f"waves export github {PLAN} --jobs 3 --model opus --budget-usd 40 --session-minutes 20")
    workflow = checked(said["text"])
    jobs = workflow["jobs"]
    assert list(jobs) == ["wave-1", "wave-2", "wave-3"]
    sessions = [number for job in jobs.values() for number in job["strategy"]["matrix"]["session"]]
    assert sessions == list(range(1, 21))
    assert workflow["on"]["workflow_dispatch"]["inputs"]["wave"]["options"] == ["1", "2", "3"]
    assert {job["strategy"]["max-parallel"] for job in jobs.values()} == {3}
    assert {job["timeout-minutes"] for job in jobs.values()} == {35}
    steps = {step.get("name"): step for step in jobs["wave-1"]["steps"]}
    call = steps["The session"]["run"]
    assert call.startswith('claude -p "$PROMPT" --plugin-dir "$RUNNER_TEMP/bundle"')
    assert call.endswith("--model opus --max-budget-usd 2.00")
    assert steps["The session"]["env"]["PROMPT"].endswith(f"--session ${{{{ matrix.session }}}} {PLAN}")
    assert repo.git("ls-tree", "--name-only", "refs/ultra/bundle").split()[0] == ".claude-plugin"


def test_a_broken_workflow_is_noticed(make: Make) -> None:
    text = make().ok(f"waves export github {PLAN}")["text"]
    checked(text)
    try:
        checked(text.replace("runs-on:", "runs_on:"))
    except jsonschema.ValidationError:
        return
    raise AssertionError("the schema accepts anything")


def test_what_cannot_be_exported_is_one_sentence(make: Make) -> None:
    repo = make()
    assert "the workflow needs a plan | name it after `github`" in repo.refused("waves export github")
    told = repo("waves", "export", "gitlab")
    assert told.status == 2
    assert told.data["error"] == "WHAT must be github or hub, not gitlab"
