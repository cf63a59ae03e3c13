"""Where the links of a page lead: to files beside a page on disk, or to the board's own addresses."""

from __future__ import annotations

import os

from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.status.picture import escaped, tag, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.project import Project
    from ultra_runtime.run.life.run_facts import StepFacts

LAST_LINES = 12
# What addresses of the board begin with.
FILES, COMMITS = "file/", "commit/"


class Links:
    """Links of a page that is a file in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def address(self, path: str) -> str:
        """Return the address of a file."""
        return quoted(os.path.relpath(path, self.folder))

    def commit(self, commit: str) -> str:
        """Return a commit as the page shows it."""
        return text("code", commit[:10], class_="tight")

    def file(self, path: str, words: str) -> str:
        """Return a link to a file, or only its words when there is none."""
        if not os.path.isfile(path):
            return escaped(words)
        return f'<a href="{escaped(self.address(path))}">{escaped(words)}</a>'


class BoardLinks(Links):
    """Links of the board: it shows files of the repository and commits itself."""

    def address(self, path: str) -> str:
        """Return the address under which the board shows a file."""
        return FILES + super().address(path)

    def commit(self, commit: str) -> str:
        """Return a link to what the board shows of a commit."""
        return tag("a", super().commit(commit), href=f"{COMMITS}{commit}")


def quoted(path: str) -> str:
    """Return a path as part of an address."""
    from urllib.parse import quote

    return quote(path.replace(os.sep, "/"))


def log_of(project: Project, step: StepFacts) -> str:
    """Return the log of the last Verify of a step; empty when there is none."""
    found = [
        project.path(LOGS, f"step-{step.number}-verify-{attempt}.log")
        for attempt in range(step.attempts, 0, -1)
    ]
    return next((path for path in found if os.path.isfile(path)), "")


def last_lines(path: str) -> str:
    """Return the last lines of a log, for people."""
    try:
        lines = read_regular(path).decode("utf-8", "replace").rstrip().split("\n")
    except UnreadableError:
        return ""
    return "\n".join(lines[-LAST_LINES:])
