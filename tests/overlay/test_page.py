"""docs/forks.md: its commands run, its examples build, its counts are those of the story."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.generator import GENERATOR, MODULES, call
from tests.kit.names import NAME, ROOT
from tests.kit.warm_shell import warm_function
from tests.overlay.forks import opened
from tests.overlay.story import CHANGES, lines_of, reworded, write_release
from ultra_plugin.document import read_document
from ultra_plugin.fill import fill
from ultra_plugin.overlay.files import OWN, SHARED, SHARED_FILES
from ultra_plugin.overlay.renames import Renames
from ultra_plugin.overlay.settings import Settings
from ultra_plugin.overlay.work import accept

PAGE = (ROOT / "docs/forks.md").read_text()
SCRIPTS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLES = dict(re.findall(r"^```(?:yaml|jinja)\n(?:# |\{# )([\w./-]+)(?: #\})?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))  # fmt: skip


@pytest.fixture(scope="module")
def fork(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the fork that the commands of the page make, beside two versions of the upstream."""
    folder = tmp_path_factory.mktemp("page")
    old = write_release(folder, "0.1.0")
    write_release(folder, "0.2.0", reworded)
    old.rename(folder / "ultra-suite")
    program = folder / "bin/ultra-plugin"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ultra_plugin "$@"\n')
    program.chmod(0o755)
    start, change, upgrade = SCRIPTS
    move = "rm -r ../ultra-suite && mv ../upstream-0.2.0 ../ultra-suite"
    env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    # The first commands start the program; those that follow are forks of one that has its modules loaded.
    with warm_function("ultra-plugin", GENERATOR, MODULES / "ultra_plugin/__main__.py") as function:
        script = f"set -eu\n{start}{function}{change}{move}\n{upgrade}"
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "+- who approves the plan." in done.stdout
    assert done.stdout.count("stale     commands/plan.md.j2#finish") == 3
    return folder / "acme"


@pytest.mark.soak
def test_the_commands_of_the_page_make_a_fork(fork: Path) -> None:
    prompt = (fork / "dist/acme/commands/acme-plan.md").read_text()
    assert "every weakness" in prompt
    assert "- who approves the plan." in prompt


@pytest.mark.soak
def test_every_example_builds(fork: Path) -> None:
    renames = EXAMPLES.pop("renames.yaml")
    assert read_document("renames.yaml", renames.encode(), Renames).files
    assert len(EXAMPLES) == 7
    for path, text in EXAMPLES.items():
        (fork / path).parent.mkdir(parents=True, exist_ok=True)
        (fork / path).write_text(text)
    marker = next(line for line in PAGE.split("\n") if line.endswith(".j2.remove"))
    (fork / marker).write_text("")
    accept(opened(fork), ())
    done = call(fork, "build")
    assert done.returncode == 0, done.stderr


def test_the_page_lists_what_there_is() -> None:
    for name in (*OWN - {"overlay.yaml", "upstream.lock"}, *SHARED, *SHARED_FILES):
        assert f"`{name}" in PAGE, name
    rows = re.findall(r"^\| `(\w+)`(?:, `(\w+)`)? \| ", PAGE.split("## overlay.yaml")[1], re.MULTILINE)
    assert {key for row in rows for key in row if key} == {*Settings.__slots__} - {"line"}
    assert f"--plugin {NAME}" in PAGE


def test_the_counts_are_those_of_the_story() -> None:
    told = re.findall(r"^\| ([a-z ]+) \| (\d+) \| \d+ \| \d+ \|$", PAGE, re.MULTILINE)
    assert told == [(name, str(lines_of(change))) for name, change in CHANGES.items()]


def test_the_page_is_filled() -> None:
    assert fill(PAGE).text == PAGE
