"""The repository of a person with everything that an undo could damage, and an oracle that asks the runtime nothing."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from socket import AF_UNIX, socket
from typing import Any

from hypothesis import strategies as st

from tests.kit.repository import git
from ultra_runtime.files.git import find_git
from ultra_runtime.files.project import Project
from ultra_runtime.run.state.record import Record
from ultra_runtime.run.state.run_place import RunPlace
from ultra_runtime.run.tree.before import keep
from ultra_runtime.run.tree.snapshot import Snapshots
from ultra_runtime.run.tree.undo import Undone, undo
from ultra_runtime.run.tree.workspace import Workspace

OWN = ("a.txt", "d/", "build/out.bin", "new/", "*.gen")
"""What the step may change; only there are ignored files its business."""
FIRST = {
    ".gitignore": "*.bin\n*.gen\n",
    "a.txt": "a\n",
    "d/e.txt": "e\n",
    "d/f.txt": "f\n",
    "far/g.txt": "g\n",
    "far/h.sh": "#!/bin/sh\n",
    "note.ipynb": "source\n",
    "lines.crlf": "one\ntwo\n",
    "skipped.txt": "skipped\n",
    "assumed.txt": "assumed\n",
}
FILTER = "sed /^output/d"


class Tree:
    """A repository of a person, with an oracle of its own: nothing here asks the runtime what is there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def git(self, *words: str, check: bool = True) -> str:
        return git(self.folder, *words, check=check)

    def files(self) -> dict[str, tuple[int, bytes]]:
        """Return every path but git's own with its mode, and its bytes or target."""
        found = {".": (os.lstat(self.folder).st_mode, b"")}
        for parent, folders, names in os.walk(self.folder):
            if parent == str(self.folder):
                folders.remove(".git")
            for name in [*folders, *names]:
                path = os.path.join(parent, name)
                mode = os.lstat(path).st_mode
                data = b""
                if stat.S_ISLNK(mode):
                    mode, data = stat.S_IFLNK, os.fsencode(os.readlink(path))
                elif stat.S_ISREG(mode):
                    data = Path(path).read_bytes()
                found[os.path.relpath(path, self.folder)] = (mode, data)
        return found

    def index(self) -> list[str]:
        """Return the entries of the index with all their flags, without times and sizes."""
        rows = []
        for line in self.git("ls-files", "--stage", "--debug", "-v").split("\n"):
            head, mark, flags = line.partition("flags: ")
            if mark or not head.startswith("  "):
                rows.append(flags or head)
        return rows

    def refs(self) -> list[str]:
        rows = self.git("for-each-ref", "--format=%(refname) %(objectname)").split("\n")
        return [self.git("rev-parse", "HEAD"), *(row for row in rows if "/rescue/" not in row)]

    def state(self) -> tuple[dict[str, tuple[int, bytes]], list[str], list[str]]:
        return self.files(), self.index(), self.refs()


class Step(Tree):
    """A step of a run in that repository, without the run around it."""

    def begin(self) -> None:
        self.workspace = Workspace(find_git(str(self.folder)))
        project = Project(str(self.folder), "p")
        self.snapshots = Snapshots(
            self.workspace, RunPlace(str(self.folder), project.path("plan.md"), project, None)
        )
        tree, head = self.snapshots.take(), self.workspace.git.head()
        self.record = Record(1, head, tree)
        keep(self.workspace, self.snapshots, tree, head, OWN)

    def undo(self, only: set[str] | None = None) -> Undone:
        return undo(self.workspace, self.snapshots, self.record, only)


def write(tree: Tree, path: str, data: bytes) -> None:
    target = tree.folder / path
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        target.unlink()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


def remove(tree: Tree, path: str) -> None:
    target = tree.folder / path
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink()


def become_folder(tree: Tree, path: str) -> None:
    (tree.folder / path).unlink()
    write(tree, f"{path}/inner/x.txt", b"x\n")


def become_file(tree: Tree, path: str) -> None:
    shutil.rmtree(tree.folder / path)
    write(tree, path, b"no folder\n")


def become_link(tree: Tree, path: str) -> None:
    remove(tree, path)
    (tree.folder / path).symlink_to("somewhere/else")


VISIBLE = (
    "a.txt", "d/e.txt", "d/f.txt", "far/g.txt", "far/h.sh", "note.ipynb", "lines.crlf", "mine.txt", "secret.txt",
    "skipped.txt", "assumed.txt", "intended.txt", "staged.txt", "link", "new/deep/n.txt", "odd \n\"name\".txt",
    "h\xe9.txt", ".gitattributes", "build/out.bin", "top.gen", "empty/now-not.txt",
    "far/pipe", "pipes/only",
)  # fmt: skip
FOLDERS = ("d", "far", "pipes", "empty", "hollow", "fresh", "empty/er")
DATA = st.sampled_from([b"", b"changed\n", b"crlf\r\ncrlf\r\n", b"source\noutput of the step\n", b"\0\xff"])
paths = st.sampled_from(VISIBLE)
Acts = list[tuple[Callable[..., object], tuple[Any, ...]]]


