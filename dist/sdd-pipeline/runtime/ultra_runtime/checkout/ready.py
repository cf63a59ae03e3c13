"""Why there is no working copy in which commands can run."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import GitError

FULL, FILTER = "No space left on device", "smudge filter"
# What git or the system says -> what to do; the first that fits.
REMEDIES = {
    FULL: "free space there, or set TMPDIR to a folder with more",
    "Read-only file system": "make it writable, or set TMPDIR to a folder that is",
    "Permission denied": "make it writable, or set TMPDIR to a folder that is",
    "it timed out": "look for a filter or a disk that hangs, then retry",
    FILTER: "make the filter work in a fresh checkout, for example by fetching what it needs",
}
OTHERWISE = "try `git worktree add` with this commit, and fix what it reports"


class NotReady(RefusedError):
    """Why commands cannot run in a working copy of a commit, and what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason, remedy)
        self.reason = reason
        self.remedy = remedy


def git_failed(what: str, problem: GitError, otherwise: str = OTHERWISE) -> NotReady:
    """Return the reason for a git call that failed: the line that says why, with a remedy."""
    lines = [line.strip() for line in problem.said.splitlines()]
    fatal = [line for line in lines if line.startswith("fatal: ")]
    errors = [line for line in lines if line.startswith("error: ")]
    told = (fatal[-1:] or errors[:1] or lines[-1:])[0].removeprefix("fatal: ").removeprefix("error: ")
    if FILTER in told:  # the error before it says what is missing
        told += "".join(f" ({error.removeprefix('error: ')})" for error in errors[:1])
    remedy = next((remedy for words, remedy in REMEDIES.items() if words in problem.said), otherwise)
    return NotReady(f"{what}: {one_line(told, 300)}", remedy)


def system_failed(what: str, problem: OSError) -> NotReady:
    """Return the reason for a call of the system that failed."""
    said = problem.strerror or str(problem)
    return NotReady(f"{what}: {said}", REMEDIES.get(said, "fix this and retry"))
