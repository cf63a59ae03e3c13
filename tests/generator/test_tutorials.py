"""The tutorials of the generator: every line is run as a reader would, in one shell, with the real client."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.session import Home
from tests.kit.names import ROOT
from tests.kit.quick import later
from ultra_plugin.fill import WIDTH

PAGES = {
    "make-a-plugin": (
        "acme:",
        "passed  acme case plugin_src/tests/more.yaml:3",
        "acme@acme",
        "for codex: dist/targets",
    ),
    "adopt": (
        "renders to the same bytes, executable bits and links",
        "1 fragment, used 2 times; lines saved: 1",
    ),
}
"""Page -> what its lines must print."""


def lines_of(page: str) -> str:
    text = (ROOT / f"docs/{page}.md").read_text()
    return "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("page", [later(page) if page == "make-a-plugin" else page for page in PAGES])
def test_every_line_of_a_tutorial_works(page: str, client_binary: Path, home: Home, tmp_path: Path) -> None:
    programs = home.root / "bin"
    programs.mkdir()
    (programs / "claude").symlink_to(client_binary)
    for name in ("ultra-plugin", "ultra-install"):
        (programs / name).symlink_to(Path(sys.executable).parent / name)
    env = {**home.environment(), "PATH": f"{programs}:{os.environ['PATH']}"}
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", lines_of(page)], cwd=work, env=env, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for said in PAGES[page]:
        assert said in done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_the_lines_of_a_tutorial_fit(page: str) -> None:
    prose = re.sub(
        r"^```.*?^```$", "", (ROOT / f"docs/{page}.md").read_text(), flags=re.MULTILINE | re.DOTALL
    )
    assert [line for line in prose.splitlines() if len(line) > WIDTH] == []
