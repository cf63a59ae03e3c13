"""The process of a Verify: its children, its input and output, and what a second or an ended call finds."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.executor.sample import PROJECT, Repo, plan, step

Make = Callable[..., Repo]


def fail(repo: Repo, number: int = 1) -> dict[str, Any]:
    answer = repo.ok(f"step verify {number}")
    assert answer["passed"] is False, answer
    return answer


def test_a_verify_that_hangs_is_ended_with_its_children(make: Make, tmp_path: Path) -> None:
    script = "(setsid sleep 300 & echo $! > $BESIDE/pids); (sleep 300 & echo $! >> $BESIDE/pids); sleep 300"
    repo = make(plan(step(1, verify=script)))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    began = time.monotonic()
    answer = repo.ok("step verify 1 --timeout 1")
    assert time.monotonic() - began < 30
    assert "timed out after 1 s" in answer["why"][0]
    assert (answer["passed"], answer["attempt"], answer["next"]) == (False, 1, "retry")
    pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    deadline = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, pids))


DAEMON = """\
import os, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
for end in range(3):
    os.close(end)
pid, target = sys.argv[1:]
open(pid, "w").write(str(os.getpid()))
for _ in range(20):
    time.sleep(2)
    if os.path.isdir(os.path.dirname(target)):
        open(target, "w").write("late")
"""
FORGETS_ALL = 'env -i {python} -c "$(cat $BESIDE/daemon.py)" $BESIDE/{name} $PWD/{target}; until test -s $BESIDE/{name}; do sleep 0.02; done'


def test_a_daemon_of_a_verify_does_not_write_after_it(make: Make, tmp_path: Path) -> None:
    """It leaves the group and the session, loses its parents, has no variables and no open output."""
    (tmp_path / "daemon.py").write_text(DAEMON)
    python = shlex.quote(sys.executable)
    verify = FORGETS_ALL.format(python=python, name="verify-$(basename $PWD)", target="src/part1.py")
    last = FORGETS_ALL.format(python=python, name="last-$(basename $PWD)", target="src/part1.py")
    repo = make(plan(step(1, verify=verify), verification=last))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    assert repo.ok("run finish")["result"] == "completed"
    pids = sorted(tmp_path.glob("*-*"))
    assert len(pids) == 3, pids  # of the step, and of both commands in the checkout
    time.sleep(2.5)  # in which a daemon would write
    assert not any(alive(int(path.read_text())) for path in pids)
    assert repo.read("src/part1.py") == "one\n"


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_verify_has_no_input_and_leaves_nothing_running(make: Make) -> None:
    repo = make(plan(step(1, verify="sleep 300 & cat; pwd; echo $! > $BESIDE/pid")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    assert repo.ok("step verify 1")["passed"]
    log = repo.read(f"{PROJECT}/logs/step-1-verify-1.log")
    assert str(repo.folder.resolve()) in log
    pid = int((repo.folder.parent / "pid").read_text())
    deadline = time.monotonic() + 5
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid)


@pytest.mark.soak
def test_output_is_short_in_the_answer_and_whole_in_the_log(make: Make) -> None:
    repo = make(plan(step(1, verify="seq 1 100000; false")))
    repo.start()
    repo.ok("step begin 1")
    answer = fail(repo)
    assert answer["output"].split("\n")[-1] == "100000"
    assert len(answer["output"]) < 200
    assert repo.read(answer["log"]).count("\n") > 100000


@pytest.mark.soak
def test_a_second_verify_while_one_runs_is_refused(make: Make) -> None:
    repo = make(plan(step(1, verify="touch $BESIDE/running; sleep 3")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    first = subprocess.Popen(
        [repo.command, "step", "verify", "1", "--json"],
        cwd=repo.folder, env=repo.env, stdout=subprocess.PIPE,
    )  # fmt: skip
    while not (repo.folder.parent / "running").exists():
        time.sleep(0.02)
    for call in ("step verify 1", "step commit 1", "step begin 1", "run finish"):
        assert "`ultra step verify 1` is running in this tree" in repo.refused(call)
    out, _ = first.communicate(timeout=30)
    assert b'"passed":true' in out
    assert repo.progress()["steps"]["1"]["attempts"] == 1


@pytest.mark.soak
@pytest.mark.parametrize("signal_name", ["TERM", "KILL"])
def test_a_verify_whose_call_is_ended_leaves_nothing_running_for_the_next(
    make: Make, signal_name: str
) -> None:
    repo = make(
        plan(
            step(
                1,
                verify="test -e $BESIDE/again || { touch $BESIDE/again; setsid sleep 300 & echo $! > $BESIDE/pid; sleep 300; }",
            )
        )
    )
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    call = subprocess.Popen([repo.command, "step", "verify", "1"], cwd=repo.folder, env=repo.env)
    while not (repo.folder.parent / "pid").exists():
        time.sleep(0.02)
    time.sleep(0.1)
    call.send_signal(getattr(signal, f"SIG{signal_name}"))
    call.wait(timeout=30)
    pid = int((repo.folder.parent / "pid").read_text())
    if signal_name == "TERM":
        assert not alive(pid)
    answer = repo.ok("step verify 1")
    assert (answer["passed"], answer["attempt"]) == (True, 2)
    assert not alive(pid)
