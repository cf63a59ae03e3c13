"""Commands of a proof share a checkout: its committed files are put back between them, and what they build stays."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.executor.sample import Repo, plan, step
from tests.kit.quick import examples
from ultra_runtime.run.state.environment import command_in_copy

Make = Callable[..., Repo]
SETTINGS = ".claude/ultra.yaml"


@pytest.fixture
def make(tmp_path: Path, bundle: Path, python: Path) -> Make:
    """Return a function that makes a repository with a plan whose one step is done."""

    def make_repo(verify: str, verification: str, settings: str = "", text: str = "one\n") -> Repo:
        repo = Repo(tmp_path / "repo", bundle, python).create(
            plan(step(1, verify=verify), verification=verification)
        )
        repo.write({SETTINGS: settings} if settings else {})
        repo.start()
        repo.do_step(1, {"src/part1.py": text})
        return repo

    return make_repo


def test_what_a_command_has_built_serves_the_next_one(make: Make) -> None:
    repo = make("mkdir -p out && cp src/part1.py out/built", "cmp src/part1.py out/built")
    assert repo.ok("run finish")["result"] == "completed"


def test_what_the_setup_has_changed_stays(make: Make) -> None:
    here = f"test -e {SETTINGS}"
    repo = make(
        f"{here} || grep patched src/hello.py",
        f"{here} || grep -c patched src/hello.py",
        "setup: mkfifo .git/monitor && echo patched >> src/hello.py\n",
    )
    assert repo.ok("run finish")["result"] == "completed"


def test_a_command_that_removes_the_repository_of_the_checkout(make: Make) -> None:
    removes = 'case $PWD in "$BESIDE"/*) ;; *) rm -r .git; esac\n'
    repo = make("sh src/part1.py", "test -e src/part1.py", text=removes)
    done = repo.ok("run finish")
    assert done["result"] == "partial"
    assert "the files of the checkout cannot be put back after a command: its repository is gone" in str(
        done["why"]
    )
    assert repo.git("status", "--short", "src") == ""


def test_a_command_may_name_the_tree_by_its_full_path(make: Make, tmp_path: Path) -> None:
    repo = make(
        f"cd {tmp_path}/repo && test -e src/part1.py",
        f"test ! -e {tmp_path}/repo-old -a -e ~/repo/src/part1.py",
    )
    assert repo.ok("run finish")["result"] == "completed"
    log = repo.read(".claude/projects/2026-01-31-greet/logs/proof-1.log")
    assert f"cd {tmp_path}/repo " not in log
    assert f"{tmp_path}/repo-old" in repo.read(".claude/projects/2026-01-31-greet/logs/proof-2.log")


def test_a_tree_with_a_blank_in_its_path_is_not_read_by_another_spelling(
    tmp_path: Path, bundle: Path, python: Path
) -> None:
    repo = Repo(tmp_path / "my repo", bundle, python)
    place = str(repo.folder).replace(" ", "\\ ")
    repo.create(plan(step(1, verify=f"test -e {place}/src/part1.py && test -e {place}/not.committed")))
    repo.write({".git/info/exclude": "not.committed\n", "not.committed": ""})
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    done = repo.ok("run finish")
    assert done["result"] == "partial"
    assert "what it needs is not committed" in str(done["why"])


NAMES = st.text("a1 \t'\"$`\\\\!*?[]{}()<>|&;#~=%^-_.é\n", min_size=1, max_size=6).map(
    lambda name: f"x{name}x"
)


@given(NAMES, NAMES, st.sampled_from(["plain", "single", "double", "backslashes"]))
@settings(max_examples=examples(60), deadline=None)
def test_however_a_command_spells_the_tree_it_means_the_copy(name: str, other: str, how: str) -> None:
    root, copy = f"/home/me/{name}", f"/tmp/{other}/copy"
    spelled = {
        "plain": root if shlex.quote(root) == root else shlex.quote(root),
        "single": "'" + root.replace("'", "'\\''") + "'",
        "double": '"' + re.sub(r'([\\"$`])', r"\\\1", root) + '"',
        "backslashes": re.sub(r"[^\w/.,:+@%-]", r"\\\g<0>", root),
    }[how]
    if how != "backslashes" and root not in spelled:
        return  # spelled with another escape inside quotes
    if "\n" in root and how == "backslashes":
        return  # a shell drops a line break behind a backslash
    command = command_in_copy(f"printf %s {spelled}/src", root, copy)
    said = subprocess.run(["bash", "-c", command], capture_output=True, check=True).stdout
    assert said.decode() == f"{copy}/src"


@given(
    st.sampled_from(["{}", "'{}'", '"{}"', "x={}", "cat<{}"]), st.sampled_from(["", "/src", "/src/../src"])
)
@settings(max_examples=examples(20), deadline=None)
def test_a_command_that_spells_the_tree_by_a_link_means_the_copy(how: str, inside: str) -> None:
    with TemporaryDirectory() as folder:
        root, link = f"{os.path.realpath(folder)}/root", f"{folder}/link"
        os.makedirs(f"{root}/src")
        os.symlink(root, link)
        os.symlink(f"{root}/src", f"{folder}/other")
        for spelled, meant in ((link + inside, "/copy" + inside), (f"{folder}/other", "/copy/src")):
            assert command_in_copy(how.format(spelled), root, "/copy") == how.format(meant)
        for kept in (folder, f"{folder}/none/link", f"{link}-2/src"):
            assert command_in_copy(how.format(kept), root, "/copy") == how.format(kept)
