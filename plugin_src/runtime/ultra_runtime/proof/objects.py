"""Read what the commits of a run contain: objects of git alone, whatever the working tree and the records say."""

from __future__ import annotations

import os

from ultra_runtime.run.tree.snapshot import Entry, listed_entries, parse_raw, portions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.files.git import Git
    from ultra_runtime.run.tree.snapshot import Change

# The objects as they are: no replaced ones, no grafts; and a path is a name, not a pathspec.
AS_THEY_ARE = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull, "GIT_LITERAL_PATHSPECS": "1"}


class CommitTree:
    """The tree of one commit; `paths` are those that will be asked for, so that one call of git reads them all."""

    def __init__(self, git: Git, commit: str, paths: Sequence[str] = ()) -> None:
        self.git = git
        self.commit = commit
        self._files: dict[str, Entry] | None = None
        self._entries: dict[str, Entry | None] = {}
        self._look(paths)

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
        self.git = git
        self.start = start
        self.end = CommitTree(git, end, paths)

    def changes(self) -> list[Change]:
        """Return what differs between the two trees, whatever the commits between them are."""
        words = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
        return parse_raw(self.git.ask("diff-tree", *words, self.start, self.end.commit, env=AS_THEY_ARE))


def is_ancestor(git: Git, older: str, newer: str) -> bool:
    """Return whether one commit is the other or below it, by the commits as they were made."""
    done = git.done("merge-base", "--is-ancestor", older, newer, env=AS_THEY_ARE)
    return older == newer or done.status == 0
