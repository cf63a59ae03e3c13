"""Find the files of a step that git would not add, and those that it would commit with other bytes than Verify saw."""

from __future__ import annotations

import os
import re

from ultra_runtime.files.digest import sha1, sha256
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.plan.covering import covers, is_pattern, plain
from ultra_runtime.run.state.around import same_conversions
from ultra_runtime.run.state.assignment import allowed_paths
from ultra_runtime.run.step.expected import Fault, matching
from ultra_runtime.run.step.failing import ESCALATE
from ultra_runtime.run.tree.placing import parents
from ultra_runtime.run.tree.snapshot import REGULAR, SKIPPED, tracked_paths
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.record import Record
    from ultra_runtime.run.tree.snapshot import Change

NOT_ADDED, BYTES = "not_added", "bytes"
IGNORE_FILE = ".gitignore"
MOST_MATCHES = 200
LATER = "the user decides, then resumes the run"
SHA1_DIGITS = 40
IDENT = re.compile(rb"\$Id: [0-9a-f]{40,64} \$")
"""What git makes of the keyword in a file with the attribute `ident`."""


def follow_added(live: Live, step: Step, record: Record) -> None:
    """Let the snapshots follow files of the step that are ignored but that the user has added to git."""
    names = _names(live.workspace.root, step)
    tracked = tracked_paths(live.git, names) if names else {}
    if tracked:
        known = live.snapshots.entries(record.tree, list(tracked))
        live.snapshots.follow([path for path in tracked if path not in known])


def check_added(live: Live, step: Step, record: Record, changes: Sequence[Change], tree: str) -> list[Fault]:
    """Return the faults of the step's files in the tree that would be committed."""
    root = live.workspace.root
    own = [one for one in changes if covers(allowed_paths(step), one.path)]
    names = [*_names(root, step), *(path for path in record.ignored if covers(allowed_paths(step), path))]
    names = [name for name in dict.fromkeys(names) if os.path.lexists(os.path.join(root, name))]
    absent = _uncovered(names, [one.path for one in changes if one.new])
    absent = _uncovered(absent, live.snapshots.entries(tree, absent))
    faults = _ignored(live, step, absent) + _nested(root, absent)
    marks = tracked_paths(live.git, [one.path for one in own]) if own else {}
    faults += [
        _overlooked(live, path, mark) for path, mark in marks.items() if mark == SKIPPED or mark.islower()
    ]
    faults += _outside_cone(live, [one.path for one in own if one.new])
    return [*faults, *(fault for one in own for fault in _other_bytes(live, one))]


def _uncovered(names: Sequence[str], paths: Collection[str]) -> list[str]:
    """Return the names at and below which none of these paths is."""
    return [name for name in names if not any(covers([name], path) for path in paths)]


def _names(root: str, step: Step) -> list[str]:
    """Return the paths that the step names and that exist, with globs resolved."""
    found = []
    for name in map(plain, allowed_paths(step)):
        if os.path.lexists(os.path.join(root, name)):
            found.append(name)
        elif is_pattern(name):
            found += [path for path, _ in zip(matching(root, name), range(MOST_MATCHES))]
    return list(dict.fromkeys(found))


def _ignored(live: Live, step: Step, paths: list[str]) -> list[Fault]:
    """Return a fault for each path that a rule ignores; an edit of the step can fix it only in its own .gitignore."""
    if not paths:
        return []
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    said = live.git.done("check-ignore", "-v", "-z", "--stdin", given=given).out.split(b"\0")[:-1]
    rows = [os.fsdecode(part) for part in said]
    faults = []
    for source, line, rule, path in zip(rows[::4], rows[1::4], rows[2::4], rows[3::4]):
        why = (
            f"git would not add {one_line(path)}: {one_line(source)}:{line} ignores it ({one_line(rule, 80)})"
        )
        if source in map(plain, step.files) and source.endswith(IGNORE_FILE):
            faults.append(Fault(NOT_ADDED, f"{why}; change that rule"))
        else:
            do = f"`git add -f {shell_word(path)}`, or change the rule"
            faults.append(Fault(NOT_ADDED, f"{why}; {do}: {LATER}", final=ESCALATE))
    return faults


def _nested(root: str, paths: list[str]) -> list[Fault]:
    """Return a fault for each repository inside the tree that holds files of the step: git adds none of them."""
    found = {}
    for path in paths:
        folders = [path, *parents([path])]
        inner = [one for one in folders if os.path.lexists(os.path.join(root, one, ".git"))]
        found.update({min(inner, key=len): path} if inner else {})
    return [
        Fault(
            NOT_ADDED,
            f"git would not add {one_line(path)}: {one_line(folder)} is a repository of its own;"
            f" remove {one_line(folder)}/.git, or make it a submodule: {LATER}",
            final=ESCALATE,
        )
        for folder, path in found.items()
    ]


def _overlooked(live: Live, path: str, mark: str) -> Fault:
    flag = "skip-worktree" if mark.upper() == SKIPPED else "assume-unchanged"
    why = f"git would not add {one_line(path)}: it is marked {flag}"
    do = f"`git update-index --no-{flag} {shell_word(path)}`"
    return Fault(NOT_ADDED, f"{why}; {do}: {LATER}", final=ESCALATE)


def _outside_cone(live: Live, paths: list[str]) -> list[Fault]:
    """Return a fault for each new file outside the sparse checkout."""
    if not paths or not _is_sparse(live):
        return []
    literally = {"GIT_LITERAL_PATHSPECS": "1"}
    refused = [path for path in paths if live.git.done("add", "--dry-run", "--", path, env=literally).status]
    return [_beyond(path) for path in refused]


def _is_sparse(live: Live) -> bool:
    return os.path.exists(os.path.join(live.git.folder, "info", "sparse-checkout"))


def _beyond(path: str) -> Fault:
    do = f"`git sparse-checkout add {shell_word(os.path.dirname(path) or '/')}`"
    why = f"git would not add {one_line(path)}: it is outside the sparse checkout"
    return Fault(NOT_ADDED, f"{why}; {do}: {LATER}", final=ESCALATE)


def _other_bytes(live: Live, change: Change) -> list[Fault]:
    """Return a fault if a file is neither as its commit has it, nor as a checkout of its commit would write it."""
    if change.new is None or change.new.mode not in REGULAR:
        return []
    try:
        data = read_regular(os.path.join(live.workspace.root, change.path))
    except UnreadableError:
        return []  # too large, or replaced since: the commit has the snapshot's
    digest = sha1 if len(change.new.name) == SHA1_DIGITS else sha256
    if digest(b"blob %d\0" % len(data) + data) == change.new.name:
        return []
    words = ("cat-file", "--filters", f"--path={change.path}", change.new.name)
    smudged = live.git.done(*words, env=live.snapshots.env)
    out, data = (IDENT.sub(b"$Id$", one) for one in (smudged.out, data))  # it names the object
    ends = out.replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n")
    why = "git changes its line ends" if ends else "a filter of git changes it"
    if not smudged.status and out == data:
        if same_conversions(live):
            return []
        why = "a filter that was set during the run changes it"
    path = one_line(change.path)
    return [
        Fault(
            BYTES,
            f"the commit would have other bytes of {path} than Verify saw: {why}; write it as git commits it",
        )
    ]
