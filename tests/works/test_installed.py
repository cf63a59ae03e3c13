"""ultra-install prepares a repository as the init command does, if it is asked to."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.install.samples import Machine
from tests.kit.repository import git, make_repository
from tests.works.crew import NAME
from tests.works.test_doors import NEEDED

SETTINGS = ".claude/settings.local.json"
MADE = ["works/.gitignore", ".agent/router_rule_config.json"]


@pytest.fixture
def machine(tmp_path: Path, repo: Path) -> Machine:
    """Return a home without a client folder, with a repository as the current folder."""
    (tmp_path / "home").mkdir()
    return Machine(tmp_path / "home", cwd=repo / "sub")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Return a repository with permissions of its own."""
    own = json.dumps(
        {"permissions": {"allow": ["Bash(ls)", NEEDED[0]], "deny": ["Read(.env)"]}, "model": "opus"}
    )
    return make_repository(tmp_path / "repo", {"README.md": "x\n", SETTINGS: own, "sub/x": "x"})


def test_a_script_prepares_only_with_the_flag_and_twice_is_once(
    machine: Machine, works_bundle: Path, repo: Path
) -> None:
    call = ("--from", works_bundle, "--yes")
    machine.ok(*call)
    assert git(repo, "status", "--short") == ""
    assert machine.ok(*call, "--prepare", "--dry-run").stdout == f"would prepare {repo}\n"
    said = machine.ok(*call, "--prepare").stdout
    assert [line for line in said.splitlines() if line.startswith(str(repo))] == [
        *(f"{repo}: made {name}" for name in MADE),
        *(f"{repo}: not permitted yet: {one}" for one in NEEDED[1:]),
    ]
    assert json.loads((repo / SETTINGS).read_text())["permissions"]["allow"] == ["Bash(ls)", NEEDED[0]]
    notes = machine.ok(*call, "--json", "--prepare", "--permissions", "minimal").json()["notes"]
    assert f"{repo}: made {SETTINGS} (2 permissions)" in notes
    merged = json.loads((repo / SETTINGS).read_text())
    assert merged["permissions"] == {"allow": ["Bash(ls)", *NEEDED], "deny": ["Read(.env)"]}
    assert merged["model"] == "opus"
    before = (repo / SETTINGS).read_bytes()
    again = machine.ok(*call, "--prepare", "--permissions", "minimal").stdout
    assert [line for line in again.splitlines() if line.startswith(str(repo))] == [
        f"{repo}: kept {name}" for name in (*MADE, SETTINGS)
    ]
    assert (repo / SETTINGS).read_bytes() == before
    machine.ok("--verify")
    machine.ok("--uninstall", "--yes")
    assert (repo / MADE[0]).exists()


def test_what_cannot_be_prepared_is_refused_with_a_sentence(
    machine: Machine, works_bundle: Path, bundle: Path, repo: Path, tmp_path: Path
) -> None:
    call = ("--yes", "--prepare", "--from")
    outside = Machine(machine.home, cwd=tmp_path)
    assert "is not in a git repository" in outside.refused(*call, works_bundle)
    assert "none of these plugins prepares" in machine.refused(*call, bundle.parent / "ultra-cc-architect")
    assert not machine.config.exists()
    (repo / SETTINGS).write_text("{")
    said = machine.refused(*call, works_bundle)
    assert f"{NAME} is installed, but {repo} is not prepared: {SETTINGS} cannot be read: line 1" in said
    assert (repo / SETTINGS).read_text() == "{"


@pytest.mark.parametrize(
    ("answers", "permitted"), [("y\ny\ny\n", True), ("y\ny\nn\n", False), ("y\n\n", None)]
)
def test_a_terminal_is_asked(
    machine: Machine, works_bundle: Path, repo: Path, answers: str, permitted: bool | None
) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, answers.encode())
    command = [sys.executable, "-m", "ultra_plugin.install.main", "--from", str(works_bundle)]
    done = subprocess.run(
        command,
        env=machine.environment(),
        stdin=theirs,
        capture_output=True,
        cwd=repo,
        timeout=120,
        text=True,
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert f"Prepare {repo} for {NAME}? [y/N]" in done.stderr
    assert (f"Add {', '.join(NEEDED[1:])} to {repo / SETTINGS}?" in done.stderr) is (permitted is not None)
    assert (repo / MADE[0]).exists() is (permitted is not None)
    allowed = json.loads((repo / SETTINGS).read_text())["permissions"]["allow"]
    assert (allowed == ["Bash(ls)", *NEEDED]) is bool(permitted)
