"""Machines that fail: each story ends with every session merged exactly once, or named; nothing is lost, nothing runs on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.kit.quick import SOAK
from tests.kit.repository import git
from tests.waves.conftest import engine, need
from tests.waves.elsewhere import Cluster, CutHosts, Hosts, Machines, drop_folder, make_folder, wait_for
from tests.waves.processes import kill, processes_of
from tests.waves.sample import GATED, PLAN, PROJECT, Waves, part
from tests.waves.test_elsewhere import merged_once

Make = Callable[..., Waves]
MINUTES = 60
OFF = 5 * MINUTES


def act(repo: Waves, session: int, attempt: int, word: str) -> None:
    """Say what an attempt does."""
    (repo.machines / f"act-{session}-{attempt}").write_text(word)


def places(repo: Waves, session: int) -> list[str]:
    """Return the machines where a session was tried."""
    found = repo.machines / f"places-{session}"
    rows = found.read_text().splitlines() if found.exists() else []
    return [Path(row).relative_to(repo.machines).parts[0] for row in rows]


def at_work(repo: Waves, session: int, attempt: int = 1) -> str:
    """Wait until an attempt is at work, and return its machine."""
    repo.eventually(lambda: len(places(repo, session)) >= attempt)
    return places(repo, session)[attempt - 1]


def workers(repo: Waves) -> list[int]:
    """Return the workers of this repository's sessions."""
    found = []
    for pid in processes_of(repo):
        try:
            if b"waves/worker.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    parents = {int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) for pid in found}
    return [pid for pid in found if pid in parents or len(found) == 1]


def supervisors(repo: Waves) -> list[int]:
    """Return the supervisor."""
    found = []
    for pid in processes_of(repo):
        try:
            if b"waves/child_process.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def open_gate(repo: Waves) -> None:
    """Let the sessions that wait go on."""
    (repo.machines / "gate").touch()


def attempts(end: dict[str, Any]) -> list[int]:
    """Return how often each session was tried."""
    return [row["attempts"] for row in end["ultraexecute_summary"]["sessions"]]


def begin(repo: Waves, machines: Machines, jobs: int = 2) -> None:
    """Start the waves."""
    repo.ok(f"waves start {PLAN} --on {machines.on} --jobs {jobs}")


def completed(repo: Waves) -> dict[str, Any]:
    """Return the answer at the end, which must be good."""
    end = repo.wait()
    assert end.get("result") == "completed", end
    return end


def sweep(repo: Waves) -> None:
    """Remove what killed workers left in their folders, as the next worker there does."""
    for name in ("one", "two"):
        for left in (repo.machines / name).glob("ultra-wave-*"):
            subprocess.run(["rm", "-r", "--", str(left)], check=True, timeout=60)


@pytest.mark.soak
@engine("ssh")
def test_a_killed_worker_is_replaced(machines: Machines, elsewhere: Make) -> None:
    repo = elsewhere(machines, without_verbs=GATED, lost_seconds=15)
    act(repo, 1, 1, "gate")
    act(repo, 2, 1, "gate")
    begin(repo, machines)
    at_work(repo, 1)
    at_work(repo, 2)
    kill(workers(repo))
    end = completed(repo)
    assert attempts(end) == [2, 2, 1]
    assert not (repo.machines / "gate").exists()  # the clients of the killed workers have ended with them
    left = {path.name for name in ("one", "two") for path in (repo.machines / name).glob("*")}
    assert len(left) <= (
        2 if machines.on == "slurm" else 0
    )  # each host had a next worker, a node perhaps not
    sweep(repo)
    merged_once(repo)


