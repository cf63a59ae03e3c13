"""The working tree of a session: made by git, recognised as ours, saved before it goes, and removed by git."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.carried import copy_included, link_dependencies
from ultra_runtime.checkout.ready import NotReady, git_failed
from ultra_runtime.checkout.submodules import fill_submodules
from ultra_runtime.checkout.worktree import WORKTREES as REGISTERED
from ultra_runtime.files.dead_lock import drop_dead_lock
from ultra_runtime.files.git import Git, GitError, find_git
from ultra_runtime.files.quick_write import make_folder
from ultra_runtime.files.regular_file import UnreadableError, read_regular, read_text
from ultra_runtime.proof.objects import Between, CommitTree
from ultra_runtime.rendered import launcher
from ultra_runtime.run.state.wave_state import MERGED
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.tables.limits import CHECKOUT_SECONDS, RECOVERY_DEPTH
from ultra_runtime.waves.saving import author_of, changed_in, has_more, nested_in, save_rest
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ultra_runtime.waves.wave_run import WaveRun

IGNORE_ALL = b"*\n"
INITIALIZING = "initializing"
"""The reason that git gives while it makes a worktree."""
MADE = f"{launcher()}-made"
SUBMODULE = "160000"
NESTED = f"refs/{launcher()}/rescue"
"""Of a repository inside a working tree, from which its last commit is fetched."""
PLAINLY = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "worktree.useRelativePaths=false",
)  # fmt: skip


def reason_of(run: WaveRun) -> str:
    """Return the reason of the lock by which a worktree of this plan is recognised."""
    return f"{launcher()} waves of {run.place.slug}"


def refuse_strange_branch(run: WaveRun, session: int) -> None:
    """Refuse a branch that was there before the first attempt at its session: it is somebody else's."""
    if not run.state.sessions[session].attempt and run.tip_of(session):
        raise RefusedError(
            f"the branch {run.branch_of(session)} exists and no run of this plan made it",
            "rename or delete it",
        )


def make_tree(run: WaveRun, path: str, commit: str, branch: str = "", ready: bool = True) -> Git:
    """Return the worktree at a path: the one that is there already if it is ours, else a new one of a commit.

    A branch that exists is checked out as it is; a new one begins at the commit. Without a branch HEAD is detached.
    A ready one also has submodules, included files and dependencies; the setup runs with the session.
    """
    found = admin_of(run, path)
    if found and is_ours(run, found):
        git = _opened(run, path)
        if git and git.head() and git.branch() == branch and os.path.exists(os.path.join(git.folder, MADE)):
            return git
        # The call that made it was killed before anybody worked in it, or somebody has taken its .git or its branch.
        number = next((number for number in run.state.sessions if run.tree_of(number) == path), 0)
        if number:
            rescue(run, path, number, max(1, run.state.sessions[number].attempt - 1))
        remove_tree_of(run, path)
    _refuse_in_the_way(path)
    _make_folder(run)
    git = _add(run, path, commit, branch)
    if ready:
        _make_ready(run, git)
    with open(os.path.join(git.folder, MADE), "wb"):
        return git


def _add(run: WaveRun, path: str, commit: str, branch: str) -> Git:
    exists = bool(branch) and bool(run.git.ref(f"refs/heads/{branch}"))
    named = ["--no-track", "-b", branch, path, commit]
    if not branch:
        named = ["--detach", path, commit]
    elif exists:
        named = [path, branch]
    lock = ("--lock", "--reason", reason_of(run))
    if branch:
        drop_dead_lock(os.path.join(run.git.common, "refs", "heads", f"{branch}.lock"))
    try:
        run.git.ask(*PLAINLY, "worktree", "add", "--quiet", *lock, *named, seconds=_seconds(run))
    except GitError as problem:
        raise git_failed(f"{one_line(path)} cannot be checked out", problem) from None
    git = _opened(run, path)
    if git is None:
        raise NotReady(f"{one_line(path)} was removed while it was made", "resume the waves")
    if not exists and git.head() != commit:
        error = f"{one_line(path)} is at {git.head()[:12]}, not at its base {commit[:12]}"
        raise NotReady(error, "resume the waves")
    return git


def _make_ready(run: WaveRun, git: Git) -> None:
    commit = git.head()
    fill_submodules(run.git, commit, git.root, _seconds(run))
    copy_included(run.git, commit, git.root)
    known = run.around.carried if run.around else ()
    link_dependencies(run.git, git.root, run.settings.dependencies, known)


