"""Integrate a wave in a working tree of the run: forecast, merge in the order of the plan, check what came in."""

from __future__ import annotations

import os

from ultra_runtime.files.git import GitError
from ultra_runtime.proof.objects import Between
from ultra_runtime.run.state.wave_state import PASSED
from ultra_runtime.waves.branch_audit import outside
from ultra_runtime.waves.session_tree import keep, make_tree
from ultra_runtime.waves.wave_run import MERGING
from ultra_runtime.words import counted, listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.wave_state import SessionStand, WaveStand
    from ultra_runtime.waves.wave_run import WaveRun

# No side is ever taken by itself: not by a remembered resolution, not by an option of the user's settings.
BY_HAND = ("-c", "rerere.enabled=false", "-c", "merge.verifySignatures=false", "-c", "commit.gpgSign=false")
MOST_FILES = 10
PLAIN_MERGES = ("unspecified", "set", "unset", "text", "binary")
"""Values of the attribute `merge` with which a change on both sides may be a conflict."""


def integrate(run: WaveRun, wave: int, sessions: list[SessionStand]) -> bool:
    """Merge the sessions of a wave that passed; return whether all of them are merged."""
    stand = run.state.waves[wave]
    merged = {number for number, _ in stand.merges}
    for one in [one for one in sessions if one.state == PASSED and one.number not in merged]:
        run.note("merge", wave=wave, session=one.number, onto=stand.tip, tip=one.tip)
        why = _forecast(run, stand.tip, one.tip) or _driven(run, stand, one.tip)
        why = why or _merge(run, wave, one, stand.tip)
        if why:
            run.note("unmerged", wave=wave, session=one.number, why=why)
            return False
    return True


def _forecast(run: WaveRun, onto: str, tip: str) -> str:
    """Return the conflict that a merge would have; nothing if it has none, or if this git cannot tell."""
    done = run.git.done(
        *BY_HAND, "merge-tree", "--write-tree", "--name-only", "-z", "--no-messages", onto, tip
    )
    if done.status != 1:
        return ""
    files = [os.fsdecode(name) for name in done.out.split(b"\0")[1:] if name]
    return _conflict(files)


def _driven(run: WaveRun, stand: WaveStand, tip: str) -> str:
    """Return the files that both sides changed and that an attribute would merge without a conflict."""
    if stand.onto == stand.base:  # sessions of one wave share no file
        return ""
    base = run.git.line("merge-base", stand.tip, tip)
    sides = [{change.path for change in Between(run.git, base, side).changes} for side in (stand.tip, tip)]
    both = sorted(sides[0] & sides[1])
    given = b"".join(os.fsencode(path) + b"\0" for path in both)
    said = run.git.ask("check-attr", "-z", "--stdin", "merge", given=given) if both else b""
    rows = [os.fsdecode(part) for part in said.split(b"\0")]
    chosen = [path for path, value in zip(rows[::3], rows[2::3]) if value not in PLAIN_MERGES]
    return f"{_conflict(chosen)}, which a merge driver of git would hide" if chosen else ""


def _conflict(files: list[str]) -> str:
    names = [one_line(name, 120) for name in sorted(set(files))]
    more = [counted(len(names) - MOST_FILES, "more file")] if len(names) > MOST_FILES else []
    return f"it conflicts in {listed([*names[:MOST_FILES], *more])}"


def _merge(run: WaveRun, wave: int, one: SessionStand, onto: str) -> str:
    """Merge the audited commit of a session onto another, and return why that is not possible."""
    git = make_tree(run, os.path.join(run.folder(), MERGING), onto, ready=False)
    _stand_at(git, onto)
    title = one_line(one.title, 100)
    message = f"merge: {run.branches} session {one.number} ({title})"
    done = git.done(
        *BY_HAND, "merge", "--no-ff", "--no-edit", "--no-rerere-autoupdate", "-m", message, one.tip
    )
    if done.status:
        files = git.ask("diff", "--name-only", "--diff-filter=U", "-z").split(b"\0")
        names = [os.fsdecode(name) for name in files if name]
        said = (done.err or done.out).decode("utf-8", "replace")
        _stand_at(git, onto)
        return _conflict(names) if names else f"git cannot merge it: {one_line(said.strip(), 300)}"
    commit = git.head()
    parents = git.line("rev-parse", f"{commit}^@").split()
    if parents != [onto, one.tip] and not (commit == onto and git.is_ancestor(one.tip, onto)):
        _stand_at(git, onto)
        return "the merge is not that of the two commits: a hook may have changed it"
    strayed = outside(run, one.number, onto, commit)
    if strayed:
        _stand_at(git, onto)
        return "; ".join(map(str, strayed))
    run.note("merged", wave=wave, session=one.number, commit=commit)
    run.update_ref(run.ref(f"wave-{wave}"), commit)
    _fence_off(run, one)
    return ""


def _stand_at(git: Git, commit: str) -> None:
    """Let the run's own working tree be that of a commit, whatever a killed merge left in it."""
    lock = os.path.join(git.folder, "index.lock")
    if os.path.exists(lock):
        os.unlink(lock)
    try:
        git.ask("reset", "--hard", "--quiet", commit)
    except GitError:
        git.done("merge", "--abort")
        git.ask("reset", "--hard", "--quiet", commit)
    git.ask("clean", "--force", "-d", "--quiet")


def _fence_off(run: WaveRun, one: SessionStand) -> None:
    """Keep and name the commits that were added to the branch of a session after its audit."""
    branch = run.tip_of(one.number)
    if branch and not run.git.is_ancestor(branch, one.tip):
        keep(run, one.number, one.attempt, branch)
