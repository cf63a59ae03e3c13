"""The plugin's evals, run as a person runs them, by the real client against a model that plays each case."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.built import UNUSED, copy_bundle
from tests.client.session import Completed, Home, run
from tests.evals.cases import SHELL, read_cases, why_no_bash
from tests.evals.plays import COMMANDS, GUARDS, PLAYS
from tests.evals.run import SCRATCH
from tests.evals.theatre import Theatre
from tests.kit.names import ROOT

TIME_LIMIT = 300.0


@dataclass(frozen=True)
class Evaluated:
    """What a run of the evals said."""

    completed: Completed
    result: Mapping[str, Any]

    @property
    def scores(self) -> dict[str, float]:
        """Return the score of each case; a run that could not be graded is none."""
        runs = {case["name"]: case["arms"]["with"] for case in self.result["cases"]}
        assert not [one["error"] for arm in runs.values() for one in arm if one["error"]], self
        return {name: min(one["score"] for one in arm) for name, arm in runs.items()}

    def __str__(self) -> str:
        """Show what failed and why."""
        return "\n".join(
            f"{case['name']}: {one['error'] or ''} {grader['name']}: {grader['explanation']}"
            for case in self.result["cases"]
            for one in case["arms"]["with"]
            for grader in [*one["graders"], {"name": "", "explanation": "", "passed": not one["error"]}]
            if not grader["passed"]
        )


def evaluate(
    theatre: Theatre, plugin: Path, home: Home, client: Path, *words: str, **variables: str
) -> Evaluated:
    """Run what `make eval` runs, with a copy: the client gives up if byte code is written while it looks at a plugin."""
    if (plugin.parents[1] / UNUSED).is_dir():
        plugin = copy_bundle(plugin, Path(tempfile.mkdtemp(dir=home.root)) / plugin.name)
    json_file = home.root / "result.json"
    command = [sys.executable, "-m", "tests.evals.run", "--plugin", str(plugin), "--client", str(client)]
    command += ["--output-dir", str(home.root / "results"), "--json", str(json_file), "-j", "4"]
    command += ["--scratch", str(SCRATCH), *words]
    environment = {**home.environment(theatre), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    completed = run(command, environment, ROOT, TIME_LIMIT)
    assert json_file.exists(), completed
    assert not theatre.main.requests, "a case that no play knows, so that its failure would mean nothing"
    told = Evaluated(completed, json.loads(json_file.read_text()))
    assert [(one["name"], one.get("problem")) for one in told.result["suite"]["plugins"]] == [
        (plugin.name, None)
    ]
    return told


def here(plugin: Path, names: Mapping[str, object]) -> set[str]:
    """Return the cases of these that this machine can run."""
    reason = why_no_bash(SCRATCH)
    cases = {case.name: case for case in read_cases(plugin)}
    return {name for name in names if not (reason and cases[name].needs_bash)}


def test_every_case_passes_when_it_is_played_well(
    bundle: Path, home: Home, client_binary: Path, record_property: Callable[[str, object], None]
) -> None:
    if reason := why_no_bash(SCRATCH):
        record_property("said", f"tests/evals: the cases that need Bash were skipped, since {reason}")
    with Theatre(bundle, PLAYS) as theatre:
        told = evaluate(theatre, bundle, home, client_binary)
    assert told.scores == dict.fromkeys(sorted(here(bundle, PLAYS)), 1.0), str(told)
    assert told.completed.status == 0
    cases = {case.name: case for case in read_cases(bundle)}
    used = sum(theatre.tokens(name) for name in told.scores)
    assert used < sum(cases[name].tokens for name in told.scores) < 4 * used


@pytest.mark.soak
def test_every_command_fails_when_it_is_played_badly(bundle: Path, home: Home, client_binary: Path) -> None:
    with Theatre(bundle, COMMANDS, badly=True) as theatre:
        told = evaluate(theatre, bundle, home, client_binary, "--tag", "command", f"command{SHELL}")
    assert set(told.scores) == here(bundle, COMMANDS)
    assert not [name for name, score in told.scores.items() if score == 1.0], str(told)
    assert told.completed.status == 1


@pytest.mark.soak
def test_every_guard_fails_when_the_hooks_are_off(
    bundle: Path, home: Home, client_binary: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(bundle, tmp_path / "own" / bundle.name))
    (copy / "hooks/hooks.json").write_text('{"hooks": {}}\n')
    with Theatre(copy, GUARDS) as theatre:
        told = evaluate(theatre, copy, home, client_binary, "--tag", "guard", f"guard{SHELL}")
    assert set(told.scores) == here(bundle, GUARDS)
    assert not [name for name, score in told.scores.items() if score == 1.0], str(told)
    assert told.completed.status == 1
