"""Homes of every kind: moved, linked, with spaces, read-only; and repositories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.install.samples import Machine, snapshot
from tests.kit.files import write_tree
from tests.kit.repository import git

ALL = ("--yes", "--permissions", "minimal", "--short-names")


def test_config_folder_can_be_moved_anywhere(machine: Machine, bundle: Path, tmp_path: Path) -> None:
    machine.variables["CLAUDE_CONFIG_DIR"] = str(tmp_path / "not/there/yet")
    machine.ok("--from", bundle, *ALL)
    assert (tmp_path / "not/there/yet/skills/sample/README.md").exists()
    assert snapshot(machine.home) == {}
    machine.ok("--uninstall", "--yes")
    assert not (tmp_path / "not").exists()


def test_home_with_spaces_and_other_letters(tmp_path: Path, bundle: Path) -> None:
    home = tmp_path / "my höme 'quoted' $HOME"
    home.mkdir()
    machine = Machine(home)
    machine.ok("--from", bundle, *ALL)
    machine.ok("--verify")
    machine.ok("--uninstall", "--yes")
    assert snapshot(home) == {}


@pytest.mark.parametrize("there", [True, False], ids=["folder", "dangling"])
@pytest.mark.parametrize("linked", [".claude", ".claude/skills", ".claude/commands"])
def test_linked_folders_stay_links(
    machine: Machine, bundle: Path, tmp_path: Path, linked: str, there: bool
) -> None:
    real = tmp_path / "dotfiles"
    if there:
        write_tree(real, {"own.txt": "own"})
    (machine.home / linked).parent.mkdir(exist_ok=True)
    (machine.home / linked).symlink_to(real)
    before = snapshot(tmp_path)
    machine.ok("--from", bundle, *ALL)
    machine.ok("--verify")
    assert (machine.home / linked).is_symlink()
    machine.ok("--uninstall", "--yes")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", [".claude", ".claude/skills", ".claude/commands"])
def test_file_where_a_folder_belongs_is_a_sentence(machine: Machine, bundle: Path, name: str) -> None:
    write_tree(machine.home, {name: "a file"})
    before = snapshot(machine.home)
    assert "is a file, but the client needs a folder" in machine.refused("--from", bundle, *ALL)
    assert snapshot(machine.home) == before


def as_somebody() -> dict[str, Any]:
    """Return how to run a process for which permissions count: root is asked for none."""
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


@pytest.fixture
def somebody(machine: Machine, bundle: Path, tmp_path: Path) -> Machine:
    """Return a machine whose files belong to the one who runs the installer."""
    python = "/usr/bin/python3" if os.geteuid() == 0 else sys.executable
    try:
        command = [python, "-c", "import sys, ultra_plugin; sys.exit(sys.version_info < (3, 10))"]
        done = subprocess.run(command, env=machine.environment(), check=False, **as_somebody())
    except OSError:
        pytest.skip("no other user can run Python here")
    if done.returncode:
        pytest.skip("no other user can run Python 3.10 here")
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder != Path("/") and folder.name != "tmp":
            folder.chmod(folder.stat().st_mode | 0o055)
    return machine


def give_away(folder: Path) -> None:
    """Hand a folder to whoever runs the installer."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, 65534, 65534, follow_symlinks=False)


def run_as_somebody(machine: Machine, *words: str | Path) -> Any:
    python = "/usr/bin/python3" if os.geteuid() == 0 else sys.executable
    return machine.run(*words, python=python, **as_somebody())


READ_ONLY = ["", ".claude", ".claude/skills", ".claude/commands", ".claude/settings.json"]


@pytest.mark.parametrize("name", READ_ONLY, ids=lambda name: name or "home")
def test_read_only_is_refused_and_nothing_is_left(somebody: Machine, bundle: Path, name: str) -> None:
    if name:
        write_tree(somebody.home, {".claude/settings.json": "{}", ".claude/commands/x.md": "x"})
        (somebody.config / "skills").mkdir()
    give_away(somebody.home)
    locked = somebody.home / name
    mode = locked.stat().st_mode
    locked.chmod(mode & ~0o222)
    before = snapshot(somebody.home)
    try:
        done = run_as_somebody(somebody, "--from", bundle, *ALL)
    finally:
        locked.chmod(mode)
    assert done.status == 1, done
    assert len(done.stderr.splitlines()) == 1
    assert "Permission denied" in done.stderr or "is read-only" in done.stderr
    after = snapshot(somebody.home)
    assert {path: one[1] for path, one in after.items()} == {path: one[1] for path, one in before.items()}


