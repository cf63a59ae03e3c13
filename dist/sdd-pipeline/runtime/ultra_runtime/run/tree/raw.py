"""Record the working tree byte for byte, where a snapshot does not: it converts files, and skips those that git skips.

In most repositories git converts nothing and skips nothing; there the snapshot itself is exact, and this costs one call.
Otherwise a git dir of our own is used, in which no file is converted and no entry has a flag.
"""

from __future__ import annotations

import os

from ultra_runtime.files.git import GitError, fields
from ultra_runtime.run.tree.snapshot import QUIETLY, all_unmarked, drop_special, in_quotes
from ultra_runtime.run.tree.workspace import make_folder, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.tree.snapshot import Snapshots

ATTRIBUTES = b".gitattributes"
CONVERTING = (b"text", b"crlf", b"eol=", b"ident", b"filter=", b"working-tree-encoding=")
UNTOUCHED = b"* -text -crlf -ident -filter !eol !working-tree-encoding\n"
# git-lfs has a copy of each of its files already, and they are large; its filter gives back the same bytes.
LARGE = ":(top,attr:filter=lfs)"
SETTINGS = """\
[include]
	path = {config}
[core]
	bare = false
	repositoryFormatVersion = {version}
	autocrlf = false
	sparseCheckout = false
	splitIndex = false
	untrackedCache = false
	trustctime = true
	checkStat = default
{extensions}"""


class RawTrees:
    """Exact trees of one run."""

    def __init__(self, snapshots: Snapshots) -> None:
        self.snapshots = snapshots
        self.git = snapshots.git
        self.folder = os.path.join(snapshots.folder, "raw")
        self.env = {**snapshots.env, "GIT_DIR": self.folder, "GIT_WORK_TREE": self.git.root}

    def needed(self, listed: bytes) -> bool:
        """Return whether a snapshot may differ from the files; `listed` has its entries with their flags."""
        if not all_unmarked(listed):
            return True
        settings = self.git.done("config", "-z", "--get-regexp", r"^core\.(autocrlf|attributesfile)$").out
        files = [os.path.join(self.git.common, "info", "attributes"), "/etc/gitattributes"]
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        files.append(os.path.join(home, "git", "attributes"))
        for row in settings.split(b"\0")[:-1]:
            name, _, value = row.partition(b"\n")
            if name == b"core.attributesfile":
                files.append(os.path.expanduser(os.fsdecode(value)))
            elif value.lower() not in (b"false", b"no", b"off", b"0"):
                return True
        if b"/" + ATTRIBUTES + b"\0" in listed or b" " + ATTRIBUTES + b"\0" in listed:
            names = [row[2:] for row in listed.split(b"\0") if row.endswith(ATTRIBUTES)]
            files += [os.path.join(self.git.root, os.fsdecode(name)) for name in names]
        return any(_converts(path) for path in files)

    def take(self) -> str:
        """Return the current working tree as a tree of exact bytes, without ignored files."""
        self._prepare()
        words = [*QUIETLY, "add", "-A", "--ignore-errors", "--", *self.snapshots.pathspec]
        added = self.git.done(*words, env=self.env)
        if added.status not in (0, 1):
            raise GitError(["add"], added)
        left = fields(self.git.ask(*QUIETLY, "diff-files", "--name-only", "-z", env=self.env))
        drop_special(self.git, left, self.env)
        return self.git.ask("write-tree", env=self.env).decode().strip()

    def start_over(self) -> None:
        """Forget which files the snapshots have, since git never ignores one that it has."""
        for path in (self.snapshots.index, os.path.join(self.folder, "index")):
            if os.path.exists(path):
                os.unlink(path)

    def _prepare(self) -> None:
        """Create the git dir, with the user's settings and ignore rules."""
        for name in ("refs", "info"):
            make_folder(os.path.join(self.folder, name))
        long_names = len(self.git.head()) > 40
        text = SETTINGS.format(
            config=in_quotes(os.path.join(self.git.common, "config")),
            version=int(long_names),
            extensions="[extensions]\n\tobjectFormat = sha256\n" if long_names else "",
        )
        put(os.path.join(self.folder, "config"), text.encode("utf-8", "surrogateescape"))
        put(os.path.join(self.folder, "HEAD"), b"ref: refs/heads/none\n")
        put(os.path.join(self.folder, "info", "attributes"), UNTOUCHED)
        put(os.path.join(self.folder, "info", "exclude"), self._ignored())

    def _ignored(self) -> bytes:
        try:
            with open(os.path.join(self.git.common, "info", "exclude"), "rb") as file:
                rules = file.read() + b"\n"
        except OSError:
            rules = b""
        said = self.git.ask(
            "ls-files", "-z", "--", LARGE, env={**self.snapshots.env, "GIT_INDEX_FILE": self.snapshots.index}
        )
        return rules + b"".join(b"/" + _escaped(name) + b"\n" for name in said.split(b"\0")[:-1])


def _converts(path: str) -> bool:
    """Return whether an attributes file makes git convert any file."""
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return False
    words = [word for line in lines if not line.startswith(b"#") for word in line.split()[1:]]
    return any(word.startswith(CONVERTING) for word in words)


def _escaped(name: bytes) -> bytes:
    """Return a name as a pattern of an ignore file that matches only itself."""
    return b"".join(b"\\" + bytes([one]) if one in b"\\*?[]# !" else bytes([one]) for one in name)
