"""What a session costs besides its model, and how waves grow with their sessions.

The client is a script that does its steps at once, so this measures our own work: a worktree, the supervisor, an audit
in a clean checkout and a merge. With a real model, whose session takes minutes, the share is far smaller.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.measure import show
from tests.built import rendered
from tests.interpreters import interpreters, python_on_path
from tests.kit.names import SOURCES
from tests.waves.sample import PLAN, QUICK, Waves, part, plan, session, step

SIZES = ((2, 1), (10, 1), (50, 5))
"""Sessions and waves."""
JOBS = 8


def main() -> None:
    """Print the cost of a session in waves of several sizes, against a worktree and the bare client."""
    with tempfile.TemporaryDirectory(prefix="ultra-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        bundle = rendered(SOURCES, folder / "bundle")
        (folder / "python").mkdir()
        python = python_on_path(interpreters()[-1], folder / "python")
        rows = []
        for count, waves in SIZES:
            print(f"{count} sessions in {waves} waves ...", file=sys.stderr)
            own = folder / f"waves-{count}"
            own.mkdir()
            repo = Waves(own / "repo", bundle, python).create(_plan(count, waves), QUICK)
            bare = _bare(repo)
            begun = time.perf_counter()
            end = repo.waves(f"--jobs {JOBS}")
            assert end["result"] == "completed", end
            seconds = (time.perf_counter() - begun) / count
            rows.append(
                (
                    f"{count} in {waves}",
                    f"{seconds:5.2f} s a session, {seconds / bare:4.1f} x a worktree and the bare client",
                )
            )
        show("Sessions side by side, with a client that needs no time to think", rows)


def _plan(count: int, waves: int) -> str:
    steps = [step(number) for number in range(1, count + 1)]
    each = count // waves
    sessions = [
        session(number, str(number), (number - 1) // each + 1, [part(number)])
        for number in range(1, count + 1)
    ]
    return plan(*steps, strategy="\n".join(sessions))


def _bare(repo: Waves) -> float:
    """Return the seconds of `git worktree add` and one run of the client in it."""
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message=plan")
    tree, begun = repo.folder.parent / "bare", time.perf_counter()
    repo.git("worktree", "add", "--quiet", "--detach", str(tree))
    client = repo.folder.parent / "programs/claude"
    subprocess.run(
        [client, "-p", f"x --session 1 {PLAN}"], cwd=tree, env=repo.env, check=True, capture_output=True
    )
    seconds = time.perf_counter() - begun
    repo.git("worktree", "remove", "--force", str(tree))
    for ref in repo.git("for-each-ref", "--format=%(refname)", "refs/ultra").split():
        repo.git("update-ref", "-d", ref)
    return seconds


if __name__ == "__main__":
    main()
