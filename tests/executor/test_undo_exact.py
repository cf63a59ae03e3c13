"""An undo gives back exactly what was there: bytes, modes, links, folders, index and refs, whatever a step did."""

from __future__ import annotations

import os
import resource
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kit.repository import ENVIRONMENT, git, make_repository
from ultra_runtime.files.git import find_git
from ultra_runtime.files.project import Project
from ultra_runtime.run.state.record import Record
from ultra_runtime.run.state.run_place import RunPlace
from ultra_runtime.run.tree.before import keep
from ultra_runtime.run.tree.saves import NotSavedError
from ultra_runtime.run.tree.snapshot import Snapshots
from ultra_runtime.run.tree.undo import Undone, undo
from ultra_runtime.run.tree.workspace import Workspace

EXAMPLES = 1500 if "ULTRA_SOAK" in os.environ else 20
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
        found = {}
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
    if target.is_symlink() or target.is_file():
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
)  # fmt: skip
FOLDERS = ("d", "far", "empty", "hollow", "fresh", "empty/er")
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
        st.sampled_from([*VISIBLE, *FOLDERS]),
        st.sampled_from([0o600, 0o644, 0o755, 0o700, 0o444, 0o500]),
    ),
    act(become_folder, paths),
    act(become_file, st.sampled_from(FOLDERS)),
    act(become_link, st.sampled_from([*VISIBLE, *FOLDERS])),
    act(lambda tree, path: (tree.folder / path).mkdir(parents=True), st.sampled_from(FOLDERS)),
    act(run_git, st.sampled_from(STAGING), paths),
    act(hide, st.sampled_from(["hidden.txt\n", "", "*.bin\n*.gen\n*.txt\n"])),
    act(gc),
)


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a repository with everything that a person may have, staged or not, and their settings."""
    home = tmp_path_factory.mktemp("person")
    kept = dict(os.environ)
    os.environ.update({**ENVIRONMENT, "HOME": str(home)})
    tree = Tree(make_repository(home / "repo", FIRST))
    arrange(tree)
    yield tree.folder
    os.environ.clear()
    os.environ.update(kept)


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


def test_whatever_a_step_does_is_undone(person: Path) -> None:
    """Compare the oracle's view before a step and after its undo, for acts of every kind."""

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.booleans(), st.booleans(), st.lists(ACTS, min_size=1, max_size=8))
    def check(converts: bool, flagged: bool, acts: Acts) -> None:
        with tempfile.TemporaryDirectory(dir=person.parent) as name:
            tree = copy_of(person, name, converts, flagged)
            before = tree.state()
            tree.begin()
            do(tree, acts)
            assert tree.undo().left == {}
            assert tree.state() == before

    check()


