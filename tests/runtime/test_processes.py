"""What is kept of a command's output, and which processes and records of others count: whatever the pieces are."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ultra_runtime.files import dead_lock, process
from ultra_runtime.files.dead_lock import drop_dead_lock
from ultra_runtime.files.process import Excerpt
from ultra_runtime.files.session_tokens import session_tokens

OUTPUT = b"one two\nthree four\n"
WANTED = [b"one", b"two\nthree", b"four\n", b"five", b"onetwo", b"", OUTPUT, OUTPUT + b"x"]


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7, len(OUTPUT), 65536])
def test_a_text_is_found_wherever_the_output_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    """One reader takes all wanted texts at once, and each of them alone."""
    monkeypatch.setattr(process, "PIECE", piece)
    monkeypatch.setattr(process, "HEAD", 6)  # the rest is kept as the tail
    waiting: Any = SimpleNamespace(tick=lambda: None)
    for wanted in (WANTED, *([one] for one in WANTED)):
        reader, writer = os.pipe()
        redirect = [(os.POSIX_SPAWN_DUP2, writer, 1)]
        child = os.posix_spawnp(
            "printf", ["printf", "%s", OUTPUT.decode()], os.environ, file_actions=redirect
        )
        os.close(writer)
        with (tmp_path / "log").open("w+b") as log:
            told = process._follow(child, reader, log.fileno(), time.monotonic() + 60, wanted, waiting)
        os.close(reader)
        assert told == (0, [one for one in wanted if one not in OUTPUT])
        assert (tmp_path / "log").read_bytes() == OUTPUT


@pytest.mark.parametrize(
    ("script", "seconds", "ended"),
    [
        ("printf out; printf err >&2; exit 3", None, (3, b"out", b"err", False)),
        ("printf out; printf err >&2; exit 3", 60, (3, b"out", b"err", False)),
        ("cat; kill -15 $$", 60, (-15, b"given" * 50_000, b"", False)),
        ("exec <&-; printf out", 60, (0, b"out", b"", False)),  # it reads nothing of what it is given
        ("sleep 600 & printf out; exit 0", 60, (0, b"out", b"", False)),  # what it leaves has its pipes
        ("exec >&- 2>&-; sleep 0.1; exit 4", 60, (4, b"", b"", False)),
        ("printf out; exec sleep 600", 0.5, (-9, b"out", b"", True)),
        ("exec >&- 2>&-; exec sleep 600", 0.3, (-9, b"", b"", True)),
    ],
)
def test_a_program_is_told_what_it_is_given_and_ends_in_time(
    script: str, seconds: float | None, ended: tuple[int, bytes, bytes, bool]
) -> None:
    mark = f"x{os.urandom(8).hex()}"
    try:
        given = b"given" * 50_000 if seconds else b""
        done = process.capture(["bash", "-c", script], {**os.environ, process.MARK: mark}, given, seconds)
        assert (done.status, done.out, done.err, done.late) == ended
    finally:
        process.end_marked(mark)
    with pytest.raises(process.NotStartedError, match=r"^no-such-program is not on PATH$"):
        process.capture(["no-such-program", "x"], os.environ)
    with pytest.raises(process.NotStartedError, match=r"^/etc/passwd cannot be started: "):
        process.capture(["/etc/passwd", "x"], os.environ)


def sleeping(own: str) -> list[str]:
    """Return what the processes are told that sleep so long, zombies left out."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [word for word in path.read_text().split("\0") if word.startswith(own)][:1]
    return [one for one in found if one.isascii() and " " not in one]


def test_a_program_is_the_first_file_on_path_that_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("none", "folder/prog", "plain", "first", "second")
    monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / name.split("/")[0]) for name in names))
    for name in names[1:]:
        (tmp_path / name).mkdir(parents=True)
        assert process.which("prog") is None
    for name, mode in (("plain", 0o644), ("second", 0o755), ("first", 0o755)):
        (tmp_path / name / "prog").touch(mode)
        assert process.which("prog") == (None if name == "plain" else str(tmp_path / name / "prog"))


