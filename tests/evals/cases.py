"""The cases of a plugin, as far as running them has to know them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

SHELL = "-shell"
"""How the tags of cases end that need Bash: the client joins tags by "or", so one tag has to say it all."""
READ_ONLY = ("/tmp", "/var/tmp", "/dev/shm")
TOKENS, TOKENS_WITH_BASH = 40_000, 100_000
"""What one run of a case reads: twice what the shortest play does, which a test compares."""


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
        return cls(text["name"], tuple(text["tags"]), tuple(text["execution"]["allowed_tools"]), text["runs"])

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
    pattern = re.escape(glob).replace(r"\*", ".*").replace(r"\?", ".")
    return [
        case
        for case in cases
        if re.fullmatch(pattern, case.name) and (not tags or not set(tags).isdisjoint(case.tags))
    ]


def why_no_bash(scratch: Path) -> str:
    """Say why a case cannot use Bash here, or nothing: without a sandbox the client refuses it in an eval."""
    if not sys.platform.startswith("linux"):  # macOS brings its own sandbox
        return ""
    for program in ("bwrap", "socat"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    # On Linux the client's sandbox has these read-only, the folders of its own cases included.
    if any(scratch.resolve().is_relative_to(place) for place in READ_ONLY):
        return f"{scratch} lies where the client's sandbox cannot write"
    words = ["bwrap", "--ro-bind", "/", "/", "--unshare-net", "true"]
    tried = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
    return "" if tried.returncode == 0 else f"bwrap does not work here: {tried.stderr.strip()[:80]}"
