"""The command line of the generator, called in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.kit.names import ROOT
from tests.kit.warm import Program

MODULES = ROOT / "generator"
GENERATOR = Program(Path(sys.executable), (), MODULES, "ultra_plugin")


def generator(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `ultra-plugin` and return what it printed."""
    called = ("ultra-plugin", *(word for word in words if word.startswith("--") or word == words[0]))
    if GENERATOR.can_fork(called, b""):
        script = str(MODULES / "ultra_plugin/__main__.py")
        done = GENERATOR.fork([script, *words], b"", folder, os.environ)
    else:
        command = [sys.executable, "-m", "ultra_plugin", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=60)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
