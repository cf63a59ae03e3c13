"""Check the commits of a run against its plan: what must be in the end commit, and what may change until then."""

from __future__ import annotations

from ultra_runtime.files.git import GitError
from ultra_runtime.plan.covering import covers, is_pattern, means_folder, plain
from ultra_runtime.proof.content import (
    FILE,
    FOLDER,
    SHELL_FILE,
    content_problem,
    is_for_bash,
    kind_of,
    kind_problem,
    syntax_problem,
)
from ultra_runtime.proof.drift import (
    CONTENT,
    EXPECTED,
    FORBIDDEN,
    NEVER_TOUCH,
    PROTECTED,
    SCOPE,
    SCRIPT,
    SUBMODULE_MOVED,
    Drift,
)
from ultra_runtime.proof.objects import Between, CommitTree, is_ancestor
from ultra_runtime.run.state.assignment import allowed_paths, manifest_of
from ultra_runtime.run.state.claims import claimed_entries
from ultra_runtime.run.state.judging import protected
from ultra_runtime.run.tree.snapshot import SUBMODULE, list_paths
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ultra_runtime.files.git import Git
    from ultra_runtime.plan.values import Fence, Step
    from ultra_runtime.run.state.claims import Claims
    from ultra_runtime.run.tree.snapshot import Change

    Ranges = Mapping[int, tuple[str, str]]

ONLY_NAMED = "changes only where a completed step may make them"


class Promise(Struct):
    """What a step promises of one path, and how a commit breaks it."""

    name: str
    path: str
    expected: str
    problem_in: Callable[[CommitTree], str]


class Objects(Struct):
    """What the commits say: the differences, and notes on what a later step was allowed to change."""

    drifts: list[Drift]
    notes: list[str]


def check_objects(
    git: Git, steps: Sequence[Step], fence: Fence, start: str, end: str, ranges: Ranges, claims: Claims = ()
) -> Objects:
    """Check the end commit of a run, and what differs from its start; `steps` are the completed ones.

    A promise of a step may be broken by a later one: between the commit on which that began and its own, in `ranges`.
    """
    checks = [(at, list(_checks(step))) for at, step in enumerate(steps)]
    between = Between(git, start, end, [plain(one.path) for _, found in checks for one in found])
    changes = between.changes
    theirs = claimed_entries(git, claims)
    ours = [one for one in changes if one.path not in theirs or theirs[one.path] != one.new]
    drifts, notes = check_changes(steps, fence, ours), []
    if len(ours) < len(changes):
        notes.append(f"committed by the user: {list_paths(one.path for one in changes if one not in ours)}")
    for at, found in checks:
        number = steps[at].number
        for check in found:
            problem = check.problem_in(between.end)
            if not problem:
                continue
            gone = check.name != EXPECTED or _is_gone(check.path, between.end)
            later = _breaker(git, steps[at + 1 :], check, ranges) if gone else None
            if later is not None:
                notes.append(f"{check.name} of step {number}: step {later} changed {one_line(check.path)}")
            else:
                drifts.append(Drift(check.name, check.expected, problem, number))
    return Objects(drifts + _check_changed_scripts(between, steps, changes), notes)


def _is_gone(name: str, tree: CommitTree) -> bool:
    """Tell whether nothing is at a path any more, or a folder took the place of a file or the other way round."""
    entry = tree.entry(plain(name))
    return entry is None or (kind_of(entry) == FOLDER) != means_folder(name)


def _breaker(git: Git, steps: Sequence[Step], check: Promise, ranges: Ranges) -> int | None:
    """Return the last of these steps that may change a path and whose own commits broke what was promised of it.

    If the promise held again after a later one, something else has broken it.
    """
    held: list[str] = []
    for step in reversed(steps):
        begin, commit = ranges.get(step.number, ("", ""))
        if begin == commit or last_to_touch([step], [check.path]) is None:
            continue
        if not check.problem_in(CommitTree(git, commit)):
            held.append(commit)
        elif not check.problem_in(CommitTree(git, begin)):
            return None if any(is_ancestor(git, commit, one) for one in held) else step.number
    return None


def last_to_touch(
    steps: Sequence[Step], names: Sequence[str], commits: StepCommits | None = None
) -> int | None:
    """Return the last of these steps that may change what one of the names means, and that did if commits are given."""
    for step in reversed(steps):
        own = allowed_paths(step)
        may = any(covers(own, plain(name)) for name in names) or any(covers(names, plain(one)) for one in own)
        if may and (commits is None or any(covers(names, one) for one in commits.changed(step.number))):
            return step.number
    return None


