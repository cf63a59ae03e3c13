"""Bring back what a step had changed before it was undone."""

from __future__ import annotations

import os
import stat

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.plan.covering import covers, plain
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.state.lock import Busy, read_lock
from ultra_runtime.run.state.run_place import find_run_place
from ultra_runtime.run.state.statuses import OVER
from ultra_runtime.run.step.verify import need_record
from ultra_runtime.run.tree.placing import Placing, parents
from ultra_runtime.run.tree.saves import (
    NotSavedError,
    Save,
    find_saves,
    item_at,
    read_save,
    save,
    save_items,
)
from ultra_runtime.run.tree.snapshot import list_paths, read_blobs
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.struct import Struct
from ultra_runtime.words import listed, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.tree.workspace import Workspace

MOST_LISTED = 10


class Rescued(Struct):
    """The result: the paths that are as they were, those that could not be written, and where the others are saved."""

    paths: list[str]
    left: dict[str, str]
    replaced: str


def rescue(number: int, names: Sequence[str], plan: str | None, project: str | None) -> Rescued:
    """Write the newest save of a step, or only some of its paths; what is there now is saved first."""
    workspace = find_workspace()
    if read_lock(workspace) is None:
        slug = find_run_place(workspace, plan or project or "", project, None).slug if plan or project else ""
        with Busy(workspace, f"step rescue {number}"):
            return _bring_back(workspace, number, slug, names)
    busy, live = open_live(f"step rescue {number}", plan, project)
    with busy:
        if not live.ended:
            _refuse_out_of_turn(live, number)
        return _bring_back(workspace, number, live.place.slug, names)


def rescue_answer(rescued: Rescued, what: dict[str, Any], again: str) -> Answer:
    """Return what a verb says about it; `again` is the call that brings back what was replaced."""
    nothing = "nothing" if rescued.left else "everything is there already"
    written = list_paths(rescued.paths, MOST_LISTED) if rescued.paths else nothing
    data: dict[str, Any] = {"ok": True, **what, "rescued": written}
    if rescued.left:
        data["left"] = [f"{path}: {reason}" for path, reason in rescued.left.items()]
    data["next"] = "look at what came back"
    if rescued.replaced:
        data["next"] += f"; `{again}` brings back what it replaced"
    lines = [f"Rescued: {written}", *data.get("left", ()), f"Next: {data['next']}"]
    return Answer(data, "\n".join(lines))


def _refuse_out_of_turn(live: Live, number: int) -> None:
    """Refuse while the run is at another step, which would report the restored files as changes that no step made."""
    if live.progress.state(number) in OVER:
        error = f"step {number} is {live.progress.state(number)}, and the run is in progress"
        raise RefusedError(error, f"finish the run first, then `{verb('step rescue')} {number}`")
    need_record(live, number)


def _bring_back(workspace: Workspace, number: int, slug: str, names: Sequence[str]) -> Rescued:
    git = workspace.git
    found = _choose(workspace, number, slug, names)
    newer = _changed_since(workspace, found)
    found.items = {path: item for path, item in found.items.items() if path not in newer}
    found.others = {path: mode for path, mode in found.others.items() if path in found.items}
    if not found.items:
        raise RefusedError(
            f"commits since the undo have changed {list_paths(newer)}", next(iter(newer.values()))
        )
    try:
        now = {path: item_at(git.root, path) for path in found.items}
        save_items(git, now)
        changed = {path: item for path, item in found.items.items() if now[path] != item}
        replaced = any(now[path] for path in changed)
        kept = save(git, found.slug, number, git.head(), changed) if replaced else None
    except NotSavedError as problem:
        error = f"nothing was written, because what is there now could not be saved first: {problem}"
        raise RefusedError(error, f"fix this, then retry `{verb('step rescue')} {number}`") from None
    others = {
        path: mode
        for path, mode in found.others.items()
        if path in changed or not os.path.lexists(os.path.join(git.root, path))
    }
    placing = Placing(git.root)
    there = {path: item for path, item in changed.items() if item}
    for path in changed:
        if path not in there:
            placing.remove(path)
    placing.prune(parents(path for path in changed if path not in there).union(there))
    for (path, item), data in zip(there.items(), read_blobs(git, [item.name for item in there.values()])):
        placing.write(path, data, item.bits)
    folders = {path: stat.S_IMODE(mode) for path, (mode, _) in others.items() if stat.S_ISDIR(mode)}
    placing.make_folders(sorted(folders))
    placing.set_bits(folders)
    for path in set(others).difference(folders):
        placing.make_node(path, *others[path])
    left = {**placing.failed, **{path: f"later commits changed it: {how}" for path, how in newer.items()}}
    named = {*changed, *set(others).difference(parents([*changed, *others]))}
    return Rescued(sorted(named.difference(left)), left, kept.ref if kept else "")


def _changed_since(workspace: Workspace, found: Save) -> dict[str, str]:
    """Return the saved paths that commits have changed since -> how to see what was saved."""
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", f"{found.commit}^", "HEAD", "--")
    changed = {os.fsdecode(path) for path in workspace.git.ask(*words).split(b"\0")[:-1]}
    return {
        path: f"`git show {found.ref}:{shell_word(path)}` prints what was saved"
        for path in found.items
        if path in changed
    }


def _choose(workspace: Workspace, number: int, slug: str, names: Sequence[str]) -> Save:
    """Return the newest save that has something of what is asked for, or refuse."""
    saves = find_saves(workspace.git, number)
    if not slug and len(saves) > 1:
        error = f"step {number} of several runs was undone: {listed(sorted(saves))}"
        raise RefusedError(error, "name the run with --project DIR or --plan PATH")
    wanted = [plain(os.path.relpath(name, workspace.root) if os.path.isabs(name) else name) for name in names]
    first: Save | None = None
    for one in saves.get(slug, []) if slug else [one for some in saves.values() for one in some]:
        found = read_save(workspace.git, one)
        if wanted:
            found.items = {path: item for path, item in found.items.items() if covers(wanted, path)}
        first = first or (found if found.items else None)
        if found.items and len(_changed_since(workspace, found)) < len(found.items):
            return found
    if first:
        return first
    what = f" in {one_line(listed(names), 200)}" if names else ""
    raise RefusedError(
        f"nothing{what} that step {number} changed was undone", "there is nothing to bring back"
    )
