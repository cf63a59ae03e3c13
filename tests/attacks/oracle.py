"""Decide whether a run is completed, from a fresh clone and nothing else; shares no code with the runtime.

The question is that of the runtime's proof: do the trees of the start and the end commit differ only where the plan
allows, does the end commit contain what the plan expects, and do the plan's commands pass in a clone of it?
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.kit.repository import ENVIRONMENT

REGULAR = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Part:
    """What the plan says of one step, as far as the question needs it."""

    number: int
    files: tuple[str, ...]
    verify: str
    expected: tuple[str, ...] = ()
    contains: tuple[tuple[str, str], ...] = ()
    removes: tuple[str, ...] = ()
    on_failure: str = "revert"
    least: int | None = None


def faults(
    repository: Path, scratch: Path, parts: Sequence[Part], verification: str, start: str, end: str
) -> list[str]:
    """Return why the run is not completed; nothing when it is."""
    clone = scratch / "clone"
    if not _git(scratch, "clone", "--quiet", "--no-local", "--no-checkout", str(repository), str(clone)):
        return ["the repository cannot be cloned"]
    if not _git(clone, "checkout", "--quiet", "--detach", end):
        return [f"{end} is in no branch of the clone"]
    allowed = {path for part in parts for path in (*part.files, *part.expected)}
    parts = [part for part in parts if not _skipped(clone, part, start, end)]
    found = tree_faults(clone, parts, allowed, start, end)
    failed = [at for at in reversed(range(len(parts))) if not _passes(clone, parts[at].verify)]
    if verification and not _passes(clone, verification):
        found.append("the Verification fails in a clone")
    for at in failed:
        part = parts[at]
        is_decided = any(_touched(clone, later, start, end) & {*part.files} for later in parts[at + 1 :])
        if not (is_decided and _held(clone, part, start, end)):
            found.append(f"Verify of step {part.number} fails in a clone")
    return found


def _skipped(clone: Path, part: Part, start: str, end: str) -> bool:
    """Tell whether a step that may be skipped left nothing in the end commit."""
    if part.on_failure != "skip":
        return False
    return not _output(clone, "diff-tree", "-r", "--name-only", start, end, "--", *part.expected)


def _touched(clone: Path, part: Part, start: str, end: str) -> set[str]:
    """Return what the commits with the subject of a step change: its last word is about these files."""
    words = ("--format=", "--name-only", "--no-renames", "-z", _subject(part))
    return set(_output(clone, "log", *words, f"{start}..{end}").split("\0"))


def _held(clone: Path, part: Part, start: str, end: str) -> bool:
    """Tell whether Verify of a step passes in a checkout of its own last commit; without one, at the start."""
    own = _output(clone, "log", "-1", "--format=%H", _subject(part), f"{start}..{end}").strip() or start
    return (
        _git(clone, "clean", "-ffdxq")
        and _git(clone, "checkout", "--quiet", "--force", own)
        and _passes(clone, part.verify)
    )


def _subject(part: Part) -> str:
    return f"--grep=^feat: part {part.number}$"


def tree_faults(clone: Path, parts: Sequence[Part], allowed: set[str], start: str, end: str) -> list[str]:
    """Return what the trees of the two commits say against the run."""
    modes = _modes(clone, end)
    found = []
    for at, part in enumerate(parts):
        gone = {path for later in parts[at + 1 :] for path in later.removes}
        for path in part.expected or part.files:
            if path in part.removes or path in gone:
                continue
            if modes.get(path) not in REGULAR:
                found.append(f"step {part.number}: {path} is {modes.get(path, 'missing')} in the end commit")
        for path, pattern in part.contains:
            text = _output(clone, "show", f"{end}:{path}")
            if path not in gone and not re.search(pattern, text, re.MULTILINE):
                found.append(f"step {part.number}: {path} lacks {pattern}")
    words = ("-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none", start, end)
    changed = _output(clone, "diff-tree", *words).split("\0")
    found += [f"{path} changed outside the plan" for path in changed if path and path not in allowed]
    return found


def _modes(clone: Path, commit: str) -> dict[str, str]:
    rows = _output(clone, "ls-tree", "-r", "-z", "--full-tree", commit).split("\0")
    return {row.partition("\t")[2]: row.partition(" ")[0] for row in rows if row}


def _git(folder: Path, *words: str) -> bool:
    return subprocess.run(["git", *words], cwd=folder, env=ENVIRONMENT, capture_output=True).returncode == 0


def _output(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, env=ENVIRONMENT, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def _passes(clone: Path, command: str) -> bool:
    _git(clone, "checkout", "--quiet", "--force", ".")  # what another command has made of the committed files
    done = subprocess.run(
        ["bash", "-c", command], cwd=clone, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True
    )
    return done.returncode == 0