class StepCommits(Struct):
    """The commits of each step."""

    git: Git
    ranges: Ranges

    def own(self, number: int) -> str:
        """Return the last commit of a step."""
        return self.ranges.get(number, ("", ""))[1]

    def changed(self, number: int) -> list[str]:
        """Return what a step changed."""
        begin, commit = self.ranges.get(number, ("", ""))
        try:
            return [] if begin == commit else [one.path for one in Between(self.git, begin, commit).changes]
        except GitError:  # history was rewritten, and a gc took the commit
            return []


def _checks(step: Step) -> Iterator[Promise]:
    manifest = manifest_of(step)
    for path in manifest.expected_paths:
        yield Promise(EXPECTED, path, one_line(path), _path_check(path))
    for path, pattern in manifest.must_contain:
        words = f"{one_line(pattern, 80)} in {one_line(path)}"
        yield Promise(CONTENT, path, words, _content_check(path, pattern))
    for path in manifest.bash_syntax_check:
        yield Promise(SCRIPT, path, f"bash -n passes for {one_line(path)}", _script_check(path))


def _path_check(name: str) -> Callable[[CommitTree], str]:
    def problem_in(tree: CommitTree) -> str:
        path = plain(name)
        entry = tree.entry(path)
        if entry is not None:
            return kind_problem(name, kind_of(entry))
        if not is_pattern(path):
            return "it is not in the commit"
        found = (one for one, entry in tree.files().items() if kind_of(entry) == FILE)
        return "" if any(covers([path], one) for one in found) else "no file in the commit matches it"

    return problem_in


def _content_check(path: str, pattern: str) -> Callable[[CommitTree], str]:
    def problem_in(tree: CommitTree) -> str:
        problem = _file_problem(tree, path)
        lacks = "" if problem else content_problem(pattern, _bytes(tree, path))
        return problem or (lacks and f"it {lacks}")

    return problem_in


def _script_check(path: str) -> Callable[[CommitTree], str]:
    return lambda tree: _file_problem(tree, path) or syntax_problem(_bytes(tree, path))


def _file_problem(tree: CommitTree, path: str) -> str:
    entry = tree.entry(plain(path))
    return "it is not in the commit" if entry is None else kind_problem(plain(path), kind_of(entry))


def _bytes(tree: CommitTree, path: str) -> bytes:
    entry = tree.entry(plain(path))
    return tree.content(entry) if entry else b""


def _check_changed_scripts(between: Between, steps: Sequence[Step], changes: Sequence[Change]) -> list[Drift]:
    """Check every script that differs from the start, whether a manifest names it or not."""
    named = {plain(path) for step in steps for path in manifest_of(step).bash_syntax_check}
    drifts = []
    for change in changes:
        if change.path in named or not change.path.endswith(SHELL_FILE) or change.new is None:
            continue
        if kind_of(change.new) != FILE:
            continue
        script = between.end.content(change.new)
        problem = syntax_problem(script) if is_for_bash(script) else ""
        if problem:
            expected = f"bash -n passes for {one_line(change.path)}"
            drifts.append(Drift(SCRIPT, expected, problem, last_to_touch(steps, [change.path])))
    return drifts


def check_changes(steps: Sequence[Step], fence: Fence, changes: Sequence[Change]) -> list[Drift]:
    """Return what changed although no completed step may change it."""
    found: dict[tuple[str, int | None], list[str]] = {}
    for change in changes:
        check, step = _breach(steps, fence, change)
        if check:
            found.setdefault((check, step), []).append(change.path)
    return [
        Drift(check, ONLY_NAMED, f"changed: {list_paths(paths)}", step)
        for (check, step), paths in found.items()
    ]


def _breach(steps: Sequence[Step], fence: Fence, change: Change) -> tuple[str, int | None]:
    """Return the rule that a change breaks, and the step that it belongs to; an empty rule if there is none."""
    path = change.path
    naming = [step for step in steps if covers(allowed_paths(step), path)]
    forbidding = [step for step in steps if covers(manifest_of(step).forbidden_paths, path, anywhere=True)]
    owner = naming[-1].number if naming else None
    if covers(fence.never_touch, path, anywhere=True):
        return NEVER_TOUCH, owner
    if protected(path):
        return PROTECTED, owner
    if SUBMODULE in (change.old and change.old.mode, change.new and change.new.mode):
        return SUBMODULE_MOVED, owner
    if any(step not in forbidding for step in naming):
        return "", None
    return (FORBIDDEN, forbidding[-1].number) if forbidding else (SCOPE, None)
