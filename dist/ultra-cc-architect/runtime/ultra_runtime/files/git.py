"""Ask git: one function starts it, every call checks its status, and none of them waits for a person."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.errors import UltraError
from ultra_runtime.files.dead_lock import lock_named
from ultra_runtime.files.digest import blob_name
from ultra_runtime.files.loose_refs import is_name, loose_ref
from ultra_runtime.files.process import Done, NotStartedError, capture
from ultra_runtime.files.regular_file import read_text
from ultra_runtime.files.root import current_folder
from ultra_runtime.files.run_files import REFS as REFS
from ultra_runtime.struct import EMPTY, Struct
from ultra_runtime.typed import Mapping, Sequence
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.run_refs import RunRefs

# Long enough for the first snapshot of a very large tree; shorter than a call of the client, so that a verb can say why.
SECONDS = 500.0
CEILING = "GIT_CEILING_DIRECTORIES"
# These variables of git are passed on, because people and machines set them for every call. All others, from GIT_DIR to
# GIT_EXTERNAL_DIFF, belong to the one git call in whose hook we may run, or would change what we read.
ALLOWED = frozenset((
    # who commits, and when: for machines without a settings file, and for repeatable commits
    "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
    # which settings count; containers give safe.directory and the user's name as numbered pairs
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT",
    # where git's programs are, and how far up it looks for a repository
    "GIT_EXEC_PATH", CEILING, "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    # how to reach a remote: a partial clone fetches what is read, and hooks of a commit may push
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS", "GIT_ALLOW_PROTOCOL", "GIT_PROXY_COMMAND",
    "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY", "GIT_SSL_NO_VERIFY",
    "GIT_HTTP_PROXY_AUTHMETHOD", "GIT_NO_LAZY_FETCH",
    # whether a checkout leaves large files as pointers, as the user's tree has them
    "GIT_LFS_SKIP_SMUDGE",
    # where to log what git does; the output stays the same
    "GIT_TRACE2_EVENT",
))  # fmt: skip
ALLOWED_PAIRS = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
# Take no lock that blocks the user's own git, never prompt, print in the language that we parse, and read every object
# as it was made: a replace ref would put another one in its place.
OURS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
# Whatever the user's settings are: print names unquoted, and start no file system monitor.
PLAINLY = ("--no-pager", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false")
OF_LOG = ("--encoding=UTF-8", "--no-show-signature", "--no-use-mailmap")
"""Whatever the user's settings are: print commits in UTF-8, check no signature, and read no other names of authors."""
INDEX_FILE = "GIT_INDEX_FILE"
# An index of ours is in one piece: if git splits one, it may remove the shared piece that the user's index needs.
WHOLE = ("-c", "core.splitIndex=false")
PATHS = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")
UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
}
MOST_TOLD = 600
ADVICE, FATAL, ERROR = "hint:", "fatal:", "error:"
INDEX_DAMAGED = (
    "index file smaller than expected",
    "index file corrupt",
    "bad signature 0x",
    "bad index file",
    "cache entry has null sha1",
    "unknown index entry format",
)
DAMAGED = (
    *("hash mismatch", "corrupt", "has been changed"),
    *("bad object", "invalid object", "unable to read tree", "unable to read sha1"),
)
"""What git, or we, say about an object whose content is not what its name says."""
HEAD, SYMBOLIC, ON_BRANCH = "HEAD", "ref: ", "ref: refs/heads/"
ELSEWHERE = ON_BRANCH + ".invalid"
"""What the file says where git keeps its refs in tables."""


class GitError(UltraError):
    """A git command that failed, with the end of its output."""

    def __init__(self, words: Sequence[str], done: Done) -> None:
        text = (done.err or done.out).decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines()]
        if any(line.startswith(FATAL) for line in lines):  # then the rest is no reason
            lines = [line for line in lines if line.startswith((FATAL, ERROR))]
        said = "\n".join(line for line in lines if not line.startswith(ADVICE)).strip()
        self.late = done.late
        if done.late:
            said = "it timed out"
        self.said = said[-MOST_TOLD:] or f"exit status {done.status}"
        self.lock = lock = one_line(lock_named(said), MOST_TOLD)
        told = "; ".join(filter(None, self.said.split("\n")))
        super().__init__(
            f"git {_command(words)} failed: {f'{lock} exists' if lock else one_line(told, MOST_TOLD)}"
        )
        if any(word in said for word in DAMAGED):
            self.hint = (
                "an object of the repository is missing, changed or damaged: `git fsck` lists such objects"
            )
        if any(word in said for word in INDEX_DAMAGED):
            self.hint = (
                "the index of git is damaged: ask the user to move it away and to run `git reset`, which keeps all files;"
                " then retry"
            )
        if lock:
            self.hint = f"if no git runs in this repository, a killed one left it: remove {lock}, then retry"


