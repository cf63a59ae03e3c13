"""Whose a run is: a session of the client by id and process; outside the client a name or the terminal's session."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import pty
import select
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, Repo, plan, step
from ultra_runtime.run.state.owner import Owner, _is_for_one_line, start_time, this_owner

Make = Callable[..., Repo]

ONE = plan(step(1))
LOCK = ".git/ultra/run.json"
# The first process where the leader of the session is outside the container, and has no id in it.
TERMINAL = os.getsid(0) or 1
GHOST = {"CLAUDE_CODE_SESSION_ID": "ghost"}
CALLS = ("step begin 1", "run finish", f"run start {PLAN}", f"run start {PLAN} --mode resume")


def test_who_owns_a_run_and_whether_he_lives() -> None:
    """All pairs of owner and caller: kind, session and process, which runs, is over, is elsewhere, or was left."""
    here, started = os.uname().nodename, start_time(os.getpid())
    processes = {
        "this": (os.getpid(), started, here, False), "left": (os.getpid(), started, here, True),
        "earlier": (os.getpid(), "1", here, False), "unknown": (os.getpid(), "", here, False),
        "none": (0, "", here, False), "elsewhere": (7, "7", "elsewhere", False), "nowhere": (0, "", "elsewhere", False),
    }  # fmt: skip
    alive = {"this", "elsewhere"}
    owners = list(itertools.product(("client", "named", "terminal"), ("", "a", "b"), processes))

    def made(kind: str, session: str, process: str) -> Owner:
        pid, started, host, left = processes[process]
        return Owner(session, pid, started, host, kind, left)

    for one in owners:
        assert made(*one).lives() == (one[2] in alive), one
        assert Owner.of(json.loads(json.dumps(made(*one).as_data()))).as_data() == made(*one).as_data()
        for other in owners:
            same = processes[one[2]][:3] == processes[other[2]][:3]
            again = one[1] != "" and one[2] not in alive
            expected = one[:2] == other[:2] and (one[0] == "named" or same or again)
            assert made(*one).is_same(made(*other)) == expected, (one, other)
            told = "another process of this session" if (one[:2] == other[:2] and one[0] == "client" and one[1]) else "another session"  # fmt: skip
            assert made(*one).seen_by(made(*other)) == told


def test_a_process_that_has_ended_and_a_shell_for_one_line_own_nothing(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("read x\n")
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    assert (start_time(ended.pid), start_time(0)) == ("", "")
    ended.wait()
    words = {
        ("bash", "-c", "read x; :"): True, ("bash", "-ec", "read x; :"): True, ("bash", str(tmp_path / "script")): False,
        ("bash",): False, ("timeout", "60", "cat"): True, ("cat",): False,
    }  # fmt: skip
    for call, expected in words.items():
        process = subprocess.Popen(
            call, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(1000):  # until the kernel has set it up
            if Path(f"/proc/{process.pid}/cmdline").read_bytes():
                break
            time.sleep(0.01)
        assert _is_for_one_line(process.pid) == expected, call
        process.communicate(timeout=30)


@pytest.fixture
def begun(make: Make) -> Repo:
    """Return a repository with a run of this process, as session-a."""
    repo = make(ONE)
    repo.start()
    return repo


@pytest.fixture
def outside(make: Make) -> Repo:
    """Return a repository outside the client."""
    repo = make(ONE)
    for name in ("CLAUDE_PID", "CLAUDE_CODE_SESSION_ID"):
        del repo.env[name]
    return repo


def start_hook(repo: Repo, session: str, source: str) -> str:
    """Let the client start a session, as it does after `/clear`."""
    payload = {"session_id": session, "source": source, "cwd": str(repo.folder)}
    return repo.hook("session_start", payload, env={"CLAUDE_CODE_SESSION_ID": session}).out


@pytest.mark.parametrize(
    "claims",
    [
        GHOST,
        {**GHOST, "CLAUDE_PID": str(os.getppid())},
        {**GHOST, "CLAUDE_PID": "1"},
        {**GHOST, "CLAUDE_PID": ""},
        {"CLAUDE_CODE_SESSION_ID": "", "CLAUDE_PID": str(os.getpid())},
        {"CLAUDE_CODE_SESSION_ID": "", "CLAUDE_PID": "", "ULTRA_SESSION": "session-a"},
        {"CLAUDE_PID": str(os.getppid())},
    ],
    ids=["id", "another process", "init", "no process", "no id", "a name", "the id in another process"],
)
def test_a_made_up_session_takes_nothing_over_while_the_owner_lives(
    begun: Repo, claims: dict[str, str]
) -> None:
    for call in CALLS:
        said = begun.refused(call, env=claims)
        assert f"(session session-a, process {os.getpid()} on " in said
        assert "; this is " in said
    begun.ok("step begin 1")


def test_a_run_of_a_machine_that_is_gone_is_ended_by_the_user_and_resumed(begun: Repo) -> None:
    """A container that is made anew has another name; nobody there can tell whether the old one lives."""
    begun.end_session("session-a", host="rebuilt")
    for call in (*CALLS, f"run start {PLAN} --mode resume"):
        said = begun.refused(call)
        assert said.endswith(
            "; if rebuilt is gone: ask the user, then `ultra run abort --force`, and resume"
        ), call
    begun.ok("run abort --force")
    assert begun.start("--mode", "resume")["run"] == "resumed"


def test_the_same_session_goes_on_in_a_new_process_after_the_old_one_ended(begun: Repo) -> None:
    begun.end_session("session-a")
    begun.ok("step begin 1")


def test_a_process_id_that_was_given_to_another_process_is_no_owner(begun: Repo) -> None:
    begun.end_session("session-b")
    assert begun.start("--mode", "resume")["run"] == "resumed"


@pytest.mark.soak
def test_after_clear_the_new_session_of_the_process_takes_over_what_the_old_one_left(begun: Repo) -> None:
    assert "To continue: " in start_hook(begun, "session-after-clear", "clear")
    begun.env["CLAUDE_CODE_SESSION_ID"] = "session-after-clear"
    assert "a session that is gone" in begun.refused("step begin 1")
    assert any("took over the lock" in note for note in begun.start("--mode", "resume")["notes"])
    begun.do_step(1, {"src/part1.py": "one\n"})


def test_the_session_that_comes_back_owns_its_run_again(begun: Repo) -> None:
    start_hook(begun, "another", "clear")
    assert json.loads(begun.read(LOCK))["owner"]["left"] is True
    start_hook(begun, "session-a", "resume")
    assert json.loads(begun.read(LOCK))["owner"]["left"] is False
    assert "is in progress in this tree" in begun.refused(f"run start {PLAN} --mode resume", env=GHOST)


def test_a_session_of_another_client_changes_nothing(begun: Repo) -> None:
    payload = {"session_id": "other", "source": "startup", "cwd": str(begun.folder)}
    other = {"CLAUDE_CODE_SESSION_ID": "other", "CLAUDE_PID": str(os.getppid())}
    begun.hook("session_start", payload, env=other)
    assert json.loads(begun.read(LOCK))["owner"]["left"] is False


def test_a_client_inside_the_client_is_another_one(begun: Repo) -> None:
    """A `claude` that a command starts has the owner among its ancestors, and a process of its own."""
    script = f"CLAUDE_PID=$$ {begun.command} step begin 1 --json; true"
    assert "belongs to another process of this session" in begun.run(["bash", "-c", script]).out


SHAPES = {
    "plain": "{verb}",
    "substitution": 'echo "$({verb})"',
    "subshell": "( {verb} )",
    "pipe": "{verb} | cat",
    "background": "{verb} & wait",
    "nested": "bash -c 'bash -c \"{verb}; true\"; true'",
    "script": "echo '{verb}' > ../call.sh; bash ../call.sh",
    "wrappers": "nice env A_VARIABLE_OF_NOBODY= true; nice {verb}",
}


@pytest.mark.soak
def test_outside_the_client_every_shape_of_a_call_is_the_same_session(outside: Repo) -> None:
    assert '"ok":true' in outside.run(["bash", "-c", f"{outside.command} run start {PLAN} --json; true"]).out
    for name, shape in SHAPES.items():
        script = shape.format(verb=f"{outside.command} step begin 1 --json")
        assert '"ok":true' in outside.run(["bash", "-c", script + "; true"]).out, name
    owner = json.loads(outside.read(LOCK))["owner"]
    assert (owner["kind"], owner["pid"]) == ("terminal", TERMINAL)


class Terminal:
    """A shell in a terminal of its own, into which a person types."""

    def __init__(self, repo: Repo) -> None:
        self.screen, slave = pty.openpty()
        self.shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], cwd=repo.folder, env=repo.env, stdin=slave, stdout=slave, stderr=slave,
            preexec_fn=_own_terminal,
        )  # fmt: skip
        os.close(slave)

    def type(self, line: str) -> str:
        """Type a line and return what the screen shows until it is done."""
        os.write(self.screen, f"{line}; echo the-$((40 + 2))-end\n".encode())
        shown = b""
        while b"the-42-end" not in shown:
            assert select.select([self.screen], [], [], 60)[0], shown
            shown += os.read(self.screen, 1 << 16)
        return shown.decode().replace("\r\n", "\n")

    def close(self) -> None:
        """Close the window."""
        os.close(self.screen)
        self.shell.wait(60)


def _own_terminal() -> None:
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.soak
def test_in_a_terminal_every_shape_of_a_call_is_the_same_session(outside: Repo) -> None:
    one, two = Terminal(outside), Terminal(outside)
    assert '"ok":true' in one.type(f"{outside.command} run start {PLAN} --json")
    for name, shape in SHAPES.items():
        assert '"ok":true' in one.type(shape.format(verb=f"{outside.command} step begin 1 --json")), name
    said = two.type(f"{outside.command} step begin 1")
    assert f"(the terminal session of process {one.shell.pid} on " in said
    assert f"; this is the terminal session of process {two.shell.pid} on " in said
    one.close()
    assert "was left by a session that is gone" in two.type(f"{outside.command} step begin 1")
    assert '"ok":true' in two.type(f"{outside.command} run start {PLAN} --mode resume --json")
    two.close()


def test_another_terminal_is_refused_and_told_whose_it_is(outside: Repo) -> None:
    outside.start()
    told = outside.run([outside.command, "step", "begin", "1", "--json"], before=os.setsid).out
    assert f"(the terminal session of process {TERMINAL} on " in told
    assert "; this is the terminal session of process " in told
    assert "share one value of ULTRA_SESSION" in told


def test_a_terminal_outside_the_container_is_named_by_its_first_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("CLAUDE_PID", "CLAUDE_CODE_SESSION_ID", "ULTRA_SESSION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getsid", lambda _: 0)
    assert this_owner().pid == 1
    assert this_owner().lives()


def test_a_name_joins_terminals_and_parts_scripts_of_one(outside: Repo) -> None:
    outside.env["ULTRA_SESSION"] = "build 7"
    outside.start()
    told = outside.run([outside.command, "step", "begin", "1", "--json"], before=os.setsid).out
    assert '"ok":true' in told
    said = outside.refused("step begin 1", env={"ULTRA_SESSION": "build 8"})
    assert "(ULTRA_SESSION build 7 on " in said
    assert "; this is ULTRA_SESSION build 8 on " in said
    assert "this is the terminal session of" in outside.refused("step begin 1", env={"ULTRA_SESSION": ""})


@pytest.mark.soak
def test_a_run_left_by_a_terminal_that_was_closed(outside: Repo, tmp_path: Path) -> None:
    script = tmp_path / "script.sh"
    script.write_text(f"{outside.command} run start {PLAN} --json; true\n")
    subprocess.run(
        ["bash", script], cwd=outside.folder, env=outside.env, capture_output=True, check=True, timeout=60,
        start_new_session=True,
    )  # fmt: skip
    assert "was left by a session that is gone (the terminal session" in outside.refused("step begin 1")
    assert "took over" in outside.start("--mode", "resume")["notes"][0]
