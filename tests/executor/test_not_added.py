"""What a Verify saw is what is committed: a file that git would leave out, or change, fails the step."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.executor.sample import PLAN, Repo, plan, step

Make = Callable[..., Repo]

FILES = {"README.md": "# Greet\n", "src/hello.py": "print('hello')\n", "other/part.py": "old\n"}


def begun(make: Make, files: list[str], ignore: str = "", **manifest: object) -> Repo:
    """Return a repository in the middle of a step with these files."""
    repo = make(plan(step(1, files, **manifest)), files={**FILES, ".gitignore": ignore} if ignore else FILES)  # type: ignore[arg-type]
    repo.start()
    repo.ok("step begin 1")
    return repo


def escalated(repo: Repo) -> str:
    """Return why the only attempt failed."""
    answer = repo.ok("step verify 1")
    assert (answer["passed"], answer["attempt"], answer["next"]) == (False, 1, "escalate")
    (why,) = answer["why"]
    repo.ok("run finish")
    return str(why)


def completes(repo: Repo, *names: str) -> None:
    """Resume after the user's remedy: the edits are still there, and the commit has them."""
    edits = {name: repo.read(name) for name in names}
    repo.start("--mode", "resume")
    repo.ok("step begin 1")
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    for name, text in edits.items():
        assert repo.git("show", f"HEAD:{name}") + "\n" == text
    assert repo.ok("run finish")["result"] == "completed"


@pytest.mark.soak
def test_an_ignored_file_of_the_step(make: Make) -> None:
    repo = begun(make, ["src/part1.py", "logs/a.log"], ignore="# none\n*.log\n")
    repo.write({"src/part1.py": "one\n", "logs/a.log": "two\n"})
    assert escalated(repo) == (
        "git would not add logs/a.log: .gitignore:2 ignores it (*.log); `git add -f logs/a.log`, or change the rule:"
        " the user decides, then resumes the run"
    )
    repo.git("add", "-f", "logs/a.log")
    completes(repo, "src/part1.py", "logs/a.log")


@pytest.mark.soak
def test_an_ignored_file_that_is_tracked_is_committed(make: Make) -> None:
    repo = make(plan(step(1, ["a.log"])), files=FILES)
    repo.write({".gitignore": "*.log\n", "a.log": "old\n"})
    repo.git("add", "-f", ".gitignore", "a.log")
    repo.git("commit", "-qm", "tracked")
    repo.start()
    repo.do_step(1, {"a.log": "new\n"})
    assert repo.git("show", "HEAD:a.log") == "new"


@pytest.mark.soak
def test_a_rule_in_a_file_of_the_step_can_be_changed_by_it(make: Make) -> None:
    repo = begun(make, [".gitignore", "a.log"], ignore="*.log\n")
    repo.write({"a.log": "two\n"})
    answer = repo.ok("step verify 1")
    assert (answer["next"], answer["why"][0][-18:]) == ("retry", "; change that rule")
    repo.write({".gitignore": "*.tmp\n"})
    assert repo.ok("step verify 1")["passed"]


@pytest.mark.soak
def test_an_ignored_file_in_a_folder_of_the_step(make: Make) -> None:
    repo = begun(make, ["app/"], ignore=".env\n", expected_paths=["app/a.py"], min_file_count=1)
    repo.write({"app/a.py": "a\n", "app/.env": "key\n", "app/deep/.env": "key\n"})
    why = repo.ok("step verify 1")["why"]
    for said, path in zip(why, ("app/.env", "app/deep/.env"), strict=True):
        assert f"git would not add {path}: .gitignore:1 ignores it (.env)" in said


@pytest.mark.soak
def test_a_rule_that_is_written_during_the_run(make: Make) -> None:
    repo = begun(make, ["src/part1.py"])
    (repo.folder / ".git/info").mkdir(exist_ok=True)
    (repo.folder / ".git/info/exclude").write_text("part1.py\nhidden.py\n")
    repo.write({"src/part1.py": "one\n", "hidden.py": "x\n"})
    assert "git would not add src/part1.py: .git/info/exclude:1 ignores it (part1.py)" in escalated(repo)
    (repo.folder / ".git/info/exclude").write_text("hidden.py\n")
    completes(repo, "src/part1.py")


