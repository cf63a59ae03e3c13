"""Prove that a disguised command does what it hides: run it in a scratch folder, with programs that only note the call.

The targets are files of the scratch folder, and a disk that does not exist, so a call that reaches the real program
does no harm either.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.kit.repository import git

PAYLOADS = ("rm -rf d", "chmod 777 f", "mkfs /dev/sdzz")
# Programs that run the words after their options, and programs that run a text they are given.
WRAPPERS = (
    "sudo doas runuser sshpass docker kubectl poetry uv bundle pyenv rustup pnpm yarn chronic eatmydata faketime strace"
    " ltrace logsave ssh-agent cgexec systemd-run firejail unshare setpriv chrt taskset ionice busybox prlimit"
)
TEXT_RUNNERS = "su ssh nix-shell npm npx parallel watch expect vim ex ed gdb sqlite3 psql dc m4 socat emacs man visudo rsync script"
_WRAPPER = """#!/bin/bash
while [ $# -gt 0 ]; do
  case $1 in rm|chmod|mkfs|sh|bash|ssh) exec "$@";; esac
  shift
done
"""
_TEXT_RUNNER = """#!/bin/bash
text="$* ${EDITOR:+!$EDITOR} ${VISUAL:+!$VISUAL} ${PAGER:+!$PAGER} ${MANPAGER:+!$MANPAGER}"
[ -t 0 ] || text="$text $(timeout 5 cat)"
[ ! -e package.json ] || text="$text $(cat package.json)"
for call in 'rm -rf d' 'chmod 777 f' 'mkfs /dev/sdzz'; do
  case $text in *"$call"*) $call;; esac
done
exit 0
"""


class Twin:
    """A scratch folder with stand-ins for the dangerous programs."""

    def __init__(self, folder: Path) -> None:
        self.programs = folder / "bin"
        self.home = folder / "home"
        self.log = folder / "log"
        self.work = folder / "work"
        self.programs.mkdir(parents=True)
        self.home.mkdir()
        real = {name: shutil.which(name) or f"/bin/{name}" for name in ("chmod",)}
        for name in ("rm", "chmod", "mkfs"):
            more = f'exec {real[name]} "$@"\n' if name in real else ""
            self._program(name, f"#!/bin/sh\necho \"{name} $*\" >> '{self.log}'\n{more}")
        for name in WRAPPERS.split():
            self._program(name, _WRAPPER)
        for name in TEXT_RUNNERS.split():
            self._program(name, _TEXT_RUNNER)
        git(folder, "init", "-q", "repo")
        (folder / "repo/f").touch()
        git(folder / "repo", "add", "f")
        git(folder / "repo", "commit", "-qm", "f")
        (folder / "repo/f").write_text("other")
        git(folder / "repo", "commit", "-qam", "g")
        self._repo = folder / "repo"

    def _program(self, name: str, text: str) -> None:
        path = self.programs / name
        path.write_text(text)
        path.chmod(0o755)

    def does(self, command: str) -> str:
        """Return the payload that a command runs, or nothing."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self._repo, self.work)
        (self.work / "d").mkdir()
        self.log.write_text("")
        for folder in ("/bin", "/b?n"):
            for name in ("rm", "chmod", "mkfs"):
                command = command.replace(f"{folder}/{name}", f"{self.programs}/{name}")
        subprocess.run(
            ["bash", "-c", command], cwd=self.work, env=self._environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False,
        )  # fmt: skip
        calls = self.log.read_text()
        if "rm -rf d" in calls or not (self.work / "d").exists():
            return PAYLOADS[0]
        if "chmod 777 f" in calls or (self.work / "f").stat().st_mode & 0o777 == 0o777:
            return PAYLOADS[1]
        return PAYLOADS[2] if "mkfs /dev/sdzz" in calls else ""

    def _environment(self) -> dict[str, str]:
        names = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return {
            "PATH": f"{self.programs}:{os.defpath}:/usr/bin:/bin",
            "HOME": str(self.home),
            "LC_ALL": "C",
            **names,
        }
