"""The engine of a run: on this machine or on others, with the same three verbs."""

from __future__ import annotations

from ultra_runtime.waves.attempts import is_remote
from ultra_runtime.waves.local_engine import LocalEngine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from ultra_runtime.waves.local_engine import Attempt
    from ultra_runtime.waves.wave_run import WaveRun

    class WaveEngine(Protocol):
        """What the supervisor asks of an engine."""

        is_local: bool

        def start(self, attempt: Attempt) -> None:
            """Start an attempt, or refuse."""

        def state(self, attempt: Attempt) -> Mapping[str, Any] | None:
            """Return how an attempt ended, None while it runs."""

        def end(self, attempt: Attempt) -> str:
            """End an attempt; return why it may still run, or nothing."""

        def close(self) -> list[str]:
            """Leave nothing behind; return what could not be reached."""


def engine_of(run: WaveRun) -> WaveEngine:
    """Return the engine that a run was started with."""
    if not is_remote(run):
        return LocalEngine(run.settings)
    from ultra_runtime.waves.remote_engine import RemoteEngine

    return RemoteEngine(run)
