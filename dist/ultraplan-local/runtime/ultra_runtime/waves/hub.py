"""The hub: refs by which this machine and its workers exchange commits, leases, signs of life and results.

Below refs/<launcher>/wave/<slug>/ are `base` (what the sessions of a wave start from), `bundle` (this plugin),
and for each attempt K at session N: session-N/lease-K (what to do), session-N/beat-K (a sign of life, replaced again
and again) and session-N/attempt-K (the result, created once and never changed).
"""

from __future__ import annotations

import os
import time

from ultra_runtime.engines.hub_address import hub_address
from ultra_runtime.files.git import GitError
from ultra_runtime.rendered import BUNDLE, launcher
from ultra_runtime.struct import Struct
from ultra_runtime.text.jsontext import JsonError, read_object, write
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ultra_runtime.files.git import Git

LEASE, BEAT, ATTEMPT = "lease", "beat", "attempt"
BASE, BUNDLE_REF = "base", "bundle"
TOLD = "told.json"
REACH_SECONDS = 60.0
LEAST_PAUSE = 0.5
PUSH_SECONDS = 600.0
# A push of ours runs no hook of the user, signs nothing, and asks nobody.
QUIETLY = (
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "push.gpgSign=false",
    "-c",
    "push.followTags=false",
    "-c",
    "gc.auto=0",
)
NOBODY = {
    "GIT_AUTHOR_NAME": launcher(), "GIT_AUTHOR_EMAIL": f"{launcher()}@localhost",
    "GIT_COMMITTER_NAME": launcher(), "GIT_COMMITTER_EMAIL": f"{launcher()}@localhost",
}  # fmt: skip
ONE_DATE = {"GIT_AUTHOR_DATE": "@1000000000 +0000", "GIT_COMMITTER_DATE": "@1000000000 +0000"}
"""The bundle has the same name at every start, so it is sent once."""


class HubError(GitError):
    """A hub that cannot be reached, or that refuses a push."""


class Hub(Struct):
    """The refs of one plan at the hub, seen from a repository that is not the hub."""

    git: Git
    url: str
    prefix: str

    def ref(self, *parts: str) -> str:
        """Return the full name of a ref."""
        return "/".join((self.prefix, *parts))

    def of(self, kind: str, session: int, attempt: int) -> str:
        """Return a ref of an attempt."""
        return self.ref(f"session-{session}", f"{kind}-{attempt}")

    def listed(self) -> dict[str, str]:
        """Return the refs of this plan as they are at the hub now: name -> object."""
        said = self._ask("ls-remote", "--quiet", self.url, f"{self.prefix}/*", seconds=REACH_SECONDS)
        rows = (row.split("\t") for row in said.decode("utf-8", "replace").splitlines())
        return {row[1]: row[0] for row in rows if len(row) == 2}

    def put(self, refs: Mapping[str, str]) -> None:
        """Set refs at the hub, whatever they were."""
        self._ask("push", "--quiet", "--no-verify", self.url, *(f"+{new}:{ref}" for ref, new in refs.items()))

    def create(self, ref: str, new: str) -> None:
        """Create a ref at the hub; one that exists already is an error, unless it is this very object."""
        lease = f"--force-with-lease={ref}:"
        try:
            self._ask("push", "--quiet", "--no-verify", lease, self.url, f"{new}:{ref}")
        except HubError:
            if self.listed().get(ref) != new:  # the answer to an earlier push may have been lost
                raise

    def fetch(self, refs: Iterable[str]) -> None:
        """Bring refs of the hub into this repository, under the same names."""
        words = [f"+{ref}:{ref}" for ref in refs]
        self._ask("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", self.url, *words)

    def drop(self, refs: Mapping[str, str]) -> None:
        """Delete refs at the hub that are still what they were."""
        if refs:
            leases = [f"--force-with-lease={ref}:{old}" for ref, old in refs.items()]
            self._ask("push", "--quiet", "--no-verify", *leases, self.url, *(f":{ref}" for ref in refs))

    def _ask(self, *words: str, seconds: float = PUSH_SECONDS) -> bytes:
        done = self.git.done(*QUIETLY, *words, seconds=seconds)
        if done.status:
            raise HubError([*QUIETLY, *words], done)
        return done.out


def hub_of(git: Git, given: str, slug: str) -> Hub:
    """Return the hub that the settings name."""
    return Hub(git, hub_address(git, given), f"refs/{launcher()}/wave/{slug}")


def told_commit(git: Git, told: Mapping[str, Any], parents: Sequence[str], message: str) -> str:
    """Return a commit that carries an object as JSON; its parents come along wherever it goes."""
    blob = git.ask("hash-object", "-w", "--stdin", given=(write(told) + "\n").encode()).decode().strip()
    tree = git.ask("mktree", given=f"100644 blob {blob}\t{TOLD}\n".encode()).decode().strip()
    words = [word for parent in dict.fromkeys(parents) for word in ("-p", parent)]
    made = git.ask("commit-tree", *words, tree, given=f"{message}\n".encode(), env=NOBODY)
    return made.decode().strip()


def told_by(git: Git, commit: str) -> dict[str, Any]:
    """Return the object that a commit carries; nothing if it carries none."""
    try:
        return dict(read_object(git.ask("cat-file", "blob", f"{commit}:{TOLD}")).values)
    except (GitError, JsonError):
        return {}


def bundle_commit(git: Git) -> str:
    """Return a commit of this very bundle, which workers run."""
    paths = sorted(_files(BUNDLE))
    given = b"".join(os.fsencode(os.path.join(BUNDLE, path)) + b"\n" for path in paths)
    blobs = git.ask("hash-object", "-w", "--no-filters", "--stdin-paths", given=given).decode().split()
    rows = [
        f"{'100755' if os.access(os.path.join(BUNDLE, path), os.X_OK) else '100644'} {blob}\t{path}\n"
        for path, blob in zip(paths, blobs)
    ]
    env = {"GIT_INDEX_FILE": os.path.join(git.folder, f"{launcher()}-bundle-{os.getpid()}")}
    try:
        git.ask("update-index", "--add", "--index-info", given="".join(rows).encode(), env=env)
        tree = git.ask("write-tree", env=env).decode().strip()
    finally:
        if os.path.exists(env["GIT_INDEX_FILE"]):
            os.unlink(env["GIT_INDEX_FILE"])
    made = git.ask("commit-tree", tree, given=b"the plugin that workers run\n", env={**NOBODY, **ONE_DATE})
    return made.decode().strip()


def _files(top: str) -> Iterable[str]:
    for folder, inner, names in os.walk(top):
        inner[:] = [name for name in inner if name not in ("__pycache__", ".git")]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), top)


class HubWatch:
    """The refs of a plan at the hub as they were seen last; a slow hub is asked less often."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.refs: dict[str, str] = {}
        self.problem = ""
        """Why the hub could not be reached last."""
        self.seen_at = 0.0
        """When it was reached last."""
        self.next_at = 0.0

    def look(self) -> bool:
        """Ask the hub, unless it was asked a moment ago; return whether it was asked."""
        begun = time.monotonic()
        if begun < self.next_at:
            return False
        try:
            self.refs, self.problem = self.hub.listed(), ""
            self.seen_at = begun
        except HubError as problem:
            self.problem = one_line(problem.said, 200)
        now = time.monotonic()
        self.next_at = now + max(LEAST_PAUSE, 10 * (now - begun))
        return True
