"""Find the programs that some tests need; `python tests/kit/programs.py` installs those that are missing, if it can."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

APT = "apt-get"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Package of Debian -> what its tests cannot do without it.
WITHOUT = {
    "strace": "no system call is broken", "chromium": "no page is opened in a browser",
    "parallel": "no session runs over ssh", "openssh-server": "no session runs over ssh",
    "slurm-wlm": "no session runs on Slurm", "munge": "no session runs on Slurm",
    "faketime": "no worker has a wrong clock",
}  # fmt: skip


def missing(package: str) -> str:
    """Return the sentence about a program that is missing."""
    return f"{package} is missing or does not run here: install it (Debian: apt-get install {package})"


def strace() -> str | None:
    """Return strace if it can trace a program here."""
    path = shutil.which("strace")
    if path is None:
        return None
    tried = subprocess.run(
        [path, "-qq", "-o", os.devnull, "true"], capture_output=True, check=False, timeout=30
    )
    return path if tried.returncode == 0 else None


def chromium() -> str | None:
    """Return the browser of this machine, if there is one."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def on_path(*names: str) -> Callable[[], str | None]:
    """Return a function that finds the last of some programs if all of them are there."""

    def find() -> str | None:
        found = [shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") for name in names]
        return found[-1] if all(found) else None

    return find


FIND: dict[str, Callable[[], str | None]] = {
    "strace": strace, "chromium": chromium, "parallel": on_path("parallel"), "openssh-server": on_path("ssh", "sshd"),
    "slurm-wlm": on_path("sbatch", "slurmd", "slurmctld"), "munge": on_path("munged"), "faketime": on_path("faketime"),
}  # fmt: skip


def install(package: str) -> None:
    """Install a program with the packages of the system, if that is ours to do."""
    if shutil.which(APT) is None or os.geteuid() != 0:
        return
    for words in (["update"], ["install", "--yes", package]):
        subprocess.run(
            [APT, "--quiet", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=900,
        )  # fmt: skip


def main() -> int:
    """Say in one line what is missing; on a build server that is a failure."""
    absent = [package for package, find in FIND.items() if find() is None]
    for package in absent:
        sys.stderr.write(f"make: installing {package}\n")
        install(package)
    absent = [package for package in absent if FIND[package]() is None]
    for package in absent:
        sys.stderr.write(f"make: {missing(package)}; without it {WITHOUT[package]}\n")
    return int(bool(absent) and os.environ.get("CI") == "true")


if __name__ == "__main__":
    sys.exit(main())
