"""The process of a proof: leaves the call that started it behind, and runs the commands of the job in a folder.

Run as a script by `ultra_runtime.proof.background`.
"""

from __future__ import annotations

import os
import sys


def main(folder: str, git_dir: str, common: str) -> None:
    """Write down the process that does the work, and let it work."""
    rooms = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    sys.path.insert(0, os.path.dirname(rooms))
    from ultra_runtime.proof.run_all import note_process, run_all

    hold, go = os.pipe()
    pid = os.fork()
    if pid:
        note_process(common, folder, pid)
        os.write(go, b"!")
        os._exit(0)
    os.setsid()
    os.close(go)
    if os.read(hold, 1):
        run_all(folder, git_dir, common)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    finally:
        os._exit(0)
