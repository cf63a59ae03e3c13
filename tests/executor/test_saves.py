"""What is saved before it is taken away comes back byte for byte, whatever its name, and the newest save is first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.kit.repository import make_repository
from ultra_runtime.files.git import GitError, find_git
from ultra_runtime.files.process import Done
from ultra_runtime.run.tree import saves
from ultra_runtime.run.tree.saves import NotSavedError, Save, find_saves, item_at, read_save, save

NAMES = (
    "plain",
    '"quoted',
    'in "the" middle',
    "line\nbreak",
    '"both\n"',
    "back\\slash",
    '"\\',
    "é",
    "folder/x",
)
SAVES = 11  # one more than one digit can count


def test_every_name_mode_link_and_gap_is_saved_as_it_is(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo", {"committed": "as it was\n"})
    git = find_git(str(folder))
    for number, name in enumerate(NAMES):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"\r\n%d\0" % number)
        (folder / name).chmod(0o600 | number)
    (folder / "link").symlink_to("nowhere\n")
    paths = [*NAMES, "link", "gone", "committed"]
    first = save(git, "run", 1, git.head(), paths[:5])
    both = save(git, "run", 1, git.head(), paths[5:], onto=first)
    assert (both.ref, both.slug) == (first.ref, "run")
    found = read_save(git, find_saves(git, 1)["run"][0])
    assert set(found.items) == set(paths)
    assert found.items["gone"] is None
    for name in (*NAMES, "committed"):
        item = found.items[name]
        assert item
        assert git.ask("cat-file", "blob", item.name) == (folder / name).read_bytes()
        assert item.bits == (folder / name).stat().st_mode & 0o7777
    link = found.items["link"]
    assert link
    assert (link.bits, git.ask("cat-file", "blob", link.name)) == (-1, os.fsencode("nowhere\n"))


def test_what_was_there_first_stays_saved(tmp_path: Path) -> None:
    """An undo that looks at a path again after it has taken it away does not replace the save by what it put there."""
    folder = make_repository(tmp_path / "repo", {"committed": "as it was\n"})
    git = find_git(str(folder))
    (folder / "new").write_text("work\n")
    (folder / "committed").write_text("edited\n")
    first = save(git, "run", 1, git.head(), ["new", "committed"])
    (folder / "new").unlink()
    (folder / "committed").write_text("as it was\n")
    (folder / "more").write_text("more\n")
    save(git, "run", 1, git.head(), ["new", "committed", "more"], onto=first)
    found = read_save(git, find_saves(git, 1)["run"][0])
    contents = {path: git.ask("cat-file", "blob", item.name) for path, item in found.items.items() if item}
    assert contents == {"new": b"work\n", "committed": b"edited\n", "more": b"more\n"}


def test_the_newest_save_of_a_step_comes_first(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo", {"a": "a\n"})
    git = find_git(str(folder))
    made = [save(git, "run", 1, git.head(), ["a"], items={"a": None}) for _ in range(SAVES)]
    save(git, "run", 10, git.head(), ["a"], items={"a": None})
    save(git, "other", 1, git.head(), ["a"], items={"a": None})

    def refs(saves: list[Save]) -> list[str]:
        return [one.ref for one in saves]

    found = find_saves(git, 1)
    assert set(found) == {"run", "other"}
    assert refs(found["run"]) == refs(made)[::-1]
    assert len(find_saves(git, 10)["run"]) == 1


@pytest.mark.parametrize("what", ["item_at", "save_items", "_tree", "_commit", "_free"])
@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("odd"), "odd"),
        (GitError(["x"], Done(1, b"", b"gone", False)), "git x failed: gone"),
    ],
)
def test_what_keeps_a_save_from_being_made_is_said_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, problem: Exception, said: str
) -> None:
    repo = make_repository(tmp_path / "repo", {"a.txt": "a\n"})
    git, before = find_git(str(repo)), sorted(path.name for path in (repo / ".git").iterdir())

    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr(saves, what, fail)
    with pytest.raises(NotSavedError) as refused:
        save(git, "p", 1, git.head(), ["a.txt"])
    assert str(refused.value).endswith(said)
    assert find_saves(git, 1) == {}
    assert sorted(path.name for path in (repo / ".git").iterdir()) == before


def test_what_is_at_a_path_is_a_file_a_link_or_nothing_and_never_a_guess(tmp_path: Path) -> None:
    (tmp_path / "file").touch(0o640)
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    found = {
        path: item_at(str(tmp_path), path)
        for path in ("file", "link", "folder", "pipe", "gone", "file/below")
    }
    assert {path: item and item.bits for path, item in found.items()} == {
        "file": 0o640, "link": -1, "folder": None, "pipe": None, "gone": None, "file/below": None,
    }  # fmt: skip
    with pytest.raises(NotSavedError, match="cannot be read: File name too long"):
        item_at(str(tmp_path), "x" * 300)