def test_we_never_end_ourselves(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = f"x{os.urandom(8).hex()}"
    with subprocess.Popen(["sleep", "600"], env={**os.environ, process.MARK: mark}) as marked:
        monkeypatch.setenv(process.MARK, mark)
        process.end_marked(mark)
        assert marked.poll() is None
        monkeypatch.delenv(process.MARK)
        process.end_marked("", "other")
        assert marked.poll() is None
        process.end_marked("other", mark)
        assert marked.wait(60) == -9


def test_what_a_command_leaves_is_ended_with_it_and_nothing_else(tmp_path: Path) -> None:
    """Not what the caller had started before, nor what that has started; but what an earlier call has left."""
    own = f"600.{os.getpid()}"
    script = f"sleep {own}1 & setsid sleep {own}2 & env -i setsid sleep {own}3 & sleep 0.2; echo done; exit 5"
    mark = f"x{os.urandom(8).hex()}"
    subprocess.run(
        ["bash", "-c", f"setsid sleep {own}4 &"], env={**os.environ, process.MARK: mark}, check=True
    )
    with (
        subprocess.Popen(["bash", "-c", f"sleep {own}5 & wait"], start_new_session=True) as other,
        (tmp_path / "log").open("w+b") as log,
    ):
        try:
            done = process.run_logged(
                ["bash", "-c", script], os.environ, log.fileno(), 60, mark, [b"no", b"don"]
            )
            assert (done.status, done.late, list(done.lacks)) == (5, False, [b"no"])
            assert (tmp_path / "log").read_bytes() == b"done\n"
            while sleeping(own) != [f"{own}5"]:  # the kernel may need a moment
                time.sleep(0.01)
            late = f"sleep {own}6 & setsid sleep {own}7 & exec sleep {own}8"
            assert process.capture(["bash", "-c", late], os.environ, seconds=0.3).late
            while sleeping(own) != [f"{own}5"]:
                time.sleep(0.01)
        finally:
            os.killpg(other.pid, 9)


def test_head_and_tail_are_kept_and_what_is_between_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "HEAD", 4)
    monkeypatch.setattr(process, "TAIL", 3)
    for size in range(24):
        for step in (1, 2, 3, 5, 24):
            data, kept, early = bytes(range(65, 65 + size)), Excerpt(), b""
            for at in range(0, size, step):
                early += kept.add(data[at : at + step])
            left = max(0, size - 7)
            said = f"\n[{left} bytes are left out here]\n".encode() if left else b""
            assert early == data[:4]
            assert kept.whole() == data[:4] + said + data[4:][-3:], (size, step)


def test_the_group_of_a_command_is_ended_also_where_the_system_lists_no_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_descendants", lambda *_, **__: [])
    own = f"601.{os.getpid()}"
    with (tmp_path / "log").open("w+b") as log:
        script = f"sleep {own}1 & exec >&- 2>&-; exit 4"
        assert process.run_logged(["bash", "-c", script], os.environ, log.fileno(), 60, "x").status == 4
    assert process.capture(["bash", "-c", f"sleep {own}2 & sleep {own}3"], os.environ, seconds=0.2).late
    while sleeping(own):  # the kernel may need a moment
        time.sleep(0.01)


@pytest.mark.parametrize("changes", [0, 1, 7, 10_000])
@pytest.mark.parametrize("age", [None, dead_lock.DEAD_SECONDS - 1, dead_lock.DEAD_SECONDS + 1])
def test_a_lock_goes_when_nobody_has_touched_it_for_long_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: int, age: float | None
) -> None:
    """One that is always another stays, and nobody waits for it for ever; its time may lie ahead of our clock."""
    now, naps, lock = [1000.0], [0], tmp_path / "lock"

    def touched() -> None:
        ahead = 10**9 if age is None else -age
        os.utime(lock, ns=(0, int((now[0] + ahead) * 10**9)))

    def nap(seconds: float) -> None:
        now[0] += seconds
        naps[0] += 1
        if naps[0] <= changes:
            touched()

    for name, act in (("monotonic", lambda: now[0]), ("time", lambda: now[0]), ("sleep", nap)):
        monkeypatch.setattr(time, name, act)
    lock.touch()
    touched()
    drop_dead_lock(str(lock))
    monkeypatch.undo()
    took, most = now[0] - 1000, dead_lock.LONGEST_LOOK
    wait = dead_lock.DEAD_SECONDS if age is None else max(0, dead_lock.DEAD_SECONDS - age)
    expected = 0 if not wait else min(changes * dead_lock.NAP + wait, most)
    assert expected <= took + 1e-6 <= expected + 2.5 * dead_lock.NAP
    assert lock.exists() == (expected == most)


