"""A rendered bundle, a repository with a project, and the real `bin/ultra` with something on its standard input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import interpreters, python_on_path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "plugin_src" / "runtime"

sys.path.insert(0, str(SOURCE))

PROJECT = ".claude/projects/2026-01-31-rate-limit"
EXAMPLE = ROOT / "dist/ultraplan-local/docs/examples/2026-01-31-rate-limit"


class Told:
    """What a call printed and returned."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.status = done.returncode
        self.out = done.stdout.decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")

    @property
    def data(self) -> dict[str, Any]:
        """The answer, which has to be one JSON object on one line and nothing else."""
        assert self.out.count("\n") == 1, (self.out, self.err)
        assert self.err == ""
        answer = json.loads(self.out)
        assert isinstance(answer, dict)
        return answer


class Ultra:
    """Calls `bin/ultra` of a bundle in a repository, as the client's Bash tool would."""

    def __init__(self, bundle: Path, repo: Path, python: Path) -> None:
        self.command = bundle / "bin" / "ultra"
        self.repo = repo
        self.env = {
            "PATH": os.pathsep.join([str(python), "/usr/bin", "/bin"]),
            "HOME": str(repo),
            "LANG": "C.UTF-8",
        }

    def __call__(self, *words: str | Path, given: str | bytes = b"", cwd: Path | None = None) -> Told:
        """Answer for a program."""
        return self.say(*words, "--json", given=given, cwd=cwd)

    def say(self, *words: str | Path, given: str | bytes = b"", cwd: Path | None = None) -> Told:
        """Answer for a person."""
        data = given.encode() if isinstance(given, str) else given
        return Told(
            subprocess.run(
                [self.command, *words],
                input=data,
                cwd=cwd or self.repo,
                env=self.env,
                capture_output=True,
                timeout=60,
                check=False,
            )
        )

    def shell(self, script: str) -> Told:
        """Run a line of the shell in which `ultra` is ours."""
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.repo,
            env={**self.env, "PATH": f"{self.command.parent}{os.pathsep}{self.env['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Told(done)


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which `python3` is the newest interpreter."""
    return python_on_path(interpreters()[-1], tmp_path_factory.mktemp("python"))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Return a repository with an empty project."""
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    (folder / PROJECT).mkdir(parents=True)
    return folder.resolve()


@pytest.fixture
def project(repo: Path) -> Path:
    """Return the project's directory."""
    return repo / PROJECT


def git(repo: Path, *words: str) -> str:
    """Run git as somebody who is nobody."""
    done = subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid", *words],
        cwd=repo,
        check=True,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return done.stdout.strip()


@pytest.fixture
def work(repo: Path, project: Path) -> Path:
    """Return a real repository with one commit and a brief that git does not know yet."""
    (repo / ".git").rmdir()
    git(repo, "init", "--quiet", "--initial-branch=main")
    (repo / "old.py").write_text("print(1)\n")
    git(repo, "add", "old.py")
    git(repo, "commit", "--quiet", "--message=begin")
    shutil.copy(EXAMPLE / "brief.md", project)
    return repo


@pytest.fixture
def ultra(bundle: Path, repo: Path, python: Path) -> Ultra:
    """Return the runtime, standing in the repository."""
    return Ultra(bundle, repo, python)


def tree_of(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder with their bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git/" not in path.as_posix()
    }
