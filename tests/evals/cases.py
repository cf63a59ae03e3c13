"""The cases of a plugin, as far as running them has to know them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import yaml

SHELL = "-shell"
"""How the tags of cases end that need Bash: the client joins tags by "or", so one tag has to say it all."""
TOKENS, TOKENS_WITH_BASH = 40_000, 150_000
"""What one run of a case reads, roughly: the client's own prompt and tools once a turn; a test compares."""


@dataclass(frozen=True)
class Case:
    """One case."""

    name: str
    tags: tuple[str, ...]
    tools: tuple[str, ...]
    runs: int

    @classmethod
    def read(cls, folder: Path) -> Case:
        """Read a case; the generator has checked that it is one."""
        text = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
        return cls(
            text["name"], tuple(text["tags"]), tuple(text["execution"]["allowed_tools"]), text["runs"]
        )

    @property
    def needs_bash(self) -> bool:
        """Tell whether the client refuses the case where it has no sandbox."""
        return "Bash" in self.tools

    @property
    def tokens(self) -> int:
        """Return what one run reads, roughly."""
        return TOKENS_WITH_BASH if self.needs_bash else TOKENS


def read_cases(plugin: Path) -> list[Case]:
    """Read every case of a plugin."""
    return [Case.read(path.parent) for path in sorted((plugin / "evals").glob("*/case.yaml"))]


def selected(cases: Sequence[Case], glob: str, tags: Sequence[str]) -> list[Case]:
    """Choose as the client does: a name that matches, and any of the tags."""
    return [
        case
        for case in cases
        if fnmatchcase(case.name, glob) and (not tags or not set(tags).isdisjoint(case.tags))
    ]


def why_no_sandbox() -> str:
    """Say what keeps the client from confining Bash on this machine, or nothing; macOS brings its own means."""
    if not sys.platform.startswith("linux"):
        return ""
    for program in ("bwrap", "socat"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    tried = subprocess.run(
        ["bwrap", "--ro-bind", "/", "/", "--unshare-net", "true"], capture_output=True, text=True, timeout=30
    )
    return "" if tried.returncode == 0 else f"bwrap does not work here ({tried.stderr.strip()[:80]})"
