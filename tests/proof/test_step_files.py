"""What a step has to leave on disk: the kinds of things that its commit can keep, by the names of the plan."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import Repo, plan, step
from tests.kit.files import write_tree
from ultra_runtime.run.step.expected import MISSING, problem_on_disk

KIND = "not a regular file"
# What the plan expects, and the problem with it in the tree below.
CASES = {
    "src/a.py": "",
    "./src//a.py": "",
    "src/none.py": MISSING,
    "src": KIND,
    "src/": "",
    "src/a.py/": "not a folder",
    "empty/": "git keeps no empty folder",
    "loop/": "",
    "link.py": KIND,
    "link.py/": "",
    "dangling.py": KIND,
    "pipe": "it is neither a file nor a folder",
    "linked/a.py": "linked is a symbolic link, so git does not keep what is below it",
    "app/[id].tsx": "",
    "app/[xi].tsx": MISSING,
    "src/*.py": "",
    "src/*.txt": MISSING,
    "**/deep.txt": "",
    "loop/**/none": MISSING,
    "s?c/a.py": "",
    "*.py": MISSING,
    "app/[id]*": "",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one of everything."""
    root = tmp_path_factory.mktemp("tree")
    write_tree(root, {"src/a.py": "a", "app/[id].tsx": "x", "app/i.tsx": "x", "x/y/deep.txt": "x"})
    (root / "empty").mkdir()
    (root / "loop").mkdir()
    for name, target in {
        "link.py": "src/a.py",
        "dangling.py": "nowhere",
        "linked": "src",
        "loop/again": "..",
    }.items():
        os.symlink(target, root / name)
    os.mkfifo(root / "pipe")
    return root


@pytest.mark.parametrize("name", CASES)
def test_the_kind_of_an_expected_path(tree: Path, name: str) -> None:
    problem = problem_on_disk(str(tree), name)
    assert CASES[name] in problem if CASES[name] else problem == ""


def test_a_step_with_the_wrong_kind_of_file_fails(make: Callable[..., Repo]) -> None:
    repo = make(plan(step(1, ["src/a.py", "src/b.py", "src/c.py"])))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/a.py/inner": "x\n"})
    os.symlink("hello.py", repo.folder / "src/b.py")
    why = repo.ok("step verify 1")["why"]
    assert why == [
        "expected but missing: src/c.py; "
        "src/a.py: it is a folder, not a regular file; if the plan means that, the name must end with /; "
        "src/b.py: it is a symbolic link, not a regular file; if the plan means that, the name must end with /",
        "0 expected files exist; at least 3 must",
    ]


def test_a_link_with_the_name_of_a_script_is_no_script(make: Callable[..., Repo]) -> None:
    repo = make(plan(step(1, ["src/run.sh", "src/tool.py"], expected_paths=["src/tool.py"])))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/tool.py": "print(')')(\n"})
    os.symlink("tool.py", repo.folder / "src/run.sh")
    assert repo.ok("step verify 1")["passed"]
