"""The runtime as the sources make it now, and artifacts at their place in a repository."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.built import rendered
from tests.kit.calls import Ultra
from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER, NAME, PROJECT, SOURCES
from tests.kit.sources import copy_of_sources
from ultra_plugin.check.fixtures import QUOTED
from ultra_plugin.config import load
from ultra_plugin.per_plugin import own_suite
from ultra_plugin.source import SourceTree

FIXTURES = SOURCES / "contracts/fixtures"
# Built when a test runs: a file with the real shape of a key is refused by hosts that look for them.
SECRET = "AKIA" + "Z7QK2M5XW9RT4BVN"

PLACES = {
    "brief": "brief.md",
    "research": "research/01-upstream-limits.md",
    "architecture": ".",
    "plan": "plan.md",
    "progress": "progress.json",
    "review": "review.md",
    "session-state": ".session-state.local.json",
    "session-spec": "sessions/session-1.md",
    "settings": f".claude/{LAUNCHER}.yaml",
    "overview": "architecture/overview.md",
    "gaps": "architecture/gaps.md",
    "requirement": "Requirement.md",
    "work-plan": "PLAN.md",
    "task": "TASK-01.md",
    "task-progress": "TASK-01_progress.md",
    "task-result": "TASK-01_result.md",
    "work-progress": "PROGRESS.md",
    "work-list": "WORK-LIST.md",
    "common": "brief.md",
}
LOADED = load(SourceTree(SOURCES))
# Each plugin as its bundle knows it, the one with the brief first.
SUITES = {
    plugin.settings.name: own_suite(LOADED, plugin)
    for plugin in sorted(LOADED.plugins, key=lambda one: one.settings.name != NAME)
}
LAUNCHERS = {plugin.settings.name: plugin.launcher for plugin in LOADED.plugins}
# Artifact -> the first plugin that has it.
OWNERS = {
    contract.artifact: name
    for name, suite in reversed(SUITES.items())
    for contract in suite.contracts.values()
}


@pytest.fixture(scope="session")
def lenient_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle whose contracts accept the version before the current one, as after a bump."""
    sources = copy_of_sources(tmp_path_factory.mktemp("lenient"))
    older = {"brief": '"1.9"', "progress": '"0"', "review": '"0.9"', "session-state": "0"}
    for artifact, version in older.items():
        path = sources / "contracts" / f"{artifact}.yaml"
        text = path.read_text()
        assert text.count("  current:") == 1
        path.write_text(re.sub(r"(  current: .*\n)", rf"\1  accepts: [{version}]\n", text))
    return rendered(sources, tmp_path_factory.mktemp("bundle"))


@pytest.fixture
def repository(repo: Path) -> Path:
    """Return a repository with a project that has a brief."""
    write_tree(repo, {f"{PROJECT}/brief.md": (FIXTURES / "brief/valid.md").read_bytes()})
    return repo


def place(repository: Path, artifact: str, fixture: str) -> Path:
    """Put a fixture at its place and return the path to validate."""
    source = FIXTURES / artifact / fixture
    target = repository / PROJECT / PLACES[artifact]
    if (quoted := FIXTURES / artifact / QUOTED).is_dir():
        shutil.copytree(quoted, repository / PROJECT, dirs_exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, repository / PROJECT, dirs_exist_ok=True)
        folder = repository / PROJECT / ("research" if artifact == "research" else ".")
        return folder if artifact == "research" or not target.is_file() else target
    files = list((FIXTURES / artifact).glob(f"{fixture}.*"))
    assert len(files) == 1, f"there is no fixture {artifact}/{fixture}"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(with_secret(files[0]))
    return target


Validate = Callable[..., tuple[dict[str, Any], int]]


@pytest.fixture
def validate(bundle: Path, tmp_path: Path, python: Path) -> Validate:
    """Return a function that validates an artifact with its plugin and gives the answer and the status."""

    def call(artifact: str, path: Path, *flags: str, of: Path = bundle) -> tuple[dict[str, Any], int]:
        owner = OWNERS.get(artifact, NAME)
        told = Ultra(of.parent / owner, tmp_path, python, LAUNCHERS[owner])(
            "validate", artifact, path, "--parsed", *flags
        )
        return told.data, told.status

    return call


def codes(answer: dict[str, Any]) -> dict[str, list[str]]:
    """Return the codes of an answer by severity."""
    return {name: [entry["code"] for entry in answer[name]] for name in ("errors", "warnings")}


def with_secret(path: Path) -> bytes:
    """Return a fixture with a secret in the place that is kept for one."""
    return path.read_bytes().replace(b"@SECRET@", SECRET.encode())
