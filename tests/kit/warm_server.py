"""Run scripts in forks of a process that has their modules loaded.

Started as `python3 FLAGS warm_server.py PATH PACKAGE SOCKET`: loads every module in the folder PACKAGE below PATH. A
request is a JSON list of the script with its words, the folder, the environment and the umask, with four file
descriptors: standard input, output and error, and a pipe for the exit status. The fork runs the script as an
interpreter does that is started with it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import socket
import sys
from types import CodeType

MOST = 1 << 20


def load(path: str, package: str) -> None:
    """Import every module of a package that is no script; one that fails without a call is left to the call."""
    sys.path[:] = [path, *(one for one in sys.path if one != os.path.dirname(os.path.abspath(__file__)))]
    for folder, _, names in sorted(os.walk(os.path.join(path, package))):
        for name in sorted(names):
            module = os.path.relpath(os.path.join(folder, name), path).replace(os.sep, ".")
            if name.endswith(".py") and name != "__main__.py" and ".hooks." not in module:
                with contextlib.suppress(Exception):
                    __import__(module[: -len(".py")].replace(".__init__", ""))


def run(code: CodeType, words: list[str]) -> None:
    """Run a script in this process, and end the process."""
    sys.argv = words
    try:
        exec(code, {"__name__": "__main__", "__file__": words[0], "__builtins__": __builtins__})  # noqa: S102
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
        if not isinstance(stop.code, (int, type(None))):
            sys.stderr.write(f"{stop.code}\n")
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


class Server:
    """Forks for each request, and tells the exit status of each fork when it has ended."""

    def __init__(self, asked: socket.socket) -> None:
        self.asked = asked
        self.scripts: dict[str, CodeType] = {}
        self.waiting = selectors.DefaultSelector()
        self.waiting.register(asked, selectors.EVENT_READ)

    def serve(self) -> None:
        """Answer until nobody can ask any more."""
        while True:
            for key, _ in self.waiting.select():
                if key.data:
                    self.tell(key.fd, *key.data)
                else:
                    request, given, _, _ = socket.recv_fds(self.asked, MOST, 4)
                    if not request:
                        return
                    self.start(json.loads(request), list(given))

    def start(self, request: tuple[list[str], str, dict[str, str], int], given: list[int]) -> None:
        """Run a script in a fork."""
        words, folder, env, umask = request
        if words[0] not in self.scripts:
            with open(words[0], encoding="utf-8") as file:
                self.scripts[words[0]] = compile(file.read(), words[0], "exec")
        child = os.fork()
        if child == 0:
            self.waiting.close()
            self.asked.detach()
            for number, one in enumerate(given[:3]):
                os.dup2(one, number)
            os.closerange(3, max(given) + 1)
            os.umask(umask)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(env)
            run(self.scripts[words[0]], words)
        for one in given[:3]:
            os.close(one)
        self.waiting.register(os.pidfd_open(child), selectors.EVENT_READ, (child, given[3]))

    def tell(self, ended: int, child: int, status: int) -> None:
        """Tell how a fork ended."""
        self.waiting.unregister(ended)
        os.close(ended)
        os.write(status, str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
        os.close(status)


if __name__ == "__main__":
    load(*sys.argv[1:3])
    gc.collect()
    gc.freeze()
    Server(socket.socket(fileno=int(sys.argv[3]))).serve()
