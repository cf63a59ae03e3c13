"""Check the working tree against the manifest of a step: what must exist, and what must not change."""

from __future__ import annotations

import os

from ultra_runtime.files.patterns import PatternError, search
from ultra_runtime.files.process import capture
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.plan.covering import covers, plain
from ultra_runtime.run.state.assignment import allowed_paths, manifest_of
from ultra_runtime.run.state.judging import protected
from ultra_runtime.run.tree.snapshot import SUBMODULE, list_paths
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.plan.values import Fence, Manifest, Step
    from ultra_runtime.run.tree.snapshot import Change

SECONDS = 30.0
SHELL_FILE = ".sh"
FORBIDDEN: str = plan_fields.MANIFEST_FORBIDDEN_PATHS
NEVER_TOUCH, PROTECTED, SCOPE = "never_touch", "protected", "scope"


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


def check_manifest(root: str, step: Step, changes: Sequence[Change], fence: Fence) -> list[Fault]:
    """Return the checks that fail after these changes."""
    manifest = manifest_of(step)
    return [
        *check_scope(step, [change.path for change in changes], fence),
        *_check_submodules(changes),
        *_check_there(root, manifest),
        *_check_scripts(root, manifest, changes),
        *_check_content(root, manifest),
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


def _check_submodules(changes: Sequence[Change]) -> list[Fault]:
    moved = [one.path for one in changes if SUBMODULE in (one.old and one.old.mode, one.new and one.new.mode)]
    return [Fault("submodule", f"a submodule was changed: {list_paths(moved)}")] if moved else []


def _check_there(root: str, manifest: Manifest) -> list[Fault]:
    missing = [path for path in manifest.expected_paths if not exists(root, path)]
    found = len(manifest.expected_paths) - len(missing)
    faults = []
    if missing:
        faults.append(
            Fault(plan_fields.MANIFEST_EXPECTED_PATHS, f"expected but missing: {list_paths(missing)}")
        )
    if found < manifest.min_file_count:
        words = f"{found} expected files exist; at least {manifest.min_file_count} must"
        faults.append(Fault(plan_fields.MANIFEST_MIN_FILE_COUNT, words))
    return faults


def exists(root: str, path: str) -> bool:
    """Return whether a path of the plan, or something that its glob matches, exists."""
    spelled = plain(path)
    if os.path.exists(os.path.join(root, spelled)):
        return True
    if not any(sign in spelled for sign in "*?["):
        return False
    from glob import iglob

    return any(True for _ in iglob(os.path.join(root, spelled), recursive=True))


def _check_scripts(root: str, manifest: Manifest, changes: Sequence[Change]) -> list[Fault]:
    """Check the listed scripts and every changed script with `bash -n`."""
    changed = [change.path for change in changes if change.new and change.path.endswith(SHELL_FILE)]
    faults = []
    for path in dict.fromkeys([*map(plain, manifest.bash_syntax_check), *changed]):
        problem = syntax_problem(["bash", "-n", os.path.join(root, path)])
        if problem:
            words = f"bash -n {one_line(path)}: {problem}"
            faults.append(Fault(plan_fields.MANIFEST_BASH_SYNTAX_CHECK, words))
    return faults


def syntax_problem(command: Sequence[str], given: bytes = b"") -> str:
    """Return the syntax error that bash reports for a script; empty if there is none."""
    done = capture(command, os.environ, given, SECONDS)
    if not done.status:
        return ""
    said = done.err.decode("utf-8", "replace").strip()
    return one_line(said, 300) or f"exit status {done.status}"


def _check_content(root: str, manifest: Manifest) -> list[Fault]:
    faults = []
    for path, pattern in manifest.must_contain:
        try:
            text = read_regular(os.path.join(root, plain(path))).decode("utf-8", "replace")
            if search(pattern, text, multiline=True):
                continue
            words = f"{one_line(path)} does not contain {one_line(pattern, 80)}"
        except UnreadableError as problem:
            words = f"{one_line(path)}: {problem}"
        except PatternError as problem:
            words = f"the pattern {one_line(pattern, 80)} cannot be searched: {problem}"
        faults.append(Fault(plan_fields.MANIFEST_MUST_CONTAIN, words))
    return faults
