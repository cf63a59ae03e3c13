"""Find out whether the filters of git work that a checkout of a commit cannot do without: each writes one file."""

from __future__ import annotations

import os

from ultra_runtime.checkout.ready import git_failed
from ultra_runtime.checkout.worktree import ATTRIBUTES, PLAINLY
from ultra_runtime.files.git import GitError, run_git
from ultra_runtime.words import listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ultra_runtime.files.git import Git
    from ultra_runtime.files.process import Done

REQUIRED = r"^filter\..*\.required$"
NAMES_FILTER, IN_ANY_FOLDER = "filter=", ":(glob)**/.gitattributes"
SECONDS = 20.0
"""A filter may fetch a large file, which says nothing against it."""


def try_filters(git: Git, commit: str, folder: str) -> list[str]:
    """Refuse a commit with a file that a required filter cannot write; return a note if that takes too long to tell.

    The files are written below an empty folder. Attributes of this repository alone could not be left out here.
    """
    names = _required(git)
    if not names or os.path.isfile(os.path.join(git.common, *ATTRIBUTES)):
        return []
    if git.done("grep", "--quiet", "--fixed-strings", NAMES_FILTER, commit, "--", IN_ANY_FOLDER).status:
        return []
    trial = _Trial(git, folder)
    trial.ask("read-tree", commit)
    paths = [path for name in names for path in trial.first_file(name)]
    done = trial.done("checkout-index", "-z", "--stdin", given=b"".join(path + b"\0" for path in paths))
    if done.late:
        slow = listed(one_line(os.fsdecode(path)) for path in paths)
        return [
            f"the filters of {slow} took more than {SECONDS:.0f} s: whether they work shows at the end of the run"
        ]
    if done.status:
        raise git_failed("the commit cannot be checked out", GitError(["checkout-index"], done))
    return []


def _required(git: Git) -> list[str]:
    """Return the names of the filters without which git checks out no file that needs them."""
    said = os.fsdecode(git.done("config", "-z", "--type=bool", "--get-regexp", REQUIRED).out)
    rows = (row.partition("\n") for row in said.split("\0"))
    return [name.partition(".")[2].rpartition(".")[0] for name, _, value in rows if value == "true"]


class _Trial:
    """A git with an index and a working tree of its own, so that attributes are those of the commit."""

    def __init__(self, git: Git, folder: str) -> None:
        self.tree = os.path.join(folder, "tree")
        os.mkdir(self.tree)
        self.env: Mapping[str, str] = {
            "GIT_DIR": git.folder,
            "GIT_WORK_TREE": self.tree,
            "GIT_INDEX_FILE": os.path.join(folder, "index"),
        }

    def done(self, *words: str, given: bytes = b"") -> Done:
        return run_git(self.tree, [*PLAINLY, *words], given, self.env, SECONDS)

    def ask(self, *words: str) -> bytes:
        done = self.done(*words)
        if done.status:
            raise git_failed("the commit cannot be checked out", GitError(words, done))
        return done.out

    def first_file(self, name: str) -> Sequence[bytes]:
        """Return the first file that needs a filter, if there is one."""
        rows = self.ask("ls-files", "-s", "-z", "--", f":(attr:filter={name})").split(b"\0")
        return [row.partition(b"\t")[2] for row in rows if row.startswith(b"100")][:1]
