"""Check everything that must be true before the first session starts, and report all problems at once."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.copy import copy_folder, make_copy, remove_copy
from ultra_runtime.doctor.billing import KEY
from ultra_runtime.doctor.client_version import client_version, find_client, is_too_old
from ultra_runtime.engines.choosing import LOCAL, engine_named
from ultra_runtime.files.git import fields as names_of
from ultra_runtime.files.process import capture
from ultra_runtime.guard.policy import BLOCK
from ultra_runtime.plan.commands import scan
from ultra_runtime.rendered import names, verb
from ultra_runtime.run.state.environment import environment_in_copy
from ultra_runtime.run.state.judging import judge_of
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.tables.limits import CHECKOUT_MEGABYTES, ISSUES_TOLD
from ultra_runtime.waves.hub import HubError, hub_of
from ultra_runtime.waves.session_tree import admin_of, is_ours
from ultra_runtime.waves.wave_run import MERGING, WORKTREES
from ultra_runtime.words import counted, listed, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ultra_runtime.waves.wave_run import WaveRun

VERSION_SECONDS = 60
MEGABYTE = 1024 * 1024
LONGEST_PATH = 4095
WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:@%")


def check_all(
    run: WaveRun, jobs: int, accepts_billing: bool, copy: bool = True, on: str = LOCAL
) -> list[str]:
    """Return every reason not to start, each with its remedy; without `copy` no working copy is made."""
    found = [
        *_repository(run),
        *_plan(run),
        *((*_client(), *_billing(accepts_billing)) if on == LOCAL else _elsewhere(run, on)),
        *_in_the_way(run),
        *_room(run, jobs),
    ]
    return [*found, *(_working_copy(run) if copy and run.git.head() else ())]


def _repository(run: WaveRun) -> Iterator[str]:
    git = run.git
    if not git.head():
        yield 'this repository has no commit yet: make one, for example `git commit --allow-empty -m "start"`'
        return
    if not git.branch():
        yield "HEAD is detached: `git switch` to the branch that the work should go to"
    under_way = git.under_way()
    if under_way:
        yield f"{under_way} is in progress in this repository: finish or abort it"
    problem = git.identity_problem()
    if problem:
        yield f"git cannot commit here ({one_line(problem, 200)}): set user.name and user.email with `git config`"
    dirty = dirty_paths(run)
    if dirty:
        yield f"the working tree is not clean ({list_paths(dirty)}): commit or stash it; sessions see only commits"
    if git.done("worktree", "list", "--porcelain").status:
        yield "this git has no `git worktree`: install a newer git"


def dirty_paths(run: WaveRun) -> list[str]:
    """Return what is not committed, without the project, which is committed with the plan."""
    own = run.place.show(run.place.folder) if run.place.project else run.place.shown
    excluded = (own, f"{WORKTREES}/{run.place.slug}", *run.place.own_files())
    pathspec = [".", *(f":(exclude,top,literal){path}" for path in excluded)]
    said = run.git.ask(
        "status", "--porcelain", "-z", "--untracked-files=normal", "--no-renames", "--", *pathspec
    )
    return [row[3:] for row in names_of(said)]


def _plan(run: WaveRun) -> Iterator[str]:
    if len(run.plan.sessions) < 2:
        yield "the plan has one session: run it in this session, with --fg"
    for issue in run.checked.errors[:ISSUES_TOLD]:
        yield f"{one_line(run.place.shown)}:{issue.line or 1}: {issue.code}: {issue.message}: {issue.remedy}"
    blocked = [str(one) for one in scan(run.plan, judge_of(run.place)) if one.verdict == BLOCK]
    if blocked:
        yield f"the command policy blocks {'; '.join(blocked[:3])}: fix the plan"


def _client() -> Iterator[str]:
    found = find_client()
    if found is None:
        yield "claude is not on PATH: install the client, or add its folder to PATH"
        return
    version = client_version(found, VERSION_SECONDS)
    if not version:
        yield f"{one_line(found)} --version did not print a version: run it by hand"
    elif is_too_old(version):
        yield f"Claude Code {version} is older than {names().oldest_client}: run `claude update`"


def _elsewhere(run: WaveRun, on: str) -> Iterator[str]:
    """Name what keeps sessions from running on other machines; each machine itself is the doctor's to check."""
    try:
        engine_named(on, run.settings)
        hub_of(run.git, run.settings.hub, run.place.slug).listed()
    except RefusedError as problem:
        yield f"{problem.error}: {problem.next_step}"
    except HubError as problem:
        yield f"the hub does not answer ({one_line(problem.said, 200)}): check `hub` in the settings"


