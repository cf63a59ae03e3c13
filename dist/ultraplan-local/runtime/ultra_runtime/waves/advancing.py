"""Move the user's branch to an integrated wave: by fast-forward only, and only from where it was."""

from __future__ import annotations

import os

from ultra_runtime.files.dead_lock import drop_dead_lock
from ultra_runtime.files.git import OF_LOG
from ultra_runtime.proof.objects import CommitTree
from ultra_runtime.run.tree.snapshot import parse_raw
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.waves.wave_run import WaveRun


# Whatever the user's settings say: move the branch itself, put nothing aside, and replace no file that git ignores.
FORWARD = (
    "-c", "merge.verifySignatures=false", "-c", "merge.autoStash=false",
    "merge", "--ff-only", "--commit", "--no-squash", "--no-overwrite-ignore", "--quiet",
)  # fmt: skip
MOST_NAMED = 3


def advance(run: WaveRun, wave: int) -> str:
    """Fast-forward the user's branch to a wave, and return why that is not possible; nothing if it is done."""
    stand, branch = run.state.waves[wave], run.state.begin["branch"]
    old, new = stand.onto, stand.tip
    again = stand.to == new
    if not again:
        run.note("advance", wave=wave, branch=branch, old=old, to=new)
    why = moved(run, old, new)
    if why:
        return why
    if run.git.head() != new:
        if again:
            _finish_cut_off(run, old, new)
        done = run.git.done(*FORWARD, new)
        if done.status or run.git.ref(f"refs/heads/{branch}") != new:
            _put_back(run, old, new)
            said = one_line((done.err or done.out).decode("utf-8", "replace").strip(), 300)
            said = said or f"{one_line(run.git.branch() or 'HEAD')} was checked out in that moment"
            return f"{branch} cannot be moved to {new[:12]}: {said}; fix this, then {_resume(run)}"
    run.note("advanced", wave=wave, to=new)
    return ""


def moved(run: WaveRun, old: str, new: str) -> str:
    """Return the sentence for a user's branch that is not where it was."""
    branch, now = run.state.begin["branch"], run.git.branch()
    if now != branch:
        where = f"{one_line(now)} is checked out" if now else "HEAD is detached"
        exists = run.git.ref(f"refs/heads/{branch}")
        back = "git switch" if exists else "git switch --create"  # somebody has renamed or deleted it
        return f"{where} instead of {branch}: `{back} {shell_word(branch)}`, then {_resume(run)}"
    head = run.git.head()
    if head in (old, new):
        return ""
    if run.git.is_ancestor(old, head):
        return f"{branch} has commits that were made meanwhile ({_named(run, old, head)}): {_resume(run)} merges onto them"
    by_hand = f"`git merge {new[:12]}`, then {_resume(run)}"
    return f"{branch} was rewritten meanwhile and no longer contains {old[:12]}: {by_hand}"


def _named(run: WaveRun, old: str, new: str) -> str:
    """Name the newest commits between two, so that the user sees whether they are theirs."""
    words = (*OF_LOG, "--format=%h %s", f"-{MOST_NAMED + 1}", f"{old}..{new}")
    rows = [one_line(row, 60) for row in os.fsdecode(run.git.ask("log", *words)).splitlines()]
    return "; ".join([*rows[:MOST_NAMED], *(["and more"] if len(rows) > MOST_NAMED else [])])


def _put_back(run: WaveRun, old: str, new: str) -> None:
    """Undo what git had written before its move of the branch was refused, by a hook for example; the user's changes stay."""
    if run.git.head() == old:
        run.git.done("read-tree", "-m", "-u", new, old)


def _resume(run: WaveRun) -> str:
    return f"`{run.call('waves resume')}`"


def _finish_cut_off(run: WaveRun, old: str, new: str) -> None:
    """Put back the files of a fast-forward that was killed, as far as they are git's half-done work and nothing else."""
    lock = os.path.join(run.git.folder, "index.lock")
    drop_dead_lock(lock, run.git.root)
    if os.path.exists(lock):  # git says so in the next call
        return
    words = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    tree = CommitTree(run.git, new)
    back = []
    for change in parse_raw(run.git.ask("diff-tree", *words, old, new)):
        path = os.path.join(run.git.root, change.path)
        half = not os.path.lexists(path) or _begins(path, tree.content(change.new) if change.new else b"")
        if half and change.old is None and os.path.lexists(path):
            os.unlink(path)
        elif half and change.old is not None:
            back.append(change.path)
    if back:
        given = b"\0".join(map(os.fsencode, back))
        run.git.ask(
            "--literal-pathspecs",
            "checkout",
            "--quiet",
            "--force",
            "--pathspec-from-file=-",
            "--pathspec-file-nul",
            given=given,
        )


def _begins(path: str, data: bytes) -> bool:
    """Tell whether a file has the beginning of these bytes, as a killed writer leaves it."""
    if os.path.islink(path):
        return os.fsencode(os.readlink(path)) == data
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return data.startswith(file.read(len(data) + 1))
