"""UserPromptSubmit: while a run of this session is in progress, say how to continue it without questions of the client.

Prints nothing without a run. The message is sent even if this hook fails: it reports no error to the client.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Print the line, if there is one."""
    hooks = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(os.path.dirname(hooks)))
    from ultra_runtime.guard.own_run import find_own_run

    site, payload = find_own_run()
    if site is None or str(payload.get("prompt")).startswith("/"):
        return
    from ultra_runtime.run.life.reminder import renewal

    line = renewal(site)
    if line:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except Exception as problem:
        from ultra_runtime.files.unexpected import keep_of_hook

        keep_of_hook(problem, "user_message")
    finally:
        os._exit(0)  # exit status 2 would erase the message
