"""Check the working tree against the manifest of a step: what must exist, and what must not change."""

from __future__ import annotations

import os
import stat

from ultra_runtime.files.digest import blob_name
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.plan.covering import covers, is_pattern, means_folder, plain
from ultra_runtime.proof.content import (
    FILE,
    FOLDER,
    LINK,
    OTHER,
    SHELL_FILE,
    content_problem,
    is_for_bash,
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
)
from ultra_runtime.run.state.assignment import allowed_paths, manifest_of
from ultra_runtime.run.state.judging import protected
from ultra_runtime.run.step.failing import ESCALATE
from ultra_runtime.run.tree.snapshot import REGULAR, SUBMODULE, list_paths
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ultra_runtime.plan.values import Fence, Manifest, Step
    from ultra_runtime.run.tree.snapshot import Change, Snapshots

MISSING = "missing"
LOOKS_LIKE = "a file is there whose name only looks like {}: it has the accents as signs of their own, or not; rename it"


class Fault(Struct):
    """A check of the manifest that fails."""

    check: str
    words: str
    outside: Sequence[str] = ()
    """The paths that the step changed but must not change."""
    final: str = ""
    """What follows at once if no edit of the step can fix it: a value of `next`."""

    def as_data(self) -> dict[str, str]:
        return {"check": self.check, "actual": self.words}


class WorkTree:
    """The working tree and a snapshot of it, after these changes."""

    def __init__(self, snapshots: Snapshots, tree: str, changes: Sequence[Change]) -> None:
        self.snapshots = snapshots
        self.root = snapshots.git.root
        self.tree = tree
        self.changed = {one.path: one.new for one in changes}

    def to_commit(self, path: str) -> bytes:
        """Return the bytes that a commit would have of a file: git may convert its line ends or its encoding."""
        data = read_regular(os.path.join(self.root, path))
        entry = self.changed.get(path) or self.snapshots.entries(self.tree, [path]).get(path)
        if entry is None or entry.mode not in REGULAR or entry.name == blob_name(data, entry.name):
            return data
        return self.snapshots.content(entry.name)


def check_manifest(tree: WorkTree, step: Step, changes: Sequence[Change], fence: Fence) -> list[Fault]:
    """Return the checks that fail after these changes."""
    manifest = manifest_of(step)
    return [
        *check_scope(step, [change.path for change in changes], fence),
        *_check_submodules(step, changes),
        *_check_there(tree.root, manifest),
        *_check_scripts(tree, manifest, changes),
        *_check_content(tree, manifest),
    ]


def check_scope(step: Step, paths: Sequence[str], fence: Fence) -> list[Fault]:
    """Return which of these changed paths the step must not change."""
    manifest = manifest_of(step)
    forbidden = [path for path in paths if covers(manifest.forbidden_paths, path, anywhere=True)]
    fenced = [path for path in paths if covers(fence.never_touch, path, anywhere=True)]
    guarded = [path for path in paths if protected(path)]
    named = {*forbidden, *fenced, *guarded}
    outside = [path for path in paths if path not in named and not covers(allowed_paths(step), path)]
    rows = (
        (FORBIDDEN, forbidden, "forbidden paths were changed"),
        (NEVER_TOUCH, fenced, "paths outside the session's fence were changed"),
        (PROTECTED, guarded, "protected paths were changed"),
        (
            SCOPE,
            outside,
            f"changed outside {plan_fields.STEPS_FILES} and {plan_fields.MANIFEST_EXPECTED_PATHS}",
        ),
    )
    return [Fault(check, f"{words}: {list_paths(found)}", found) for check, found, words in rows if found]


def _check_submodules(step: Step, changes: Sequence[Change]) -> list[Fault]:
    """Return the submodules that were added or moved; a plan that asks for that cannot be carried out."""
    moved = [one.path for one in changes if SUBMODULE in (one.old and one.old.mode, one.new and one.new.mode)]
    if not moved:
        return []
    words = f"a submodule was changed: {list_paths(moved)}"
    if any(covers(allowed_paths(step), path) for path in moved):
        remedy = "no step can do that: the user changes and commits it before the run, and the plan must not name it"
        return [Fault(SUBMODULE_MOVED, f"{words}; {remedy}", final=ESCALATE)]
    return [Fault(SUBMODULE_MOVED, words)]


