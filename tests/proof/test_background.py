"""The process of a proof: it runs each command once, whatever ends it meanwhile, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.checkout.source import ends
from tests.kit.files import write_tree
from tests.kit.repository import ENVIRONMENT, make_repository
from ultra_runtime.checkout.settings import settings_of
from ultra_runtime.checkout.surroundings import look_around
from ultra_runtime.files.git import find_git
from ultra_runtime.proof.background import FINISHING, Background, make_job
from ultra_runtime.proof.conditions import Condition
from ultra_runtime.proof.run_all import JOB, run_all
from ultra_runtime.run.state.run_place import RunPlace

SETTINGS = settings_of({})
Prove = Callable[..., Any]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with an ignored file that its checkouts get, in the environment of a user."""
    for name, value in {**ENVIRONMENT, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    folder = make_repository(tmp_path / "repo", {"a.txt": "a\n", ".gitignore": "*.env\n*.log\n"})
    return write_tree(folder, {".worktreeinclude": "*.env\n", "local.env": "pinned\n"})


def job_of(root: Path, *commands: str) -> dict[str, Any]:
    git = find_git(str(root))
    place = RunPlace(str(root), str(root / "plan.md"), None, None)
    conditions = [Condition(one, step=at) for at, one in enumerate(commands, 1)]
    around = look_around(git, {}, SETTINGS)
    return make_job(place, git.head(), conditions, SETTINGS, around, FINISHING)


def scripted(root: Path, text: str) -> str:
    """Return a command that does something outside the checkout: in its own text, the path of the tree means that."""
    script = root.parent / f"act-{sum(one.suffix == '.sh' for one in root.parent.iterdir())}.sh"
    script.write_text(f"{text}\n")
    return f"sh {script}"


def begun(root: Path) -> Background:
    return Background(find_git(str(root)), str(root / ".git/ultra/slug/proof"))


def copies(root: Path) -> list[str]:
    """Return the checkouts that are on record."""
    return [path.read_text() for path in (root / ".git/ultra/copies").iterdir() if path.name != "turn"]


def wait_for(path: Path) -> str:
    end = time.monotonic() + 60
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return path.read_text()


@pytest.mark.parametrize(("before", "during", "seen"), [
    ("pinned", "pinned", False), ("other", "other", True), ("other", "pinned", True), ("pinned", "other", True),
])  # fmt: skip
def test_what_the_checkout_gets_is_compared_before_and_after_the_commands(
    root: Path, before: str, during: str, seen: bool
) -> None:
    """What was put back meanwhile differed all the same, and is named once."""
    job = job_of(root, scripted(root, f"echo {during} > {root}/local.env"))
    write_tree(root, {"local.env": f"{before}\n"})
    told = begun(root).run(job, 60)
    assert told
    assert told.changed == ([["carried", "local.env"]] if seen else [])
    assert [row["problem"] for row in told.rows.values()] == [""]
    assert copies(root) == []


def test_without_what_the_run_was_pinned_to_nothing_is_compared(root: Path) -> None:
    job = {**job_of(root, "cat local.env"), "around": None}
    write_tree(root, {"local.env": "other\n"})
    told = begun(root).run(job, 60)
    assert told
    assert (told.changed, told.proof) == ([], "clean checkout")


@pytest.mark.parametrize("proof", ["try", "off"])
def test_a_proof_that_is_stopped_ends_with_all_that_it_started(root: Path, proof: str) -> None:
    """In a checkout, and in the working tree."""
    mark = root.parent / "mark.log"
    job = {**job_of(root, scripted(root, f"echo $$ > {mark}; sleep 60")), "settings": {"proof": proof}}
    job["commands"][0]["exit"] = True
    running = begun(root)
    assert running.run(job, 0) is None
    pid = wait_for(mark).strip()
    places = copies(root) if proof == "try" else []
    assert [os.path.isdir(one) for one in places] == [True] * (proof == "try")
    begun(root).stop()
    assert ends(pid)
    assert not any(map(os.path.exists, (*places, running.folder)))


def test_a_proof_that_cannot_be_made_is_missing_and_says_why(root: Path) -> None:
    told = begun(root).run({**job_of(root, "true"), "end": "1" * 40}, 60)
    assert told
    assert (told.required, told.rows, told.proof.partition(":")[0]) == (True, {}, "git ls-tree failed")


@pytest.mark.parametrize("done", [0, 2])
def test_a_process_that_dies_without_an_answer_is_started_three_times(root: Path, done: int) -> None:
    """One that has got further may die three times more."""
    count = root.parent / "count.log"
    commands = [scripted(root, f"echo {one} >> {count}") for one in range(done)]
    last = scripted(root, f"echo last >> {count}")
    told = begun(root).run(job_of(root, *commands, f"{last}; kill -9 $PPID"), 60)
    assert told
    assert (told.proof, told.required) == ("its process ended 3 times without an answer", True)
    assert count.read_text().split() == [*map(str, range(done)), *["last"] * (3 + bool(done))]


def test_a_command_finds_what_an_earlier_one_has_built_although_the_process_died_between_them(
    root: Path,
) -> None:
    mark, count = root.parent / "mark.log", root.parent / "count.log"
    once = scripted(root, f"[ -e {mark} ] && exit; touch {mark}; kill -9 $1")
    first = scripted(root, f"echo first >> {count}; touch built")
    told = begun(root).run(job_of(root, first, f"{once} $PPID; test -e built", "true"), 60)
    assert told
    assert [row["problem"] for row in told.rows.values()] == ["", "", ""]
    assert count.read_text().split() == ["first", "first"]


def test_a_fault_of_the_machine_is_said_and_the_next_call_tries_again(root: Path) -> None:
    job = job_of(root, "true", "head -c 300000 /dev/zero")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        told = begun(root).run(job, 60)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert told
    assert (told.proof, told.required) == (
        "File too large; fix this, then resume the run and finish it again",
        True,
    )
    again = begun(root).run(job, 60)
    assert again
    assert (again.proof, len(again.rows)) == ("clean checkout", 2)


def test_another_job_begins_anew_and_the_same_one_is_not_run_again(root: Path) -> None:
    count = root.parent / "count.log"
    first, other = (job_of(root, scripted(root, f"echo {name} >> {count}")) for name in ("first", "other"))
    for job in (first, first, other, first):
        told = begun(root).run(job, 60)
        assert told
        assert list(told.rows) == [job["commands"][0]["command"]]
    assert count.read_text().split() == ["first", "other", "first"]
    assert begun(root).standing() == "1 of 1 command"


def test_a_proof_whose_repository_is_removed_leaves_no_log(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = root.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.chdir(root.parent)  # the proof leaves the folder
    git, folder = find_git(str(root)), root / ".git/ultra/slug/proof"
    write_tree(folder, {JOB: json.dumps(job_of(root, scripted(root, f"rm -rf {root}; false")))})
    run_all(str(folder), git.folder, git.common)
    assert not (root / ".git/HEAD").exists()
    assert list(temporary.rglob("*.log")) == []
