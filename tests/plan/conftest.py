"""The runtime of the sources with the tables of the sources, and a rendered bundle to call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
SOURCES = ROOT / "plugin_src"
PROJECT = ".claude/projects/2026-01-31-rate-limit"

sys.path.insert(0, str(SOURCES / "runtime"))


class Told:
    """What a call of the runtime answered."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def data(self) -> dict[str, Any]:
        """The answer as JSON."""
        assert self.err == ""
        answer = json.loads(self.out)
        assert isinstance(answer, dict)
        return answer


class Repository:
    """A repository with one project, in which the runtime is called."""

    def __init__(self, bundle: Path, root: Path) -> None:
        self.bundle = bundle
        self.root = root
        self.project = root / PROJECT
        self.project.mkdir(parents=True)
        (root / ".git").mkdir()

    def plan(self, text: str | bytes) -> Path:
        """Write the plan of the project."""
        path = self.project / "plan.md"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def ultra(self, *words: str | Path, python: str = sys.executable, cwd: Path | None = None) -> Told:
        """Call the runtime with an interpreter."""
        start = [python, "-I", "-S", "-X", "utf8", self.bundle / "bin/ultra"]
        done = subprocess.run(
            [str(word) for word in [*start, *words]],
            cwd=cwd or self.root, env={"PATH": os.environ["PATH"], "HOME": str(self.root)},
            capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return Told(done)


@pytest.fixture
def repository(bundle: Path, tmp_path: Path) -> Repository:
    """Return a repository with an empty project."""
    return Repository(bundle, tmp_path / "repo")
