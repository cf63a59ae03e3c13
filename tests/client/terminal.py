"""Play the interactive client in a terminal of its own."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from tests.client.model import ScriptedModel
from tests.client.session import Client, Home, plugin_options

COLUMNS, LINES = 150, 45
POLL = 0.15  # each look is a process, and the screen is drawn by one more
STILL = 0.4
RETRY = 2.0
READY = "? for shortcuts"
RULE = "─" * 20


class Terminal:
    """Type into the client and read its screen, until the with block ends."""

    def __init__(
        self,
        client: Client,
        model: ScriptedModel,
        *,
        cwd: Path,
        plugin_dirs: Sequence[Path] = (),
        extra: Sequence[str] = (),
        size: tuple[int, int] = (COLUMNS, LINES),
    ) -> None:
        skip_first_run(client.home, cwd.resolve())
        # Auto mode, the client's own choice, asks a classifier that no scripted model can be.
        options = ["--permission-mode", "default", *plugin_options(plugin_dirs), *extra]
        self._command = [str(client.binary), *options]
        self._environment = {**client.home.environment(model), "TERM": "xterm-256color"}
        self._settings = client.home.root / "tmux.conf"
        self._socket = f"ultra-{os.getpid()}-{secrets.token_hex(4)}"
        self._cwd = cwd.resolve()
        self._pid, self._socket_path = 0, Path()
        self._size = size

    def __enter__(self) -> Terminal:
        # A client that died leaves its last words, and the server stays to see the client end.
        self._settings.write_text("set -g remain-on-exit on\nset -s exit-empty off\n")
        columns, lines = map(str, self._size)
        size = ["-x", columns, "-y", lines]
        told = ["-P", "-F", "#{pane_pid} #{socket_path}"]
        started = self._tmux("new-session", "-d", *size, "-c", str(self._cwd), *told, *self._command)
        pid, _, path = started.strip().partition(" ")
        self._pid, self._socket_path = int(pid), Path(path)
        try:
            self.wait_for(READY)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session, our own server, and a client that outlives them."""
        self._tmux("kill-session", check=False)
        deadline = time.monotonic() + 5
        while alive(self._pid) and time.monotonic() < deadline:
            time.sleep(POLL)
        if alive(self._pid):
            os.killpg(self._pid, signal.SIGKILL)
        self._tmux("kill-server", check=False)
        self._socket_path.unlink(missing_ok=True)

    def send(self, text: str) -> None:
        """Type a line, wait until the client shows it, and press Enter."""
        before = times_shown(text, self.screen())
        self._tmux("send-keys", "-l", "--", text)
        # Enter in the same read as the text would be taken for a pasted line end.
        self._wait(lambda screen: times_shown(text, screen) > before, text, 30)
        self.keys("Enter")

    def keys(self, *names: str) -> None:
        """Press keys by tmux's names for them, such as 2, Enter, Escape or Down."""
        self._tmux("send-keys", "--", *names)

    def choose(self, option: str, timeout: float = 60) -> str:
        """Take an option such as "2. blue" by its number, once its dialog stands still; return the screen before it.

        A dialog ignores keys for its first moments, so the number is typed again if nothing moved.
        """
        deadline = time.monotonic() + timeout
        dialog = self._settled(option, timeout)
        before = self.screen()
        while dialog == self._dialog(option):
            assert time.monotonic() < deadline, f"{option!r} was not taken:\n{self.screen()}"
            self.keys(option.split(".")[0])
            retry = time.monotonic() + RETRY
            while dialog == self._dialog(option) and time.monotonic() < retry:
                time.sleep(POLL)
        return before

    def screen(self) -> str:
        """Return what the screen shows."""
        return self._tmux("capture-pane", "-p")

    def screen_in_colour(self) -> str:
        """Return what the screen shows, with the sequences that colour it."""
        return self._tmux("capture-pane", "-p", "-e")

    def wait_for(self, text: str, timeout: float = 60) -> str:
        """Wait until the screen shows a text, wherever its lines break, and return the screen."""
        return self._wait(lambda screen: squeeze(text) in squeeze(screen), text, timeout)

    def _dialog(self, option: str) -> str:
        """Return the dialog from its rule down to an option, or nothing; around it things may move."""
        above, found, _ = squeeze(self.screen()).partition(squeeze(option))
        return above.rpartition(RULE)[2] + found if found else ""

    def _settled(self, option: str, timeout: float) -> str:
        """Wait until a dialog has stood still, and return it."""
        deadline = time.monotonic() + timeout
        self.wait_for(option, timeout)
        seen, since = self._dialog(option), time.monotonic()
        while time.monotonic() - since < STILL:
            assert time.monotonic() < deadline, f"the dialog never stands still:\n{self.screen()}"
            time.sleep(POLL)
            now = self._dialog(option)
            if now != seen:
                seen, since = now, time.monotonic()
        return seen

    def _wait(self, condition: Callable[[str], bool], what: str, timeout: float) -> str:
        deadline = time.monotonic() + timeout
        while not condition(screen := self.screen()):
            assert time.monotonic() < deadline, f"the screen does not show {what!r}:\n{screen}"
            time.sleep(POLL)
        return screen

    def _tmux(self, *args: str, check: bool = True) -> str:
        command = ["tmux", "-L", self._socket, "-f", str(self._settings), *args]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=10)
        assert done.returncode == 0 or not check, f"{command}: {done.stderr}"
        return done.stdout


def skip_first_run(home: Home, project: Path) -> None:
    """Tell the client that its first-run dialogs were answered."""
    path = home.config / ".claude.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    settings |= {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "numStartups": 3,
        "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
    }
    answered = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": []}
    settings.setdefault("projects", {})[str(project)] = answered
    path.write_text(json.dumps(settings))


def squeeze(text: str) -> str:
    """Drop all white space, and with it every line break."""
    return "".join(text.split())


def times_shown(text: str, screen: str) -> int:
    """Count a typed text on the screen; the client shows a very long one as a placeholder."""
    shown = squeeze(screen)
    return shown.count(squeeze(text)) + shown.count("[Pastedtext")


def alive(pid: int) -> bool:
    """Tell whether a process is still there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
