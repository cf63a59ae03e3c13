"""Names that are unusual and legal: of the repository's folder, and of files in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, PROGRESS, Repo, plan, step

Make = Callable[..., Repo]


@pytest.mark.soak
@pytest.mark.parametrize(
    "name", [b"re:po", b"re\npo", b"re\xffpo", b"r" * 250], ids=lambda one: ascii(one)[:12]
)
def test_a_run_in_a_folder_with_an_odd_name(tmp_path: Path, bundle: Path, python: Path, name: bytes) -> None:
    folder = tmp_path / os.fsdecode(name)
    text = plan(step(1), step(2, verify="false", on_failure="skip"), verification="test -e src/part1.py")
    repo = Repo(folder, bundle, python).create(text)
    repo.git("config", "core.autocrlf", "input")
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    repo.ok("step begin 2")
    repo.write({"src/part2.py": "two\n", "src/hello.py": "changed\n"})
    repo.git("add", "src/hello.py")
    assert repo.ok("step verify 2")["next"] == "skip"
    assert (repo.read("src/hello.py"), repo.staged()) == ("print('hello')\n", "")
    done = repo.ok("run finish")
    assert (done["result"], done["ultraexecute_summary"]["proof"]) == ("completed", "clean checkout")
    assert repo.ultra(f"audit {PLAN}")["status"] == "pass"


@pytest.mark.soak
def test_names_that_are_no_text_are_remembered(make: Make) -> None:
    leaves = """touch "$(printf 'x\\377.log')"; test -e src/part1.py"""
    repo = make(plan(step(1, verify=leaves), step(2)))
    repo.write({".git/info/exclude": "*.local\n"})
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n", os.fsdecode(b"src/x\xff\x01.local"): "ignored\n"})
    note = repo.ok("step verify 1")["note"]
    assert (
        note
        == r"left uncommitted, written by Verify: x\udcff.log; changed, but ignored by git: src/x\udcff\x01.local"
    )
    repo.ok("step commit 1")
    repo.do_step(2, {"src/part2.py": "two\n"})
    assert repo.ok("run finish")["result"] == "completed"
    assert repo.has(PROGRESS)


def test_a_name_that_ends_with_a_return_is_not_taken_for_another(make: Make) -> None:
    repo = make(plan(step(1, verify="false", on_failure="skip")))
    repo.start()
    repo.ok("step begin 1")
    work = {
        "src/hello.py\r": "mine\n",
        "src/alone\r": "alone\n",
        'src/\\"\n\r': "all\n",
        "src/in\rside": "in\n",
    }
    repo.write(work)
    assert repo.ok("step verify 1")["next"] == "skip"
    assert [path.name for path in (repo.folder / "src").iterdir()] == ["hello.py"]
    repo.ok("run finish")
    repo.ok("step rescue 1")
    assert {name: repo.read(name) for name in work} == work


@pytest.mark.soak
def test_a_name_that_begins_with_a_colon_is_a_name(make: Make) -> None:
    name = ":memory:"
    removes = step(1, [name], verify=f"test ! -e {name}", expected_paths=[])
    repo = make(plan(removes), files={name: "x\n", "memory:": "y\n"})
    repo.start()
    repo.ok("step begin 1")
    (repo.folder / name).unlink()
    assert repo.ok("step verify 1")["passed"]
    assert repo.ok("step commit 1")["commit"]
    assert repo.ok("run finish")["result"] == "completed"


def test_backslashes_and_brackets_are_part_of_a_name(make: Make) -> None:
    """Also where git would take them for signs of a pattern: a new file of the step that it ignores is undone."""
    name, patterns = "src\\a.txt", ["x\\y/*.local", "src/[a]/*.local"]
    named = step(1, [name], verify=f"grep one '{name}'", must_contain=[{"path": name, "pattern": "one"}])
    failing = step(2, patterns, verify="false", on_failure="skip", expected_paths=[])
    repo = make(plan(named, failing), files={"README.md": "# Odd\n", ".gitignore": "*.local\n"})
    repo.start()
    repo.do_step(1, {name: "one\n"})
    repo.ok("step begin 2")
    before = repo.tree()
    repo.write({"x\\y/new.local": "new\n", "src/[a]/new.local": "new\n", "x/y/other.txt": "other\n"})
    answer = repo.ok("step verify 2")
    assert "changed outside Files and expected_paths: x/y/other.txt" in answer["why"]
    assert repo.tree() == before
    assert repo.ok("run finish")["result"] == "completed"
    repo.ok("step rescue 2 x\\y/new.local")
    assert repo.read("x\\y/new.local") == "new\n"


@pytest.mark.parametrize("name", [".", "./", "src/.."])
def test_a_step_does_not_name_the_whole_tree(make: Make, name: str) -> None:
    repo = make(plan(step(1, [name])))
    assert f"step 1 must not change {name}: it is the whole tree" in repo.refused(f"run start {PLAN}")
