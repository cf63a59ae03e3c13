"""PreToolUse for tools that run a shell or write a file: the guard.

The work is done in ultra_runtime.guard.hook. This file handles the case that it cannot be loaded: a call during a run
of this session is blocked, any other call is let through with a message.
"""

import os
import sys

BLOCKED, FAILED = 2, 1
BUNDLE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))


def main() -> int:
    """Return the exit status for the client."""
    try:
        sys.path.insert(0, os.path.join(BUNDLE, "runtime"))
        from ultra_runtime.guard.hook import main as guard

        return guard()
    except BaseException as problem:
        if os.environ.get("CLAUDE_PLUGIN_OPTION_GUARD", "").strip().lower() == "off":
            return 0
        in_run = may_be_in_run()
        result = "was not run" if in_run else "was let through"
        sys.stderr.write(
            f"{' '.join(launchers())} guard is broken and the call {result}: {problem!r}."
            f" Reinstall the plugin{kept(problem)}.\n"
        )
        return BLOCKED if in_run else FAILED


def launchers() -> list[str]:
    """Return the name of the plugin's program, read from its folder: the runtime may not load."""
    return sorted(os.listdir(os.path.join(BUNDLE, "bin")))


def kept(problem: BaseException) -> str:
    """Return where the log is, in words; empty if there is none."""
    try:
        from ultra_runtime.files.unexpected import keep

        log = keep(problem, ["hook", "guard"])
    except BaseException:
        return ""
    return f"; the log is {log}" if log else ""


def may_be_in_run() -> bool:
    """Return whether a run file of this folder or its parents names this session."""
    session = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    for name in ("CLAUDE_PROJECT_DIR", "PWD"):
        place = os.path.realpath(os.environ.get(name) or "/")
        while place != os.path.dirname(place):
            for launcher in launchers():
                try:
                    if session in run_text(os.path.join(place, ".git"), launcher):
                        return True
                except (FileNotFoundError, NotADirectoryError):
                    pass
                except Exception:
                    return True
            place = os.path.dirname(place)
    return False


def run_text(git_dir: str, launcher: str) -> str:
    """Return the run file of a tree, or of the worktree that a .git file names."""
    if os.path.isfile(git_dir):
        with open(git_dir) as mark:
            git_dir = os.path.join(os.path.dirname(git_dir), mark.read().partition(":")[2].strip())
    with open(os.path.join(git_dir, launcher, "run.json")) as lock:
        return lock.read()


if __name__ == "__main__":
    # Not sys.exit: a regular shutdown of the interpreter takes longer than the guard.
    os._exit(main())
