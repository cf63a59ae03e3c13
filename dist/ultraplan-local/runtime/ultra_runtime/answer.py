"""The answer of a verb: data for programs, text for people, and an exit status."""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.rendered import launcher
from ultra_runtime.struct import Struct
from ultra_runtime.typed import Any, Mapping, Sequence

DONE = 0
REFUSED = 1
WRONG_USAGE = 2
UNEXPECTED = 3


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
