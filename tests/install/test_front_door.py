"""What somebody meets who installs for the first time, or once more: their Python, files they kept, the last lines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.install.samples import Machine, snapshot
from tests.interpreters import every_interpreter
from tests.kit.files import write_tree
from tests.kit.names import ROOT

OLD = {version: path for version, path in every_interpreter().items() if version in ((3, 7), (3, 8))}
NEW = {version: path for version, path in every_interpreter().items() if version >= (3, 9)}


@pytest.mark.parametrize("version", sorted(NEW), ids=str)
def test_every_python_that_is_new_enough_installs(
    machine: Machine, bundle: Path, version: tuple[int, int]
) -> None:
    python = str(NEW[version])
    machine.ok("--from", bundle, "--yes", "--permissions", "minimal", "--short-names", python=python)
    machine.ok("--verify", python=python)
    machine.ok("--uninstall", "--yes", python=python)
    assert snapshot(machine.home) == {}


@pytest.mark.parametrize("version", sorted(OLD), ids=str)
def test_a_python_that_is_too_old_is_one_sentence(machine: Machine, version: tuple[int, int]) -> None:
    done = machine.run("--yes", python=str(OLD[version]))
    said = f"ultra-install: Python 3.9 or newer is required, but {OLD[version]} is 3.{version[1]}; "
    assert (done.status, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert done.stderr.startswith(said)


@pytest.mark.skipif((3, 9) not in NEW, reason="there is no Python 3.9 here")
def test_the_generator_says_which_python_it_needs() -> None:
    command = [str(NEW[3, 9]), "-c", "from ultra_plugin.cli import main; main()"]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(ROOT / "generator")}, capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"ultra-plugin: Python 3.10 or newer is required, but {NEW[3, 9]} is 3.9\n"


def test_files_that_were_kept_are_installed_around(machine: Machine, bundle: Path) -> None:
    machine.ok("--from", bundle, "--yes")
    write_tree(machine.plugin(), {"README.md": "mine\n", "notes/own.txt": "own\n"})
    machine.ok("--uninstall", "--yes")
    assert set(snapshot(machine.plugin())) == {"README.md", "notes", "notes/own.txt"}
    said = machine.ok("--from", bundle, "--yes").stdout
    assert "kept your README.md as README.md.kept-before" in said
    assert (machine.plugin() / "README.md").read_text() == "Sample 1.0.0.\n"
    assert (machine.plugin() / "README.md.kept-before").read_text() == "mine\n"
    assert (machine.plugin() / "notes/own.txt").read_text() == "own\n"
    machine.ok("--uninstall", "--yes")
    kept = {"README.md.kept-before", "notes", "notes/own.txt"}
    assert set(snapshot(machine.plugin())) == kept


@pytest.mark.parametrize("name", ["SKILL.md", ".claude-plugin/plugin.json"])
def test_a_skill_or_plugin_of_that_name_is_left_alone(machine: Machine, bundle: Path, name: str) -> None:
    write_tree(machine.plugin(), {name: "{}"})
    before = snapshot(machine.home)
    assert "was not installed by ultra-install; move it away" in machine.refused("--from", bundle, "--yes")
    assert snapshot(machine.home) == before


def test_the_last_two_lines_say_how_to_start(machine: Machine) -> None:
    said = machine.ok("--yes").stdout.splitlines()
    assert sum("start Claude Code" in line for line in said) == 1
    assert said[-2].startswith("start Claude Code: claude ")
    assert said[-1].startswith("type: /ultraplan-local:ultrabrief-local (the other plugins: /")


def test_the_wheel_asks_for_nothing_else() -> None:
    command = [sys.executable, "-m", "hatchling", "metadata"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    told = json.loads(done.stdout)
    assert (told.get("dependencies", []), told["requires-python"]) == ([], ">=3.9")
