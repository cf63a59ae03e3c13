"""PreCompact: update the progress file from git, and tell the summary which run is in progress.

Prints nothing without a run of this session. It never blocks: the client compacts even after an error.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Print what the summary must keep, if there is a run."""
    hooks = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(os.path.dirname(hooks)))
    from ultra_runtime.guard.own_run import find_own_run

    site, _ = find_own_run()
    if site is None:
        return
    from ultra_runtime.run.life.compaction import CaughtUp, catch_up, words_for_summary

    found = CaughtUp()
    try:
        found = catch_up(site.root)
    except Exception as problem:  # what is printed below matters more than a traceback
        from ultra_runtime.rendered import launcher

        sys.stderr.write(f"{launcher()}: the progress file was not updated: {problem}\n")
    sys.stdout.write(words_for_summary(site, found) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except Exception as problem:
        from ultra_runtime.files.unexpected import keep_of_hook

        keep_of_hook(problem, "pre_compact")
    finally:
        os._exit(0)  # exit status 2 would cancel the compaction
