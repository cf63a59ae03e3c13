"""What a person has and no commit has is not lost by a step: neither when it is undone nor when it passes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import pytest

from tests.executor.sample import FILES, PLAN, PROJECT, Repo, plan, step
from tests.modes import obey_modes
from ultra_runtime.run.state.run_place import RunPlace
from ultra_runtime.run.tree.ignored import Ignored
from ultra_runtime.run.tree.snapshot import Snapshots
from ultra_runtime.run.tree.workspace import find_workspace

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


@pytest.mark.soak
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


@pytest.mark.soak
@pytest.mark.parametrize("own", ["part1.py", "src/part1.py"])
def test_ignored_files_at_the_root_come_back(make: Make, own: str) -> None:
    repo = make(failing(own), files=HIDING)
    repo.write({"mine.local": "mine\n", "large.local": b"x" * (4 * 1024 * 1024 + 1)})
    repo.start()
    repo.ok("step begin 1")
    (repo.folder / "mine.local").unlink()
    assert repo.ok("step verify 1")["undone"].startswith("mine.local;")
    assert repo.read("mine.local") == "mine\n"


@pytest.mark.soak
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


@pytest.mark.soak
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


@pytest.mark.soak
def test_a_commit_that_is_tried_again_saves_once(make: Make) -> None:
    repo = make(plan(step(1, ["src/part1.py"])), files=HIDING)
    repo.write({"src/part1.py": "a draft\n", "src/mine.local": "mine\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "part\n", ".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n"})
    (repo.folder / "src/mine.local").unlink()
    (repo.folder / ".git/hooks/pre-commit").chmod(0o755)
    assert repo.ok("step verify 1")["passed"]
    lock = repo.folder / f".git/{SAVE}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    assert f"removed or edited cannot be saved: git update-ref failed: {lock}" in repo.refused(
        "step commit 1"
    )
    lock.unlink()
    repo.refused("step commit 1")
    repo.refused("step commit 1")
    (repo.folder / ".git/hooks/pre-commit").unlink()
    repo.ok("step commit 1")
    assert len([name for name in repo.refs() if name.startswith("rescue/")]) == 2
    assert len([one for one in repo.ok("run finish")["findings"] if "replaced" in one]) == 1
    assert repo.ok("step rescue 1")["rescued"] == "src/mine.local"


@pytest.mark.parametrize("calls", [["run abort"], ["step verify 1", "run finish"]])
def test_what_an_unfinished_step_replaced_comes_back_without_a_resume(make: Make, calls: list[str]) -> None:
    repo = make(plan(step(1, verify="false", on_failure="escalate")), files=HIDING)
    repo.write({**MINE, "src/part1.py": "a draft\n", "src/mine.local": "mine\n"})
    before = repo.tree()
    repo.start("--go-on")
    repo.write({"src/part1.py": "part\n"})
    for name in ("mine.txt", "src/mine.local"):
        (repo.folder / name).unlink()
    told = str([repo.ok(call) for call in calls])
    assert "step 1 replaced what was not committed: mine.txt, src/part1.py; `git show " in told
    assert "step 1 removed ignored files: src/mine.local; to get them back: `ultra step rescue 1`" in told
    repo.git("gc", "-q", "--prune=now")
    repo.ok("step rescue 1")
    repo.ok("step rescue 1 mine.txt src/part1.py")
    assert repo.tree() == before


@pytest.mark.soak
def test_nothing_is_saved_while_the_lines_of_the_user_stay(make: Make) -> None:
    repo = make(plan(step(1, ["src/part1.py"])), files={**FILES, "src/part1.py": LINES})
    repo.write({"src/part1.py": f"{LINES}mine\n"})
    repo.start()
    repo.do_step(1, {"src/part1.py": f"new\n{LINES}mine\n"})
    assert "findings" not in repo.ok("run finish")
    assert repo.git("diff", "--stat").endswith("1 insertion(+)")


@pytest.mark.soak
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


LOSES = "git checkout -q HEAD -- .; git clean -fdq -e .claude; rm -f mine.local"
MINE = {"README.md": "# Mine\n", "mine.txt": "mine\n"}


@pytest.mark.soak
def test_what_a_test_first_takes_away_is_put_back(make: Make) -> None:
    text = step(1, verify="test -e src/part1.py", test_first=f"`{LOSES}; echo 1 > src/part1.py; false`")
    repo = make(plan(text), files=HIDING)
    repo.write({**MINE, "mine.local": "mine\n"})
    repo.git("add", "README.md")
    staged = repo.staged()
    repo.start()
    told, index = repo.ok("step begin 1")["notes"]
    assert told == "Test first of step 1 changed files of your tree, which were put back: README.md, mine.txt"
    assert index.startswith(
        "Test first of step 1: the index changed while it ran and was put back; `git diff "
    )
    assert {name: repo.read(name) for name in MINE} == MINE
    assert repo.staged() == staged
    assert repo.read("src/part1.py") == "1\n"
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    repo.ok("run finish")
    repo.ok("step rescue 1 mine.local")
    assert repo.read("mine.local") == "mine\n"


@pytest.mark.soak
@pytest.mark.parametrize("settings", ["", "proof: off\n"])
def test_what_a_verification_takes_away_from_the_tree_is_put_back(make: Make, settings: str) -> None:
    repo = make(plan(step(1), verification=f"{LOSES}; test -e no"))
    repo.write({**MINE, **({".claude/ultra.yaml": settings} if settings else {})})
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.git("add", "README.md")
    before, staged = repo.tree(), repo.staged()
    done = repo.ok("run finish")
    assert done["result"] == "partial"
    assert "changed files of your tree, which were put back: README.md, mine.txt" in repo.read(done["report"])
    assert {name: item for name, item in repo.tree().items() if name in before} == before
    assert repo.staged() == staged
    assert not repo.has(".git/ultra/2026-01-31-greet-beside")


@pytest.mark.soak
def test_what_was_staged_between_the_steps_stays_when_an_edit_is_put_back(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.write(MINE)
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.git("add", "README.md")
    staged = repo.staged()
    repo.write({"README.md": "stray\n", "mine.txt": "stray\n"})
    repo.git("add", "mine.txt")
    repo.ok("step restore 2")
    assert repo.staged() == staged
    assert {name: repo.read(name) for name in MINE} == MINE


@pytest.mark.soak
def test_a_folder_with_ignored_files_in_the_place_of_a_file_is_undone(make: Make) -> None:
    repo = make(failing("src/part1.py"), files=HIDING)
    before = repo.tree()
    repo.start()
    repo.ok("step begin 1")
    (repo.folder / "README.md").unlink()
    repo.write({"README.md/new": "new\n", "README.md/deep/new.local": "new\n"})
    assert "README.md/deep/new.local" in repo.ok("step verify 1")["undone"]
    assert repo.tree() == before
    repo.ok("run finish")
    repo.ok("step rescue 1")
    assert repo.read("README.md/deep/new.local") == "new\n"


def test_an_ignored_file_that_nobody_may_read_stops_no_step(make: Make) -> None:
    repo = make(plan(step(1)), files=HIDING)
    repo.write({"mine.local": "mine\n"})
    (repo.folder / "mine.local").chmod(0)
    repo.start()
    repo.ok("step begin 1", before=obey_modes)


@pytest.mark.soak
def test_what_nobody_can_read_is_left_alone_and_named_when_it_is_gone(make: Make) -> None:
    """There is no copy of it; a folder of the step that nobody may change is undone like any other."""
    repo = make(failing("src/part1.py"))
    repo.write(
        {"gone.txt": "gone\n", "edited.txt": "x\n", "kept.txt": "kept\n", "private/mine.txt": "mine\n"}
    )
    repo.write({"README.md": "# Mine\n"})
    closed = ("gone.txt", "edited.txt", "kept.txt", "private", "README.md")
    for name in closed:
        (repo.folder / name).chmod(0)
    repo.ok(f"run start {PLAN}", before=obey_modes)
    repo.ok("step begin 1", before=obey_modes)
    (repo.folder / "gone.txt").unlink()
    (repo.folder / "README.md").unlink()
    (repo.folder / "private").chmod(0o755)
    (repo.folder / "kept.txt").chmod(0o644)
    repo.write({"edited.txt": "edited\n", "new/deep/x.txt": "new\n", "src/part1.py": "wrong\n"})
    for name in ("new/deep", "new", "src"):
        (repo.folder / name).chmod(0o500)
    answer = repo.ok("step verify 1", before=obey_modes)
    words = "nobody could read it when the step began, so there is no copy"
    named = ", ".join(f"{name} ({words})" for name in ("README.md", "edited.txt", "gone.txt"))
    assert answer["undone"] == f"not everything could be undone: {named}"
    assert answer["next"] == "escalate"
    there = {name: (repo.folder / name).stat().st_mode & 0o777 for name in closed if repo.has(name)}
    assert there == {"edited.txt": 0, "kept.txt": 0, "private": 0, "README.md": 0}
    (repo.folder / "private").chmod(0o700)
    assert [repo.read(name) for name in ("private/mine.txt", "kept.txt", "README.md")] == [
        "mine\n",
        "kept\n",
        "# Greet\n",
    ]
    assert not (repo.folder / "new").exists()
    assert not (repo.folder / "src/part1.py").exists()


def test_an_ignored_file_that_goes_during_a_look_is_none(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make(plan(step(1)), files=HIDING)
    repo.write({"gone.local": "", "mine.local": ""})
    workspace = find_workspace(str(repo.folder))
    place = RunPlace(str(repo.folder), str(repo.folder / PLAN), None, None)
    snapshots = Snapshots(workspace, place)
    snapshots.take()
    ignored = Ignored(workspace, place, snapshots)
    real = os.lstat

    def lstat(path: str) -> os.stat_result:
        if path.endswith("gone.local"):
            raise FileNotFoundError
        return real(path)

    monkeypatch.setattr("ultra_runtime.run.tree.ignored.os.lstat", lstat)
    ignored.look()
    assert ignored.near(["src/x"]) == ["mine.local"]


@pytest.mark.soak
@pytest.mark.parametrize("rules", ["", "* text=auto\n"])
def test_a_socket_or_a_pipe_in_the_place_of_a_file_is_noticed(make: Make, rules: str) -> None:
    repo = make(plan(step(1, verify="test -e src/part1.py")), files={**FILES, ".gitattributes": rules})
    repo.write(MINE)
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    for name in MINE:
        (repo.folder / name).unlink()
        os.mkfifo(repo.folder / name)
    assert "changed outside Files and expected_paths: README.md, mine.txt" in str(
        repo.ok("step verify 1")["why"]
    )
    repo.ok("step restore 1")
    assert {name: repo.read(name) for name in MINE} == MINE
    assert repo.ok("step verify 1")["passed"]


def test_what_a_verify_writes_anew_of_the_users_is_saved(make: Make) -> None:
    repo = make(plan(step(1, verify="echo report >> notes.txt")))
    repo.write({"notes.txt": "precious\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "x\n"})
    assert repo.ok("step verify 1")["passed"]
    (ref,) = [name for name in repo.refs() if name.startswith("rescue/")]
    assert repo.git("show", f"refs/ultra/{ref}:notes.txt") == "precious"
    repo.ok("step commit 1")
    assert "replaced what was not committed: notes.txt" in repo.read(repo.ok("run finish")["report"])
