"""Stop and SubagentStop: while a run of this session is in progress, remind once that it is not finished.

Prints nothing without a run. The turn ends even if this hook fails: it reports no error to the client.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Print the reminder, if there is one."""
    hooks = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(os.path.dirname(hooks)))
    from ultra_runtime.guard.own_run import find_own_run

    site, payload = find_own_run()
    if site is None:
        return
    from ultra_runtime.run.life.reminder import reminder

    words = reminder(site, payload)
    if words:
        from ultra_runtime.text.jsontext import write

        sys.stdout.write(write({"decision": "block", "reason": words}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except Exception as problem:
        from ultra_runtime.files.unexpected import keep_of_hook

        keep_of_hook(problem, "stop")
    finally:
        os._exit(0)  # exit status 2 would keep the session from ending
