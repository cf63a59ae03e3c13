"""The server of `tests/kit/warm_server.py` with a fault in one of its modules, or with notes of what its forks call.

It is run with the path of a JSON file: `fault` is a module below the runtime with its faulty text, `notes` a folder, in
which each fork writes the lines of the functions that it calls, and whether it starts a program that may be ours.
"""

from __future__ import annotations

import json
import os
import runpy
import socket
import sys
from importlib.machinery import SourceFileLoader
from types import CodeType, FrameType
from typing import Any

KIT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kit/warm_server.py")
OTHERS = ("bash", "sh", "git", "cp")


def use_fault(path: str, text: str) -> CodeType:
    """Load a module with another text, and return its code."""
    get_code = SourceFileLoader.get_code
    code = compile(text, path, "exec", dont_inherit=True)

    def get(self: SourceFileLoader, name: str) -> CodeType | None:
        return code if self.path == path else get_code(self, name)

    SourceFileLoader.get_code = get  # type: ignore[method-assign, assignment]
    return code


class Calls:
    """What a fork calls."""

    def __init__(self, runtime: str) -> None:
        self.runtime, self.codes, self.away = runtime, set[CodeType](), False

    def hear(self, event: str, given: tuple[Any, ...]) -> None:
        """Note that a program is started."""
        if event in ("subprocess.Popen", "os.posix_spawn", "os.exec"):
            self.away |= os.path.basename(os.fsdecode(given[0])) not in OTHERS

    def trace(self, frame: FrameType, event: str, given: object) -> None:
        """Note a function, and trace no lines of it."""
        if frame.f_code.co_filename.startswith(self.runtime):
            self.codes.add(frame.f_code)

    def write(self, folder: str) -> None:
        """Write the lines of the functions below the runtime, and whether a program was started."""
        lines = sorted(
            {
                (os.path.relpath(code.co_filename, self.runtime), line)
                for code in self.codes
                for _, _, line in code.co_lines()
                if line
            }
        )
        with open(os.path.join(folder, "now"), encoding="utf-8") as file:
            test = file.read()
        with open(os.path.join(folder, f"call-{os.getpid()}-{os.urandom(4).hex()}"), "w") as out:
            json.dump([test, lines, self.away], out)


def main(settings: str) -> None:
    """Serve with a fault, or with notes."""
    with open(settings, encoding="utf-8") as file:
        given = json.load(file)
    kit = runpy.run_path(KIT)
    runtime, scripts = sys.argv[1], {}
    if "fault" in given:
        path = os.path.join(runtime, given["fault"][0])
        scripts[path] = use_fault(path, given["fault"][1])
    kit["load"](*sys.argv[1:3])
    if "notes" in given:
        run = kit["run"]

        def noting(code: CodeType, words: list[str]) -> None:
            calls, leave, owner = Calls(runtime), os._exit, os.getpid()
            sys.addaudithook(calls.hear)

            def leaving(status: int) -> None:
                if os.getpid() == owner:
                    sys.settrace(None)
                    calls.write(given["notes"])
                leave(status)

            os._exit = leaving  # type: ignore[assignment]
            sys.settrace(calls.trace)
            run(code, words)

        kit["Server"].start.__globals__["run"] = noting
    kit["gc"].collect()
    kit["gc"].freeze()
    server = kit["Server"](socket.socket(fileno=int(sys.argv[3])))
    server.scripts.update(scripts)
    server.serve()
