"""Ask git: every call checks its status, and none of them waits for a person."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.errors import UltraError
from ultra_runtime.files.root import current_folder
from ultra_runtime.rendered import launcher
from ultra_runtime.run.tree.process import NotStartedError, capture
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ultra_runtime.run.tree.process import Done

REFS = f"refs/{launcher()}/run"
# What a caller inside a hook of git has in its environment would send every call elsewhere.
FOREIGN = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)  # fmt: skip
UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
}
MOST_TOLD = 600


class GitError(UltraError):
    """A git command that failed, with its last words."""

    def __init__(self, words: Sequence[str], done: Done) -> None:
        said = (done.err or done.out).decode("utf-8", "replace").strip()
        self.late = done.late
        self.said = said[-MOST_TOLD:] or f"exit status {done.status}"
        super().__init__(f"git {words[0]} failed: {one_line(self.said, MOST_TOLD)}")


class Git:
    """The git of one working tree."""

    def __init__(self, root: str, folder: str, common: str) -> None:
        self.root = root
        self.folder = folder
        """The git dir of this tree; that of a worktree is its own."""
        self.common = common
        self.env = environment()

    def done(
        self,
        *words: str,
        given: bytes = b"",
        env: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> Done:
        """Run a command and return how it ended."""
        try:
            return capture(["git", "-C", self.root, *words], {**self.env, **(env or {})}, given, seconds)
        except NotStartedError as problem:
            raise RefusedError(str(problem), "install git, or put it on PATH") from None

    def ask(
        self,
        *words: str,
        given: bytes = b"",
        env: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> bytes:
        """Run a command that has to succeed and return what it printed."""
        done = self.done(*words, given=given, env=env, seconds=seconds)
        if done.status:
            raise GitError(words, done)
        return done.out

    def line(self, *words: str) -> str:
        """Return the one line that a command prints; nothing when it fails."""
        done = self.done(*words)
        return "" if done.status else os.fsdecode(done.out).strip()

    def head(self) -> str:
        """Return the commit of HEAD; nothing before the first one."""
        return self.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")

    def branch(self) -> str:
        """Return the branch of HEAD; nothing when it is detached."""
        return self.line("symbolic-ref", "--quiet", "--short", "HEAD")

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Tell whether one commit is the other or stands above it."""
        return older == newer or self.done("merge-base", "--is-ancestor", older, newer).status == 0

    def has_commit(self, name: str) -> bool:
        """Tell whether this repository holds the commit."""
        return self.done("cat-file", "-e", f"{name}^{{commit}}").status == 0

    def refs(self, slug: str) -> dict[str, str]:
        """Return the facts of a run: the last part of each ref -> object."""
        start = f"{REFS}/{slug}/"
        said = self.ask("for-each-ref", "--format=%(refname) %(objectname)", start)
        pairs = [row.split(" ") for row in said.decode().splitlines()]
        return {name[len(start) :]: value for name, value in pairs}

    def set_refs(self, slug: str, values: Mapping[str, str | None]) -> None:
        """Set the facts of a run, all or none; None takes one back."""
        rows = []
        for name, value in values.items():
            ref = f"{REFS}/{slug}/{name}"
            rows.append(f"delete {ref}\n" if value is None else f"update {ref} {value}\n")
        if rows:
            self.ask("update-ref", "--no-deref", "--stdin", given="".join(rows).encode())

    def under_way(self) -> str:
        """Return what git is in the middle of, in words; nothing when it is not."""
        for name, words in UNDER_WAY.items():
            if os.path.exists(os.path.join(self.folder, name)):
                return words
        return ""

    def identity_problem(self) -> str:
        """Return why a commit could not have an author or a committer; nothing when it can."""
        for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
            done = self.done("var", name)
            if done.status:
                return done.err.decode("utf-8", "replace").strip().splitlines()[-1]
        return ""


def environment() -> dict[str, str]:
    """Return the environment of git: this one, without what belongs to another call of git."""
    env = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    return {**env, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}


def find_git(start: str | None = None) -> Git:
    """Return the git of the working tree around a folder, or refuse in words."""
    folder = start or current_folder()
    words = ["git", "-C", folder, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"]
    try:
        done = capture(words, environment())
    except NotStartedError as problem:
        raise RefusedError(str(problem), "install git, or put it on PATH") from None
    if done.status:
        said = done.err.decode("utf-8", "replace").strip()
        if "not a git repository" in said:
            hint = "a plan is executed in a git repository: run `git init` and make a first commit"
            raise RefusedError(f"{one_line(folder)} is in no git repository", hint)
        if "work tree" in said:
            raise RefusedError("this is a git dir, not a working tree", "cd to the working tree")
        raise RefusedError(f"git says: {one_line(said, 300)}", "see to it and call again")
    root, git_dir, common = os.fsdecode(done.out).rstrip("\n").split("\n")
    return Git(root, git_dir, os.path.normpath(os.path.join(folder, common)))
