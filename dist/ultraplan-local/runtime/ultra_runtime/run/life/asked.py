"""The words of a call that starts a run."""

from __future__ import annotations

from ultra_runtime.struct import Struct

EXECUTE, RESUME, STEP, SESSION = "execute", "resume", "step", "session"


class StartRequest(Struct):
    """The words of a call."""

    path: str
    mode: str
    step: int | None
    session: int | None
    project: str | None
    restart: bool
    accept_plan_change: bool
    accept_entry: bool

    @property
    def alone(self) -> bool:
        return self.mode in ("fg", RESUME) or self.step is not None or self.session is not None

    @property
    def written(self) -> str:
        """The mode as the progress file has it."""
        if self.mode in (RESUME, STEP, SESSION):
            return self.mode
        return STEP if self.step is not None else SESSION if self.session is not None else EXECUTE
