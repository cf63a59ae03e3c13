"""The checks of `doctor`: each is ok, warn or fail, and names a remedy."""

from __future__ import annotations

import os
import sys

from ultra_runtime.checkout.settings import settings_problem
from ultra_runtime.doctor.client_version import client_version, find_client, is_too_old
from ultra_runtime.doctor.one_check import FAIL, OK, WARN, Check
from ultra_runtime.doctor.surroundings_check import bash_check, client_folder, folder_check, git_checks
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.error_log import newest
from ultra_runtime.files.json_file import load_json, read_json
from ultra_runtime.files.process import which
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import PROJECTS, current_folder, find_root
from ultra_runtime.rendered import BUNDLE, launcher, names, verb
from ultra_runtime.run.state.session_state import find_states
from ultra_runtime.struct import Struct
from ultra_runtime.typed import Any, Iterator, Mapping
from ultra_runtime.words import listed, shell_word

AGAIN = "install the plugin again"
CLIENT_SECONDS = 5
LIST = "bundle.json"
# Files that the installer adds to the bundle.
INSTALLED = (".ultra-receipt.json", ".gitignore", ".gitattributes")


class Damage:
    """The files of a bundle that are not as they were built."""

    __slots__ = ("changed", "missing", "problem", "unexpected")

    def __init__(self) -> None:
        self.problem = ""
        self.changed: list[str] = []
        self.missing: list[str] = []
        self.unexpected: list[str] = []


class InstalledCopy(Struct):
    """One copy: how the client lists it and where it is."""

    id: str
    folder: str
    enabled: bool


def run_checks() -> list[Check]:
    """Run every check."""
    here = current_folder()
    root = find_root(here)
    return [
        _python(),
        *_bundle(),
        _executable(),
        bash_check(),
        *git_checks(root or here),
        _on_path(),
        folder_check(root),
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
    return Check(name, FAIL, f"{script} cannot be executed", f"run: chmod 755 {shell_word(script)}")


def _on_path() -> Check:
    name = launcher()
    ours = os.path.join(BUNDLE, "bin", name)
    found = which(name)
    if found is None:
        message = f"{name} is not on PATH here; the client adds it to the PATH of its Bash tool"
        return Check("PATH", WARN, message, f"outside the client, run {shell_word(ours)}")
    if os.path.realpath(found) == ours:
        return Check("PATH", OK, f"{name} is this one, {found}")
    return Check(
        "PATH",
        WARN,
        f"{name} is another program, {found}",
        f"put {shell_word(os.path.dirname(ours))} first on PATH",
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
    problem = settings_problem(root)
    settings = [Check("settings", FAIL, problem)] if problem else []
    if not os.path.isdir(os.path.join(root, PROJECTS)):
        return [Check("project", OK, f"{root}, which has no {PROJECTS} yet"), *settings]
    states = find_states(root)
    checks = [Check("project", OK, f"{root}, valid session states: {len(states.valid)}"), *settings]
    return checks + [Check("session state", WARN, str(issue)) for issue in states.broken]


def _client() -> Check:
    found = find_client()
    if found is None:
        return Check("client", WARN, "claude is not on PATH here, so its version was not checked")
    version, oldest = client_version(found, CLIENT_SECONDS), names().oldest_client
    if not version:
        return Check("client", WARN, f"{found} --version did not print a version", "run it by hand")
    if is_too_old(version):
        message = f"Claude Code {version} is older than {oldest}, the oldest that this bundle is tested with"
        return Check("client", WARN, message, "run: claude update")
    return Check("client", OK, f"Claude Code {version}")


def _last_error() -> list[Check]:
    found = newest()
    if found is None:
        return []
    message = f"{found.time}, {verb(found.call)}: {found.error}"
    return [
        Check("last error", WARN, message, f"report it with {shell_word(found.path)}, or delete that file")
    ]


def inspect(bundle: str) -> Damage:
    """Return what is changed, missing or unexpected in the bundle."""
    damage = Damage()
    try:
        files = load_json(os.path.join(bundle, LIST)).get("files")
    except UnreadableError as problem:
        damage.problem = f"{LIST}: {problem}"
        return damage
    if not (isinstance(files, dict) and files and all(isinstance(entry, dict) for entry in files.values())):
        damage.problem = f"{LIST}: it lists no files"
        return damage
    present = set(_walk(bundle))
    for path in sorted(files):
        if path not in present:
            damage.missing.append(path)
        elif not _is_as_built(os.path.join(bundle, path), files[path]):
            damage.changed.append(path)
    damage.unexpected = sorted(path for path in present - files.keys() if not _is_ours(path, files))
    return damage


def _walk(bundle: str) -> Iterator[str]:
    for folder, subfolders, files in os.walk(bundle):
        links = [name for name in subfolders if os.path.islink(os.path.join(folder, name))]
        inside = folder[len(bundle) :].strip("/")
        for name in files + links:
            yield f"{inside}/{name}" if inside else name


def _is_as_built(path: str, entry: Mapping[str, Any]) -> bool:
    try:
        mode = os.lstat(path).st_mode
        digest = sha256(read_regular(path))
    except (OSError, UnreadableError):
        return False
    is_link, is_executable = mode & 0o170000 == 0o120000, bool(mode & 0o100)
    same_mode = is_executable == (entry.get("mode") == "755") and not is_link
    return same_mode and digest == entry.get("sha256")


def _is_ours(path: str, files: Mapping[str, Any]) -> bool:
    """Tell whether a file is the list itself, the installer's, or Python's cache of a listed module."""
    folder, _, name = path.rpartition("/")
    parent, _, cache = folder.rpartition("/")
    module = f"{parent}/{name.partition('.')[0]}.py"
    return (
        path == LIST or path in INSTALLED or (cache == "__pycache__" and ".pyc" in name and module in files)
    )


def find_copies(plugin: str, root: str | None) -> list[InstalledCopy]:
    """Return the copies in the client's order: a marketplace's (even a disabled one), a person's, a project's."""
    config = client_folder()
    settings = _members(read_json(os.path.join(config, "settings.json")).get("enabledPlugins"))
    records = read_json(os.path.join(config, "plugins", "installed_plugins.json"))
    found = [
        InstalledCopy(name, str(_members(entry).get("installPath", "")), settings.get(name) is not False)
        for name, entries in _members(records.get("plugins")).items()
        if name.rpartition("@")[0] == plugin and isinstance(entries, list)
        for entry in entries
    ]
    own = f"{plugin}@skills-dir"
    for base in dict.fromkeys([config, *([os.path.join(root, ".claude")] if root else [])]):
        folder = os.path.join(base, "skills", plugin)
        if read_json(os.path.join(folder, ".claude-plugin", "plugin.json")).get("name") == plugin:
            found.append(InstalledCopy(own, folder, settings.get(own) is not False))
    return found


def _members(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
