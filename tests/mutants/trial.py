"""A copy of the source tree in which faults are tried, one after the other or several at once."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.mutants.faults import Fault, combined
from tests.mutants.reach import CHOSEN, FORKED, NOTED

LIMIT = 1800  # seconds for the tests of a room without a fault


class Copy:
    """A copy of the files that git would commit, with a folder for the temporary files of its tests."""

    def __init__(self, root: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ultra-mutants-"))
        self.root, self.scratch = self.folder / "tree", self.folder / "tmp"
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=root, capture_output=True, check=True).stdout.decode().split("\0")
        for name in (name for name in names if name and (root / name).exists()):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, self.root / name, follow_symlinks=False)
        self.changes = 0

    def noted(self, files: Sequence[str]) -> Any:
        """Run test files without a fault; return what was noted of their tests, or the first line about a failure."""
        notes = self.folder / "notes"
        shutil.rmtree(notes.with_suffix(".calls"), ignore_errors=True)
        return self._run(files, {NOTED: str(notes)}, LIMIT) or json.loads(notes.read_text())

    def forked(self, faults: Sequence[tuple[Fault, Sequence[str], float]]) -> list[str]:
        """Return how tests notice each fault, tried in forks of one process, each with its tests and seconds."""
        asked = [
            {"path": one.path, "before": one.before, "after": one.after, "tests": tests, "limit": limit}
            for one, tests, limit in faults
        ]
        listed, found = self.folder / "forked", self.folder / "forked.found"
        listed.write_text(json.dumps(asked))
        found.write_text("[]")
        files = {test.partition("::")[0] for _, tests, _ in faults for test in tests}
        limit = LIMIT + sum(limit for _, _, limit in faults)
        said = self._run(sorted(files), {FORKED: str(listed)}, limit) if files else ""
        notices: list[str] = json.loads(found.read_text())
        if files and len(notices) != len(faults):
            sys.exit(f"mutants: the tests cannot be collected: {said}")
        return notices or [""] * len(faults)

    def notices(self, faults: Sequence[Fault], tests: Sequence[str], limit: float) -> str:
        """Return how the first of these tests that fails shows that there is a fault; nothing if they pass."""
        chosen = self.folder / "chosen"
        chosen.write_text(json.dumps(tests))
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        before = {fault.path: fault.before for fault in faults}
        for path, text in combined(faults).items():
            self._write(self.root / path, text)
        try:
            return self._run(files, {CHOSEN: str(chosen)}, limit) if files else ""
        finally:
            for path, text in before.items():
                self._write(self.root / path, text)

    def _run(self, files: Sequence[str], variables: dict[str, str], limit: float) -> str:
        """Run tests until the first that fails, and return how it failed."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        path = os.pathsep.join(str(self.root / name) for name in ("generator", "plugin_src/runtime"))
        env = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(self.scratch), **variables}
        options = ["-x", "-q", "-p", "no:xdist", "-p", "tests.mutants.reach", "--no-header", "--tb=no"]
        with open(self.folder / "said", "w+b") as said:
            tried = subprocess.Popen(
                [sys.executable, "-m", "pytest", *options, *files], cwd=self.root, env=env,
                stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
            )  # fmt: skip
            try:
                status = tried.wait(limit)
            except subprocess.TimeoutExpired:
                return "timeout"
            finally:
                _end(tried)
            said.seek(0)
            rows = said.read().decode("utf-8", "replace").splitlines()
        failed = [row for row in rows if row.startswith(("FAILED", "ERROR"))] or rows[-1:] or ["no output"]
        return "" if status == 0 else failed[0]

    def remove(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, path: Path, text: str) -> None:
        """Write a module with a time of its own: byte code of the same second and size would count as current."""
        path.write_text(text)
        self.changes += 1
        os.utime(path, (self.changes, self.changes))


def _end(tried: subprocess.Popen[bytes]) -> None:
    """End everything that a call has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(tried.pid, signal.SIGKILL)
    tried.wait()
