"""A fork as the README says it: the names are changed, the folder is renamed, and every mention follows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.built import made_once
from tests.kit.calls import Ultra
from tests.kit.files import copy_tree
from tests.kit.generator import generator
from tests.kit.names import BRANCHES, LAUNCHER, NAME, PIPELINE, PLUGIN_SOURCE, ROOT, SOURCES, SUITE
from tests.kit.quick import later
from tests.waves.sample import PLAN, PROJECT, QUICK, Waves

FORK, FORKED_SUITE, OWN_LAUNCHER = f"my-{NAME}", f"my-{SUITE}", "mine"
COPIED = (
    "generator", "plugin_src", "tests", "docs", "pyproject.toml", "README.md", "CHANGELOG.md", "MIGRATION.md",
    "CONTRIBUTING.md", "SECURITY.md",
)  # fmt: skip
SLUG = Path(PROJECT).name
OURS = re.compile(
    rf"(?<![\w-])({NAME}:[a-z]|{SUITE}\b|{BRANCHES}(?:/<| session))|(?<![\w.-]){LAUNCHER}(?![\w{{-])".encode()
)


@pytest.fixture(scope="module")
def fork(pytestconfig: pytest.Config) -> Path:
    """Return a copy of the repository with the names of a fork, built."""
    return made_once(pytestconfig, "fork", _make_fork)


def _make_fork(folder: Path) -> None:
    for name in COPIED:
        copy_tree(ROOT / name, folder / name)
    plugins = folder / "plugin_src/plugins"
    (plugins / PLUGIN_SOURCE.name).rename(plugins / FORK)
    for path, name in (
        (folder / "plugin_src/suite.yaml", FORKED_SUITE),
        (plugins / FORK / "plugin.yaml", FORK),
    ):
        text = path.read_text()
        changed = re.sub(r"^( *)name: .*$", rf"\1name: {name}", text, flags=re.MULTILINE)  # the owner's, too
        path.write_text(changed.replace(f"launcher: {LAUNCHER}\n", f"launcher: {OWN_LAUNCHER}\n"))
    done = generator(folder, "build", "--source", "plugin_src", "--out", "dist")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def forked(fork: Path) -> Path:
    """Return the plugin that a fork builds."""
    return fork / "dist" / FORK


CHOSEN = ("tests/runtime/test_session_start.py", "tests/agents/test_output.py")
# Collects everything, and runs a few: one start of pytest for both.
LISTED = f"CHOSEN = {CHOSEN}\n"
LISTED += """

def pytest_collection_modifyitems(config, items):
    names = sorted({item.nodeid.partition("::")[0] for item in items})
    config.get_terminal_writer().line("\\n".join(f"collected {name}" for name in names))
    items[:] = [item for item in items if item.nodeid.startswith(CHOSEN)]
"""


@pytest.mark.soak
@pytest.mark.parametrize("everything", [False, later(True)])
def test_the_tests_of_a_fork_are_all_collected_and_know_its_names(fork: Path, everything: bool) -> None:
    (fork / "listed.py").write_text(LISTED)
    # Without what this run of pytest has set.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:xdist", "-p", "listed"]
    command += () if everything else CHOSEN
    done = subprocess.run(
        command, cwd=fork, env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    collected = re.findall(r"^collected (tests/.+\.py)$", done.stdout, re.MULTILINE)
    every = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))
    assert collected == (every if everything else sorted(CHOSEN))
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) > 20


@pytest.mark.soak
def test_every_mention_follows_the_name(forked: Path) -> None:
    assert json.loads((forked / ".claude-plugin/plugin.json").read_text())["name"] == FORK
    texts = {path: path.read_bytes() for path in forked.rglob("*") if path.is_file()}
    assert len(texts) > 300
    left = {
        str(path.relative_to(forked)): found.group()
        for path, text in texts.items()
        if path.name != "LICENSE" and (found := OURS.search(text))
    }
    assert left == {}


def test_six_files_are_enough_for_a_tree_of_ones_own(tmp_path: Path) -> None:
    words = "It says hello to whoever asks for it, in the language of the one who asks. " * 4
    ours = SOURCES
    contents: dict[str, str | bytes] = {
        "suite.yaml": (ours / "suite.yaml").read_bytes(),
        "LICENSE": (ours / "LICENSE").read_bytes(),
        "plugins/<name>/plugin.yaml": "name: small\ntitle: Small\ndescription: A plugin that says hello to people.\n"
        "keywords: [hello]\n",
        "plugins/<name>/README.md.j2": f"# Small\n\n{words}\n\n    /plugin install small@{{{{ suite.name }}}}\n",
        "plugins/<name>/icon/icon.png": (PLUGIN_SOURCE / "icon/icon.png").read_bytes(),
        "plugins/<name>/commands/*.md.j2": "---\ndescription: Say hello to whoever asks for it\nbudget:\n"
        "  always_on: 20\n  on_invoke: 200\n---\n# Hello\n\nSay hello.\n",
    }
    for path, content in contents.items():
        target = tmp_path / "tree" / path.replace("<name>", "small").replace("*", "hello")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = generator(tmp_path, "build", "--source", "tree", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/small/commands/hello.md").is_file()


def test_the_example_stays_valid(forked: Path, tmp_path: Path, python: Path) -> None:
    brief = forked / "docs/examples/2026-01-31-rate-limit/brief.md"
    assert f"/{FORK}:{PIPELINE['research']} --project" in brief.read_text()
    assert Ultra(forked, tmp_path, python, OWN_LAUNCHER)("validate", "brief", brief, "--strict").data["valid"]


def test_the_runtime_answers_under_its_own_name(forked: Path, repo: Path, python: Path) -> None:
    own = Ultra(forked, repo, python, OWN_LAUNCHER)
    assert f"{OWN_LAUNCHER} guide continue none" in own("continue").out
    assert own.say("stp").err.endswith(f"\nusage: {OWN_LAUNCHER} --help lists the verbs\n")
    assert own.say("status", "--nothing").err.split("\n")[1].startswith(f"usage: {OWN_LAUNCHER} status")
    told = own.say("run", "finish")
    assert told.status == 1
    assert f"`{OWN_LAUNCHER} run start PATH`" in told.err
    assert told.err.startswith(f"{OWN_LAUNCHER}: ")


def test_the_branches_of_its_sessions_have_its_own_name(forked: Path, tmp_path: Path, python: Path) -> None:
    waves = Waves(tmp_path / "repo", forked, python).create(files=QUICK)
    waves.git("branch", f"my-{BRANCHES}/{SLUG}/session-2")
    waves.git("branch", f"{BRANCHES}/{SLUG}/session-1")
    told = Ultra(forked, waves.folder, python, OWN_LAUNCHER).say("waves", "start", PLAN)
    assert told.status == 1
    assert f"the branch my-{BRANCHES}/{SLUG}/session-2 exists" in told.err
    assert f" {BRANCHES}/" not in told.err, "a branch of the upstream is nobody's obstacle"
