"""Histories made of what a test shows, written straight into git: no working tree, and any entry a tree can have."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.executor.sample import plan
from tests.kit.repository import ENVIRONMENT, git, make_repository
from ultra_runtime.files.git import find_git
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import Fence, Step
from ultra_runtime.proof.checks import Objects, check_objects

LINK, SUBMODULE, SCRIPT = "120000", "160000", "100755"
Content = str | tuple[str, str] | None
BASE = {"README.md": "# Greet\n", "src/old.py": "old\n"}


class History:
    """A repository to which commits are added one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = make_repository(folder, BASE)
        self.start = git(self.folder, "rev-parse", "HEAD")

    def commit(self, changes: Mapping[str, Content], *parents: str) -> str:
        """Add a commit with these changes; None removes, a pair is mode and content."""
        above = parents or (self.start,)
        lines = ["commit refs/heads/made", "committer A <a@b> 1 +0000", "data 4", "made"]
        lines += [f"from {above[0]}", *(f"merge {one}" for one in above[1:])]
        for path, content in changes.items():
            if content is None:
                lines.append(f"D {path}")
                continue
            mode, text = content if isinstance(content, tuple) else ("100644", content)
            if mode == SUBMODULE:
                lines.append(f"M {mode} {text} {path}")
            else:
                lines += [f"M {mode} inline {path}", f"data {len(text.encode())}", text]
        subprocess.run(
            ["git", "fast-import", "--quiet", "--force"], cwd=self.folder, env=ENVIRONMENT, check=True,
            input=("\n".join(lines) + "\n").encode(), capture_output=True,
        )  # fmt: skip
        return git(self.folder, "rev-parse", "refs/heads/made")

    def chain(self, *commits: Mapping[str, Content]) -> str:
        """Add commits one after the other and return the last."""
        last = self.start
        for changes in commits:
            last = self.commit(changes, last)
        return last

    def check(self, steps: Iterable[Step], end: str, fence: Fence | None = None) -> Objects:
        """Check the way from the start to a commit; commits on it that `chain` made are those of step 1, 2 and so on."""
        found, parents = (
            find_git(str(self.folder)),
            git(self.folder, "rev-list", "--reverse", f"{self.start}..{end}"),
        )
        commits = [self.start, *parents.split()]
        ranges = {number: (commits[number - 1], one) for number, one in enumerate(commits) if number}
        return check_objects(found, list(steps), fence or Fence(), self.start, end, ranges)


def steps_of(*texts: str) -> list[Step]:
    """Return the steps of a plan, which has to be one without problems."""
    made = read(plan(*texts).encode())
    assert not made.problems, made.problems
    return made.steps


def faults(found: Objects) -> list[tuple[str, int | None]]:
    """Return the check and the step of every difference."""
    return [(one.check, one.step) for one in found.drifts]
