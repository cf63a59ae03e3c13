"""The command line of the generator, called in a folder."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from tests.kit.names import ROOT
from tests.kit.warm import Program
from ultra_plugin.cli.program import run

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


def call(folder: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run `ultra-plugin` in this process and return what it printed."""
    out, err, here = io.StringIO(), io.StringIO(), os.getcwd()
    os.chdir(folder)
    try:
        with (
            patch("sys.argv", ["ultra-plugin", *words]),
            patch("sys.stdin", io.StringIO(stdin)),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            status = run()
    finally:
        os.chdir(here)
    return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())
