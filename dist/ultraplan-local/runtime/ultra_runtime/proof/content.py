"""Check what a manifest says of one file, on disk and in a commit alike: its kind, its content, its syntax; and of a subject."""

from __future__ import annotations

import os

from ultra_runtime.files.patterns import PatternError, search
from ultra_runtime.files.process import capture
from ultra_runtime.plan.covering import means_folder
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.tree.snapshot import Entry

SECONDS = 30.0
SHELL_FILE = ".sh"
OTHERS = (b"zsh", b"fish", b"csh", b"tcsh", b"python", b"perl", b"ruby", b"node", b"expect")
EXTENDED = b"extglob"
FILE, FOLDER, LINK, SUBMODULE, OTHER = (
    "a regular file",
    "a folder",
    "a symbolic link",
    "a submodule",
    "neither a file nor a folder",
)
KINDS = {"100": FILE, "040": FOLDER, "120": LINK, "160": SUBMODULE}
"""The first digits of the mode of an entry in git -> its kind."""


def kind_of(entry: Entry) -> str:
    """Return what an entry of a tree is."""
    return KINDS.get(entry.mode[:3], OTHER)


def kind_problem(name: str, kind: str) -> str:
    """Return why this kind of thing is not what a name of the plan means; empty if it is."""
    if means_folder(name):
        return "" if kind in (FOLDER, LINK) else f"it is {kind}, not {FOLDER}"
    if kind == FILE:
        return ""
    hint = "; if the plan means that, the name must end with /" if kind in (FOLDER, LINK) else ""
    return f"it is {kind}, not {FILE}{hint}"


def content_problem(pattern: str, data: bytes) -> str:
    """Return why a pattern is not found in the bytes of a file; empty if it is."""
    try:
        if search(pattern, data.decode("utf-8", "replace"), multiline=True):
            return ""
    except PatternError as problem:
        return f"cannot be searched for {one_line(pattern, 80)}: {problem}"
    return f"does not contain {one_line(pattern, 80)}"


def has_subject(step: Step, pattern: str, subject: str) -> bool:
    """Tell whether the subject of a commit matches the pattern of its step, apart from what a hook adds, such as a ticket."""
    own = (step.checkpoint or "").partition("\n")[0]
    return search(pattern, subject) or bool(own and own in subject and search(pattern, own))


def is_for_bash(script: bytes) -> bool:
    """Tell whether bash can be expected to read a script; its first line may name a shell with another syntax."""
    first = script.partition(b"\n")[0]
    names = [word.rpartition(b"/")[2] for word in first[2:].split()] if first.startswith(b"#!") else []
    return not any(name.startswith(OTHERS) for name in names)


def syntax_problem(script: bytes) -> str:
    """Return the syntax error that bash reports for a script; empty if there is none."""
    done = capture(["bash", "-n"], os.environ, script, SECONDS)
    if done.status and EXTENDED in script:  # bash would see that the script turns this on if it ran it
        done = capture(["bash", "-O", EXTENDED.decode(), "-n"], os.environ, script, SECONDS)
    if not done.status:
        return ""
    said = done.err.decode("utf-8", "replace").strip()
    return one_line(said, 300) or f"exit status {done.status}"