def _seconds(run: WaveRun) -> float:
    return float(run.settings.limits.get(fields.LIMITS_CHECKOUT_SECONDS, CHECKOUT_SECONDS))


def rescue(run: WaveRun, path: str, number: int, attempt: int) -> None:
    """Keep what a working tree has that the branch of its session lacks, as commits under refs."""
    repaired = _repair(run, path)
    git = _opened(run, path)
    if git is None or not git.head() or (repaired and not has_more(git)):
        return
    message = f"what attempt {attempt} of session {number} of {run.place.slug} had not committed\n"
    changed = changed_in(git)
    one = run.state.sessions[number]
    if one.state != MERGED or git.head() != one.tip:  # with such a change no session passes
        changes = Between(git, run.state.waves[one.wave].base, git.head()).changes
        changed += [change.path for change in changes if change.new and change.new.mode == SUBMODULE]
    nested = list(dict.fromkeys([*nested_in(git, changed), *_trees_inside(run, git.root)]))
    for name in nested:
        _rescue_nested(
            run, os.path.join(git.root, name), number, attempt, f"{message}\nin {one_line(name)}\n"
        )
    specs = [run.spec_of(number, depth) for depth in range(1, RECOVERY_DEPTH + 1)]
    commit = (save_rest(git, message, [*specs, *nested]) if changed else "") or _strayed(run, git, number)
    if commit:
        keep(run, number, attempt, commit)


def _rescue_nested(run: WaveRun, path: str, number: int, attempt: int, message: str) -> None:
    """Keep what a repository inside a working tree has, which goes with it."""
    git = find_git(path)
    if git.root != os.path.realpath(path):
        raise RefusedError(f"{one_line(path)} looks like a repository but is not", "remove its .git by hand")
    changed = changed_in(git)
    if git.head():
        known = CommitTree(git, git.head()).files()
        changed += [name for name, entry in known.items() if entry.mode == SUBMODULE]
    nested = list(dict.fromkeys(nested_in(git, changed)))
    for name in nested:
        _rescue_nested(run, os.path.join(git.root, name), number, attempt, message)
    commit = save_rest(git, message, nested, author_of(run.git)) or git.head()
    if not commit:
        return
    if git.common != run.git.common:  # a worktree has its commits where all have theirs
        git.ask("update-ref", NESTED, commit)
        quietly = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
        run.git.ask("fetch", *quietly, git.root, NESTED)
    keep(run, number, attempt, commit)


def _repair(run: WaveRun, path: str) -> bool:
    """Give a worktree of ours its .git back, which a session or a removal that was cut off had taken; tell whether it lacked it."""
    found = admin_of(run, path)
    if not found or not is_ours(run, found) or os.path.islink(path) or not os.path.isdir(path):
        return False
    lacks = not os.path.lexists(os.path.join(path, ".git"))
    return lacks and run.git.done("worktree", "repair", path).status == 0


def _trees_inside(run: WaveRun, root: str) -> list[str]:
    """Return the registered worktrees inside a worktree, relative to it, the innermost first."""
    inner = [
        os.path.dirname(named) for _, named in _admins(run.git) if named.startswith(os.path.join(root, ""))
    ]
    found = [os.path.relpath(path, root) for path in inner if path != root and os.path.isdir(path)]
    return sorted(found, key=len, reverse=True)


def _strayed(run: WaveRun, git: Git, number: int) -> str:
    """Return the commit of a working tree that has left the branch of its session; nothing if the branch has it."""
    known = run.tip_of(number) or run.state.waves[run.state.sessions[number].wave].base
    return "" if run.git.is_ancestor(git.head(), known) else git.head()


def keep(run: WaveRun, number: int, attempt: int, commit: str) -> str:
    """Keep a commit under a rescue ref of its own, write that down, and return the ref."""
    stem = f"refs/{launcher()}/rescue/{run.place.slug}/session-{number}/attempt-{attempt}"
    known = dict(
        row.split(" ") for row in run.git.ask("for-each-ref", "--format=%(refname) %(objectname)", f"{stem}*").decode().splitlines()
    )  # fmt: skip
    again = next((ref for ref, name in known.items() if name == commit), "")
    turn, ref = 1, again or stem
    while not again and ref in known:
        turn += 1
        ref = f"{stem}-{turn}"
    if not again:
        run.update_ref(ref, commit, "0" * len(commit))
    if ref not in run.state.sessions[number].rescued:
        run.note("rescued", session=number, attempt=attempt, ref=ref, commit=commit)
    return ref


