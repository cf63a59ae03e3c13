"""Find strace, which makes one system call of a program fail; `python tests/kit/tracer.py` installs it if it can."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

INSTALL = ("apt-get", "install", "--yes", "--quiet", "strace")
MISSING = "strace is missing or may not trace here: install it (Debian: apt-get install strace)"


def find() -> str | None:
    """Return strace if it can trace a program here."""
    path = shutil.which("strace")
    if path is None:
        return None
    tried = subprocess.run(
        [path, "-qq", "-o", os.devnull, "true"], capture_output=True, check=False, timeout=30
    )
    return path if tried.returncode == 0 else None


def install() -> None:
    """Install strace with the packages of the system, if that is ours to do."""
    if shutil.which(INSTALL[0]) and os.geteuid() == 0:
        subprocess.run(
            INSTALL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=600
        )


def main() -> int:
    """Say in one line that strace is missing; on a build server that is a failure."""
    if find() is None:
        install()
    if find() is not None:
        return 0
    sys.stderr.write(f"make: {MISSING}; without it no system call is broken\n")
    return int(os.environ.get("CI") == "true")


if __name__ == "__main__":
    sys.exit(main())
