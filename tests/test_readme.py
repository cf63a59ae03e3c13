"""The commands of the README, run as a new user would: a fresh clone, a fresh environment, a fresh home."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.client.model import ScriptedModel
from tests.client.session import Home
from tests.interpreters import interpreters, python_on_path
from tests.kit.names import BUILT, NAME, PLUGIN_SOURCE, ROOT
from ultra_plugin.fill import WIDTH
from ultra_plugin.source import SourceTree
from ultra_plugin.verbs import read_verbs

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a clone of what is committed, in a folder with spaces."""
    folder = tmp_path_factory.mktemp("new user") / "ultra suite"
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    return folder


@pytest.fixture
def python_with_a_space(tmp_path: Path) -> Path:
    """Return a folder with a space in its name, in which `python3` is the newest interpreter."""
    (tmp_path / "a python").mkdir()
    return python_on_path(interpreters()[-1], tmp_path / "a python")


def as_a_new_user(line: str) -> str:
    """Return a README line as it can be run here: without a person, and without running all tests within a test."""
    if line == "make test":
        return "make --dry-run test"
    if line.startswith("claude --plugin-dir"):
        return f"{line} -p hello"
    return line


def test_every_command_of_the_readme_works(
    clone: Path, python_with_a_space: Path, client_binary: Path, home: Home, model: ScriptedModel
) -> None:
    programs = home.root / "bin"
    programs.mkdir()
    (programs / "claude").symlink_to(client_binary)
    client = {**home.environment(model), "PATH": f"{programs}:{os.environ['PATH']}"}
    # pip may need the machine's own settings to reach its index; the client reaches the loopback interface only.
    pip = {
        **os.environ,
        "HOME": str(home.root),
        "CLAUDE_CONFIG_DIR": str(home.config),
        "PATH": client["PATH"],
        "PYTHON": str(python_with_a_space / "python3"),
        "PIP_NO_COMPILE": "1",
    }
    for line in COMMANDS:
        done = subprocess.run(
            ["bash", "-c", as_a_new_user(line)], cwd=clone, env=pip if line.startswith("make") else client,
            stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True
    )
    assert status.stdout == "", "a build in a fresh clone changes nothing that is committed"


def test_the_readme_has_the_commands_that_matter() -> None:
    assert COMMANDS[:3] == [
        'make install ARGS="ultraplan-local --yes --permissions minimal"',
        "make plugin",
        "make test",
    ]
    assert len(COMMANDS) >= 8
    first_screen = README.split("\n")[:40]
    assert "make plugin" in first_screen


def test_the_price_is_the_recorded_one() -> None:
    rows = yaml.safe_load((PLUGIN_SOURCE.parents[1] / "limits.yaml").read_text())["limits"]
    run, a_step = rows["tokens_run"]["value"], rows["tokens_step"]["value"]
    prose = " ".join(README.split())
    assert f"about {run} tokens for a run and {a_step} for each step: for ten steps about one cent" in prose
    assert 0.5 <= (run + 10 * a_step) * 3 / 1_000_000 * 100 <= 1.5


PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]


@pytest.mark.parametrize("path", [*PAGES, "MIGRATION.md"])
def test_prose_fits_its_width(path: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / path).read_text(), flags=re.MULTILINE | re.DOTALL)
    wide = [
        line for line in text.split("\n") if len(line) > WIDTH and not line.startswith(("|", "    ", "<"))
    ]
    assert wide == []


def test_the_table_of_commands_is_that_of_the_plugin() -> None:
    typed = rf"^\| \[?`(/{NAME}:[a-z-]+)`"
    shown = (BUILT / "README.md").read_text()
    names = re.findall(typed, shown, re.MULTILINE)
    assert len(names) == 6
    assert re.findall(typed, README, re.MULTILINE) == names


def test_every_verb_is_in_the_changelog() -> None:
    changes = " ".join((ROOT / "CHANGELOG.md").read_text().split())
    verbs = read_verbs(SourceTree(ROOT / "plugin_src"))
    assert len(verbs) > 30
    named = {*re.findall(r"`[a-z]+ ([a-z -]+)`", changes)}
    assert sorted(verbs.keys() - named) == []


def test_the_map_knows_every_folder_of_the_sources() -> None:
    shown = (ROOT / "CONTRIBUTING.md").read_text().split("\n## ")[0]
    plugin = {path.name for path in PLUGIN_SOURCE.iterdir() if path.is_dir()}
    names = {path.name for path in (ROOT / "plugin_src").iterdir()} | plugin
    assert sorted(name for name in names if not re.search(rf"(?<!\w){re.escape(name)}\b", shown)) == []


@pytest.mark.parametrize("path", PAGES)
def test_links_lead_somewhere(path: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / path).read_text())
    assert [link for link in links if not link.startswith("https://") and not (ROOT / link).exists()] == []