@pytest.mark.parametrize("mark", ["skip-worktree", "assume-unchanged"])
def test_a_file_that_git_is_told_to_overlook(make: Make, mark: str) -> None:
    repo = make(plan(step(1, ["src/hello.py"])), files=FILES)
    repo.git("update-index", f"--{mark}", "src/hello.py", "README.md")
    repo.write({"src/hello.py": "print('hello')\n# the user's, hidden\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"README.md": "# Changed\n"})
    assert repo.ok("step verify 1")["why"] == ["changed outside Files and expected_paths: README.md"]
    repo.ok("step restore 1")
    assert repo.read("README.md") == "# Greet\n"
    repo.write({"src/hello.py": "# the step's\nprint('hello')\n# the user's, hidden\n"})
    answer = repo.ok("step verify 1")
    assert (answer["attempt"], answer["next"]) == (2, "escalate")
    assert f"it is marked {mark}; `git update-index --no-{mark} src/hello.py`" in answer["why"][0]
    repo.ok("run finish")
    repo.git("update-index", f"--no-{mark}", "src/hello.py")
    repo.start("--mode", "resume")
    repo.ok("step begin 1")
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    assert repo.git("show", "HEAD:src/hello.py") == "# the step's\nprint('hello')"


@pytest.mark.parametrize("name", ["other/part.py", "other/new.py"])
def test_a_file_outside_the_sparse_checkout(make: Make, name: str) -> None:
    repo = make(plan(step(1, [name])), files=FILES)
    repo.git("update-index", "-q", "--refresh")  # the repository is a copy
    repo.git("sparse-checkout", "set", "--cone", "src")
    assert not repo.has("other")
    repo.start()
    repo.ok("step begin 1")
    repo.write({name: "new\n"})
    assert (
        f"git would not add {name}: it is outside the sparse checkout; `git sparse-checkout add other`"
        in escalated(repo)
    )
    repo.git("sparse-checkout", "add", "other", check=False)
    repo.write({name: "new\n"})
    completes(repo, name)


@pytest.mark.soak
def test_a_sparse_checkout_is_no_surprise(make: Make) -> None:
    repo = make(plan(step(1), step(2)), files=FILES)
    repo.git("sparse-checkout", "set", "--cone", "src")
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert "notes" not in repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert repo.git("ls-tree", "-r", "--name-only", "HEAD").split() == [
        "README.md", "other/part.py", "src/hello.py", "src/part1.py", "src/part2.py",
    ]  # fmt: skip


@pytest.mark.soak
def test_settings_that_let_git_overlook_an_edit(make: Make) -> None:
    repo = make(plan(step(1)), files=FILES)
    repo.git("config", "core.checkStat", "minimal")
    repo.git("config", "core.trustctime", "false")
    path = repo.folder / "README.md"
    os.utime(path, (1_600_000_000, 1_600_000_000))
    repo.git("update-index", "--refresh")
    repo.start()
    repo.ok("step begin 1")
    time.sleep(1.1)  # git compares whole seconds
    repo.write({"src/part1.py": "one\n", "README.md": "# Grown\n"})
    os.utime(path, (1_600_000_000, 1_600_000_000))
    assert repo.ok("step verify 1")["why"] == ["changed outside Files and expected_paths: README.md"]


@pytest.mark.parametrize(
    ("settings", "text", "said"),
    [
        ({"core.autocrlf": "input"}, b"a\r\nb\r\n", "git changes its line ends"),
        ({"core.autocrlf": "input"}, b"a\nb\n", ""),
        ({"core.autocrlf": "true"}, b"a\nb\n", ""),
        ({"core.autocrlf": "true"}, b"a\r\nb\r\n", ""),
        ({"filter.x.clean": "tr a-z A-Z"}, b"good\n", "a filter of git changes it"),
        ({"filter.x.clean": "tr a-z A-Z"}, b"GOOD\n", ""),
        ({"filter.x.clean": "tr a-z n-za-m", "filter.x.smudge": "tr n-za-m a-z"}, b"good\n", ""),
    ],
)
def test_the_bytes_that_a_verify_saw(make: Make, settings: dict[str, str], text: bytes, said: str) -> None:
    """Either the commit has them, or a checkout of the commit writes them."""
    repo = make(plan(step(1, ["data.txt"])), files={**FILES, ".gitattributes": "data.txt filter=x\n"})
    for name, value in settings.items():
        repo.git("config", name, value)
    repo.start()
    repo.ok("step begin 1")
    repo.write({"data.txt": text})
    answer = repo.ok("step verify 1")
    assert answer["passed"] is not bool(said)
    if said:
        assert answer["why"] == [
            f"the commit would have other bytes of data.txt than Verify saw: {said}; write it as git commits it"
        ]


@pytest.mark.soak
def test_a_filter_that_is_set_during_the_run(make: Make) -> None:
    """It commits garbage and shows the work in every checkout of this repository, but in no other."""
    repo = begun(make, ["data.txt"])
    (repo.folder / ".git/info").mkdir(exist_ok=True)
    (repo.folder / ".git/info/attributes").write_text("data.txt filter=x\n")
    repo.git("config", "filter.x.clean", "echo nothing")
    repo.git("config", "filter.x.smudge", "echo work")
    repo.write({"data.txt": "work\n"})
    assert "a filter that was set during the run changes it" in repo.ok("step verify 1")["why"][0]
    (repo.folder / ".git/info/attributes").unlink()
    os.utime(repo.folder / "data.txt")
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    assert repo.git("show", "HEAD:data.txt") == "work"


@pytest.mark.soak
@pytest.mark.parametrize("later", ["edit", "filter"])
def test_what_changes_between_verify_and_commit_is_not_committed(make: Make, later: str) -> None:
    """A filter hides a later edit from git, or is itself changed later: the commit has what was verified."""
    repo = make(plan(step(1, ["data.txt"])), files={**FILES, ".gitattributes": "data.txt filter=x\n"})
    repo.git("config", "filter.x.clean", "grep -v '^#'")
    repo.start()
    repo.ok("step begin 1")
    repo.write({"data.txt": "work\n"})
    os.utime(
        repo.folder / "data.txt", (1_600_000_000, 1_600_000_000)
    )  # old enough for git not to read it again
    assert repo.ok("step verify 1")["passed"]
    if later == "edit":
        repo.write({"data.txt": "work\n# later\n"})
    else:
        repo.git("config", "filter.x.clean", "tr a-z A-Z")
    repo.ok("step commit 1")
    assert repo.git("show", "HEAD:data.txt") == "work"


def test_more_files_than_a_step_expects(make: Make) -> None:
    repo = make(plan(step(1, min_file_count=2)))
    said = repo.refused(f"run start {PLAN}")
    assert (
        "PLAN_BAD_VALUE: min_file_count of step 1 must be at most 1, as expected_paths has 1 file, not 2"
        in said
    )
    repo.write({PLAN: plan(step(1, min_file_count=1))})
    repo.start()


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (
            {"must_contain": [{"path": "src/*.py", "pattern": "part"}]},
            "must_contain of step 1 must name a file, not the pattern src/*.py",
        ),
        (
            {"bash_syntax_check": ["bin/run?.sh"]},
            "bash_syntax_check of step 1 must name a file, not the pattern bin/run?.sh",
        ),
    ],
)
def test_a_pattern_where_a_file_must_be_named(make: Make, manifest: dict[str, Any], said: str) -> None:
    repo = make(plan(step(1, **manifest)))
    assert f"PLAN_BAD_VALUE: {said}" in repo.refused(f"run start {PLAN}")


@pytest.mark.soak
def test_a_folder_of_the_step_that_is_a_repository_of_its_own(make: Make) -> None:
    repo = begun(make, ["app/"], expected_paths=["app/main.py"])
    repo.write({"app/main.py": "one\n"})
    repo.git("init", "-q", "app")
    assert "git would not add app/main.py: app is a repository of its own; remove app/.git" in escalated(repo)
