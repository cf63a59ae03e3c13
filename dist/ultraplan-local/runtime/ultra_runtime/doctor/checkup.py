"""The checks of `doctor`: each is ok, warn or fail, and names a remedy."""

from __future__ import annotations

import os
import sys

from ultra_runtime.doctor.copies import find_copies
from ultra_runtime.doctor.integrity import inspect
from ultra_runtime.files.error_log import newest
from ultra_runtime.files.process import NotStartedError, capture, which
from ultra_runtime.files.root import PROJECTS, current_folder, find_root
from ultra_runtime.rendered import BUNDLE, launcher, names, verb
from ultra_runtime.run.state.session_state import find_states
from ultra_runtime.struct import Struct
from ultra_runtime.words import listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OK = "ok"
WARN = "warn"
FAIL = "fail"
AGAIN = "install the plugin again"
CLIENT_SECONDS = 5


class Check(Struct):
    """What one check found."""

    name: str
    status: str
    message: str
    remedy: str = ""

    def as_data(self) -> dict[str, Any]:
        data = {"name": self.name, "status": self.status, "message": self.message}
        return {**data, "remedy": self.remedy} if self.remedy else data

    def __str__(self) -> str:
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{self.status:4} {self.name}: {one_line(self.message + remedy, 1000)}"


def run_checks() -> list[Check]:
    """Run every check."""
    return [
        _python(),
        *_bundle(),
        _executable(),
        _git(),
        _on_path(),
        *_copies(),
        *_project(),
        _client(),
        *_last_error(),
    ]


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("python", OK, f"Python {version} at {sys.executable}")


def _bundle() -> list[Check]:
    name = names()
    title = f"{name.plugin} {name.version} in {BUNDLE}"
    damage = inspect(BUNDLE)
    if damage.problem:
        return [Check("bundle", FAIL, f"{title} cannot be checked: {damage.problem}", AGAIN)]
    checks = []
    for what, paths in (("changed", damage.changed), ("missing", damage.missing)):
        if paths:
            checks.append(Check("bundle", FAIL, f"{what} since it was built: {_some(paths)}", AGAIN))
    if damage.unexpected:
        message = f"not part of the bundle: {_some(damage.unexpected)}"
        checks.append(Check("bundle", WARN, message, "remove the files that you did not add, or " + AGAIN))
    return checks or [Check("bundle", OK, f"{title}, every file as it was built")]


def _some(paths: list[str]) -> str:
    shown = paths if len(paths) <= 10 else [*paths[:9], f"{len(paths) - 9} more"]
    return listed(shown)


def _executable() -> Check:
    name = f"bin/{launcher()}"
    script = os.path.join(BUNDLE, name)
    if os.access(script, os.X_OK):
        return Check(name, OK, "it can be executed")
    return Check(name, FAIL, f"{script} cannot be executed", f"run: chmod 755 {script}")


def _git() -> Check:
    found = which("git")
    if found:
        return Check("git", OK, found)
    return Check("git", FAIL, "git is not on PATH", "install git: plans run in a git repository")


def _on_path() -> Check:
    name = launcher()
    ours = os.path.join(BUNDLE, "bin", name)
    found = which(name)
    if found is None:
        message = f"{name} is not on PATH here; the client adds it to the PATH of its Bash tool"
        return Check("PATH", WARN, message, f"outside the client, run {ours}")
    if os.path.realpath(found) == ours:
        return Check("PATH", OK, f"{name} is this one, {found}")
    return Check(
        "PATH", WARN, f"{name} is another program, {found}", f"put {os.path.dirname(ours)} first on PATH"
    )


def _copies() -> list[Check]:
    """Say which copy the client loads when it knows several, or one that is disabled."""
    found = find_copies(names().plugin, find_root(current_folder()))
    if not found:
        return []
    loaded = found[0]
    title = f"{loaded.id} in {loaded.folder}"
    if not loaded.enabled:
        remedy = f"run: claude plugin enable {loaded.id}"
        return [Check("copies", WARN, f"{title} is disabled, so the client loads none", remedy)]
    if len(found) == 1:
        return [Check("copies", OK, f"the client loads {title}")]
    others = listed([f"{copy.id} in {copy.folder}" for copy in found[1:]])
    return [Check("copies", WARN, f"the client loads {title}, and not {others}", "remove all but one")]


def _project() -> list[Check]:
    here = current_folder()
    root = find_root(here)
    if root is None:
        message = f"{here} is not in a repository and has no .claude folder above it"
        return [Check("project", WARN, message, "start in the repository that you work on")]
    if not os.path.isdir(os.path.join(root, PROJECTS)):
        return [Check("project", OK, f"{root}, which has no {PROJECTS} yet")]
    states = find_states(root)
    checks = [Check("project", OK, f"{root}, valid session states: {len(states.valid)}")]
    return checks + [Check("session state", WARN, str(issue)) for issue in states.broken]


def _client() -> Check:
    found = which("claude")
    if found is None:
        return Check("client", WARN, "claude is not on PATH here, so its version was not checked")
    version, oldest = _client_version(found), names().oldest_client
    numbers = _numbers(version)
    if not numbers:
        return Check("client", WARN, f"{found} --version did not print a version", "run it by hand")
    if numbers < _numbers(oldest):
        message = f"Claude Code {version} is older than {oldest}, the oldest that this bundle is tested with"
        return Check("client", WARN, message, "run: claude update")
    return Check("client", OK, f"Claude Code {version}")


def _last_error() -> list[Check]:
    found = newest()
    if found is None:
        return []
    message = f"{found.time}, {verb(found.call)}: {found.error}"
    return [Check("last error", WARN, message, f"report it with {found.path}, or delete that file")]


def _client_version(client: str) -> str:
    try:
        done = capture([client, "--version"], os.environ, seconds=CLIENT_SECONDS)
    except NotStartedError:
        return ""
    said = "" if done.status else done.out.decode("utf-8", "replace")
    return one_line((said.split() or [""])[0], 40)


def _numbers(version: str) -> list[int]:
    parts = version.partition("-")[0].split(".")
    return [int(part) for part in parts] if all(part.isascii() and part.isdigit() for part in parts) else []
