"""The refs of a run with the runtime's own list of them: a ref that somebody else wrote is named and ignored.

Every change of the refs writes a new list, which names the list before it. The list is kept twice: in a file of the
git dir, written first, and as a blob that a ref of the run holds, written in one transaction with the refs. So a killed
call leaves the old refs, or a list from which they are completed; and the list outlives the file.
"""

from __future__ import annotations

import os

from ultra_runtime.files.dead_lock import drop_dead_lock
from ultra_runtime.files.digest import blob_name
from ultra_runtime.files.loose_refs import loose_refs
from ultra_runtime.files.quick_write import make_folder, put
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import REF_LISTS, REFS
from ultra_runtime.files.seal import SEAL, is_sealed, read_key, sealed
from ultra_runtime.rendered import launcher
from ultra_runtime.struct import Struct
from ultra_runtime.text.jsontext import JsonError, read_object, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ultra_runtime.files.git import Git

BEGIN, DONE, SKIP, CLAIM = "begin-", "step-", "skip-", "claim-"
LOCKED = ".lock"
AROUND = "around"
"""What the run is pinned to beside its plan."""
WHOLE = "whole"
"""The plan of a session that runs from a spec."""
NAMES, BEGINNINGS = ("plan", WHOLE, "start", "end", AROUND), (BEGIN, DONE, SKIP, CLAIM, "wip", "chore")
"""The refs that say where a run stands; the others keep what was undone."""


class RefList(Struct):
    """The refs of a run as the runtime wrote them, and the list before this one."""

    number: int
    after: str
    refs: dict[str, str]
    name: str = ""
    """The object that holds the list."""
    known: bool = True
    """Whether it has the seal of this repository."""


class RunRefs(Struct):
    """The refs of a run that count, what is wrong with the others, and what git must be told to agree."""

    refs: dict[str, str]
    listed: RefList
    problems: list[str]
    repairs: dict[str, str | None]


def read_run_refs(git: Git, slug: str) -> RunRefs:
    """Return the refs of a run, compared with the list."""
    found = _found(git, slug)
    in_git = found.pop(SEAL, "")
    told = {name: value for name, value in found.items() if _tells(name)}
    others = {name: value for name, value in found.items() if name not in told}
    lists = [_read_list(git, _file_bytes(git, slug), in_git)]
    if in_git and not (lists[0] and lists[0].name == in_git):
        lists.append(_read_list(git, git.done("cat-file", "blob", in_git).out, in_git))
    listed = max((one for one in lists if one), key=lambda one: one.number, default=None)
    if listed is None:
        return _without_list(slug, told, others)
    return RunRefs({**others, **listed.refs}, listed, *_compared(slug, told, in_git, listed))


def _compared(
    slug: str, told: dict[str, str], in_git: str, listed: RefList
) -> tuple[list[str], dict[str, str | None]]:
    """Return what is wrong with the refs in git, and what they must be."""
    wrong: dict[str, str | None] = {
        name: listed.refs.get(name)
        for name in sorted({*told, *listed.refs})
        if told.get(name) != listed.refs.get(name)
    }
    if listed.name != in_git:
        wrong[SEAL] = listed.name
        if listed.after == in_git:  # a call was killed before git had the refs
            return [], wrong
    problems = [f"{REFS}/{slug}/{name} was not written by the runtime and is ignored" for name in wrong]
    if not listed.known:
        problems.append(f"the key of {REFS}/{slug} is lost, so its records count as git has them")
    return problems, wrong


def _without_list(slug: str, told: dict[str, str], others: dict[str, str]) -> RunRefs:
    """Return refs without a list: they count, but none excuses a step."""
    counted = {name: value for name, value in told.items() if not name.startswith(SKIP)}
    problems = [f"the list of {REFS}/{slug} is lost, so no step counts as skipped"] if told else []
    return RunRefs({**others, **counted}, RefList(0, "", counted), problems, {})


def write_run_refs(git: Git, slug: str, values: Mapping[str, str | None], now: RunRefs) -> RunRefs:
    """Set refs of a run, all or none; None deletes one."""
    number, after = now.listed.number + 1, now.listed.name
    refs = _without_none({**now.listed.refs, **{name: one for name, one in values.items() if _tells(name)}})
    text = write(sealed(git.common, {"number": number, "after": after, "refs": refs})) + "\n"
    name = git.ask("hash-object", "-w", "--stdin", given=text.encode()).decode().strip()
    path = _path(git, slug)
    make_folder(os.path.dirname(path))
    put(path, text.encode())
    set_in_git(git, slug, {**now.repairs, **values, SEAL: name})
    return RunRefs(_without_none({**now.refs, **values}), RefList(number, after, refs, name), [], {})


def set_in_git(git: Git, slug: str, values: Mapping[str, str | None]) -> None:
    """Set refs in one transaction, without a new list."""
    rows = []
    for name, value in values.items():
        ref = f"{REFS}/{slug}/{name}"
        rows.append(f"delete {ref}\n" if value is None else f"update {ref} {value}\n")
    if rows:
        _drop_dead_locks(git, slug)
        git.ask("update-ref", "--no-deref", "--stdin", given="".join(rows).encode())


def _drop_dead_locks(git: Git, slug: str) -> None:
    """Remove the locks of a killed git on these refs, which the runtime alone writes, one call at a time."""
    folder = os.path.join(git.common, REFS, slug)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith(LOCKED):
            drop_dead_lock(os.path.join(folder, name))


def _without_none(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}


def _tells(name: str) -> bool:
    return name in NAMES or name.startswith(BEGINNINGS)


def _found(git: Git, slug: str) -> dict[str, str]:
    start = f"{REFS}/{slug}/"
    loose = loose_refs(git, start)
    if loose is not None:
        return loose
    said = git.ask("for-each-ref", "--format=%(refname) %(objectname)", start)
    pairs = [row.split(" ") for row in said.decode().splitlines()]
    return {name[len(start) :]: value for name, value in pairs}


def _path(git: Git, slug: str) -> str:
    return os.path.join(git.folder, launcher(), REF_LISTS, f"{slug}.json")


def _file_bytes(git: Git, slug: str) -> bytes:
    try:
        return read_regular(_path(git, slug))
    except UnreadableError:
        return b""


def _read_list(git: Git, data: bytes, like: str) -> RefList | None:
    """Read a list; one without the seal counts only when there is no key to check it."""
    try:
        values = read_object(data).values
        refs = {str(name): str(value) for name, value in values["refs"].items()}
        listed = RefList(int(values["number"]), str(values["after"]), refs, _object_name(git, data, like))
    except (JsonError, KeyError, TypeError, ValueError, AttributeError):
        return None
    listed.known = is_sealed(git.common, values)
    return listed if listed.known or not read_key(git.common) else None


def _object_name(git: Git, data: bytes, like: str) -> str:
    """Return the name that git gives to a blob; `like` is another name, if there is one."""
    if not like:
        return git.ask("hash-object", "--stdin", given=data).decode().strip()
    return blob_name(data, like)
