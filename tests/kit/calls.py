"""The launcher and the hooks of a bundle, called as the client calls them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.interpreters import interpreters
from tests.kit.names import LAUNCHER
from tests.kit.warm import Program
from tests.kit.warm_shell import warm_function

ISOLATED = ("python3", "-I", "-S", "-X", "utf8")
# What a script changes that a launcher in a process of its own may notice.
SURROUNDINGS = re.compile(r"PATH|LD_|PYTHON|\bexport\b|\benv\b|HOME=|(?<![&>0-9])&(?![&0-9])")
# Bundles that no test changes.
FIXED: set[Path] = set()


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
        # A call that is refused or fails says so in both ways; a question may be answered with "no" and status 1.
        assert answer.get("ok", self.status == 0) == (self.status == 0), (self.status, answer)
        return answer


class Ultra:
    """Call the launcher of a bundle in a folder, with nothing of the user's environment."""

    def __init__(self, bundle: Path, folder: Path, python: Path, launcher: str = LAUNCHER) -> None:
        self.bundle = bundle
        self.launcher = launcher
        self.folder = folder
        self.env = {
            "PATH": os.pathsep.join([str(python), "/usr/bin", "/bin"]),
            "HOME": str(folder),
            "LANG": "C.UTF-8",
        }

    @property
    def command(self) -> Path:
        """The launcher."""
        return self.bundle / "bin" / self.launcher

    def __call__(self, *words: str | Path, **options: Any) -> Told:
        """Answer for a program."""
        return self.say(*words, "--json", **options)

    def say(self, *words: str | Path, **options: Any) -> Told:
        """Answer for a person."""
        called = tuple(str(word) for word in words[:2] if str(word).replace("-", "").isalpha())
        return self._script(("verb", *called), self.command, [self.command, *words], **options)

    def shell(self, script: str, **options: Any) -> Told:
        """Run a line of the shell in which the launcher is ours."""
        path = f"{self.command.parent}{os.pathsep}{self.env['PATH']}"
        return self.run(["bash", "-c", script], env={"PATH": path}, **options)

    def shell_with_launcher(self, script: str) -> Told:
        """Run a script in which `launcher` calls the launcher: in forks, unless it is the first such script."""
        program = self._program(self.env) if self.bundle in FIXED else None
        if program is None or SURROUNDINGS.search(script) or not program.can_fork(("shell",), b""):
            return self.shell(f'launcher() {{ command {self.launcher} "$@"; }}\n{script}')
        with warm_function("launcher", program, self.command) as function:
            return self.shell(function + script)

    def hook(self, name: str, given: object = b"", **options: Any) -> Told:
        """Run a hook with an input: bytes as they are, anything else as JSON."""
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        file = hook_file(self.bundle, name)
        return self._script(("hook", name), file, [*ISOLATED, file], given=data, **options)

    def _script(
        self,
        call: tuple[str, ...],
        script: Path,
        command: Sequence[str | Path],
        given: str | bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
    ) -> Told:
        """Run a script of the bundle: in a fork when it is one of many such calls, else with its command."""
        data, variables = given.encode() if isinstance(given, str) else given, {**self.env, **(env or {})}
        program = None if before or self.bundle not in FIXED else self._program(variables)
        if program is None or not program.can_fork(call, data):
            return self.run(command, data, cwd, env, before)
        words = [str(word) for word in command[command.index(script) :]]
        return Told(program.fork(words, data, cwd or self.folder, variables))

    def _program(self, env: Mapping[str, str]) -> Program | None:
        """Return the runtime in the interpreter that the launcher finds; none if that is not the newest one."""
        python = shutil.which("python3", path=env.get("PATH", ""))
        if python is None or Path(python).resolve() != interpreters()[-1]:
            return None
        return Program(Path(python), ISOLATED[1:], self.bundle / "runtime", "ultra_runtime")

    def run(
        self,
        command: Sequence[str | Path],
        given: str | bytes = b"",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
    ) -> Told:
        """Run any command here; `before` runs in its process first."""
        data = given.encode() if isinstance(given, str) else given
        done = subprocess.run(
            command, input=data, cwd=cwd or self.folder, env={**self.env, **(env or {})}, preexec_fn=before,
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        return Told(done)


def hook_file(bundle: Path, name: str) -> Path:
    """Return the file that the client starts for a hook."""
    return bundle / "runtime/ultra_runtime/hooks" / f"{name}.py"
