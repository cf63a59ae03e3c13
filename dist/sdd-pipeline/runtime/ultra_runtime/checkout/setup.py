"""Run the setup command of a project in a fresh working copy."""

from __future__ import annotations

import os

from ultra_runtime.checkout.ready import NotReady, system_failed
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.process import NotStartedError, run_logged
from ultra_runtime.guard.judge import Judge
from ultra_runtime.guard.policy import BLOCK
from ultra_runtime.guard.site import site_of_plan
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ultra_runtime.checkout.settings import Settings

LOOKED_AT = 64 * 1024
WHAT = "the setup command"


def refuse_blocked(root: str, settings: Settings) -> None:
    """Refuse a setup that the policy blocks; it is judged as a command of a plan that runs at this root."""
    if not settings.setup:
        return
    verdict = Judge(root, site_of_plan(root, "")).command(settings.setup)
    if verdict.verdict == BLOCK:
        reason = f"the command policy blocks {WHAT} `{one_line(settings.setup)}`: {verdict.reason}"
        raise NotReady(reason, "change `setup` in the project's settings; it was not run")


def run_setup(root: str, settings: Settings, env: Mapping[str, str], log: str) -> None:
    """Run the setup at the root of a copy, its output in the log; what it leaves running is ended."""
    if not settings.setup:
        return
    refuse_blocked(root, settings)
    here = os.open(".", os.O_RDONLY)
    try:
        os.makedirs(os.path.dirname(log), exist_ok=True)
        output = os.open(log, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
    except OSError as problem:
        raise system_failed(f"{one_line(log)} cannot be written", problem) from None
    try:
        os.chdir(root)
        command = ["bash", "-e", "-c", settings.setup]
        done = run_logged(command, {**env, "PWD": root}, output, settings.setup_seconds, mark_of(root))
    except NotStartedError as problem:
        raise NotReady(f"{WHAT} cannot run: {problem}", "install bash: it runs the commands") from None
    finally:
        os.fchdir(here)
        os.close(here)
        last = _last_line(output)
        os.close(output)
    seen = f"read {one_line(log, 300)}; then fix `setup` in the project's settings"
    if done.late:
        raise NotReady(f"{WHAT} {late(settings.setup_seconds)}", seen)
    if done.status:
        raise NotReady(f"{WHAT} failed with exit status {done.status}{last}", seen)


def late(seconds: int) -> str:
    """Return the words for a setup that took longer."""
    return f"did not end within {seconds} s"


def mark_of(root: str) -> str:
    """Return the mark by which the processes of a copy are found."""
    return sha256(os.fsencode(root))[:16]


def _last_line(log: int) -> str:
    size = os.fstat(log).st_size
    text = os.pread(log, LOOKED_AT, max(0, size - LOOKED_AT)).decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return f": {one_line(lines[-1])}" if lines else ""
