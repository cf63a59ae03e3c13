"""What a person has and no commit has is not lost by a step: neither when it is undone nor when it passes."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.executor.sample import FILES, PLAN, PROJECT, Repo, plan, step

Make = Callable[..., Repo]
HIDING: dict[str, str] = {**FILES, ".gitignore": "*.local\n"}
SAVE = "refs/ultra/rescue/2026-01-31-greet/step-1"
LINES = "".join(f"{number}\n" for number in range(20))


def failing(*files: str) -> str:
    """Return a plan with one step that is undone at once."""
    return plan(step(1, files, verify="false", on_failure="skip"))


@pytest.mark.parametrize("name", ["notes.txt", "src/hello.py"])
def test_line_ends_that_rules_of_the_step_hide_are_undone(make: Make, name: str) -> None:
    repo = make(failing(".gitattributes"))
    repo.write({"notes.txt": "a\nb\n"})
    before = repo.tree()
    repo.start()
    repo.ok("step begin 1")
    repo.write({".gitattributes": "* text eol=crlf\n", name: repo.read(name).replace("\n", "\r\n").encode()})
    answer = repo.ok("step verify 1")
    assert answer["undone"].startswith(f".gitattributes, {name};")
    assert repo.tree() == before


def test_folders_of_ignored_files_come_back_with_their_modes_and_empty_ones(make: Make) -> None:
    repo = make(failing("src/part1.py"), files=HIDING)
    repo.write({"src/private/key.local": "secret\n"})
    private, empty = repo.folder / "src/private", repo.folder / "src/private/in/empty"
    empty.mkdir(parents=True)
    empty.chmod(0o750)
    private.chmod(0o700)
    repo.start()
    repo.ok("step begin 1")
    shutil.rmtree(repo.folder / "src")
    repo.ok("step verify 1")
    assert repo.read("src/private/key.local") == "secret\n"
    assert [path.stat().st_mode & 0o777 for path in (private, empty)] == [0o700, 0o750]


@pytest.mark.parametrize("own", ["part1.py", "src/part1.py"])
def test_ignored_files_at_the_root_come_back(make: Make, own: str) -> None:
    repo = make(failing(own), files=HIDING)
    repo.write({"mine.local": "mine\n", "large.local": b"x" * (4 * 1024 * 1024 + 1)})
    repo.start()
    repo.ok("step begin 1")
    (repo.folder / "mine.local").unlink()
    assert repo.ok("step verify 1")["undone"].startswith("mine.local;")
    assert repo.read("mine.local") == "mine\n"


@pytest.mark.parametrize("name", ["mine.local", "src/mine.local"])
def test_ignored_files_that_a_step_edits_come_back(make: Make, name: str) -> None:
    repo = make(plan(step(1, ["src/part1.py"], verify="test -e src/part1.py")), files=HIDING)
    repo.write({name: "mine\n"})
    (repo.folder / name).chmod(0o600)
    before = repo.tree()
    repo.start()
    repo.ok("step begin 1")
    repo.write({name: "lost?\n"})
    (repo.folder / name).chmod(0o644)
    for _ in range(3):
        answer = repo.ok("step verify 1")
    assert answer["undone"].startswith(f"{name};")
    assert repo.tree() == before
    repo.ok("run finish")
    repo.start("--mode", "resume")
    repo.ok("step begin 1")
    repo.write({name: "edited\n", "src/part1.py": "part\n"})
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    findings = repo.ok("run finish")["findings"]
    assert (
        f"step 1 edited ignored files: {name}; to get them back: `ultra step rescue 1` when the run is over"
        in findings
    )
    repo.ok("step rescue 1")
    assert repo.read(name) == "mine\n"


def test_files_that_are_no_longer_ignored_are_no_change_of_the_step(make: Make) -> None:
    repo = make(plan(step(1, [".gitignore"]), step(2)), files=HIDING)
    repo.write({"src/mine.local": "mine\n", "src/old.local": "old\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({".gitignore": "\n", "src/new.txt": "new\n"})
    answer = repo.ok("step verify 1")
    assert answer["why"] == ["changed outside Files and expected_paths: src/new.txt"]
    repo.ok("step restore 1 src/new.txt")
    assert "has not changed" in repo.refused("step restore 1 src/mine.local")
    answer = repo.ok("step verify 1")
    assert (
        answer["note"]
        == "no longer ignored by git, left uncommitted as before: src/mine.local, src/old.local"
    )
    repo.ok("step commit 1")
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert repo.git("status", "--short", "src") == "?? src/mine.local\n?? src/old.local"


def test_an_ignored_file_that_the_step_edits_and_shows_is_its_change(make: Make) -> None:
    repo = make(plan(step(1, [".gitignore"])), files=HIDING)
    repo.write({"mine.local": "mine\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({".gitignore": "\n", "mine.local": "edited\n"})
    assert repo.ok("step verify 1")["why"] == ["changed outside Files and expected_paths: mine.local"]
    repo.ok("step restore 1 mine.local")
    assert repo.read("mine.local") == "mine\n"
    assert repo.ok("step verify 1")["passed"]


@pytest.mark.parametrize(
    ("before", "after"),
    [("a draft\n", "part\n"), ("a draft\n", None), (f"{LINES}mine\n", f"new\n{LINES}")],
    ids=["a draft is replaced", "a draft is removed", "a line is dropped"],
)
def test_what_a_step_replaces_and_nobody_has_committed_is_saved(
    make: Make, before: str, after: str | None
) -> None:
    files = {**FILES, "src/part1.py": LINES} if before.startswith(LINES) else FILES
    repo = make(plan(step(1, ["src/part1.py"], expected_paths=[])), files=files)
    repo.write({"src/part1.py": before})
    repo.start()
    repo.ok("step begin 1")
    if after is None:
        (repo.folder / "src/part1.py").unlink()
    else:
        repo.write({"src/part1.py": after})
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    repo.git("gc", "-q", "--prune=now")
    done = repo.ok("run finish")
    how = f"git show {SAVE}:src/part1.py"
    assert done["findings"] == [f"step 1 replaced what was not committed: src/part1.py; `{how}` prints it"]
    assert repo.git("show", f"{SAVE}:src/part1.py") == before.rstrip("\n")


def test_a_commit_that_is_tried_again_saves_once(make: Make) -> None:
    repo = make(plan(step(1, ["src/part1.py"])), files=HIDING)
    repo.write({"src/part1.py": "a draft\n", "src/mine.local": "mine\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "part\n", ".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n"})
    (repo.folder / "src/mine.local").unlink()
    (repo.folder / ".git/hooks/pre-commit").chmod(0o755)
    assert repo.ok("step verify 1")["passed"]
    repo.refused("step commit 1")
    repo.refused("step commit 1")
    (repo.folder / ".git/hooks/pre-commit").unlink()
    repo.ok("step commit 1")
    assert len([name for name in repo.refs() if name.startswith("rescue/")]) == 2
    assert len([one for one in repo.ok("run finish")["findings"] if "replaced" in one]) == 1


def test_nothing_is_saved_while_the_lines_of_the_user_stay(make: Make) -> None:
    repo = make(plan(step(1, ["src/part1.py"])), files={**FILES, "src/part1.py": LINES})
    repo.write({"src/part1.py": f"{LINES}mine\n"})
    repo.start()
    repo.do_step(1, {"src/part1.py": f"new\n{LINES}mine\n"})
    assert "findings" not in repo.ok("run finish")
    assert repo.git("diff", "--stat").endswith("1 insertion(+)")


def test_a_step_that_cleans_up_the_tree_leaves_a_run_that_can_end(make: Make) -> None:
    repo = make(failing("src/part1.py"))
    repo.write({f"{PROJECT}/brief.md": "# Brief\n"})
    text = repo.read(PLAN)
    repo.start()
    repo.ok("step begin 1")
    repo.git("clean", "-fdxq")
    assert not repo.has(".claude")
    repo.ok("step verify 1")
    assert (repo.read(PLAN), repo.read(f"{PROJECT}/brief.md")) == (text, "# Brief\n")
    assert (
        f"{PLAN} was removed during the run; it was put back as git has it"
        in repo.ok("run finish")["findings"]
    )
