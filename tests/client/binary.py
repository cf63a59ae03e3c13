"""Find the real client in a cache outside the tree, or fetch it there with npm."""

from __future__ import annotations

import argparse
import fcntl
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PINNED = "2.1.325"
OLDEST = "2.1.197"
PACKAGE = "@anthropic-ai/claude-code"
NPM_LIMIT = 900  # seconds, for about 240 MB


class FetchError(Exception):
    """Say in one sentence why the client could not be fetched."""


def in_ci() -> bool:
    """Tell whether a missing tool is a failure rather than a reason to skip."""
    return os.environ.get("CI") == "true"


def cache() -> Path:
    """Return the folder that holds one sub-folder for every version."""
    named = os.environ.get("ULTRA_CLIENT_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "ultra-suite" / "client"


def platforms(system: str, machine: str, musl: bool) -> tuple[str, ...]:
    """Name the platform packages that run on this machine, the best one first."""
    arm = machine.lower() in ("arm64", "aarch64")
    if not arm and machine.lower() not in ("x86_64", "amd64"):
        return ()
    if system == "Linux":
        names = (f"linux-{'arm64' if arm else 'x64'}", f"linux-{'arm64' if arm else 'x64'}-musl")
        return names[::-1] if musl else names
    if system == "Darwin":
        # An x86_64 Python may run under Rosetta; npm never installs arm64 on a real Intel machine.
        return ("darwin-arm64",) if arm else ("darwin-arm64", "darwin-x64")
    return ()


def here() -> tuple[str, ...]:
    """Name the platform packages for the machine we are on."""
    return platforms(platform.system(), platform.machine(), uses_musl())


def uses_musl() -> bool:
    """Tell whether the C library is something else than glibc."""
    try:
        return not (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return True


def find(version: str = PINNED) -> Path | None:
    """Return the native binary of a version, or None when it was not fetched."""
    return binary_in(cache() / version)


def binary_in(folder: Path) -> Path | None:
    """Return the native binary of an npm prefix, or None."""
    for name in here():
        binary = folder / "node_modules" / f"{PACKAGE}-{name}" / "claude"
        if os.access(binary, os.X_OK):
            return binary
    return None


def fetch(version: str = PINNED) -> Path:
    """Install a version into the cache unless it is there; of two at a time the second waits."""
    if not here():
        raise FetchError(f"There is no client for {platform.system()} on {platform.machine()}.")
    cache().mkdir(parents=True, exist_ok=True)
    with locked(cache() / f".{version}.lock"):
        return find(version) or install(version)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock that the system itself drops when the process ends."""
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def install(version: str) -> Path:
    """Install beside the final place, check, and rename into it."""
    for stale in cache().glob(f".{version}-*"):  # ours alone: we hold the lock
        shutil.rmtree(stale, ignore_errors=True)
    print(f"Fetching {PACKAGE}@{version} into {cache()}", file=sys.stderr, flush=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{version}-", dir=cache()))
    try:
        run_npm(version, beside)
        if binary_in(beside) is None:
            raise FetchError(f"npm installed {PACKAGE}@{version} without a binary for {here()[0]}.")
        shutil.rmtree(cache() / version, ignore_errors=True)
        beside.rename(cache() / version)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    found = find(version)
    assert found is not None
    return found


def run_npm(version: str, prefix: Path, package: str = PACKAGE) -> None:
    """Run npm install, and turn whatever goes wrong into one sentence."""
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError(f"npm is not installed, so {package}@{version} was not fetched.")
    options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(prefix)]
    command = [npm, "install", *options, f"{package}@{version}"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=NPM_LIMIT)
    except subprocess.TimeoutExpired:
        raise FetchError(f"npm did not fetch {package}@{version} within {NPM_LIMIT} seconds.") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["nothing"]
        raise FetchError(f"npm could not fetch {package}@{version}; it said: {said[0]}")


def version_number(text: str) -> str:
    """Accept an exact version, or the word for one: it becomes the name of a folder."""
    text = {"pinned": PINNED, "oldest": OLDEST}.get(text, text)
    if not re.fullmatch(r"\d+\.\d+\.\d+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a version like {PINNED}")
    return text


def main() -> int:
    """Fetch a client, or print where it is; without one, only a build server calls it a failure."""
    parser = argparse.ArgumentParser(description="Fetch the real client that the tests run.")
    parser.add_argument("action", choices=["fetch", "path"])
    parser.add_argument("version", nargs="?", default=PINNED, type=version_number)
    arguments = parser.parse_args()
    try:
        found = fetch(arguments.version)
        if arguments.action == "path":
            print(found)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 1 if in_ci() else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
