"""The process of a supervisor: leaves the call that started it behind, and serves the waves of one plan.

Run as a script by `ultra_runtime.waves.wave_start`.
"""

from __future__ import annotations

import os
import signal
import sys
import time

SECONDS = 10.0


def main(root: str, plan: str, project: str) -> None:
    """Serve the plan, unless another supervisor does."""
    rooms = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    sys.path.insert(0, os.path.dirname(rooms))
    from ultra_runtime.run.tree.workspace import find_workspace
    from ultra_runtime.waves.supervisor import Supervisor
    from ultra_runtime.waves.wave_run import reopened

    if os.fork():
        os._exit(0)
    os.setsid()
    os.chdir(root)
    run = reopened(find_workspace(root), plan, project or None)
    held, deadline = run.journal.hold(), time.monotonic() + SECONDS
    while held is None and time.monotonic() < deadline:
        time.sleep(0.05)  # the attempts of a killed supervisor are still being ended
        held = run.journal.hold()
    if held is None:
        return
    if not run.is_same():
        run = reopened(find_workspace(root), plan, project or None)
    if run.state.result:  # another supervisor has served it to its end meanwhile
        return
    supervisor = Supervisor(run)

    def stop(*_: object) -> None:
        supervisor.signalled = True

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    supervisor.serve()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as problem:
        from ultra_runtime.files.unexpected import keep

        keep(problem, ["waves"])
    finally:
        os._exit(0)
