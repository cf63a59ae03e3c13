"""Run the real client headless, with nothing of the user's but the PATH."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.client.conversation import Json
from tests.client.model import ScriptedModel

CLOSED = "http://127.0.0.1:9"  # nothing listens there, and no free port is ever given out below 1024
TIME_LIMIT = 60.0
LAST_WORDS = 10.0  # what left the group may keep the pipes open


@dataclass(frozen=True)
class Home:
    """Hold a throw-away home folder."""

    root: Path

    @classmethod
    def create(cls, root: Path) -> Home:
        """Make the folders."""
        home = cls(root.resolve())
        home.config.mkdir(parents=True)
        (home.root / "tmp").mkdir()
        return home

    @property
    def config(self) -> Path:
        """Return the client's configuration folder."""
        return self.root / ".claude"

    def environment(self, model: ScriptedModel | None = None) -> dict[str, str]:
        """Return the whole environment of a client: a dead proxy keeps it on the loopback interface."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "TMPDIR": str(self.root / "tmp"),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",  # that one is by git and ssh
            "GIT_ALLOW_PROTOCOL": "file",
            "ANTHROPIC_BASE_URL": model.url if model else CLOSED,
            "ANTHROPIC_API_KEY": "dummy",
            "HTTP_PROXY": CLOSED,
            "HTTPS_PROXY": CLOSED,
            "NO_PROXY": "127.0.0.1,localhost",
            "BUN_JSC_useDFGJIT": "0",  # a client of a few seconds never gains what optimising its code costs
        }


@dataclass(frozen=True)
class Completed:
    """Hold how a process ended."""

    command: tuple[str, ...]
    status: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """Return the standard output, parsed."""
        try:
            return json.loads(self.stdout)
        except ValueError:
            raise AssertionError(f"not JSON: {self}") from None


@dataclass(frozen=True)
class Init:
    """Hold what the client says it loaded; of the plugins only those that do not come with it."""

    session_id: str
    tools: tuple[str, ...]
    plugins: tuple[str, ...]
    slash_commands: tuple[str, ...]
    agents: tuple[str, ...]
    skills: tuple[str, ...]
    plugin_errors: tuple[Json, ...]

    @classmethod
    def parse(cls, message: Json) -> Init:
        """Read the init message; without errors it has no key for them."""
        lists = {key: tuple(message[key]) for key in ("tools", "slash_commands", "agents", "skills")}
        plugins = tuple(one["name"] for one in message["plugins"] if not one["source"].endswith("@builtin"))
        errors = tuple(message.get("plugin_errors", ()))
        return cls(message["session_id"], plugins=plugins, plugin_errors=errors, **lists)


@dataclass(frozen=True)
class Session:
    """Hold the messages of one headless run."""

    completed: Completed
    messages: tuple[Json, ...]

    @property
    def init(self) -> Init:
        """Return what was loaded."""
        found = [one for one in self.messages if (one["type"], one.get("subtype")) == ("system", "init")]
        assert found, f"the client did not start: {self.completed}"
        return Init.parse(found[0])

    @property
    def results(self) -> list[str]:
        """Return every final text: an agent in the background makes for a second one."""
        return [str(one.get("result", "")) for one in self.messages if one["type"] == "result"]

    @property
    def result(self) -> str:
        """Return the last final text."""
        assert self.results, f"the client gave no result: {self.completed}"
        return self.results[-1]


@dataclass(frozen=True)
class Client:
    """Run one client binary in one home."""

    binary: Path
    home: Home

    def run(
        self,
        *args: str,
        model: ScriptedModel | None = None,
        cwd: Path | None = None,
        timeout: float = TIME_LIMIT,
    ) -> Completed:
        """Run a subcommand such as `plugin validate`, by default with no model to talk to."""
        return run([str(self.binary), *args], self.home.environment(model), cwd or self.home.root, timeout)

    def ask(
        self,
        prompt: str,
        model: ScriptedModel,
        *,
        cwd: Path,
        plugin_dirs: Sequence[Path] = (),
        extra: Sequence[str] = (),
        resume: Session | None = None,
        environment: Mapping[str, str] | None = None,
        timeout: float = TIME_LIMIT,
    ) -> Session:
        """Send one prompt headless and return all that came of it."""
        command = [str(self.binary), "-p", prompt, "--output-format", "stream-json", "--verbose"]
        command += plugin_options(plugin_dirs)
        command += ["--resume", resume.init.session_id] if resume else []
        variables = {**self.home.environment(model), **(environment or {})}
        done = run([*command, *extra], variables, cwd, timeout)
        return Session(done, tuple(json.loads(line) for line in done.stdout.splitlines() if line))


def plugin_options(folders: Sequence[Path]) -> list[str]:
    """Return the options that load plugins for one session."""
    return [word for folder in folders for word in ("--plugin-dir", str(folder))]


def run(command: Sequence[str], environment: Mapping[str, str], cwd: Path, timeout: float) -> Completed:
    """Run a process in a group of its own, and end the whole group when it does not end itself."""
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=cwd,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)  # not yet waited for, so the number is still ours
            if isinstance(error, subprocess.TimeoutExpired):
                said = process.communicate(timeout=LAST_WORDS)
                raise AssertionError(f"no end within {timeout} s: {command}\n{said}") from None
            raise
    return Completed(tuple(command), process.returncode, stdout, stderr)
