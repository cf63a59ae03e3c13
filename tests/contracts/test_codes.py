"""Every code of a contract has a fixture whose only code it is, and the bundled validator says so."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ultra_plugin.config import load
from ultra_plugin.source import SourceTree

ROOT = Path(__file__).parent.parent.parent
ULTRA = ROOT / "dist/ultraplan-local/bin/ultra"
CONTRACTS = load(SourceTree(ROOT / "plugin_src")).contracts
CODES = [(contract.artifact, code) for contract in CONTRACTS.values() for code in contract.codes]
PROJECT = ".claude/projects/2026-01-31-rate-limit"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with a project that has a brief."""
    (tmp_path / ".git").mkdir()
    (tmp_path / PROJECT).mkdir(parents=True)
    (tmp_path / PROJECT / "brief.md").write_text("# Brief\n")
    return tmp_path


def verdict(artifact: str, path: Path) -> tuple[dict[str, Any], int]:
    command: list[str | Path] = [ULTRA, "validate", artifact, path, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    return json.loads(done.stdout), done.returncode


def placed(repository: Path, artifact: str, code: str) -> Path:
    """Return the artifact at its place, faulty in the one way that the code is for."""
    target = repository / PROJECT / ".session-state.local.json"
    if code.endswith("_READ_ERROR"):
        target.mkdir()
    elif not code.endswith("_NOT_FOUND"):
        shutil.copy(Path(__file__).parent / artifact / f"{code}.json", target)
    return target


@pytest.mark.parametrize(("artifact", "code"), CODES)
def test_each_code_has_a_fixture_of_its_own(repository: Path, artifact: str, code: str) -> None:
    path = placed(repository, artifact, code)
    answer, status = verdict(artifact, path)
    severity = CONTRACTS[artifact.replace("-", "_")].codes[code].severity
    found = {name: [entry["code"] for entry in answer[name]] for name in ("errors", "warnings")}
    assert found == {"errors": [], "warnings": []} | {f"{severity}s": [code]}
    assert (status, answer["valid"]) == ((1, False) if severity == "error" else (0, True))
    assert all(entry["message"] for entry in answer["errors"] + answer["warnings"])


@pytest.mark.parametrize("artifact", sorted({artifact for artifact, _ in CODES}))
def test_a_valid_artifact_has_nothing_to_say(repository: Path, artifact: str) -> None:
    answer, status = verdict(artifact, placed(repository, artifact, "valid"))
    assert (answer["errors"], answer["warnings"], status) == ([], [], 0)
