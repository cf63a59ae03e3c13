"""Waves on other machines, with real sshd and a real Slurm: every session is merged once, and nothing stays behind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kit.names import BRANCHES
from tests.kit.repository import git, make_repository
from tests.waves.conftest import engine
from tests.waves.elsewhere import Hosts, Machines
from tests.waves.processes import processes_of
from tests.waves.sample import PLAN, TWO_WAVES, WITHOUT_VERBS, Waves, part

Make = Callable[..., Waves]


def merged_once(repo: Waves) -> None:
    """Check that every session is on the user's branch exactly once, and that no trace is left on any machine."""
    merges = repo.git("log", "--merges", "--format=%s").split("\n")
    assert sorted(merges) == [f"merge: {BRANCHES} session {number} (Part {number})" for number in (1, 2, 3)]
    assert all(repo.subjects().count(f"feat: part {number}") == 1 for number in (1, 2, 3))
    assert (repo.branches(), repo.trees()) == (["main"], [])
    assert repo.git("status", "--porcelain") == ""
    repo.eventually(lambda: processes_of(repo) == [])
    assert [path for name in ("one", "two") for path in (repo.machines / name).glob("*")] == []
    assert git(repo.hub, "for-each-ref") == ""


@engine("slurm")
def test_two_waves_end_on_the_users_branch(machines: Machines, elsewhere: Make) -> None:
    repo = elsewhere(machines)
    answer = repo.waves(f"--on {machines.on} --jobs 2")
    assert answer["result"] == "completed", answer
    merged_once(repo)
    assert all(repo.read(part(number)) == f"part {number}\n" for number in (1, 2, 3))
    assert answer["ultraexecute_summary"]["steps_passed"] == 3
    assert all(str(repo.machines) in row["cwd"] and "/repo" in row["cwd"] for row in repo.seen())
    assert not any(row["cwd"].startswith(str(repo.folder)) for row in repo.seen())


@pytest.mark.soak
def test_a_session_elsewhere_gets_submodules_or_says_which_one_it_lacks(
    hosts: Hosts, elsewhere: Make
) -> None:
    repo = elsewhere(
        hosts, TWO_WAVES.replace("- **Verify:** `true`", "- **Verify:** `test -f vendor-lib/lib.txt`")
    )
    library = make_repository(repo.machines / "library", {"lib.txt": "lib\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor-lib")
    repo.git("commit", "--quiet", "--message=chore: the library")
    with (repo.machines / "worker.sh").open("a") as file:
        file.write("export GIT_ALLOW_PROTOCOL=file\n")
    away = library.rename(library.with_name("away"))
    end = repo.waves(f"--on {hosts.on} --jobs 2")
    assert (end["result"], repo.seen()) == ("failed", [])  # no client was started
    assert "session 1: not started: " in end["why"][0]
    assert "vendor-lib" in end["why"][0]
    away.rename(library)
    repo.ok(f"waves resume {PLAN}")
    assert repo.wait()["result"] == "completed"
    merged_once(repo)


def test_files_of_git_lfs_that_a_machine_cannot_read_are_named_before_the_client_starts(
    hosts: Hosts, elsewhere: Make
) -> None:
    repo = elsewhere(hosts, without_verbs=WITHOUT_VERBS)
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 6\n"
    repo.write({".gitattributes": "*.bin filter=lfs\n", "large.bin": pointer})
    repo.git("add", "--all", "--", ".gitattributes", "large.bin")
    repo.git("commit", "--quiet", "--message=large")
    end = repo.waves(f"--on {hosts.on} --jobs 2")
    assert end["result"] == "failed"
    assert "session 1: not started: large.bin is only a pointer on " in end["why"][0]
    assert not repo.has(part(1))
    assert git(repo.hub, "for-each-ref") == ""
