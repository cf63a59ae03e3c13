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
from tests.kit.names import LAUNCHER, PROJECT, SOURCES

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
    "common": "brief.md",
}


@pytest.fixture(scope="session")
def lenient_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle whose contracts accept the version before the current one, as after a bump."""
    sources = shutil.copytree(
        SOURCES,
        tmp_path_factory.mktemp("lenient") / "plugin_src",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
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
    if source.is_dir():
        shutil.copytree(source, repository / PROJECT, dirs_exist_ok=True)
        return repository / PROJECT / ("research" if artifact == "research" else ".")
    files = list((FIXTURES / artifact).glob(f"{fixture}.*"))
    assert len(files) == 1, f"there is no fixture {artifact}/{fixture}"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(files[0].read_bytes().replace(b"@SECRET@", SECRET.encode()))
    return target


Validate = Callable[..., tuple[dict[str, Any], int]]


@pytest.fixture
def validate(bundle: Path, tmp_path: Path, python: Path) -> Validate:
    """Return a function that validates an artifact and gives the answer and the status."""

    def call(artifact: str, path: Path, *flags: str, of: Path = bundle) -> tuple[dict[str, Any], int]:
        told = Ultra(of, tmp_path, python)("validate", artifact, path, *flags)
        return told.data, told.status

    return call


def codes(answer: dict[str, Any]) -> dict[str, list[str]]:
    """Return the codes of an answer by severity."""
    return {name: [entry["code"] for entry in answer[name]] for name in ("errors", "warnings")}
