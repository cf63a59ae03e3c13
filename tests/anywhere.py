"""Run tests in surroundings that users have: `python -m tests.anywhere [NAME ...] [--tests PATH ...]`.

Without a name each surrounding is tried with all tests, and then all of them together.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from tests.client.binary import cache
from tests.kit.files import write_tree
from tests.kit.names import ROOT
from tests.kit.repository import git, make_repository

LEFT_OUT = (".git", ".venv", ".*_cache", ".hypothesis", ".bench", ".evals", "__pycache__")
OFFLINE = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
NOT_ROOT = ("unshare", "--user")  # a user without rights: files of root are its own, and modes count
HOOK = "#!/bin/sh\necho 'a hook of the user ran' >&2\nexit 1\n"
GIT_CONFIG = """\
[init]
\tdefaultBranch = trunk
\ttemplateDir = ~/template
[commit]
\tgpgsign = true
[tag]
\tgpgsign = true
[gpg]
\tprogram = false
[core]
\tautocrlf = true
\thooksPath = ~/hooks
\tquotePath = true
[status]
\tshowUntrackedFiles = no
[diff]
\tnoprefix = true
[user]
\tuseConfigOnly = true
"""


@dataclass(frozen=True, slots=True)
class Surrounding:
    """What is different: the folder of the sources, the command before the tests, variables, umask, files of HOME."""

    folder: str = "sources"
    before: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    umask: int = 0o022
    home: Mapping[str, str] = field(default_factory=dict)
    home_mode: int = 0o755

    def __or__(self, other: Surrounding) -> Surrounding:
        """Return both together."""
        plain = Surrounding()
        return Surrounding(
            other.folder if other.folder != plain.folder else self.folder,
            self.before + other.before,
            {**self.variables, **other.variables},
            self.umask | other.umask,
            {**self.home, **other.home},
            self.home_mode & other.home_mode,
        )


# The network first: a user without rights cannot take it away.
SURROUNDINGS = {
    "no network": Surrounding(before=OFFLINE),
    "not root, and HOME cannot be written": Surrounding(before=NOT_ROOT, home_mode=0o555),
    "a path with spaces and letters": Surrounding(folder="Größe, 漢字 & mehr"),
    "umask 077": Surrounding(umask=0o077),
    "LANG=C": Surrounding(variables={"LANG": "C", "LC_ALL": "C"}),
    "another TMPDIR": Surrounding(variables={"TMPDIR": "temporary files"}),
    "settings of git": Surrounding(
        home={".gitconfig": GIT_CONFIG, "hooks/pre-commit": HOOK, "template/hooks/pre-commit": HOOK}
    ),
    "random order": Surrounding(variables={"ULTRA_ORDER": "0", "PYTHONHASHSEED": "0"}),
}
TOGETHER = "all of them together"


def together(names: Sequence[str] = tuple(SURROUNDINGS)) -> Surrounding:
    """Return several surroundings as one."""
    return reduce(lambda one, other: one | other, (SURROUNDINGS[name] for name in names))


def run_tests(surrounding: Surrounding, words: Sequence[str], seed: int) -> subprocess.CompletedProcess[str]:
    """Run tests on a copy of the sources that lies in a surrounding, and return what they printed."""
    with tempfile.TemporaryDirectory(prefix="ultra-anywhere-") as folder:
        scratch = Path(folder).resolve()
        try:
            return _run(surrounding, scratch, words, seed)
        finally:
            (scratch / "home").chmod(0o755)


def _run(
    surrounding: Surrounding, scratch: Path, words: Sequence[str], seed: int
) -> subprocess.CompletedProcess[str]:
    copy = scratch / surrounding.folder / ROOT.name
    shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    make_repository(copy)
    git(copy, "add", "--all")
    git(copy, "commit", "--quiet", "--message=Begin")
    home = scratch / "home"
    home.mkdir()
    write_tree(home, surrounding.home)
    home.chmod(surrounding.home_mode)
    variables = {**os.environ, "HOME": str(home), "ULTRA_CLIENT_CACHE": str(cache()), **surrounding.variables}
    variables["PYTHONPATH"] = str(copy / "generator")
    if "TMPDIR" in surrounding.variables:
        (scratch / variables["TMPDIR"]).mkdir()
        variables["TMPDIR"] = str(scratch / variables["TMPDIR"])
    if "ULTRA_ORDER" in surrounding.variables:
        variables |= dict.fromkeys(("ULTRA_ORDER", "PYTHONHASHSEED"), str(seed))
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST"):
        variables.pop(name, None)
    return subprocess.run(
        [*surrounding.before, sys.executable, "-m", "pytest", "-q", *words],
        cwd=copy, env=variables, umask=surrounding.umask, stdin=subprocess.DEVNULL, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def main() -> int:
    """Try the surroundings that are named, one after the other, and say how each ended."""
    parser = argparse.ArgumentParser(prog="python -m tests.anywhere", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="; ".join((*SURROUNDINGS, TOGETHER)))
    parser.add_argument("--tests", nargs="+", default=["tests"], metavar="PATH")
    parser.add_argument("--workers", default="2")
    parser.add_argument(
        "--seed", type=int, default=int(time.time() // 86400), help="of the order: today's day"
    )
    given = parser.parse_args()
    known = {**SURROUNDINGS, TOGETHER: together()}
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"unknown surrounding {unknown[0]!r}: it must be one of: {'; '.join(known)}")
    failed = 0
    for name in given.names or known:
        sys.stderr.write(f"anywhere: {name} (seed {given.seed})\n")
        done = run_tests(known[name], ["-n", given.workers, *given.tests], given.seed)
        failed += done.returncode != 0
        print(f"{name}: {done.stdout if done.returncode else done.stdout.splitlines()[-1]}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