@pytest.mark.parametrize("name", ["git", "gitk", "sleep"])
@pytest.mark.parametrize("place", ["", "inner", "../beside", "../repo2"])
def test_an_old_lock_stays_only_while_a_git_works_there(tmp_path: Path, name: str, place: str) -> None:
    program, folder = tmp_path / name, tmp_path / "repo"
    shutil.copy(shutil.which("sleep") or "", program)
    for each in (folder / "inner", tmp_path / "beside", tmp_path / "repo2"):
        each.mkdir(parents=True)
    lock = folder / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    with subprocess.Popen([program, "60"], cwd=folder / place) as running:
        try:
            while Path(f"/proc/{running.pid}/comm").read_text() != f"{name}\n":
                pass
            drop_dead_lock(str(lock), str(folder))
        finally:
            running.kill()
    assert lock.exists() == (name == "git" and place in ("", "inner"))
    drop_dead_lock(str(lock), str(folder))
    assert not lock.exists()


def test_the_tokens_of_a_run_are_the_sum_over_its_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One answer stands on several lines, and what was before the start of the run does not count."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "session-a")
    assert session_tokens() is None, "no record"
    begin = {"content": [{"input": {"command": "ultra run start plan.md"}}]}

    def answer(name: str, *numbers: object, **more: object) -> str:
        names = ("output_tokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        return json.dumps({"message": {"id": name, "usage": dict(zip(names, numbers, strict=False)), **more}})

    rows = [answer("early", 1000, 1000, 1000, 1000), 'no JSON, but "usage"', '{"message": {"usage": 3}}']
    path = tmp_path / "projects/other/session-a.jsonl"
    path.parent.mkdir(parents=True)
    (tmp_path / "projects/first").mkdir()
    path.write_text("\n".join(rows) + "\n")
    assert session_tokens() is None, "no run was started"
    rows += [answer("a", 1, 20, 300, 4000, **begin), answer("b", 1, 1, 1, 1), answer("b", 2, 30, 400, 5000)]
    rows += ['{"message": {"id": "c"}}', answer("d", "7", None, 0.5, 10000)]
    path.write_text("\n".join(rows) + "\n")
    told = session_tokens()
    assert told
    assert (told.written, told.cached, told.read) == (3, 19000, 50 + 700 + 19000)
    for session in ("", "../session-a", "session-b"):
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", session)
        assert session_tokens() is None


DETACHING = """\
import os, sys, time
sys.path.insert(0, sys.argv[1])
from ultra_runtime.files.process import detach

def work():
    while not os.path.exists("go"):
        time.sleep(0.01)
    open_files = {number: os.readlink(f"/proc/self/fd/{number}") for number in range(10)
                  if os.path.lexists(f"/proc/self/fd/{number}")}
    with open("worked", "w") as file:
        file.write(f"{os.getpid()} {os.getsid(0)} {open('began').read()} {sorted(set(open_files.values()))}")
    os.rename("worked", "done")

def began(pid):
    with open("began", "w") as file:
        file.write(str(pid))

held = os.open(".", os.O_RDONLY)
detach(work, began)
print("returned", flush=True)
"""


def test_detached_work_outlives_its_caller_with_none_of_its_files(tmp_path: Path) -> None:
    """The caller's output ends when the caller does, although the work goes on; its id is known before it begins."""
    runtime = Path(process.__file__).parents[2]
    caller = subprocess.run(
        [sys.executable, "-c", DETACHING, runtime], cwd=tmp_path, capture_output=True, timeout=60, check=True
    )
    assert (caller.stdout, caller.stderr) == (b"returned\n", b"")
    assert not (tmp_path / "done").exists()
    (tmp_path / "go").touch()
    deadline = time.monotonic() + 60
    while not (tmp_path / "done").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    own, session, known, files = (tmp_path / "done").read_text().split(" ", 3)
    assert own == session == known
    assert files == "['/dev/null']"


def test_work_does_not_begin_when_nobody_notes_its_process(tmp_path: Path) -> None:
    fails = "def began(pid):\n    raise OSError\n\nimport ultra_runtime.files.process as process\nprocess.MOST_FILES = 3\n"
    script = DETACHING.replace("held = ", f"{fails}held = ")
    for name in ("go", "began"):
        (tmp_path / name).touch()
    reader, writer = os.pipe()
    command = [sys.executable, "-c", script, str(Path(process.__file__).parents[2])]
    subprocess.run(command, cwd=tmp_path, pass_fds=[writer], timeout=60, check=True)
    os.close(writer)
    assert os.read(reader, 1) == b"", "every process that had the pipe has ended"
    os.close(reader)
    assert not (tmp_path / "done").exists()