def _check_there(root: str, manifest: Manifest) -> list[Fault]:
    problems = {path: problem_on_disk(root, path) for path in manifest.expected_paths}
    missing = [path for path, problem in problems.items() if problem == MISSING]
    wrong = [f"{one_line(path, 120)}: {said}" for path, said in problems.items() if said not in ("", MISSING)]
    found = sum(not problems[path] for path in manifest.expected_paths)
    faults = []
    if missing or wrong:
        absent = [f"expected but missing: {list_paths(missing)}"] if missing else []
        absent += [
            LOOKS_LIKE.format(one_line(path, 120)) for path in missing if _looks_like(root, plain(path))
        ]
        faults.append(Fault(EXPECTED, "; ".join([*absent, *wrong])))
    if found < manifest.min_file_count:
        words = f"{found} expected files exist; at least {manifest.min_file_count} must"
        faults.append(Fault(plan_fields.MANIFEST_MIN_FILE_COUNT, words))
    return faults


def problem_on_disk(root: str, name: str) -> str:
    """Return why a path that the plan expects is not there as it must be; empty if it is."""
    path = plain(name)
    full = os.path.join(root, path)
    linked = next((one for one in _folders(path) if os.path.islink(os.path.join(root, one))), "")
    if linked:
        return f"{one_line(linked, 120)} is {LINK}, so git does not keep what is below it"
    try:
        mode = os.lstat(full).st_mode
    except (OSError, ValueError):
        there = matching(root, path) if is_pattern(path) else ()
        found = any(stat.S_ISREG(os.lstat(os.path.join(root, one)).st_mode) for one in there)
        return "" if found else MISSING
    kinds = ((stat.S_ISREG, FILE), (stat.S_ISDIR, FOLDER), (stat.S_ISLNK, LINK))
    kind = next((kind for holds, kind in kinds if holds(mode)), OTHER)
    if kind == FOLDER and means_folder(name) and not _has_files(full):
        return "it has no file, and git keeps no empty folder; put one into it, such as .gitkeep"
    return kind_problem(name, kind)


def _looks_like(root: str, path: str) -> bool:
    """Tell whether a file has the name in another normal form of Unicode, as macOS and some editors write it."""
    if path.isascii():
        return False
    from unicodedata import normalize

    return any(os.path.lexists(os.path.join(root, normalize(form, path))) for form in ("NFC", "NFD"))


def _has_files(folder: str) -> bool:
    """Tell whether there is anything in a folder that git may keep."""
    for inside, names, files in os.walk(folder):
        if files or any(os.path.islink(os.path.join(inside, name)) for name in names):
            return True
    return False


def _folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def matching(root: str, pattern: str) -> Iterator[str]:
    """Yield the files that match a pattern of a plan; symbolic links are not followed."""
    top = next((one for one in reversed(_folders(pattern)) if not is_pattern(one)), "")
    for folder, names, files in os.walk(os.path.join(root, top)):
        names[:] = [name for name in names if name != ".git"]
        inside = folder[len(root) :].strip("/")
        for name in files:
            path = f"{inside}/{name}" if inside else name
            if covers([pattern], path):
                yield path


def _check_scripts(tree: WorkTree, manifest: Manifest, changes: Sequence[Change]) -> list[Fault]:
    """Check the listed scripts and every changed script with `bash -n`; what a link leads to may be anything."""
    changed = [
        one.path for one in changes if one.new and one.new.mode in REGULAR and one.path.endswith(SHELL_FILE)
    ]
    listed, faults = list(map(plain, manifest.bash_syntax_check)), []
    for path in dict.fromkeys([*listed, *changed]):
        try:
            script = tree.to_commit(path)
            problem = syntax_problem(script) if path in listed or is_for_bash(script) else ""
        except UnreadableError as unreadable:
            problem = f"cannot be read: {unreadable}"
        if problem:
            words = f"bash -n {one_line(path)}: {problem}"
            faults.append(Fault(SCRIPT, words))
    return faults


def _check_content(tree: WorkTree, manifest: Manifest) -> list[Fault]:
    faults = []
    for path, pattern in manifest.must_contain:
        try:
            problem = content_problem(pattern, tree.to_commit(plain(path)))
        except UnreadableError as unreadable:
            problem = f"cannot be read: {unreadable}"
        if problem:
            faults.append(Fault(CONTENT, f"{one_line(path)} {problem}"))
    return faults