def _billing(accepted: bool) -> Iterator[str]:
    if os.environ.get(KEY) and not accepted:
        yield f"{KEY} is set, so the sessions would be billed to that key: ask the user, then add --accept-api-billing, or unset it"


def _in_the_way(run: WaveRun) -> Iterator[str]:
    """Name branches and folders of somebody else where those of this run would be."""
    git, slug = run.git, run.place.slug
    known = run.state.sessions if run.state.begun else {}
    for ref in (run.branches, f"{run.branches}/{slug}"):
        if git.ref(f"refs/heads/{ref}"):
            yield f"a branch is called {ref}, so no branch can be called {ref}/...: rename it"
    for one in run.plan.sessions:
        branch, tree = run.branch_of(one.number), run.tree_of(one.number)
        if one.number not in known and run.tip_of(one.number):
            yield f"the branch {branch} exists and no run of this plan made it: rename or delete it"
        yield from _taken(run, tree)
    yield from _taken(run, os.path.join(run.folder(), MERGING))
    above = os.path.join(run.place.root, WORKTREES)
    for folder in (os.path.dirname(above), above, run.folder()):
        if os.path.islink(folder) or (os.path.lexists(folder) and not os.path.isdir(folder)):
            yield f"{run.place.show(folder)} is not a folder: put a folder there instead"
    longest = max((len(os.fsencode(name)) for name in names_of(git.ask("ls-files", "-z"))), default=0)
    if len(os.fsencode(run.tree_of(99))) + 1 + longest > LONGEST_PATH:
        yield f"the paths in {run.place.show(run.folder())} would be too long: move the repository up"


def _taken(run: WaveRun, path: str) -> Iterator[str]:
    found = admin_of(run, path)
    if os.path.lexists(path) and not (found and is_ours(run, found)):
        yield f"{run.place.show(path)} exists and no run of this plan made it: move it away"


def _room(run: WaveRun, jobs: int) -> Iterator[str]:
    needed = CHECKOUT_MEGABYTES * (jobs + 1)
    for folder in _filesystems(run):
        space = os.statvfs(folder)
        free = space.f_bavail * space.f_frsize // MEGABYTE
        if free < needed:
            yield f"{one_line(folder)} has {free} MB left, {counted(jobs, 'session')} side by side need {needed} MB: free some space"
    if run.journal.lives():
        yield f"a supervisor is already working on this plan: `{verb('waves wait')}` shows its progress"


def _filesystems(run: WaveRun) -> list[str]:
    """Return a folder on each filesystem that sessions write to: the repository, and the working trees if they are elsewhere."""
    trees = run.folder()
    while not os.path.isdir(trees):
        trees = os.path.dirname(trees)
    root = run.place.root
    return [root] if os.stat(trees).st_dev == os.stat(root).st_dev else [root, trees]


def _working_copy(run: WaveRun) -> Iterator[str]:
    """Make a ready working copy of HEAD once, and look for the programs of the plan's Verification in it."""
    folder = copy_folder(run.git)
    env = environment_in_copy(run.place.root, folder)
    try:
        copy = make_copy(run.git, run.git.head(), folder, run.settings, env)
    except RefusedError as problem:
        yield f"a working copy cannot be made ready: {problem.error}: {problem.next_step}"
        return
    try:
        lost = [word for word in _programs(run) if not _is_found(word, copy.root, env)]
    finally:
        remove_copy(run.git, folder)
    if lost:
        yield f"the Verification of the plan needs {listed(map(shell_word, lost))}, which a fresh checkout does not have: install it, or give a setup command"


def _programs(run: WaveRun) -> list[str]:
    """Return the program that each command of the Verification starts with, where it is a plain word."""
    found = []
    for one in run.plan.verification:
        words = [word for word in (one.command or "").split() if "=" not in word]
        if words and WORD.issuperset(words[0]):
            found.append(words[0])
    # A file of the repository may be made by a session.
    return [word for word in dict.fromkeys(found) if "/" not in word]


def _is_found(word: str, root: str, env: dict[str, str]) -> bool:
    script = 'cd -- "$1" && type -- "$2"'
    return capture(["bash", "-c", script, "bash", root, word], env, seconds=VERSION_SECONDS).status == 0
