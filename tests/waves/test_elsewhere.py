"""Waves on other machines, with real sshd and a real Slurm: every session is merged once, and nothing stays behind."""

from __future__ import annotations

from collections.abc import Callable

from tests.kit.repository import git
from tests.waves.elsewhere import Machines
from tests.waves.processes import processes_of
from tests.waves.sample import Waves, part

Make = Callable[..., Waves]


def merged_once(repo: Waves) -> None:
    """Check that every session is on the user's branch exactly once, and that no trace is left on any machine."""
    merges = repo.git("log", "--merges", "--format=%s").split("\n")
    assert sorted(merges) == [f"merge: ultraplan session {number} (Part {number})" for number in (1, 2, 3)]
    assert all(repo.subjects().count(f"feat: part {number}") == 1 for number in (1, 2, 3))
    assert (repo.branches(), repo.trees()) == (["main"], [])
    assert repo.git("status", "--porcelain") == ""
    repo.eventually(lambda: processes_of(repo) == [])
    assert [path for name in ("one", "two") for path in (repo.machines / name).glob("*")] == []
    assert git(repo.hub, "for-each-ref") == ""


def test_two_waves_end_on_the_users_branch(machines: Machines, elsewhere: Make) -> None:
    repo = elsewhere(machines)
    answer = repo.waves(f"--on {machines.on} --jobs 2")
    assert answer["result"] == "completed", answer
    merged_once(repo)
    assert all(repo.read(part(number)) == f"part {number}\n" for number in (1, 2, 3))
    assert answer["ultraexecute_summary"]["steps_passed"] == 3
    assert all(str(repo.machines) in row["cwd"] and "/repo" in row["cwd"] for row in repo.seen())
    assert not any(row["cwd"].startswith(str(repo.folder)) for row in repo.seen())
