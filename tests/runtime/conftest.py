"""A bundle to run, the interpreters to run it with, and repositories made of files that a test shows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import interpreters, python_on_path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "plugin_src" / "runtime"

sys.path.insert(0, str(SOURCE))

STATE: Mapping[str, object] = {
    "schema_version": 1,
    "project": ".claude/projects/one",
    "next_session_brief_path": ".claude/projects/one/sessions/session-2.md",
    "next_session_label": "Session 2: limits",
    "status": "stopped",
    "updated_at": "2026-01-31T12:00:00Z",
}
STATE_FILE = ".session-state.local.json"


class Told:
    """What a call printed and returned."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def data(self) -> dict[str, Any]:
        """The answer, which has to be one JSON object on one line and nothing else."""
        assert self.out.count("\n") == 1, self.out
        assert self.err == ""
        answer = json.loads(self.out)
        assert isinstance(answer, dict)
        return answer


class Runner:
    """Calls `bin/ultra` of a bundle as the client's Bash tool would."""

    def __init__(self, bundle: Path, folder: Path, python: Path) -> None:
        self.bundle = bundle
        self.folder = folder
        self.env = {
            "PATH": os.pathsep.join([str(python), "/usr/bin", "/bin"]),
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "TMPDIR": str(folder.parent),
        }

    def __call__(
        self, *words: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Told:
        return self.start([self.bundle / "bin" / "ultra", *words], cwd, env)

    def start(
        self, command: list[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Told:
        """Run any command in the environment of this runner."""
        return Told(
            subprocess.run(
                list(map(str, command)),
                cwd=cwd or self.folder,
                env={**self.env, **(env or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="surrogateescape",
                timeout=60,
                check=False,
            )
        )


def write_files(folder: Path, files: Mapping[str, str | bytes | Mapping[str, object]]) -> None:
    """Write files from path to text, bytes or an object that becomes JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Mapping):
            content = json.dumps(content)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


@pytest.fixture
def own_bundle(bundle: Path, tmp_path: Path) -> Path:
    """Return a bundle that the test may change; its folder has a space in its name."""
    target = tmp_path / "a bundle"
    return shutil.copytree(bundle, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Return an empty repository."""
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which `python3` is the newest interpreter."""
    return python_on_path(interpreters()[-1], tmp_path_factory.mktemp("python"))


@pytest.fixture
def ultra(bundle: Path, repo: Path, python: Path) -> Runner:
    """Return a runner that stands in the repository."""
    return Runner(bundle, repo, python)


@pytest.fixture
def add_state(repo: Path) -> Callable[..., Path]:
    """Return a function that writes the session state of a project, with its brief."""

    def add(project: str = "one", **changes: object) -> Path:
        brief = f".claude/projects/{project}/sessions/session-2.md"
        own = {"project": f".claude/projects/{project}", "next_session_brief_path": brief}
        state = {**STATE, **own, **changes}
        file = f".claude/projects/{project}/{STATE_FILE}"
        write_files(repo, {brief: "# Session 2\n", file: state})
        return repo / file

    return add
