"""What changed beside a step is taken back by a verb, exactly, and never what was changed before the step."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import FILES, Repo, plan, step

Make = Callable[..., Repo]


@pytest.fixture
def repo(make: Make) -> Repo:
    """Return a repository with a file of the user's, in the middle of a step."""
    hint = "retry - read the file back and compare it"
    repo = make(plan(step(1, on_failure=hint, verify="grep -q right src/part1.py")))
    repo.write({"README.md": "# Greet\nthe user's line\n", "mine.txt": "the user's\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "right\n"})
    return repo


def test_what_lies_outside_is_taken_back_as_the_answer_says(repo: Repo) -> None:
    before = repo.tree()
    repo.write({"notes.txt": "new\n", "README.md": "# Changed\n", "deep/er.txt": "new\n"})
    (repo.folder / "mine.txt").unlink()
    answer = repo.ok("step verify 1")
    call = "ultra step restore 1 README.md deep/er.txt mine.txt notes.txt"
    mine = call.replace("restore 1", "begin 1 --mine")
    assert answer["do"] == (  # and not: fix
        f"undo what is outside the step: `{call}` (what the user changed: ask, then `{mine}`), then `ultra step verify 1`"
    )
    told = repo.ok(call.partition(" ")[2])
    assert told["restored"] == (
        "README.md, deep/er.txt, mine.txt, notes.txt; to get this back: `ultra step rescue 1`"
    )
    assert told["next"] == "fix what else the last verify reported, if anything, then ultra step verify 1"
    assert repo.tree() == before
    assert repo.ok("step rescue 1 notes.txt")["rescued"] == "notes.txt"
    assert repo.read("notes.txt") == "new\n"
    assert repo.git("show", "refs/ultra/rescue/2026-01-31-greet/step-1:README.md") == "# Changed"
    repo.ok("step restore 1")
    assert repo.tree() == before
    assert {name for name in repo.refs() if name.startswith("rescue/")} == {
        "rescue/2026-01-31-greet/step-1", "rescue/2026-01-31-greet/step-1-2",
    }  # fmt: skip
    assert repo.ok("step verify 1")["passed"]


def state(repo: Repo) -> dict[str, object]:
    """Return what is at each path, as the file system says."""
    found: dict[str, object] = {}
    for folder, folders, files in os.walk(repo.folder):
        for name in (*folders, *files):
            path = Path(folder, name)
            shown = path.relative_to(repo.folder).as_posix()
            if not shown.startswith((".git/", ".claude")):
                found[shown] = (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)
    return found


@pytest.mark.soak
def test_what_git_does_not_see_is_taken_back_too(make: Make) -> None:
    """Modes, empty folders and their modes, and by name ignored files; what the step itself empties stays so."""
    files = {**FILES, ".gitignore": "*.local\n", "src/old/gone.py": "old\n"}
    own = ["src/part1.py", "src/old/gone.py"]
    repo = make(plan(step(1, own, expected_paths=own[:1], min_file_count=1)), files=files)
    repo.write({"key.local": "mine\n", "src/other.local": "mine\n", "notes.txt": "mine\n"})
    for name, bits in (("key.local", 0o600), ("notes.txt", 0o600), ("README.md", 0o640)):
        (repo.folder / name).chmod(bits)
    (repo.folder / "empty/deep").mkdir(parents=True)
    (repo.folder / "empty").chmod(0o711)
    repo.start()
    repo.ok("step begin 1")
    before = state(repo)

    def spoil() -> None:
        shutil.rmtree(repo.folder / "empty")
        for name in ("notes.txt", "README.md", "key.local"):
            (repo.folder / name).chmod(0o644)
        repo.write({"key.local": "spoilt\n", "notes.txt": "spoilt\n"})
        (repo.folder / "src/other.local").unlink()

    spoil()
    repo.write({"src/part1.py": "part\n"})
    shutil.rmtree(repo.folder / "src/old")
    mine = {path: one for path, one in state(repo).items() if path.startswith(("src/part1", "src/old"))}
    after = {path: one for path, one in before.items() if not path.startswith("src/old")} | mine
    told = repo.ok("step restore 1")["restored"]
    assert told.startswith("README.md, empty, empty/deep, notes.txt;")
    names = ("key.local", "src/other.local")
    now = state(repo)
    assert {path for path in {*now, *after} if now.get(path) != after.get(path)} == set(names)
    repo.ok(f"step restore 1 {' '.join(names)}")
    assert state(repo) == after
    spoil()
    for name in (*names, "empty", "notes.txt", "README.md"):
        repo.ok(f"step restore 1 {name}")
    assert state(repo) == after
    assert "nothing outside step 1 has changed" in repo.refused("step restore 1")
    assert repo.ok("step verify 1")["passed"]


@pytest.mark.soak
def test_why_a_step_is_undone_is_no_hint_for_the_next_attempt(make: Make) -> None:
    repo = make(plan(step(1, on_failure="revert - nothing else needs it")))
    repo.start()
    repo.ok("step begin 1")
    assert repo.ok("step verify 1")["do"] == "fix it, then `ultra step verify 1`"


@pytest.mark.soak
def test_what_lies_inside_is_fixed(repo: Repo) -> None:
    repo.write({"src/part1.py": "wrong\n"})
    assert repo.ok("step verify 1")["do"] == (
        "fix it (read the file back and compare it), then `ultra step verify 1`"
    )
    repo.write({"notes.txt": "new\n"})
    assert repo.ok("step verify 1")["do"] == (
        "undo what is outside the step: `ultra step restore 1 notes.txt`"
        " (what the user changed: ask, then `ultra step begin 1 --mine notes.txt`), then fix the rest"
        " (read the file back and compare it), then `ultra step verify 1`"
    )


@pytest.mark.soak
def test_an_edit_after_the_pass_is_taken_back_and_the_pass_stands(repo: Repo) -> None:
    repo.ok("step verify 1")
    repo.write({"README.md": "# Changed\n"})
    assert "changed since it was verified: README.md" in repo.refused("step commit 1")
    repo.ok("step restore 1 README.md")
    repo.ok("step commit 1")
    assert repo.read("README.md") == "# Greet\nthe user's line\n"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("src/part1.py", "src/part1.py belongs to the step"),
        ("mine.txt", "mine.txt has not changed"),
        ("../elsewhere", "../elsewhere has not changed"),
        (".", ". has not changed"),
        ("", "nothing outside step 1 has changed"),
    ],
)
def test_nothing_else_is_put_back(repo: Repo, names: str, said: str) -> None:
    before = repo.tree()
    assert said in repo.refused(f"step restore 1 {names}")
    assert repo.tree() == before


@pytest.mark.soak
def test_only_the_current_step_can_be_restored(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    assert "README.md has not changed" in repo.refused("step restore 1 README.md")
    assert "step 2 is out of turn" in repo.refused("step restore 2 README.md")
