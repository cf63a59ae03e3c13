"""Read what the commits of a run contain: objects of git alone, whatever the working tree and the records say."""

from __future__ import annotations

import os

from ultra_runtime.files.git import OF_LOG, fields
from ultra_runtime.run.tree.snapshot import Entry, listed_entries, parse_raw, portions
from ultra_runtime.struct import EMPTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ultra_runtime.files.git import Git

# The objects as they are: no replaced ones, no grafts; and a path is a name, not a pathspec.
AS_THEY_ARE = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull, "GIT_LITERAL_PATHSPECS": "1"}


class CommitTree:
    """The tree of one commit; `paths` will be asked for, so that one call of git reads all that are not `known`."""

    def __init__(
        self, git: Git, commit: str, paths: Sequence[str] = (), known: Mapping[str, Entry] = EMPTY
    ) -> None:
        self.git = git
        self.commit = commit
        self._files: dict[str, Entry] | None = None
        self._entries: dict[str, Entry | None] = dict(known)
        self._look([path for path in paths if path not in known])

    def entry(self, path: str) -> Entry | None:
        """Return what is at a path."""
        if path not in self._entries:
            self._look([path])
        return self._entries.get(path)

    def files(self) -> dict[str, Entry]:
        """Return every file of the tree."""
        if self._files is None:
            self._files = self._list("-r")
        return self._files

    def _look(self, paths: Sequence[str]) -> None:
        for part in portions([path for path in dict.fromkeys(paths) if path]):
            found = self._list("-t", *part)
            self._entries.update((path, found.get(path)) for path in part)

    def _list(self, option: str, *paths: str) -> dict[str, Entry]:
        said = self.git.ask(
            "ls-tree", option, "-z", "--full-tree", self.commit, "--", *paths, env=AS_THEY_ARE
        )
        return listed_entries(said)

    def content(self, entry: Entry) -> bytes:
        """Return the committed bytes of a file."""
        return self.git.ask("cat-file", "blob", entry.name, env=AS_THEY_ARE)


class Between:
    """What lies between the start and the end of a run."""

    def __init__(self, git: Git, start: str, end: str, paths: Sequence[str] = ()) -> None:
        words = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
        self.changes = parse_raw(git.ask("diff-tree", *words, start, end, env=AS_THEY_ARE))
        """What differs between the two trees, whatever the commits between them are."""
        self.end = CommitTree(git, end, paths, {one.path: one.new for one in self.changes if one.new})


class Lineage:
    """The commits from the start of a run to its end by first parents; git is asked about other commits one by one."""

    def __init__(self, git: Git, start: str, end: str) -> None:
        self.git = git
        self.end = end
        words = ("-z", *OF_LOG, "--first-parent", "--reverse", "--format=%H %P%n%s")
        done = git.done("log", *words, f"{start}..{end}", env=AS_THEY_ARE)
        self.is_there = not done.status
        """Whether git has found both commits."""
        self.subjects: dict[str, str] = {}
        """Commit -> subject, the oldest first."""
        self._below: set[str] = set()
        for row in fields(done.out) if self.is_there else ():
            names, _, subject = row.partition("\n")
            commit, *parents = names.split()
            self.subjects[commit] = subject.strip()
            self._below.update(parents)

    def has(self, commit: str) -> bool:
        """Return whether a commit is the end or below it."""
        near = commit in self.subjects or commit in self._below
        return near or is_ancestor(self.git, commit, self.end)

    def subject(self, commit: str) -> str:
        """Return the subject of a commit."""
        found = self.subjects.get(commit)
        return self.git.subject(commit) if found is None else found


def is_ancestor(git: Git, older: str, newer: str) -> bool:
    """Return whether one commit is the other or below it, by the commits as they were made."""
    if older == newer:
        return True
    return git.done("merge-base", "--is-ancestor", older, newer, env=AS_THEY_ARE).status == 0
