"""A copy of the source tree in which faults are tried, one after the other."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.mutants.faults import Fault

LIMIT = 900  # seconds for the tests of a room without a fault


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

    def notices(self, fault: Fault, tests: list[str], limit: float) -> str:
        """Return how the tests show that there is a fault; nothing if they pass."""
        path = self.root / fault.path
        self._write(path, fault.after)
        try:
            return self.run(tests, limit)[0]
        finally:
            self._write(path, fault.before)

    def run(self, tests: list[str], limit: float = LIMIT) -> tuple[str, float]:
        """Run tests until the first that fails; return how they failed, and how long they took."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        path = os.pathsep.join(str(self.root / name) for name in ("generator", "plugin_src/runtime"))
        env = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(self.scratch)}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:xdist",
            "--no-header",
            "--tb=no",
            *tests,
        ]
        begun = time.monotonic()
        with open(self.folder / "said", "w+b") as said:
            tried = subprocess.Popen(
                command, cwd=self.root, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                start_new_session=True,
            )  # fmt: skip
            try:
                status = tried.wait(limit)
            except subprocess.TimeoutExpired:
                return "timeout", limit
            finally:
                _end(tried)
            said.seek(0)
            rows = said.read().decode("utf-8", "replace").splitlines()
        failed = [row for row in rows if row.startswith(("FAILED", "ERROR"))] or rows[-1:] or ["no output"]
        return "" if status == 0 else failed[0], time.monotonic() - begun

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