def _command(words: Sequence[str]) -> str:
    """Return the name of the command in a call, after its settings."""
    return _command(words[2:]) if words[0] == "-c" else words[0]


class Git(Struct):
    """The git of one working tree."""

    root: str
    folder: str
    """The git dir of this tree; that of a worktree is its own."""
    common: str
    known: dict[str, RunRefs]
    """The refs of each run as they were read or written last."""
    ahead: Mapping[str, bytes] = EMPTY
    """Blobs that were read before they are asked for."""

    def done(
        self, *words: str, given: bytes = b"", env: Mapping[str, str] | None = None, seconds: float = SECONDS
    ) -> Done:
        """Run a command and return how it ended; of a worktree, only while it is one."""
        if self.folder != self.common:  # without its .git, this would be the repository around it
            env = {CEILING: os.path.dirname(self.root), **(env or {})}
        return run_git(self.root, words, given, env, seconds)

    def ask(
        self, *words: str, given: bytes = b"", env: Mapping[str, str] | None = None, seconds: float = SECONDS
    ) -> bytes:
        """Run a command that must succeed and return its output."""
        done = self.done(*words, given=given, env=env, seconds=seconds)
        if done.status:
            raise GitError(words, done)
        return done.out

    def read_ahead(self, *names: str) -> None:
        """Read blobs that will be asked for by one call; `blob` says what is wrong with one that cannot be read."""
        given = "".join(f"{name}\n" for name in names if name).encode()
        said, found = self.done("cat-file", "--batch", given=given).out, {}
        while said:
            head, _, rest = said.partition(b"\n")
            name, *kind = head.decode().split(" ")
            size = int(kind[1]) if kind[1:] else -1
            found[name], said = rest[: max(size, 0)], rest[size + 1 :]
        self.ahead = {name: data for name, data in found.items() if blob_name(data, name) == name}

    def blob(self, name: str) -> bytes:
        """Return the bytes of a blob, and check that they match its name."""
        data = self.ahead.get(name)
        if data is None:
            data = self.ask("cat-file", "blob", name)
        if blob_name(data, name) != name:
            raise GitError(["cat-file"], Done(1, b"", f"object {name} has been changed".encode()))
        return data

    def line(self, *words: str) -> str:
        """Return the one line that a command prints; nothing when it fails."""
        done = self.done(*words)
        return "" if done.status else os.fsdecode(done.out).strip()

    def head(self) -> str:
        """Return the commit of HEAD; nothing before the first one."""
        found = _first_line(self.folder, HEAD)
        if found.startswith(ON_BRANCH):
            found = _first_line(self.common, found[len(SYMBOLIC) :])
        # Most branches have a file of their own; to start git for every such question takes longer than all the others.
        return found if is_name(found) else self.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}")

    def ref(self, name: str) -> str:
        """Return the object of a ref; nothing when there is no such ref."""
        found = loose_ref(self, name)
        return self.line("rev-parse", "--verify", "--quiet", name) if found is None else found

    def branch(self) -> str:
        """Return the branch of HEAD; nothing when it is detached."""
        found = _first_line(self.folder, HEAD)
        if found.startswith(ON_BRANCH) and found != ELSEWHERE:
            return found[len(ON_BRANCH) :]
        return "" if is_name(found) else self.line("symbolic-ref", "--quiet", "--short", HEAD)

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Tell whether one commit is the other or an ancestor of it."""
        return older == newer or self.done("merge-base", "--is-ancestor", older, newer).status == 0

    def has_commits(self, *names: str) -> bool:
        """Tell whether this repository has all of these commits."""
        given = "".join(f"{name}^{{commit}}\n" for name in names).encode()
        return self.done("cat-file", "--batch-check", given=given).out.count(b" commit ") == len(names)

    def subject(self, commit: str) -> str:
        """Return the subject of a commit."""
        return self.line("log", "-1", *OF_LOG, "--format=%s", commit)

    def run_refs(self, slug: str) -> RunRefs:
        """Return the refs of a run and what is wrong with them, as they are now."""
        from ultra_runtime.files.run_refs import read_run_refs

        self.known[slug] = read_run_refs(self, slug)
        return self.known[slug]

    def refs(self, slug: str) -> dict[str, str]:
        """Return the facts of a run: the last part of each ref -> object; those of somebody else are left out."""
        return dict(self.run_refs(slug).refs)

    def set_refs(self, slug: str, values: Mapping[str, str | None]) -> None:
        """Set the facts of a run, all or none; None deletes one."""
        from ultra_runtime.files.run_refs import write_run_refs

        if values:
            now = self.known.get(slug) or self.run_refs(slug)
            self.known[slug] = write_run_refs(self, slug, values, now)

    def under_way(self) -> str:
        """Return the operation that git has in progress, in words, or nothing."""
        for name, words in UNDER_WAY.items():
            if os.path.exists(os.path.join(self.folder, name)):
                return words
        return ""

    def identity_problem(self) -> str:
        """Return why git cannot name an author or a committer; nothing when it can."""
        if self._is_somebody():
            return ""
        for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
            done = self.done("var", name)
            if done.status:
                return done.err.decode("utf-8", "replace").strip().splitlines()[-1]
        return ""

    def _is_somebody(self) -> bool:
        """Tell whether settings or variables name author and committer in full, as they nearly always do."""
        said = self.done("config", "-z", "--get-regexp", r"^(user|author|committer)\.(name|email)$").out
        rows = dict(row.partition("\n")[::2] for row in os.fsdecode(said).split("\0"))
        return all(
            any(
                sign.isalnum()
                for sign in os.environ.get(f"GIT_{who}_{what}".upper())
                or rows.get(f"{who}.{what}")
                or rows.get(f"user.{what}", "")
            )
            for who in ("author", "committer")
            for what in ("name", "email")
        )


def _first_line(folder: str, name: str) -> str:
    """Return the first line of a small file of git; nothing when it cannot be read."""
    return read_text(os.path.join(folder, name)).partition("\n")[0].strip()


def environment() -> dict[str, str]:
    """Return the environment of git: ours, with only the allowed variables of git."""
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in ALLOWED or name.startswith(ALLOWED_PAIRS)
    }
    return {**env, **OURS}


def own_language() -> dict[str, str]:
    """Return the variables that restore the caller's language for hooks of a commit."""
    return {"LC_ALL": os.environ.get("LC_ALL", "")}


