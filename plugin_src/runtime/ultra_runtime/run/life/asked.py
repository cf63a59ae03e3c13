"""The arguments of a call that starts a run."""

from __future__ import annotations

from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import progress_fields as fields

FOREGROUND, RESUME, STEP, SESSION = "fg", "resume", "step", "session"
"""The values of --mode."""


class StartRequest(Struct):
    """The arguments of `run start`."""

    path: str
    mode: str
    step: int | None
    session: int | None
    project: str | None
    restart: bool
    accept_plan_change: bool
    accept_entry: bool
    accept_settings_change: bool
    rebuild: bool = False

    @property
    def alone(self) -> bool:
        return self.mode in (FOREGROUND, RESUME) or self.step is not None or self.session is not None

    @property
    def written(self) -> str:
        """The mode as the progress file has it."""
        mode: str = fields.MODE_EXECUTE
        if self.mode == RESUME:
            mode = fields.MODE_RESUME
        elif self.step is not None:
            mode = fields.MODE_STEP
        elif self.session is not None:
            mode = fields.MODE_SESSION
        return mode
