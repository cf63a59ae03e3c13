"""An undo gives back exactly what was there: bytes, modes, links, folders, index and refs, whatever a step did."""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.executor.persons_tree import (
    ACTS,
    FIRST,
    Acts,
    Tree,
    append,
    arrange,
    become_file,
    become_folder,
    become_link,
    become_pipe,
    chmod,
    copy_of,
    do,
    gc,
    hide,
    remove,
    run_git,
    write,
)
from tests.kit.quick import later, times
from tests.kit.repository import ENVIRONMENT, make_repository
from ultra_runtime.errors import UltraError
from ultra_runtime.run.state.record import Record
from ultra_runtime.run.tree import undo
from ultra_runtime.run.tree.saves import NotSavedError

EXAMPLES = times(12, 1500)


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


@pytest.mark.soak
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
    "modes": [(chmod, (path, 0o666)) for path in ("secret.txt", "a.txt", "d/e.txt", "far", "hollow", ".")],
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
    "pipes and sockets": [
        (remove, ("far/pipe",)), (write, ("socket", b"no socket\n")), (become_pipe, ("a.txt",)), (remove, ("pipes",)),
    ],
    "pipes and folders that changed places": [
        (become_folder, ("far/pipe",)), (become_file, ("pipes",)), (become_pipe, ("d",)), (become_link, ("socket",)),
    ],
    "a new file that a new rule hides": [(hide, ("hidden.txt\n",))],
    "a file of the user's that a rule hid": [(hide, ("",))],
}  # fmt: skip
QUICK = (
    "bytes, and those that a filter or git's line ends hide", "modes", "links", "empty folders", "ignored files of the step",
    "the index", "files and folders that changed places", "pipes and folders that changed places",
)  # fmt: skip


@pytest.mark.parametrize("case", [one if one in QUICK else later(one) for one in CASES])
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


def test_all_names_of_a_file_are_undone(person: Path, tmp_path: Path) -> None:
    """A step that writes into a file changes what its other names show, outside the tree too."""
    tree = copy_of(person, str(tmp_path), converts=True, flagged=True)
    names = {name: tmp_path / name for name in ("mine.txt", "top.gen", "note.ipynb")}
    for name, other in names.items():
        os.link(tree.folder / name, other)
    before, others = tree.state(), [other.read_bytes() for other in names.values()]
    tree.begin()
    do(tree, [(append, (name,)) for name in names])
    os.link(tree.folder / "a.txt", tmp_path / "kept")
    do(tree, [(append, ("a.txt",))])
    kept = (tmp_path / "kept").read_bytes()
    assert tree.undo().left == {}
    assert (tree.state(), [other.read_bytes() for other in names.values()]) == (before, others)
    assert all(other.samefile(tree.folder / name) for name, other in names.items())
    assert (tmp_path / "kept").read_bytes() == kept, "a name that was given since then keeps what it shows"


@pytest.mark.soak
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
            (run_git, (("add",), "a.txt")),
        ],
    )
    names = ["hollow/x.txt", "note.ipynb", "secret.txt"]
    assert tree.undo(set(names)).paths == names
    assert tree.git("show", ":a.txt") == "mine", "what is staged elsewhere stays staged"
    tree.git("reset", "-q", "--", "a.txt")
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
    """Outside the step only the modes of committed files that are gone, and empty folders, are not known there."""
    monkeypatch.setattr("ultra_runtime.run.tree.before.MOST_FILES", 5)
    tree = copy_of(person, str(tmp_path), converts=True, flagged=False)
    before = tree.state()
    tree.begin()
    do(tree, [(become_file, ("d",)), (become_folder, ("a.txt",)), *CASES["ignored files of the step"]])
    do(
        tree,
        [
            *CASES["only what the filter hides"],
            *CASES["a private file that was replaced"],
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


@pytest.mark.parametrize("files", [True, False])
def test_what_was_staged_alone_is_saved_too(person: Path, tmp_path: Path, files: bool) -> None:
    tree = copy_of(person, str(tmp_path), converts=False, flagged=False)
    before = tree.state()
    was = (tree.folder / "a.txt").read_bytes()
    tree.begin()
    do(tree, [(write, ("a.txt", b"only staged\n")), (run_git, (("add",), "a.txt")),
              (write, ("a.txt", b"on disk\n" if files else was))])  # fmt: skip
    tree.undo()
    assert tree.state() == before
    gc(tree)
    (ref,) = tree.git("for-each-ref", "--format=%(refname)", "refs/ultra/rescue").split()
    assert tree.git("show", f"{ref}^2:a.txt") == "only staged"


def test_a_look_at_the_tree_is_nothing_to_save(person: Path, tmp_path: Path) -> None:
    tree = copy_of(person, str(tmp_path), converts=False, flagged=False)
    tree.begin()
    os.utime(tree.folder / "a.txt", (1, 1))
    tree.git("status")
    assert tree.undo().paths == []
    assert tree.git("for-each-ref", "refs/ultra/rescue") == ""


@pytest.mark.soak
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


@pytest.mark.soak
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


@pytest.mark.soak
@pytest.mark.parametrize(("what", "at", "left"), [
    ("staged_since", 1, None), ("staged_since", 2, "the rest"), ("restore_index", 1, "the index"),
])  # fmt: skip
def test_what_an_undo_could_not_do_is_named(
    person: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, at: int, left: str | None
) -> None:
    """Before anything is saved nothing is changed; afterwards the files are as they were, and the rest is named."""
    calls, real = iter(range(1, 99)), getattr(undo, what)

    def fail(*given: object) -> object:
        if next(calls) == at:
            raise UltraError("the disk is gone")
        return real(*given)

    tree = copy_of(person, str(tmp_path), converts=False, flagged=False)
    before = tree.state()
    tree.begin()
    do(tree, [(write, ("a.txt", b"x\n"))])
    after = tree.state()
    monkeypatch.setattr(undo, what, fail)
    if left is None:
        with pytest.raises(NotSavedError, match="the disk is gone"):
            tree.undo()
        assert tree.state() == after
        return
    done = tree.undo()
    assert (done.paths, done.left) == (["a.txt"], {left: "the disk is gone"})
    assert done.left_words() == f"{left} (the disk is gone)"
    assert tree.files() == before[0]


@pytest.mark.soak
@pytest.mark.parametrize("dirty", [False, True])
@pytest.mark.parametrize("edited", [False, True])
def test_what_was_committed_meanwhile_stays_as_it_is_committed(
    person: Path, tmp_path: Path, dirty: bool, edited: bool
) -> None:
    """Where the file had changes before the step, it stays as it is; everything else is undone."""
    tree = copy_of(person, str(tmp_path), converts=False, flagged=False)
    was = (tree.folder / "far/g.txt").read_bytes()
    if dirty:
        write(tree, "far/g.txt", b"of the user\n" + was)
    before = tree.files()
    tree.begin()
    write(tree, "far/g.txt", b"committed\n")
    write(tree, "a.txt", b"of the step\n")
    tree.git("commit", "-q", "-m", "meanwhile", "--only", "far/g.txt")
    if edited:
        write(tree, "far/g.txt", b"after it\n")
    done = tree.undo()
    stays = b"after it\n" if dirty and edited else b"committed\n"
    mode = before["far/g.txt"][0]
    assert tree.files() == {**before, "far/g.txt": (mode, stays)}
    assert done.paths == ["a.txt", *(["far/g.txt"] if edited and not dirty else [])]
    assert tree.git("show", ":far/g.txt") == "committed"
