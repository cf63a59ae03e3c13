"""The answer of a verb: data for programs, text for people, and an exit status."""

from __future__ import annotations

import errno

from ultra_runtime.errors import UltraError
from ultra_runtime.rendered import launcher
from ultra_runtime.struct import Struct
from ultra_runtime.typed import Any, Mapping, Sequence
from ultra_runtime.words import one_line

DONE = 0
REFUSED = 1
WRONG_USAGE = 2
UNEXPECTED = 3
# The disk is full, broken or read-only, a file may not be changed, or too many files are open.
OF_THE_MACHINE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG),
    *(errno.EPERM, errno.EACCES, errno.EMFILE, errno.ENFILE),
)


class Answer(Struct):
    """One answer; the status is 0 done or answered, 1 refused or not valid, 2 wrong usage, 3 an
    unexpected error.

    A batch is always printed as JSON lines.
    """

    data: Mapping[str, Any]
    text: str
    status: int = DONE
    batch: Sequence[Mapping[str, Any]] | None = None


def brief_answer(answer: Answer) -> Answer:
    """Return an answer without members that are None, false, empty or count nothing."""
    told = {name: _without_zeros(value) for name, value in answer.data.items()}
    kept = {name: value for name, value in told.items() if value or name == "passed"}
    return Answer(kept, answer.text, answer.status)


def _without_zeros(value: Any) -> Any:
    """Return counts without those that are 0; any other value as it is."""
    if isinstance(value, dict) and all(type(one) is int for one in value.values()):
        return {name: one for name, one in value.items() if one}
    return value


class RefusedError(UltraError):
    """A refused call, with what to do instead."""

    status = REFUSED

    def __init__(self, error: str, next_step: str) -> None:
        super().__init__(error)
        self.error = error
        self.next_step = next_step

    def as_answer(self) -> Answer:
        """Return the refusal in the shape of every refusal."""
        data = {"ok": False, "error": self.error, "next": self.next_step}
        return Answer(data, f"{launcher()}: {self.error}\n{self.next_step}", self.status)


def said_by_the_machine(problem: Exception) -> str:
    """Return what is wrong with the machine, in words, and where; nothing if the error says something else."""
    if not isinstance(problem, OSError) or problem.errno not in OF_THE_MACHINE:
        return ""
    return (
        f"{problem.strerror} ({one_line(str(problem.filename))})"
        if problem.filename
        else str(problem.strerror)
    )


class Refusing:
    """Turn an expected error inside a `with` into a refusal with this hint."""

    def __init__(self, hint: str) -> None:
        self.hint = hint

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UltraError) and not isinstance(error, RefusedError):
            raise RefusedError(str(error), self.hint) from None


class UsageError(RefusedError):
    """A call with wrong words or options."""

    status = WRONG_USAGE


class UnexpectedError(RefusedError):
    """An error that the runtime did not expect."""

    status = UNEXPECTED
