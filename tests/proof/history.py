"""Histories made of what a test shows, written straight into git: no working tree, and any entry a tree can have."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.executor.sample import plan
from tests.kit.repository import ENVIRONMENT, git, make_repository
from ultra_runtime.files.git import find_git
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import Fence, Step
from ultra_runtime.proof.checks import Objects, check_objects

LINK, SUBMODULE, SCRIPT = "120000", "160000", "100755"
Content = str | tuple[str, str] | None
Ranges = Mapping[int, tuple[str, str]]
Claims = Sequence[tuple[str, str]]
BASE = {"README.md": "# Greet\n", "src/old.py": "old\n"}


class History:
    """A repository to which commits are added one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = make_repository(folder, BASE)
        self.start = git(self.folder, "rev-parse", "HEAD")

    def commit(self, changes: Mapping[str, Content], *parents: str) -> str:
        """Add a commit with these changes; None removes, a pair is mode and content."""
        above = parents or (self.start,)
        self._import(_lines(changes, [f"from {above[0]}", *(f"merge {one}" for one in above[1:])]))
        return git(self.folder, "rev-parse", "refs/heads/made")

    def chain(self, *commits: Mapping[str, Content]) -> str:
        """Add commits one after the other and return the last."""
        return self.commits(commits)[-1] if commits else self.start

    def commits(self, all_changes: Sequence[Mapping[str, Content]]) -> list[str]:
        """Add commits one after the other and return all of them."""
        lines: list[str] = []
        for changes in all_changes:
            lines += _lines(changes, [] if lines else [f"from {self.start}"])
        self._import(lines)
        return git(self.folder, "rev-list", "--reverse", f"{self.start}..refs/heads/made").split()

    def _import(self, lines: Iterable[str]) -> None:
        subprocess.run(
            ["git", "fast-import", "--quiet", "--force"], cwd=self.folder, env=ENVIRONMENT, check=True,
            input=("\n".join(lines) + "\n").encode(), capture_output=True,
        )  # fmt: skip

    def check(
        self,
        steps: Iterable[Step],
        end: str,
        fence: Fence | None = None,
        ranges: Ranges | None = None,
        start: str = "",
        claims: Claims = (),
    ) -> Objects:
        """Check the way from the start to a commit; the commits on it are those of step 1, 2 and so on, unless told."""
        found = find_git(str(self.folder))
        if ranges is None:
            between = git(self.folder, "rev-list", "--reverse", f"{self.start}..{end}").split()
            commits = [self.start, *between]
            ranges = {number: (commits[number - 1], one) for number, one in enumerate(commits) if number}
        return check_objects(found, list(steps), fence or Fence(), start or self.start, end, ranges, claims)


def _lines(changes: Mapping[str, Content], parents: Iterable[str]) -> list[str]:
    """Return a commit as git's fast-import reads it."""
    lines = ["commit refs/heads/made", "committer A <a@b> 1 +0000", "data 4", "made", *parents]
    for path, content in changes.items():
        if content is None:
            lines.append(f"D {path}")
            continue
        mode, text = content if isinstance(content, tuple) else ("100644", content)
        if mode == SUBMODULE:
            lines.append(f"M {mode} {text} {path}")
        else:
            lines += [f"M {mode} inline {path}", f"data {len(text.encode())}", text]
    return lines


def steps_of(*texts: str) -> list[Step]:
    """Return the steps of a plan, which has to be one without problems."""
    made = read(plan(*texts).encode())
    assert not made.problems, made.problems
    return made.steps


def faults(found: Objects) -> list[tuple[str, int | None]]:
    """Return the check and the step of every difference."""
    return [(one.check, one.step) for one in found.drifts]