def test_settings_of_another_owner_are_refused(somebody: Machine, bundle: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give files to another user")
    write_tree(somebody.home, {".claude/settings.json": "{}"})
    give_away(somebody.home)
    os.chown(somebody.settings, 0, 0)
    somebody.settings.chmod(0o666)
    done = run_as_somebody(somebody, "--from", bundle, *ALL)
    assert done.status == 1
    assert "belongs to another user" in done.stderr
    assert somebody.settings.read_text() == "{}"
    assert not (somebody.config / "skills").exists()


# --- scope project


@pytest.fixture
def team(machine: Machine, project: Path) -> Machine:
    """Return a machine on which somebody works in a repository."""
    machine.cwd = project
    return machine


def test_project_scope_goes_into_the_repository(team: Machine, bundle: Path, project: Path) -> None:
    (project / "src/deep").mkdir(parents=True)
    team.cwd = project / "src/deep"
    before = snapshot(project / "src"), snapshot(team.home)
    done = team.ok("--from", bundle, "--scope", "project", *ALL)
    assert (project / ".claude/skills/sample/README.md").exists()
    assert f"commit {project}/.claude/skills/sample" in done.stdout
    assert f"start the client in {project} and trust it" in done.stdout
    assert (snapshot(project / "src"), snapshot(team.home)) == before
    team.ok("--verify", "--scope", "project")
    team.ok("--uninstall", "--scope", "project", "--yes")
    assert not (project / ".claude").exists()


def test_colleague_gets_the_same_bytes_by_git(
    team: Machine, bundle: Path, project: Path, tmp_path: Path
) -> None:
    team.ok("--from", bundle, "--scope", "project", *ALL)
    write_tree(project / ".claude/skills/sample", {"runtime/__pycache__/said.cpython-311.pyc": b"x"})
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=Plugin")
    assert "__pycache__" not in git(project, "ls-files")
    clone = tmp_path / "clone"
    subprocess.run(["git", "-c", "core.autocrlf=true", "clone", "-q", str(project), str(clone)], check=True)
    team.cwd = clone
    team.ok("--verify", "--scope", "project")
    team.ok("--uninstall", "--scope", "project", "--yes")
    git(clone, "add", "--all")
    assert set(git(clone, "ls-files").split()) == {"README.md"}


def test_status_shows_both_scopes(team: Machine, bundle: Path, newer: Path) -> None:
    team.ok("--from", bundle, "--yes")
    team.ok("--from", newer, "--scope", "project", "--yes")
    said = team.ok("--status").stdout
    assert "sample 1.0.0 (user)" in said
    assert "sample 1.1.0 (project)" in said
    assert "sample@skills-dir 1.0.0" in said
    assert "1.1.0" not in team.ok("--status", "--scope", "user").stdout


def test_ignored_folder_is_said(team: Machine, bundle: Path, project: Path) -> None:
    write_tree(project, {".gitignore": ".claude/\n"})
    assert "git ignores" in team.ok("--from", bundle, "--scope", "project", "--yes").stdout


def test_a_folder_outside_a_repository_is_no_project(machine: Machine, bundle: Path, tmp_path: Path) -> None:
    machine.cwd = tmp_path / "plain"
    machine.cwd.mkdir()
    for words in (("--from", bundle, "--yes"), ("--status",), ("--uninstall", "--yes")):
        said = machine.refused(*words, "--scope", "project")
        assert f"{machine.cwd} is not in a git repository" in said
    assert snapshot(machine.cwd) == {}


def test_settings_are_offered_beside_the_copy(team: Machine, bundle: Path) -> None:
    said = team.ok("--from", bundle, "--scope", "project", "--yes").stdout
    (line,) = [line for line in said.splitlines() if line.startswith("without a copy in the repository")]
    settings = json.loads(line[line.index("{") :])
    assert settings["enabledPlugins"] == {"sample@ultra-suite": True}
    assert settings["extraKnownMarketplaces"]["ultra-suite"]["source"]["source"] == "git"


def test_home_is_no_project(machine: Machine, bundle: Path) -> None:
    git(machine.home, "init", "--quiet")
    machine.cwd = machine.home
    assert "is your own client folder" in machine.refused("--from", bundle, "--scope", "project", "--yes")


@pytest.mark.parametrize("name", [".claude", ".claude/skills", ".claude/settings.json", ".claude/commands"])
def test_project_may_not_redirect_an_installation(
    team: Machine, bundle: Path, project: Path, tmp_path: Path, name: str
) -> None:
    victim = write_tree(tmp_path / "victim", {"x": "x"})
    link = project / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(victim if "json" not in name else victim / "x")
    before = snapshot(victim)
    assert "is outside" in team.refused("--from", bundle, "--scope", "project", *ALL)
    assert snapshot(victim) == before


def test_state_folder_that_is_a_link_is_refused(team: Machine, project: Path, tmp_path: Path) -> None:
    victim = write_tree(tmp_path / "victim", {"a-b/x": "x"})
    (project / ".claude/skills").mkdir(parents=True)
    (project / ".claude/skills/.ultra-install").symlink_to(victim)
    assert "is a link that ultra-install did not make" in team.refused("--status", "--scope", "project")
    assert (victim / "a-b/x").exists()


@pytest.mark.parametrize("name", ["lock", "made.new", "journal"])
def test_links_of_a_stranger_are_not_written_through(
    team: Machine, bundle: Path, project: Path, tmp_path: Path, name: str
) -> None:
    victim = write_tree(tmp_path / "victim", {"precious.txt": "precious"}) / "precious.txt"
    state = project / ".claude/skills/.ultra-install"
    state.mkdir(parents=True)
    (state / name).symlink_to(victim)
    for words in (
        ["--from", bundle, "--yes", "--scope", "project"],
        ["--uninstall", "--yes", "--scope", "project"],
    ):
        team.run(*words)
    assert victim.read_text() == "precious"


def test_journal_of_a_stranger_reaches_nothing_outside(team: Machine, project: Path, tmp_path: Path) -> None:
    victim = write_tree(tmp_path / "victim", {"x.md": "x"})
    steps = f'[["command", "{victim}/x", null, null], ["plugin", "../../../victim", "folder", null]]'
    journal = f'{{"steps": {steps}, "opens": false, "closes": false}}'
    write_tree(project, {".claude/skills/.ultra-install/journal-committed.json": journal})
    assert "this journal is not ultra-install's" in team.refused("--status", "--scope", "project")
    assert (victim / "x.md").exists()
