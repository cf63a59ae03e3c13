"""Commit exactly what a step changed, with the user's own git: hooks, signature and identity apply.

The commit is made from a separate index: HEAD's with the step's paths. Afterwards the user's index is updated for
these paths, so that what was staged before is still staged, and nothing else.
"""

from __future__ import annotations

import os

from ultra_runtime.files.digest import blob_name
from ultra_runtime.files.git import GitError, own_language
from ultra_runtime.run.tree.own_index import link_index, mark_of
from ultra_runtime.run.tree.snapshot import LITERALLY, Entry, index_row, portions
from ultra_runtime.run.tree.transplant import Overlap, transplant
from ultra_runtime.run.tree.users_index import UsersIndex
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.record import Record
    from ultra_runtime.run.tree.snapshot import Change, Snapshots
    from ultra_runtime.run.tree.workspace import Workspace

SECONDS = 300.0
COMMIT_HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-index-change",
    "reference-transaction",
)


class Prepared(Struct):
    """What to commit: path -> entry of the commit, and the rows to update in the user's index."""

    commits: dict[str, Entry | None]
    index: list[list[str]]
    """Rows of path, mode and object now, mode and object afterwards; empty if there is none."""
    mark: str
    """What identifies the user's index as it was."""
    is_head: bool
    """Whether it had what HEAD has."""


def find_overlaps(snapshots: Snapshots, changes: list[Change], head: str) -> list[str]:
    """Return the paths whose change cannot be separated from earlier changes of the user; a new file always can."""
    edited = [change for change in changes if change.old]
    there = snapshots.entries(head, [change.path for change in edited])
    found = []
    for change in edited:
        try:
            transplant(snapshots, change, there.get(change.path))
        except Overlap:
            found.append(change.path)
    return found


def prepare(git: Git, snapshots: Snapshots, changes: list[Change], head: str, index: str) -> Prepared:
    """Compute what the commit and the user's index will have at each changed path; `index` becomes a copy of that."""
    link_index(os.path.join(git.folder, "index"), index)
    mark, env = mark_of(index), {"GIT_INDEX_FILE": index}
    is_head = not git.done("diff-index", "--cached", "--quiet", head, env=env).status
    paths = [change.path for change in changes]
    staged = index_entries(git, paths, index)
    # The comparison overlooks intended entries, which are those of empty files.
    known = is_head and blob_name(b"", head) not in {entry.name for entry in staged.values()}
    there = staged if known else snapshots.entries(head, paths)
    commits: dict[str, Entry | None] = {}
    rows = []
    for change in changes:
        old, now = there.get(change.path), staged.get(change.path)
        new = transplant(snapshots, change, old)
        if new != old:
            commits[change.path] = new
        try:
            after = new if now == old else transplant(snapshots, change, now)
        except Overlap:
            after = now
        if after != now:
            rows.append([change.path, *_fields(now), *_fields(after)])
    return Prepared(commits, rows, mark, is_head)


def _fields(entry: Entry | None) -> list[str]:
    return [entry.mode, entry.name] if entry else ["", ""]


def index_entries(git: Git, paths: list[str], index: str = "") -> dict[str, Entry]:
    """Return the entries of an index at these paths; the user's index unless another is named."""
    env = {**LITERALLY, **({"GIT_INDEX_FILE": index} if index else {})}
    found = {}
    for part in portions(paths):
        for row in git.ask("ls-files", "-s", "-z", "--", *part, env=env).split(b"\0")[:-1]:
            fields, _, path = row.partition(b"\t")
            mode, name, stage = fields.decode().split(" ")
            if stage == "0":
                found[os.fsdecode(path)] = Entry(mode, name)
    wanted = set(paths)
    return {path: entry for path, entry in found.items() if path in wanted}


def build_index(workspace: Workspace, snapshots: Snapshots, prepared: Prepared, head: str, index: str) -> str:
    """Build the index of the commit from a copy of the user's: HEAD's, with cached data of unchanged files, and the step's paths."""
    git, env = workspace.git, {"GIT_INDEX_FILE": index}
    if not prepared.is_head:  # to read all of HEAD costs much more
        git.ask("read-tree", "--reset", head, env=env)
    names = b"".join(os.fsencode(path) + b"\0" for path in prepared.commits)
    git.ask("update-index", "--add", "--remove", "--replace", "-z", "--stdin", given=names, env=env)
    made = index_entries(git, list(prepared.commits), index)
    rows = []
    for path, entry in prepared.commits.items():
        if made.get(path) == entry:
            continue
        if entry and git.done("cat-file", "-e", entry.name).status:
            # The file changed since, or git is told to overlook it: what was verified is committed.
            git.ask("hash-object", "-w", "--stdin", given=snapshots.content(entry.name))
        rows.append(index_row(path, entry, head))
    if rows:
        git.ask("update-index", "-z", "--index-info", given=b"".join(rows), env=env)
    return git.ask("write-tree", env=env).decode().strip()


