"""Fetching, with an npm that is a script of this test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client import binary
from tests.kit.files import write_tree

SCRIPT = str(Path(binary.__file__).resolve())
NPM = """#!/bin/sh
echo "$@" >> "$NPM_LOG"
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/@anthropic-ai/claude-code-$NPM_PLATFORM"
printf x > "$2/node_modules/@anthropic-ai/claude-code-$NPM_PLATFORM/claude"
chmod +x "$2/node_modules/@anthropic-ai/claude-code-$NPM_PLATFORM/claude"
"""
BROKEN_NPM = "#!/bin/sh\necho 'npm error: no network' >&2\nexit 1\n"


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return an environment with a cache of the test's own and a PATH that has no npm yet."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "mkdir", "chmod"):
        (tools / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("ULTRA_CLIENT_CACHE", str(tmp_path / "cache"))
    log = str(tmp_path / "npm.log")
    names = {"PATH": str(tools), "NPM_LOG": log, "NPM_PLATFORM": binary.here()[0]}
    return {**names, "ULTRA_CLIENT_CACHE": str(tmp_path / "cache")}


def start(environment: dict[str, str], *words: str) -> subprocess.Popen[str]:
    """Start the script."""
    command = [sys.executable, SCRIPT, "fetch", *words]
    return subprocess.Popen(command, env=environment, text=True, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[str]) -> tuple[int, list[str]]:
    """Return the exit status and the lines on the standard error stream."""
    _, stderr = process.communicate(timeout=30)
    return process.returncode, stderr.splitlines()


def test_two_at_a_time_install_once(tmp_path: Path, environment: dict[str, str]) -> None:
    write_tree(tmp_path, {"bin/npm": NPM})
    ends = [finish(one) for one in [start(environment), start(environment)]]
    assert [status for status, _ in ends] == [0, 0]
    assert sorted(len(lines) for _, lines in ends) == [0, 1]
    (asked,) = (tmp_path / "npm.log").read_text().splitlines()
    assert asked.endswith(f" @anthropic-ai/claude-code@{binary.PINNED}")
    assert binary.find() is not None
    assert binary.find(binary.OLDEST) is None
    assert sorted(os.listdir(tmp_path / "cache")) == [f".{binary.PINNED}.lock", binary.PINNED]


@pytest.mark.parametrize(("npm", "said"), [(None, "npm is not installed"), (BROKEN_NPM, "no network")])
@pytest.mark.parametrize(("ci", "status"), [("", 0), ("true", 1)])
def test_failure_is_one_sentence(
    tmp_path: Path, environment: dict[str, str], npm: str | None, said: str, ci: str, status: int
) -> None:
    if npm:
        write_tree(tmp_path, {"bin/npm": npm})
    ended, lines = finish(start({**environment, "CI": ci}, binary.OLDEST))
    assert ended == status
    assert said in lines[-1]
    assert "Traceback" not in "".join(lines)
    assert os.listdir(tmp_path / "cache") == [f".{binary.OLDEST}.lock"]


@pytest.mark.parametrize(
    ("system", "machine", "musl", "first"),
    [
        ("Linux", "x86_64", False, "linux-x64"),
        ("Linux", "aarch64", False, "linux-arm64"),
        ("Linux", "x86_64", True, "linux-x64-musl"),
        ("Linux", "aarch64", True, "linux-arm64-musl"),
        ("Darwin", "arm64", True, "darwin-arm64"),
    ],
)
def test_platform_package(system: str, machine: str, musl: bool, first: str) -> None:
    assert binary.platforms(system, machine, musl)[0] == first


def test_no_package_for_an_unknown_machine() -> None:
    assert binary.platforms("Linux", "riscv64", False) == ()
    assert binary.platforms("Windows", "AMD64", False) == ()
    assert binary.platforms("Darwin", "x86_64", True)[-1] == "darwin-x64"
