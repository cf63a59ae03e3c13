"""SessionStart: print one line if a run or a session in this folder is unfinished.

The session starts even if this hook fails: it reports no error to the client.
"""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Print the line, if there is one."""
    gc.disable()  # as in the launcher
    hooks = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(os.path.dirname(hooks)))
    line = line_here(os.getcwd())
    if line:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def line_here(folder: str) -> str:
    """Return the line about the run that holds this tree, or about the newest unfinished one; else empty."""
    from ultra_runtime.guard.site import run_file

    if run_file(folder) is not None:
        from ultra_runtime.guard.own_run import read_payload
        from ultra_runtime.run.life.holder import find_lock, line_of_lock
        from ultra_runtime.run.life.left_session import note_session

        session = str(read_payload().get("session_id") or "")
        found = find_lock(folder)
        if found:
            note_session(found[0], found[2], session)
            return line_of_lock(*find_lock(folder) or found, session)
    from ultra_runtime.files.root import PROJECTS, find_root

    root = find_root(folder)
    if root is None or not os.path.isdir(os.path.join(root, PROJECTS)):
        return ""
    from ultra_runtime.standing.project_standing import line_of_projects

    return line_of_projects(root)


if __name__ == "__main__":
    try:
        main()
    except Exception as problem:
        from ultra_runtime.files.unexpected import keep_of_hook

        keep_of_hook(problem, "session_start")
    finally:
        # Not sys.exit: a traceback or a failing flush at exit would be an error in the session.
        os._exit(0)
