"""SessionStart: one line when a run or a session of this folder is unfinished, else nothing.

Whatever goes wrong, the session starts: this hook has no error of its own.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Print the line, if there is one."""
    hooks = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(os.path.dirname(hooks)))
    line = run_line(os.getcwd()) or unfinished_line(os.getcwd())
    if line:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def run_line(folder: str) -> str:
    """Return the line about the run that holds this working tree, or nothing."""
    from ultra_runtime.guard.site import run_file

    found = run_file(folder)
    if found is None:
        return ""
    from ultra_runtime.guard.own_run import find_own_run
    from ultra_runtime.run.life.interrupted import line_of_lock
    from ultra_runtime.run.state.standing import read_json

    root, git_dir, path = found
    lock = read_json(path)
    if os.path.realpath(str(lock.get("root"))) != root:
        return ""  # the lock of another tree, copied with its git dir
    return line_of_lock(root, git_dir, lock, find_own_run()[0])


def unfinished_line(folder: str) -> str:
    """Return what is unfinished and the command that goes on, or nothing."""
    from ultra_runtime.files.root import PROJECTS, find_root

    root = find_root(folder)
    if root is None or not os.path.isdir(os.path.join(root, PROJECTS)):
        return ""
    from ultra_runtime.rendered import names
    from ultra_runtime.run.state.session_state import find_states
    from ultra_runtime.words import one_line

    unfinished = [state for state in find_states(root).valid if state.unfinished]
    state = max(unfinished, key=lambda candidate: candidate.instant, default=None)
    if state is None or state.status == "in_progress":
        from ultra_runtime.run.life.interrupted import line_of_progress

        line = line_of_progress(root)
        if line or state is None:
            return line
    more = f" (and {len(unfinished) - 1} more)" if len(unfinished) > 1 else ""
    return (
        f"Unfinished session in {one_line(state.project)}{more}: {state.status}, next is"
        f' "{one_line(state.following, 80)}". To go on: {names().commands["continue"]}'
    )


if __name__ == "__main__":
    try:
        main()
    except Exception as problem:
        from ultra_runtime.files.unexpected import keep_of_hook

        keep_of_hook(problem, "session_start")
    finally:
        # Not sys.exit: a traceback or a failing flush on the way out would be an error of the session.
        os._exit(0)
