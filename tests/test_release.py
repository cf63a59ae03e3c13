"""make release: it tags only when all is green, and puts everything back when it is not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.names import ROOT
from tests.kit.repository import git, make_repository

# The real script with a Makefile that builds and tests nothing, or fails where it should.
RECORD = "import sys\nopen('tests/released/ref', 'w').write(' '.join(sys.argv[1:]))\n"
MAKEFILE = """\
plugin:
	@echo built >> dist/made

test:
	@test ! -e fail

attest:
	@test ! -e unsigned
	@git rev-parse HEAD > .git/attested; echo "$(SIGN)" >> .git/attested
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("generator/release.py", "generator/ultra_plugin/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [9.8.7] - 2026-12-24\n")
    for name in ("tests", "tests/released"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    # What keeps the released surface is tested in its own folder.
    (tmp_path / "tests/released/record.py").write_text(RECORD)
    for name, text in (("brief.yaml", "artifact: brief\n"), ("released/plan.yaml", "artifact: plan\n")):
        (tmp_path / "plugin_src/contracts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "plugin_src/contracts" / name).write_text(text)
    (tmp_path / "dist").mkdir()
    (tmp_path / ".claude-plugin").mkdir()
    make_repository(tmp_path)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return tmp_path


def release(folder: Path, version: str, *key: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "generator/release.py", version, *key]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def test_a_release_sets_the_version_commits_and_tags(repository: Path) -> None:
    done = release(repository, "9.8.7")
    assert done.returncode == 0, done.stderr
    assert '__version__ = "9.8.7"' in git(repository, "show", "v9.8.7:generator/ultra_plugin/__init__.py")
    assert git(repository, "show", "v9.8.7:tests/released/ref") == "v9.8.7 dist"
    assert git(repository, "rev-parse", "v9.8.7^{commit}") == git(repository, "rev-parse", "HEAD")
    assert git(repository, "status", "--porcelain") == ""
    released = repository / "plugin_src/contracts/released"
    assert {path.name: path.read_text() for path in released.iterdir()} == {
        "brief.yaml": "artifact: brief\n",
        "version.txt": "9.8.7\n",
    }


def test_the_released_commit_is_the_one_that_is_attested_and_signed(repository: Path) -> None:
    (repository / ".git/key").touch()
    assert release(repository, "9.8.7", ".git/key").returncode == 0
    commit = git(repository, "rev-parse", "v9.8.7^{commit}")
    assert (repository / ".git/attested").read_text().split() == [commit, ".git/key"]


@pytest.mark.parametrize("step", ["fail", "unsigned"])
def test_when_a_step_fails_nothing_is_tagged_and_all_is_as_before(repository: Path, step: str) -> None:
    (repository / step).touch()
    git(repository, "add", step)
    git(repository, "commit", "--quiet", "--message", "Fail")
    before = git(repository, "rev-parse", "HEAD")
    assert release(repository, "9.8.7").returncode == 1
    assert (
        git(repository, "rev-parse", "HEAD"),
        git(repository, "tag"),
        git(repository, "status", "--porcelain"),
    ) == (before, "", "")


@pytest.mark.parametrize(
    ("version", "change", "reason"),
    [
        ("1.2", None, "is not a version"),
        ("", None, "is not a version"),
        ("9.8.8", None, "CHANGELOG.md has no section '## [9.8.8] - YYYY-MM-DD'"),
        ("9.8.7", "stray", "the working tree has changes"),
        ("9.8.7", "tag", "the tag v9.8.7 exists"),
        ("9.8.7", "key", "missing: no such key"),
    ],
)
def test_what_stops_a_release(repository: Path, version: str, change: str | None, reason: str) -> None:
    if change == "stray":
        (repository / "stray").touch()
    if change == "tag":
        git(repository, "tag", "v9.8.7")
    done = release(repository, version, *(["missing"] if change == "key" else []))
    assert done.returncode == 1
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
