"""What is saved before it is taken away comes back byte for byte, whatever its name, and the newest save is first."""

from __future__ import annotations

import os
from pathlib import Path

from tests.kit.repository import make_repository
from ultra_runtime.files.git import find_git
from ultra_runtime.run.tree.saves import Save, find_saves, read_save, save

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
