"""The session that is recorded: a step fails three times and is undone; the next session resumes the run and ends it.

The client, the plugin, git and every check are real; the model follows a script.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from tests.client.model import ScriptedModel
from tests.client.session import Client
from tests.client.terminal import Terminal
from tests.executor.sample import PROJECT, Repo
from tests.flagship.acting.executing import Executing
from tests.flagship.greeting import EXECUTE, FILES, GREET, GREETING, HELLO, README
from tests.interpreters import interpreters
from tests.recording.film import Screen

COLUMNS, ROWS = 100, 30
POLL = 0.1
WRONG = (
    "from greet import greet\n\nprint(greet())\n",
    "import sys\n\nfrom greet import greet\n\nprint(greet(sys.argv))\n",
    "import sys\n\nfrom greet import Greet\n\nprint(Greet(sys.argv[1]))\n",
)
FAILS = {1: [{"src/greet.py": GREET}], 2: [{"src/hello.py": text} for text in WRONG]}
START = {**FILES, "src/greet.py": '"""Greetings."""\n'}
WORKS = {2: [{"src/hello.py": HELLO}], 3: [{"README.md": README}]}
SETTINGS = '{"permissions": {"allow": ["Bash(ultra:*)", "Read", "Write"]}}'


class Camera:
    """Keep what a terminal shows, from its start to its end."""

    def __init__(self) -> None:
        self.screens: list[Screen] = []

    def watch(self, terminal: Terminal, stop: threading.Event) -> None:
        """Look again and again."""
        while not stop.is_set():
            self.screens.append(Screen(time.monotonic(), terminal.screen_in_colour()))
            time.sleep(POLL)


def record(client: Client, bundle: Path, folder: Path) -> tuple[Repo, list[Screen]]:
    """Play both sessions and return the repository and what the terminal showed."""
    repo = Repo(folder, bundle, interpreters()[-1].parent).create(GREETING, START)
    (client.home.config / "settings.json").write_text(SETTINGS)
    camera = Camera()
    typed = f"{EXECUTE} --project {PROJECT}"
    _session(client, bundle, repo, camera, typed, Executing(repo.folder, FAILS), "Result: failed")
    resumed = Executing(repo.folder, WORKS, resume=True)
    _session(client, bundle, repo, camera, f"{typed} --resume", resumed, "Result: completed")
    return repo, camera.screens


def _session(
    client: Client, bundle: Path, repo: Repo, camera: Camera, typed: str, does: Executing, ends: str
) -> None:
    with (
        ScriptedModel(does) as model,
        Terminal(client, model, cwd=repo.folder, plugin_dirs=[bundle], size=(COLUMNS, ROWS)) as terminal,
    ):
        stop = threading.Event()
        watching = threading.Thread(target=camera.watch, args=(terminal, stop))
        watching.start()
        try:
            time.sleep(1)
            terminal.send(typed)
            terminal.wait_for(ends, 120)
            time.sleep(1.5)
        finally:
            stop.set()
            watching.join()
