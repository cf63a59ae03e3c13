"""The journal of a plan's waves: a line before each act and one after it, so that every act can be repeated.

Each line is sealed together with the seal of the line before it: a line that somebody else wrote, changed, removed or
moved is recognised, except for lines that are cut off at the end, whose acts are then repeated.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.quick_write import make_folder
from ultra_runtime.files.root import names_in
from ultra_runtime.files.seal import SEAL, sealed, sealed_in_turn
from ultra_runtime.guard.site import FOLDER, WAVES
from ultra_runtime.rendered import launcher, verb
from ultra_runtime.text.jsontext import JsonError, read_object, write
from ultra_runtime.text.timestamp import now
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, Any]

JOURNAL, SUPERVISOR, ASKED = "journal", "supervisor", "asked"
EARLIER = ".earlier"
STOP, STOP_NOW = "stop", "stop now"
TURNS, TURN_SECONDS = 20, 0.05
PIECE = 65536


class Journal:
    """The journal of one plan, in the git dir that all working trees share."""

    def __init__(self, common: str, slug: str) -> None:
        self.slug = slug
        self.common = common
        self.folder = os.path.join(common, FOLDER, WAVES, slug)
        self.path = self.place(JOURNAL)

    def place(self, *names: str) -> str:
        """Return a path beside the journal."""
        return os.path.join(self.folder, *names)

    def exists(self) -> bool:
        return os.path.isfile(self.path)

    def size(self) -> int:
        """Return the length of the journal; a longer one has news."""
        try:
            return os.stat(self.path).st_size
        except OSError:
            return 0

    def rows(self) -> list[Row]:
        """Return all lines; one that a killed writer left unfinished does not count."""
        try:
            with open(self.path, "rb") as file:
                lines = file.read().split(b"\n")
        except (FileNotFoundError, NotADirectoryError):
            return []
        try:
            rows = [read_object(line).values for line in lines[:-1]]
        except JsonError as problem:
            raise self._unusable(str(problem)) from None
        count = sealed_in_turn(self.common, rows)
        if count < len(rows):
            raise self._unusable(f"line {count + 1} was not written by {launcher()} after the one before it")
        return rows

    def _unusable(self, why: str) -> RefusedError:
        hint = f"move {one_line(self.folder)} away: the branches and refs of its sessions stay"
        return RefusedError(f"{one_line(self.path)} cannot be used: {why}", hint)

    def add(self, act: str, **values: object) -> Row:
        """Append a line and flush it to the disk; all of it or nothing."""
        row: Row = {"act": act, "at": now(), **values}
        make_folder(self.folder)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            end = _end_of_lines(descriptor)
            row = sealed(self.common, row, _last_seal(descriptor, end))
            try:
                _write_at(descriptor, (write(row) + "\n").encode("utf-8", "surrogateescape"), end)
                os.fsync(descriptor)
            except OSError:
                os.truncate(descriptor, end)
                raise
        finally:
            os.close(descriptor)
        return row

    def put_aside(self) -> None:
        """Keep the journal of an earlier run under another name."""
        number = 1
        while os.path.lexists(f"{self.path}{EARLIER}-{number}"):
            number += 1
        os.rename(self.path, f"{self.path}{EARLIER}-{number}")

    def lives(self) -> bool:
        """Tell whether a supervisor serves this plan."""
        if not os.path.exists(self.place(SUPERVISOR)):
            return False
        held = self._lock(alone=False)
        if held is not None:
            os.close(held)
        return held is None

    def hold(self) -> int | None:
        """Return the lock of the supervisor, which the kernel drops when the process ends; None if another has it."""
        make_folder(self.folder)
        return self._lock(alone=True)

    def write_alone(self) -> int:
        """Return the lock of the supervisor for lines that a call writes, or refuse while somebody else has it."""
        import time

        for _ in range(TURNS):
            held = self.hold()
            if held is not None:
                return held
            time.sleep(TURN_SECONDS)  # a look at the lock takes it for a moment
        hint = f"wait with `{verb('waves wait')}`, or end it with `{verb('waves stop')}`"
        raise RefusedError("a supervisor or another call is working on this plan", hint)

    def _lock(self, alone: bool) -> int | None:
        import fcntl

        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self.place(SUPERVISOR), flags, 0o644)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as problem:
            os.close(descriptor)
            if isinstance(problem, BlockingIOError):
                return None
            error = f"{one_line(self.folder)} cannot be locked: {problem.strerror}"
            raise RefusedError(error, "put the repository on a filesystem that supports locks") from None
        return descriptor

    def asked(self) -> str:
        """Return what a person asked of the supervisor: nothing, stop, or stop now."""
        try:
            with open(self.place(ASKED), encoding="ascii") as file:
                return file.read()
        except OSError:
            return ""


def _write_at(descriptor: int, data: bytes, at: int) -> None:
    """Write all of it: a disk that is nearly full takes the beginning and reports no error."""
    while data:
        size = os.pwrite(descriptor, data, at)
        data, at = data[size:], at + size


def _end_of_lines(descriptor: int) -> int:
    """Return where the last whole line ends, and cut off what a killed writer left behind it."""
    size = end = os.fstat(descriptor).st_size
    found = -1
    while end and found < 0:
        start = max(0, end - PIECE)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        end = start + found + 1
    if end < size:
        os.truncate(descriptor, end)
    return end


def _last_seal(descriptor: int, end: int) -> str:
    """Return the seal of the last whole line, which ends there."""
    start, data = end, b""
    while start and data.count(b"\n") < 2:
        start = max(0, start - PIECE)
        data = os.pread(descriptor, end - start, start)
    try:
        return str(read_object(data[:-1].rpartition(b"\n")[2]).values.get(SEAL, ""))
    except JsonError:  # there is none, or a reader will name it
        return ""


def journals(common: str) -> list[Journal]:
    """Return the journals of a repository."""
    found = [Journal(common, slug) for slug in names_in(os.path.join(common, FOLDER, WAVES))]
    return [one for one in found if one.exists()]
