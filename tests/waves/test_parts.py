"""Small parts of waves on their own: the journal, the client's stream, the blocks of ports."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.worktree import remove_tree
from ultra_runtime.run.state.wave_journal import Journal
from ultra_runtime.waves.ports import take_ports
from ultra_runtime.waves.stream import read_stream
from ultra_runtime.waves.worker import LOCK, STARTING_SECONDS, _hold, _sweep
from ultra_runtime.waves.worker_line import FOLDERS

PORT_BLOCK = 20


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Return a journal with one line."""
    found = Journal(str(tmp_path), "greet")
    found.add("wave", wave=1, base="a")
    return found


def test_a_line_that_was_cut_off_counts_for_nothing_and_is_overwritten(journal: Journal) -> None:
    with Path(journal.path).open("ab") as file:
        file.write(b'{"act":"over","resu')
    assert [row["act"] for row in journal.rows()] == ["wave"]
    journal.add("clean", session=1)
    assert [row["act"] for row in journal.rows()] == ["wave", "clean"]


def test_a_full_disk_leaves_the_journal_as_it_was(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel writes what fits and says how much that is; only the next call is an error."""
    before, write, room = Path(journal.path).read_bytes(), os.pwrite, [9]

    def full(descriptor: int, data: bytes, at: int) -> int:
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[: room.pop()], at)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space left"):
        journal.add("clean", session=1)
    assert Path(journal.path).read_bytes() == before


@pytest.mark.parametrize("lines", [0, 1, 2])
def test_a_long_line_that_was_cut_off_is_overwritten(journal: Journal, lines: int) -> None:
    journal.add("begin", parts="x" * 200_000)
    whole = Path(journal.path).read_bytes().splitlines(keepends=True)
    Path(journal.path).write_bytes(b"".join(whole[:lines]) + b'{"act":"begin","parts":"' + b"x" * 200_000)
    journal.add("clean", session=1)
    assert [row["act"] for row in journal.rows()] == [*["wave", "begin"][:lines], "clean"]


def test_a_damaged_journal_is_a_sentence(journal: Journal) -> None:
    Path(journal.path).write_text("not json\n")
    with pytest.raises(RefusedError, match="cannot be used"):
        journal.rows()


@pytest.mark.parametrize(
    "forge",
    [
        lambda lines: [*lines, b'{"act":"audit","session":1,"ok":true}\n'],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [lines[0], lines[1].replace(b'"session":1', b'"session":2'), lines[2]],
        lambda lines: [lines[0], lines[2]],
        lambda lines: lines[1:],
        lambda lines: [lines[0], lines[2], lines[1]],
    ],
    ids=["added", "repeated", "changed", "removed", "first removed", "moved"],
)
def test_a_line_that_does_not_follow_from_the_one_before_it_is_named(
    journal: Journal, forge: Callable[[list[bytes]], list[bytes]]
) -> None:
    journal.add("audit", session=1)
    journal.add("merged", session=1)
    whole = Path(journal.path).read_bytes().splitlines(keepends=True)
    Path(journal.path).write_bytes(b"".join(forge(whole)))
    with pytest.raises(RefusedError, match=r"line \d was not written by ultra"):
        journal.rows()


def test_what_is_cut_off_at_the_end_is_done_again(journal: Journal) -> None:
    journal.add("audit", session=1)
    whole = Path(journal.path).read_bytes().splitlines(keepends=True)
    Path(journal.path).write_bytes(whole[0])
    journal.add("audit", session=2)
    assert [row.get("session") for row in journal.rows()] == [None, 2]


def test_only_one_process_serves_a_plan_and_a_look_takes_nothing(journal: Journal) -> None:
    assert not journal.lives()
    held = journal.hold()
    assert held is not None
    assert (journal.lives(), Journal(str(Path(journal.folder).parents[2]), "greet").hold()) == (True, None)
    os.close(held)
    assert not journal.lives()


LIMIT = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1900000000}}
WARNING = {
    "type": "rate_limit_event",
    "rate_limit_info": {"status": "allowed_warning", "resetsAt": 1900000000},
}
ERROR = {"type": "result", "subtype": "error_during_execution", "is_error": True, "result": "limit"}
GOOD = {
    "type": "result", "subtype": "success", "is_error": False, "result": "done", "total_cost_usd": 0.5,
    "usage": {"input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": 5},
}  # fmt: skip


@pytest.mark.parametrize(("messages", "resets", "dollars", "tokens", "last"), [
    ([GOOD], 0, 0.5, 12, "done"),
    ([LIMIT, ERROR], 1900000000, 0, 0, "limit"),
    ([WARNING, ERROR], 0, 0, 0, "limit"),
    ([LIMIT, GOOD], 0, 0.5, 12, "done"),
    (["Invalid API key", {"type": 1}], 0, 0, 0, "Invalid API key"),
])  # fmt: skip
def test_what_the_stream_says(
    tmp_path: Path, messages: list[object], resets: int, dollars: float, tokens: int, last: str
) -> None:
    log = tmp_path / "log"
    lines = [one if isinstance(one, str) else json.dumps(one) for one in messages]
    log.write_text("\n".join([*lines, '{"type": "result", "cut']))
    found = read_stream(str(log))
    assert (found.resets, found.dollars, found.tokens, found.last) == (resets, dollars, tokens, last)


def test_blocks_of_ports_belong_to_one_process_and_are_free_after_it(bundle: Path) -> None:
    first = (
        100_000 + 100 * os.getpid()
    )  # the registry is the machine's, and another run of this test may use it
    allowed = (first, first + 2 * PORT_BLOCK - 1)
    assert [take_ports(allowed) for _ in range(3)] == [first, first + PORT_BLOCK, 0]
    script = f"import sys; sys.path.insert(0, {str(bundle / 'runtime')!r})\nfrom ultra_runtime.waves.ports import take_ports\n"
    other = (first + 50, first + 50 + PORT_BLOCK - 1)
    for _ in range(2):
        said = subprocess.run(
            [sys.executable, "-c", f"{script}print(take_ports({other}))"], capture_output=True, check=True
        )
        assert said.stdout == f"{first + 50}\n".encode()
    assert take_ports((first, first + 5)) == 0


def test_a_worker_removes_the_folders_of_killed_ones_and_nothing_else(tmp_path: Path) -> None:
    names = ("dead", "alive", "starting", "never-started")
    folders = {name: tmp_path / f"{FOLDERS}{name}" for name in names}
    for folder in folders.values():
        (folder / "repo").mkdir(parents=True)
    (folders["dead"] / LOCK).touch()
    held = _hold(str(folders["alive"]))
    long_ago = folders["never-started"].stat().st_mtime - STARTING_SECONDS - 60
    os.utime(folders["never-started"], (long_ago, long_ago))
    other = tmp_path / "ultra-other"
    other.mkdir()
    (other / LOCK).touch()
    linked = tmp_path / f"{FOLDERS}linked"
    linked.symlink_to(other)
    _sweep(str(tmp_path), remove_tree)
    os.close(held)
    assert {path.name for path in tmp_path.iterdir()} == {
        folders["alive"].name,
        folders["starting"].name,
        linked.name,
        other.name,
    }
    assert (other / LOCK).exists()
