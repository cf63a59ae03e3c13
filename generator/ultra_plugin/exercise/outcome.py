"""The place where a plugin is tried, how its programs run, and the results."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ultra_plugin.check.subject import Subject

TIME_LIMIT = 60
Result = Literal["passed", "failed", "not run"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one try."""

    plugin: str
    what: str
    result: Result
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A built plugin, and the folders that its programs get."""

    subject: Subject
    root: Path
    project: Path
    data: Path
    home: Path

    @property
    def name(self) -> str:
        """The name of the plugin."""
        return self.subject.bundle.name

    def outcome(self, what: str, fault: str, ran: bool = True) -> Outcome:
        """Return the outcome of a try; no fault means that it passed."""
        return Outcome(self.name, what, ("failed" if fault else "passed") if ran else "not run", fault)

    def environment(self) -> dict[str, str]:
        """Return the variables that the client gives a program of a plugin, with a home of its own."""
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
        own = {
            "HOME": str(self.home),
            "CLAUDE_PLUGIN_ROOT": str(self.root),
            "CLAUDE_PLUGIN_DATA": str(self.data),
            "CLAUDE_PROJECT_DIR": str(self.project),
        }
        return {**kept, **own}

    def filled(self, text: str) -> str:
        """Replace the client's placeholders in a text."""
        for name, value in self.environment().items():
            if name.startswith("CLAUDE_"):
                text = text.replace(f"${{{name}}}", value)
        return text

    def missing(self, program: str) -> str:
        """Return why a program cannot be started, or empty text."""
        return "" if shutil.which(self.filled(program)) else f"{program} is not installed"

    def run(self, command: Sequence[str], given: str, limit: float = TIME_LIMIT) -> tuple[int, str, str]:
        """Run a program of the plugin in the project; return status, output and errors."""
        try:
            done = subprocess.run(
                command,
                cwd=self.project,
                env=self.environment(),
                input=given,
                capture_output=True,
                errors="replace",
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -1, "", f"did not end within {limit:g} s"
        except OSError as error:
            return -1, "", f"cannot be started: {error.strerror}"
        return done.returncode, done.stdout, done.stderr