def remove_tree_of(run: WaveRun, path: str) -> None:
    """Let git remove a worktree that is registered and ours; anything else stays."""
    found = admin_of(run, path)
    if not found or not is_ours(run, found) or os.path.islink(path):
        return
    _repair(run, path)
    try:
        inside = [os.path.join(path, inner) for inner in _trees_inside(run, os.path.realpath(path))]
        for one in (*inside, path):
            run.git.ask("worktree", "remove", "--force", "--force", one)
    except GitError as problem:
        error = f"{one_line(path)} cannot be removed: {one_line(problem.said, 200)}"
        raise RefusedError(error, "remove it with `git worktree remove`") from None


def drop_branch(run: WaveRun, session: int, tip: str) -> None:
    """Delete the branch of a session if it still points to the commit where it was last seen."""
    ref = f"refs/heads/{run.branch_of(session)}"
    if run.git.ref(ref) == tip:
        run.update_ref("-d", ref, tip)
        section = f'[branch "{run.branch_of(session)}"]'
        if section in read_text(os.path.join(run.git.common, "config")):
            run.git.done("config", "--remove-section", f"branch.{run.branch_of(session)}")


def drop_folder(run: WaveRun) -> None:
    """Remove the folder of this plan's working trees when none is left in it."""
    folder = run.folder()
    ignore = os.path.join(folder, ".gitignore")
    if os.path.isdir(folder) and not os.path.islink(folder) and os.listdir(folder) in ([".gitignore"], []):
        if os.path.exists(ignore):
            os.unlink(ignore)
        os.rmdir(folder)
        above = os.path.dirname(folder)
        if not os.listdir(above) and not os.path.ismount(above):
            os.rmdir(above)


def admin_of(run: WaveRun, path: str) -> str:
    """Return the folder in the git dir that belongs to the worktree at a path; empty if none is registered."""
    wanted = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path), ".git")
    return next((admin for admin, named in _admins(run.git) if named == wanted), "")


def is_ours(run: WaveRun, admin: str) -> bool:
    """Tell whether a registered worktree was made for this plan; one that git was making counts too."""
    return _read_line(os.path.join(admin, "locked")) in (reason_of(run), INITIALIZING)


def _admins(git: Git) -> Iterator[tuple[str, str]]:
    place = os.path.join(git.common, REGISTERED)
    for name in os.listdir(place) if os.path.isdir(place) else ():
        yield os.path.join(place, name), _read_line(os.path.join(place, name, "gitdir"))


def _read_line(path: str) -> str:
    try:
        return os.fsdecode(read_regular(path)).rstrip("\n")
    except UnreadableError:
        return ""


def _opened(run: WaveRun, path: str) -> Git | None:
    """Return the git of a worktree, which must be that of this very folder."""
    named = os.path.join(path, ".git")
    if os.path.islink(path) or not os.path.isfile(named):
        return None
    admin = admin_of(run, path)
    if admin and _read_line(named) == f"gitdir: {admin}":  # as git made it
        return Git(os.path.realpath(path), admin, run.git.common, {})
    try:
        git = find_git(path)
    except RefusedError:
        return None
    return git if git.root == os.path.realpath(path) else None


def _refuse_in_the_way(path: str) -> None:
    if os.path.lexists(path):
        if os.path.isdir(path) and not os.path.islink(path) and not os.listdir(path):
            os.rmdir(path)  # git had made the folder and nothing more
            return
        raise NotReady(f"{one_line(path)} exists and is not a worktree of this run", "move it away")


def _make_folder(run: WaveRun) -> None:
    """Make the folder of the working trees, hidden from git."""
    folder = run.folder()
    for above in (os.path.dirname(os.path.dirname(folder)), os.path.dirname(folder), folder):
        if os.path.islink(above):
            raise NotReady(f"{one_line(above)} is a symbolic link", "put a folder there instead")
    make_folder(folder)
    hidden = os.path.join(folder, ".gitignore")
    if not os.path.lexists(hidden):
        with open(hidden, "wb") as file:
            file.write(IGNORE_ALL)