def make_commit(git: Git, index: str, message: str) -> None:
    """Commit that index with git, including hooks and signature."""
    env = {**own_language(), "GIT_INDEX_FILE": index, "GIT_OPTIONAL_LOCKS": "1", "GIT_EDITOR": "true"}
    given = message.encode("utf-8", "surrogateescape")
    # A setting may make comments of lines that begin with #, and so of a subject such as "#12: ...". Another one may
    # tell git that messages come in another encoding than that of the plan.
    words = ("-c", "i18n.commitEncoding=UTF-8", "commit", "--quiet", "--cleanup=whitespace", "--file=-")
    git.ask(*words, given=given, env=env, seconds=SECONDS)


def parent_and_hooks(git: Git, commit: str) -> tuple[str, bool]:
    """Return the first parent of a commit, and whether a commit runs hooks here, which may change files and the commit itself."""
    done = git.done("rev-parse", "--git-path", "hooks", f"{commit}^")
    name, _, parent = os.fsdecode(done.out).rstrip("\n").rpartition("\n")
    folder = os.path.join(git.root, name)
    has_hooks = any(os.access(os.path.join(folder, name), os.X_OK) for name in COMMIT_HOOKS)
    return "" if done.status else parent, has_hooks


def find_commit(git: Git, record: Record) -> str:
    """Return the commit that was being made for a step, if it exists."""
    wanted: Mapping[str, Any] = record.commit or {}
    said = git.line("rev-list", "--first-parent", "--reverse", "--parents", f"{record.start}..HEAD")
    rows = said.splitlines()
    if not wanted or not rows:
        return ""
    commit, *parents = rows[0].split(" ")
    if parents != [record.start]:
        return ""
    if git.line("rev-parse", f"{commit}^{{tree}}") == wanted["tree"]:
        return commit
    touched = git.ask("diff-tree", "-r", "-z", "--name-only", "--no-commit-id", commit).split(b"\0")[:-1]
    own = {os.fsencode(path) for path in wanted["paths"]}
    return commit if git.subject(commit) == wanted["message"] and own.issuperset(touched) else ""


def follow_hooks(snapshots: Snapshots, made: dict[str, Any], commit: str) -> list[Change]:
    """Let the user's index get what hooks have made of the commit, and return what that is; all of it if that is unknown.

    Otherwise it would still have what was to be committed, as a staged change that takes the work of the hooks back.
    """
    try:
        changes = snapshots.changes(made["tree"], f"{commit}^{{tree}}")
    except (
        GitError
    ):  # the call was killed, and a gc took the tree: only files that were staged as HEAD had them follow
        whole = snapshots.changes(f"{commit}^", commit)
        made.update(index=[[one.path, *_fields(one.old), *_fields(one.new)] for one in whole], mark="")
        return whole
    rows = {row[0]: row for row in made["index"]}
    for change in changes:
        path, old, new = change.path, _fields(change.old), _fields(change.new)
        row = rows.setdefault(path, [path, *old, *old])
        if row[3:] == old:
            row[3:] = new
    if changes:
        made.update(index=list(rows.values()), mark="")
    return changes


def update_index(git: Git, rows: list[list[str]], mark: str = "") -> GitError | None:
    """Update the user's index where it is unchanged; return why that failed. With the mark all of it is."""
    try:
        with UsersIndex(git) as index:
            same = bool(mark) and mark_of(index.copy) == mark
            now = {} if same else index_entries(git, [row[0] for row in rows], index.copy)
            changed = []
            for path, old_mode, old_name, new_mode, new_name in rows:
                old = Entry(old_mode, old_name) if old_mode else None
                new = Entry(new_mode, new_name) if new_mode else None
                if same or now.get(path) == old:
                    changed.append(index_row(path, new, old_name))
            if changed:
                git.ask("update-index", "-z", "--index-info", given=b"".join(changed), env=index.env)
    except GitError as problem:
        return problem
    return None