CASES: dict[str, Acts] = {
    "bytes, and those that a filter or git's line ends hide": [
        (write, (path, b"changed\n")) for path in ("a.txt", "note.ipynb", "lines.crlf", "mine.txt", "far/g.txt")
    ],
    "only what the filter hides": [(write, ("note.ipynb", b"source\n")), (write, ("lines.crlf", b"one\ntwo\n"))],
    "modes": [(chmod, (path, 0o666)) for path in ("secret.txt", "a.txt", "d/e.txt", "far", "hollow")],
    "a private file that was replaced": [(remove, ("secret.txt",)), (write, ("secret.txt", b"open\n"))],
    "links": [(remove, ("link",)), (write, ("link", b"no link\n")), (become_link, ("a.txt",)), (become_link, ("d",))],
    "empty folders": [(remove, ("empty",)), (write, ("hollow/x.txt", b"x\n")), (write, ("fresh/er/x.txt", b"x\n"))],
    "ignored files of the step": [
        (write, ("build/out.bin", b"other\n")), (remove, ("top.gen",)), (write, ("new/n.bin", b"new\n")),
    ],
    "files that git does not look at": [
        (write, ("skipped.txt", b"x\n")), (remove, ("assumed.txt",)),
        (run_git, (("update-index", "--no-skip-worktree"), "skipped.txt")),
    ],
    "the index": [
        (run_git, (("add",), "mine.txt")), (run_git, (("rm", "-q", "-f"), "d/f.txt")),
        (run_git, (("reset", "-q"), "staged.txt")), (run_git, (("add",), "intended.txt")),
    ],
    "files and folders that changed places": [(become_folder, ("a.txt",)), (become_file, ("d",)), (become_file, ("empty",))],
    "a gc that takes what nothing names any more": [
        (run_git, (("reset", "-q"), ".")), (remove, ("link",)), (write, ("staged.txt", b"x\n")), (gc, ()),
    ],
    "a new file that a new rule hides": [(hide, ("hidden.txt\n",))],
    "a file of the user's that a rule hid": [(hide, ("",))],
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_accident_is_undone(person: Path, tmp_path: Path, case: str) -> None:
    for converts in (False, True):
        tree = copy_of(person, str(tmp_path / str(converts)), converts, flagged=True)
        before = tree.state()
        tree.begin()
        do(tree, CASES[case])
        assert converts <= (tree.state() != before)
        assert tree.undo().left == {}
        assert tree.state() == before
        tree.git("fsck", "--connectivity-only")
        assert tree.undo().paths == []


def test_only_what_is_named_is_restored(person: Path, tmp_path: Path) -> None:
    tree = copy_of(person, str(tmp_path), converts=True, flagged=True)
    before = tree.state()
    tree.begin()
    do(
        tree,
        [
            (remove, ("secret.txt",)),
            (run_git, (("rm", "-q", "-f"), "note.ipynb")),
            (write, ("hollow/x.txt", b"in a folder that was empty\n")),
            (write, ("a.txt", b"mine\n")),
        ],
    )
    names = ["hollow/x.txt", "note.ipynb", "secret.txt"]
    assert tree.undo(set(names)).paths == names
    files, index, refs = tree.state()
    assert files.pop("a.txt")[1] == b"mine\n"
    assert (files, index, refs) == (
        {path: one for path, one in before[0].items() if path != "a.txt"},
        *before[1:],
    )


def test_what_was_recorded_for_one_step_serves_the_next_until_it_begins(person: Path, tmp_path: Path) -> None:
    tree = copy_of(person, str(tmp_path), converts=True, flagged=True)
    tree.begin()
    do(tree, [(write, ("a.txt", b"step 1\n")), (run_git, (("add",), "a.txt"))])
    tree.record = Record(2, tree.record.start, tree.snapshots.take())
    before = tree.state()
    strays: Acts = [
        (remove, ("secret.txt",)), (write, ("lines.crlf", b"x\n")), (write, ("a.txt", b"stray\n")),
        (run_git, (("rm", "-q", "-f"), "note.ipynb")),
    ]  # fmt: skip
    do(tree, strays)
    assert tree.undo({"secret.txt", "lines.crlf", "a.txt", "note.ipynb"}).left == {}
    assert tree.state() == before


def test_in_a_large_tree_the_files_of_the_step_are_exact(
    person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside the step only the modes of files that are gone, and empty folders, are not known there."""
    monkeypatch.setattr("ultra_runtime.run.tree.before.MOST_FILES", 5)
    tree = copy_of(person, str(tmp_path), converts=True, flagged=False)
    before = tree.state()
    tree.begin()
    do(tree, [(become_file, ("d",)), (become_folder, ("a.txt",)), *CASES["ignored files of the step"]])
    do(
        tree,
        [
            *CASES["only what the filter hides"],
            (write, ("far/n/n.txt", b"n\n")),
            (chmod, ("far/h.sh", 0o644)),
        ],
    )
    assert tree.undo().left == {}
    assert tree.state() == before


def test_without_what_was_recorded_the_snapshot_serves(person: Path, tmp_path: Path) -> None:
    tree = copy_of(person, str(tmp_path), converts=False, flagged=False)
    before = tree.files()
    tree.begin()
    (Path(tree.snapshots.folder) / "before.json").unlink()
    do(
        tree,
        [
            (write, ("a.txt", b"x\n")),
            (write, ("new/n.txt", b"n\n")),
            (remove, ("d",)),
            (chmod, ("mine.txt", 0o755)),
        ],
    )
    assert tree.undo().left == {}
    after = tree.files()
    assert after.pop("d/e.txt")[1] == before.pop("d/e.txt")[1]  # nobody knows its mode any more
    assert after == before


@pytest.mark.parametrize(
    "obstacle", ["a ref is locked", "refs cannot be made", "the disk is full", "an object is lost"]
)
def test_without_a_save_nothing_is_taken_away(person: Path, tmp_path: Path, obstacle: str) -> None:
    tree = copy_of(person, str(tmp_path), converts=False, flagged=False)
    tree.begin()
    do(
        tree,
        [
            (write, ("a.txt", os.urandom(200_000))),
            (write, ("new/n.txt", b"new\n")),
            (remove, ("secret.txt",)),
        ],
    )
    tree.snapshots.take()
    before = tree.state()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    saves = tree.folder / ".git/refs/ultra/rescue"
    if obstacle == "a ref is locked":
        write(tree, f"{saves}/p/step-1.lock", b"")
    elif obstacle == "refs cannot be made":
        write(tree, str(saves), b"")
    elif obstacle == "an object is lost":
        name = tree.git("hash-object", "--no-filters", str(person / "secret.txt"))
        (Path(tree.snapshots.objects) / name[:2] / name[2:]).unlink()
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(NotSavedError):
            tree.undo()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert tree.files() == before[0]
    assert tree.index() == before[1]


def test_nobody_has_to_say_who_they_are_for_a_save(
    person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = copy_of(person, str(tmp_path), converts=False, flagged=False)
    before = tree.state()
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name)
    tree.git("config", "--remove-section", "user")
    tree.git("config", "user.useConfigOnly", "true")
    tree.begin()
    do(tree, [(write, ("a.txt", b"x\n"))])
    assert tree.undo().paths == ["a.txt"]
    assert tree.state() == before