@pytest.mark.soak
@engine("slurm")
def test_a_killed_controller_goes_on_where_it_was(machines: Machines, elsewhere: Make) -> None:
    repo = elsewhere(machines, without_verbs=GATED)
    act(repo, 1, 1, "gate")
    act(repo, 2, 1, "gate")
    begin(repo, machines)
    at_work(repo, 1)
    at_work(repo, 2)
    kill(supervisors(repo))
    open_gate(repo)
    ref = "refs/ultra/wave/2026-01-31-greet/session-1/attempt-1"
    repo.eventually(lambda: ref in repo.git("ls-remote", str(repo.hub)))  # a worker needs nobody to finish
    repo.eventually(lambda: not repo.ok("waves wait --seconds 0.1")["running"])
    assert repo.ok(f"waves resume {PLAN}")["waves"] == "resumed"
    assert attempts(completed(repo)) == [1, 1, 1]
    merged_once(repo)


@pytest.mark.soak
@engine("slurm")
def test_a_hub_that_is_away_for_a_while_costs_no_attempt(machines: Machines, elsewhere: Make) -> None:
    """In `make soak` it is away for a minute."""
    lost, away_seconds = (15, MINUTES) if SOAK else (15, 18)  # longer than a silent worker is waited for
    repo = elsewhere(machines, without_verbs=GATED, lost_seconds=lost)
    act(repo, 1, 1, "gate")
    begin(repo, machines)
    at_work(repo, 1)
    away = repo.hub.with_name("away.git")
    repo.hub.rename(away)
    open_gate(repo)
    time.sleep(away_seconds)
    away.rename(repo.hub)
    end = completed(repo)
    assert attempts(end)[0] == 1
    merged_once(repo)


@pytest.mark.soak
@engine("slurm")
def test_a_machine_without_room_is_left_for_another(machines: Machines, elsewhere: Make) -> None:
    repo = elsewhere(machines, without_verbs=GATED)
    with full_disk(repo.machines / "one"):
        begin(repo, machines)
        end = completed(repo)
        assert places(repo, 1) + places(repo, 2) + places(repo, 3) == ["two"] * 3
    merged_once(repo)
    assert sum(attempts(end)) > 3


@contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """Let a folder be on a disk with hardly any room."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    mounted = subprocess.run(words, capture_output=True, check=False, timeout=30).returncode == 0
    if not mounted:  # in a container that may not mount, no file may grow
        folder.with_name(f"extra-{folder.name}.sh").write_text("ulimit -f 1\n")
    try:
        yield
        assert list(folder.iterdir()) == []
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=30)


@pytest.mark.soak
@engine("slurm")
def test_wrong_clocks_change_nothing_and_a_job_that_somebody_else_cancels_is_tried_again(
    machines: Machines, elsewhere: Make
) -> None:
    need("faketime")
    repo = elsewhere(machines, without_verbs=GATED)
    (library,) = list(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))[:1]
    for name, off in (("one", f"-{OFF}"), ("two", f"+{OFF}")):
        rows = f"export LD_PRELOAD={library} FAKETIME={off}\n"
        (repo.machines / f"extra-{name}.sh").write_text(rows)
    first = 1
    if isinstance(machines, Cluster):
        first = 2
        act(repo, 1, 1, "gate")
    begin(repo, machines)
    if isinstance(machines, Cluster):
        at_work(repo, 1)
        rows = machines.ask("squeue", "--noheader", "--format=%i %j")
        (job,) = [row.split()[0] for row in rows.splitlines() if row.split()[1].startswith("ultra-1-1-")]
        machines.ask("scancel", job)
    end = repo.wait()
    assert end["result"] == "completed", [row["why"] for row in repo.journal() if row["act"] == "end"]
    assert attempts(end) == [first, 1, 1]
    assert repo.read(part(1)) == "part 1\n"
    made = [int(row) for row in repo.git("log", "--no-merges", "--grep=^feat: part", "--format=%ct").split()]
    assert all(abs(abs(one - time.time()) - OFF) < 3 * MINUTES for one in made)
    merged_once(repo)


@pytest.mark.soak
@engine("ssh")
def test_a_job_that_ignores_every_wish_is_ended(machines: Machines, elsewhere: Make) -> None:
    repo = elsewhere(machines, without_verbs=GATED)
    act(repo, 1, 1, "stubborn")
    act(repo, 2, 1, "stubborn")
    begin(repo, machines)
    at_work(repo, 1)
    at_work(repo, 2)
    for pid in workers(repo):
        os.kill(pid, signal.SIGSTOP)  # it cannot even hear TERM
    repo.ok("waves stop --now")
    end = repo.wait()
    assert (end["result"], end["why"]) == ("stopped", ["a person stopped it"])
    repo.eventually(lambda: processes_of(repo) == [])


@pytest.mark.soak
def test_what_a_stopped_session_has_done_is_saved(hosts: Hosts, elsewhere: Make) -> None:
    repo = elsewhere(hosts, without_verbs=GATED)
    act(repo, 1, 1, "after")
    begin(repo, hosts)
    repo.eventually(lambda: (repo.machines / "committed-1").exists())
    repo.ok("waves stop --now")
    end = repo.wait()
    assert end["result"] == "stopped"
    saved = "refs/ultra/rescue/2026-01-31-greet/session-1/attempt-1"
    assert repo.git("log", "-1", "--format=%s", saved) == "feat: part 1"
    assert saved in repo.read(f"{PROJECT}/logs/waves-report.md")
    repo.eventually(lambda: processes_of(repo) == [])
    repo.ok(f"waves resume {PLAN}")
    completed(repo)
    merged_once(repo)


@pytest.mark.soak
def test_a_start_that_is_too_slow_is_given_to_another_machine(hosts: Hosts, elsewhere: Make) -> None:
    repo = elsewhere(hosts, without_verbs=GATED, lost_seconds=10)
    (repo.machines / "extra-one.sh").write_text("sleep 1000\n")
    begin(repo, hosts)
    end = completed(repo)
    assert set(places(repo, 1) + places(repo, 2) + places(repo, 3)) == {"two"}
    assert sum(attempts(end)) > 3
    merged_once(repo)


@pytest.mark.soak
def test_a_job_that_never_gets_a_machine_is_withdrawn_and_named(cluster: Cluster, elsewhere: Make) -> None:
    repo = elsewhere(cluster, without_verbs=GATED, queue_seconds=1)
    cluster.ask("scontrol", "update", "nodename=one,two", "state=drain", "reason=test")
    try:
        begin(repo, cluster)
        end = repo.wait()
    finally:
        cluster.ask("scontrol", "update", "nodename=one,two", "state=resume")
    assert end["result"] == "failed"
    assert "it waited 1 s for a machine (PENDING)" in str(repo.journal())
    assert [row for row in end["why"] if "its process was lost 4 times" in row]
    assert "ultra-" not in cluster.ask("squeue", "--noheader", "--format=%j")
    wait_for(cluster.is_ready)
    settings = repo.read(".claude/ultra.yaml").replace("queue_seconds: 1", "queue_seconds: 900")
    repo.write({".claude/ultra.yaml": settings})
    repo.git("commit", "--quiet", "--message=chore: patience", "--", ".claude/ultra.yaml")
    repo.ok(f"waves resume {PLAN} --accept-settings-change")
    completed(repo)
    merged_once(repo)


@pytest.mark.soak
def test_sshd_may_die_while_a_session_runs(hosts: Hosts, elsewhere: Make) -> None:
    repo = elsewhere(hosts, without_verbs=GATED)
    act(repo, 1, 1, "gate")
    begin(repo, hosts)
    where = at_work(repo, 1)
    hosts.daemons.kill(where)
    try:
        open_gate(repo)
        end = completed(repo)
    finally:
        hosts.daemons.again(where)
    assert attempts(end)[0] == 1
    merged_once(repo)


@pytest.mark.soak
def test_a_node_that_fails_with_its_job_going_on_leaves_a_ghost_that_changes_nothing(
    cluster: Cluster, elsewhere: Make
) -> None:
    repo = elsewhere(cluster, without_verbs=GATED)
    act(repo, 1, 1, "gate")
    begin(repo, cluster, jobs=1)
    where = at_work(repo, 1)
    cluster.daemons.kill(where)
    try:
        assert at_work(repo, 1, 2) != where  # Slurm says NODE_FAIL, and another attempt is leased
        open_gate(repo)
        end = completed(repo)
    finally:
        cluster.daemons.again(where)
        wait_for(cluster.is_ready)
    assert attempts(end) == [2, 1, 1]
    assert "NODE_FAIL" in str(repo.journal())
    ghost = "refs/ultra/rescue/2026-01-31-greet/session-1/attempt-1"
    assert repo.git("log", "-1", "--format=%s", ghost) == "feat: part 1"
    assert ghost in repo.read(f"{PROJECT}/logs/waves-report.md")
    merged_once(repo)


def has_namespaces() -> bool:
    """Tell whether this process may make networks of its own."""
    return (
        shutil.which("ip") is not None
        and not subprocess.run(["unshare", "--net", "true"], check=False).returncode
    )


@pytest.mark.soak
def test_a_host_whose_network_is_cut_is_replaced_and_its_late_result_is_kept(elsewhere: Make) -> None:
    """The worker goes on without a network: neither ssh nor the hub reaches it until the cable is back."""
    need("parallel", "openssh-server")
    if not has_namespaces():
        pytest.skip("this machine allows no network namespaces")
    cut = CutHosts(make_folder("cut"))
    try:
        cut.start()
        repo = elsewhere(cut, without_verbs=GATED, lost_seconds=10)
        settings = repo.read(".claude/ultra.yaml").replace(f"hub: {repo.hub}", f"hub: {cut.serve(repo.hub)}")
        repo.write({".claude/ultra.yaml": settings})
        repo.git("commit", "--quiet", "--message=chore: the hub", "--", ".claude/ultra.yaml")
        act(repo, 1, 1, "gate")
        act(repo, 2, 1, "gate")
        begin(repo, cut)
        assert at_work(repo, 1) == "one"
        cut.cut()
        assert at_work(repo, 1, 2) == "two"
        cut.join()
        open_gate(repo)
        end = completed(repo)
        assert attempts(end)[0] == 2
        assert "it gave no sign of life for 10 s (one does not answer" in str(repo.journal())
        ghost = "refs/ultra/rescue/2026-01-31-greet/session-1/attempt-1"
        assert repo.git("log", "-1", "--format=%s", ghost) == "feat: part 1"
        assert ghost in repo.read(f"{PROJECT}/logs/waves-report.md")
        merged_once(repo)
    finally:
        cut.stop()
        drop_folder(cut.folder)


@pytest.mark.soak
def test_a_result_that_nobody_leased_is_kept_and_not_taken(hosts: Hosts, elsewhere: Make) -> None:
    repo = elsewhere(hosts, without_verbs=GATED)
    act(repo, 1, 1, "gate")
    begin(repo, hosts)
    at_work(repo, 1)
    work = repo.folder.parent / "stranger"
    git(work.parent, "clone", "--quiet", "--no-checkout", str(repo.folder), str(work))
    (work / "told.json").write_text(
        '{"mark": "of an earlier run", "tip": "", "end": {}, "spoken": {}, "refs": {}}'
    )
    git(work, "add", "told.json")
    git(work, "commit", "--quiet", "--message=a stranger")
    ref = "refs/ultra/wave/2026-01-31-greet/session-1/attempt-1"
    git(work, "push", "--quiet", str(repo.hub), f"HEAD:{ref}")
    repo.until("rescued", 1)
    repo.eventually(lambda: ref not in repo.git("ls-remote", str(repo.hub)))
    open_gate(repo)
    assert attempts(completed(repo)) == [1, 1, 1]
    saved = "refs/ultra/rescue/2026-01-31-greet/session-1/attempt-1"
    assert repo.git("log", "-1", "--format=%s", saved) == "a stranger"
    merged_once(repo)