def act(
    function: Callable[..., object], *values: Any
) -> st.SearchStrategy[tuple[Callable[..., object], tuple[Any, ...]]]:
    return st.tuples(st.just(function), st.tuples(*values))


def chmod(tree: Tree, path: str, mode: int) -> None:
    if not (tree.folder / path).is_symlink():
        (tree.folder / path).chmod(mode)


def append(tree: Tree, path: str) -> None:
    with (tree.folder / path).open("ab") as file:
        file.write(b"more\n")


def become_pipe(tree: Tree, path: str) -> None:
    remove(tree, path)
    os.mkfifo(tree.folder / path)


def run_git(tree: Tree, words: tuple[str, ...], path: str) -> None:
    tree.git(*words, "--", path, check=False)


def hide(tree: Tree, rule: str) -> None:
    """Hide a new file by a new rule, or show an ignored one of the user's that is not the step's."""
    (tree.folder / ".gitignore").write_text(rule)
    write(tree, "hidden.txt", b"hidden\n")


def gc(tree: Tree) -> None:
    tree.git("reflog", "expire", "--expire=now", "--all")
    tree.git("gc", "-q", "--prune=now")


STAGING = (("add", "-f"), ("rm", "-q", "--cached"), ("rm", "-q", "-f"), ("add", "-N"), ("reset", "-q"),
           ("update-index", "--skip-worktree"), ("update-index", "--no-assume-unchanged"))  # fmt: skip
ACTS = st.one_of(
    act(write, paths, DATA),
    act(remove, st.sampled_from([*VISIBLE, *FOLDERS])),
    act(
        chmod,
        st.sampled_from([*VISIBLE, *FOLDERS, "."]),
        st.sampled_from([0o600, 0o644, 0o755, 0o700, 0o444, 0o500]),
    ),
    act(become_folder, paths),
    act(become_file, st.sampled_from(FOLDERS)),
    act(become_link, st.sampled_from([*VISIBLE, *FOLDERS])),
    act(become_pipe, st.sampled_from([path for path in VISIBLE if path != ".gitattributes"])),
    act(lambda tree, path: (tree.folder / path).mkdir(parents=True), st.sampled_from(FOLDERS)),
    act(run_git, st.sampled_from(STAGING), paths),
    act(hide, st.sampled_from(["hidden.txt\n", "", "*.bin\n*.gen\n*.txt\n"])),
    act(gc),
)


def arrange(tree: Tree) -> None:
    """Leave everything in a repository that a person may have there."""
    for path, data in {
        "mine.txt": b"mine\r\n",
        "secret.txt": b"secret\n",
        "intended.txt": b"intended\n",
        "staged.txt": b"staged\n",
        "d/f.txt": b"changed by the user\n",
        "build/out.bin": b"ignored, of the step\n",
        "other.bin": b"ignored, of the user\n",
        "top.gen": b"ignored by name\n",
        "h\xe9.txt": b"letters\n",
        "skipped.txt": b"not what git has\n",
        "assumed.txt": b"not what git has\n",
    }.items():
        write(tree, path, data)
    (tree.folder / "secret.txt").chmod(0o600)
    (tree.folder / "far").chmod(0o700)
    (tree.folder / "d/e.txt").chmod(0o640)
    (tree.folder / "link").symlink_to("a.txt")
    (tree.folder / "empty/er").mkdir(parents=True)
    (tree.folder / "hollow").mkdir(mode=0o750)
    tree.git("add", "staged.txt", "link")
    write(tree, "staged.txt", b"staged, then changed\n")
    tree.git("add", "-N", "intended.txt")
    tree.git("update-index", "--skip-worktree", "skipped.txt")
    tree.git("update-index", "--assume-unchanged", "assumed.txt")


def convert(tree: Tree) -> None:
    """Let git convert files of the repository: line ends, and what a filter removes."""
    tree.git("config", "core.autocrlf", "input")
    tree.git("config", "filter.strip.clean", FILTER)
    write(tree, ".gitattributes", b"*.ipynb filter=strip\n")
    write(tree, "note.ipynb", b"source\noutput, seen by the user only\n")
    write(tree, "lines.crlf", b"one\r\ntwo\r\n")


def copy_of(person: Path, name: str, converts: bool, flagged: bool) -> Step:
    tree = Step(Path(name).resolve() / "repo")
    shutil.copytree(person, tree.folder, symlinks=True)
    (tree.folder / "pipes").mkdir(mode=0o711)
    for pipe, mode in (("far/pipe", 0o620), ("pipes/only", 0o644)):
        os.mkfifo(tree.folder / pipe)
        (tree.folder / pipe).chmod(mode)
    with socket(AF_UNIX) as server:
        server.bind(os.path.relpath(tree.folder / "socket"))
    if converts:
        convert(tree)
    if not flagged:
        tree.git("update-index", "--no-skip-worktree", "skipped.txt")
        tree.git("update-index", "--no-assume-unchanged", "assumed.txt")
    tree.git("status")
    return tree


def do(tree: Tree, acts: Acts) -> None:
    for function, values in acts:
        try:
            function(tree, *values)
        except (OSError, AssertionError):
            continue