def run_git(
    folder: str,
    words: Sequence[str],
    given: bytes = b"",
    env: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> Done:
    """Run git in a folder and return how it ended; no other function starts git."""
    whole, pipe = WHOLE if INDEX_FILE in (env or {}) else (), ""

    def stuck() -> str:
        nonlocal pipe
        from ultra_runtime.files.awaited_pipe import awaited_pipe

        pipe = awaited_pipe(folder)
        return pipe

    words = ["git", "-C", folder, *whole, *words]
    try:
        done = capture(words, {**environment(), **(env or {})}, given, seconds, stuck)
    except NotStartedError as problem:
        raise RefusedError(str(problem), "install git, or put it on PATH") from None
    if pipe:
        raise RefusedError(f"{one_line(pipe)} is a pipe, and git waits for it", "remove it, then retry")
    return done


def ask_git(root: str, words: Sequence[str], given: bytes = b"") -> bytes | None:
    """Return the output of a command that only reads; nothing when it fails."""
    done = run_git(root, [*PLAINLY, *words], given)
    if done.late:
        raise RefusedError(f"git {one_line(words[0])} took more than {SECONDS:.0f} s", "try again")
    return None if done.status else done.out


def commit_of(root: str, name: str) -> str | None:
    """Return the full name of a commit of this repository."""
    if not name or name.startswith("-"):
        return None
    said = ask_git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"])
    # Before git 2.30 the mark that ends the options is printed too.
    lines = os.fsdecode(said or b"").split()
    return lines[-1] if lines else None


def fields(said: bytes | None) -> list[str]:
    """Return the NUL-separated parts of an output."""
    return [os.fsdecode(part) for part in (said or b"").split(b"\0") if part]


def _dot_git(folder: str) -> str:
    """Return the nearest `.git` of a folder and those above it; empty if there is none."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return ""
        folder = os.path.dirname(folder)
    return os.path.join(folder, ".git")


def find_git(start: str | None = None) -> Git:
    """Return the git of the working tree around a folder, or refuse with the reason."""
    folder = start or current_folder()
    done = run_git(folder, ["rev-parse", *PATHS])
    if done.status:
        said = done.err.decode("utf-8", "replace").strip()
        if "not a git repository" in said:
            found = _dot_git(folder)
            if found:
                hint = "ask the user: its HEAD may be damaged, or what it leads to has moved (`git worktree repair`)"
                raise RefusedError(f"git does not take {one_line(found)} for a repository", hint)
            hint = "plans run in a git repository: run `git init` and make a first commit"
            raise RefusedError(f"{one_line(folder)} is not in a git repository", hint)
        if "work tree" in said:
            raise RefusedError("this is a git dir, not a working tree", "cd to the working tree")
        raise RefusedError(f"git says: {one_line(said, 300)}", "fix this and retry")
    said_paths = os.fsdecode(done.out)[:-1].split("\n")
    if len(said_paths) != len(PATHS):  # one of them has a line break
        said_paths = [os.fsdecode(ask_git(folder, ["rev-parse", one]) or b"")[:-1] for one in PATHS]
    root, git_dir, common = said_paths
    return Git(root, git_dir, os.path.normpath(os.path.join(folder, common)), {})
