"""The filled-in examples of the docs: each keeps its contract, and together they are one project."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.kit.calls import Ultra
from tests.kit.model import validated
from tests.kit.names import EXAMPLE, PROJECT

ARTIFACTS = {
    "brief": "brief.md",
    "research": "research/01-where-to-count.md",
    "plan": "plan.md",
    "session-spec": "sessions/session-1.md",
    "review": "review.md",
}


@pytest.fixture
def example(project: Path) -> Path:
    """Return a repository with the example as its project."""
    shutil.copytree(EXAMPLE, project / PROJECT)
    return project


@pytest.mark.parametrize(("kind", "name"), ARTIFACTS.items())
def test_each_keeps_its_contract_without_a_warning(example: Path, bundle: Path, kind: str, name: str) -> None:
    result = validated(bundle, example, kind, f"{PROJECT}/{name}")
    assert (result["valid"], result["errors"], result["warnings"]) == (True, [], [])


def test_together_they_are_a_project(example: Path, bundle: Path) -> None:
    result = validated(bundle, example, "project", PROJECT)
    assert (result["valid"], result["errors"]) == (True, [])


def test_the_session_spec_is_what_the_plan_makes(example: Path, bundle: Path, python: Path) -> None:
    before = (example / PROJECT / ARTIFACTS["session-spec"]).read_text()
    assert Ultra(bundle, example, python)(
        "sessions", "write", f"{PROJECT}/plan.md", "--project", PROJECT
    ).data["ok"]
    assert (example / PROJECT / ARTIFACTS["session-spec"]).read_text() == before


@pytest.mark.parametrize("kind", ["brief", "research", "plan", "session-spec", "review"])
def test_every_artifact_has_a_template(bundle: Path, kind: str) -> None:
    text = (bundle / "templates" / f"{kind}.md").read_text()
    assert text.count("\n## ") >= 2
    assert "{{" not in text
