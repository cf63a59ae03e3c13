"""Calls of the installer in forks of the process of the tests, so that its faults and its lines are those of the tests."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.kit.warm import Program
from tests.kit.warm_server import run

PACKAGE = "ultra_plugin/install"
FAULTY: dict[str, str] = {}
"""Path of a script -> its text with a fault."""


def use_forks_of_tests(begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Let calls of the installer be forks of this process, which call `begin` and `end`."""
    forks, can_fork = Program.fork, Program.can_fork

    def fork(
        self: Program, words: Sequence[str], given: bytes, folder: Path, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        if self.package != PACKAGE:
            return forks(self, words, given, folder, env)
        with (
            tempfile.TemporaryFile() as stdin,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            stdin.write(given)
            child = os.fork()
            if child == 0:
                begin()
                for number, file in enumerate((stdin, out, err)):
                    file.seek(0)
                    os.dup2(file.fileno(), number)
                _run(list(words), folder, env, end)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(list(words), status, out.read(), err.read())

    def can(self: Program, call: tuple[str, ...], given: bytes) -> bool:
        return self.package == PACKAGE or can_fork(self, call, given)

    for path in sorted((Path.cwd() / "generator" / PACKAGE).glob("*.py")):
        importlib.import_module(f"{PACKAGE.replace('/', '.')}.{path.stem}")
    Program.fork, Program.can_fork = fork, can  # type: ignore[method-assign]


def _run(words: list[str], folder: Path, env: Mapping[str, str], end: Callable[[], None]) -> None:
    """Run a script as an interpreter does, and end this process."""
    leave = os._exit

    def leaving(status: int) -> None:
        try:
            end()
        finally:
            leave(status)

    os._exit = leaving  # type: ignore[assignment]
    sys.stdin, sys.stdout, sys.stderr = (open(number, "r" if number == 0 else "w") for number in range(3))  # noqa: SIM115
    code = compile(FAULTY.get(words[0]) or Path(words[0]).read_text(), words[0], "exec", dont_inherit=True)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    run(code, words)
