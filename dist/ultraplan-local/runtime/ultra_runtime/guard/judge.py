"""Judge a tool call: what the policy says of it where it happens."""

from __future__ import annotations

import os

from ultra_runtime.guard.first_look import may_match
from ultra_runtime.guard.policy import ALLOW, Policy, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.paths import Place
    from ultra_runtime.guard.site import Site

# What a redirection or a plain writer cannot do without.
_WRITING = (
    ">",
    "tee",
    "cp",
    "mv",
    "install",
    "sed",
    "dd",
    "ln",
    "git",
    "rsync",
    "touch",
    "perl",
    "python",
    "patch",
)
_FINISH = "finish the run with `ultra run finish`, or end it with `ultra run abort`, and then change it"


def load_policy() -> Policy:
    """Return the policy of this bundle."""
    from ultra_runtime.rendered import table

    return Policy.of(table("policy"))


def judge_command(command: str, cwd: str, site: Site | None) -> Verdict:
    """Return what is to be said of a shell command; outside a run only what is blocked in any case."""
    verdict = ALLOW
    if may_match(command):
        from ultra_runtime.guard.verdict import verdict_for

        verdict = verdict_for(command, load_policy())
    if verdict.verdict == "block" and (site is not None or not verdict.unreadable):
        return verdict
    if not any(word in command for word in _WRITING):
        return ALLOW
    return _judge_writes(command, cwd, site)


def _judge_writes(command: str, cwd: str, site: Site | None) -> Verdict:
    """Judge the files that a command would write, and the trees that its git commands work in."""
    from ultra_runtime.guard.verdict import git_directories, written_paths

    place = place_of(cwd, site)
    for written in written_paths(command):
        for path in [written.path, *(f"{written.path}/{name}" for name in written.names)]:
            verdict = judge_path(path, place, site)
            if verdict.verdict == "block":
                return verdict
    if site is not None and site.is_linked:
        for folder in git_directories(command):
            if not _is_inside(os.path.realpath(os.path.join(cwd, folder)), site.root):
                reason = f"git is told to work in {folder}, which is not the worktree of this session"
                return Verdict("block", "main_tree", reason, "use git in the worktree only")
    return ALLOW


def judge_path(path: str, place: Place, site: Site | None) -> Verdict:
    """Return what is to be said of a path that is to be written."""
    from ultra_runtime.guard.paths import path_verdict

    if site is not None:
        own = _file_of_the_run(path, place.cwd, site)
        if own:
            return Verdict("block", "run_file", f"{own}: a run is held to what it was started with", _FINISH)
    return path_verdict(path, place, load_policy())


def place_of(cwd: str, site: Site | None) -> Place:
    """Return what the path policy has to know; outside a run the repository is no boundary."""
    from ultra_runtime.guard.paths import Place
    from ultra_runtime.guard.site import find_tree

    home = os.path.expanduser("~")
    if site is not None:
        return Place(cwd, site.root, home, True, ("/tmp", "/dev"), _hook_files(site.root))  # noqa: S108
    tree = find_tree(cwd)
    root = tree[0] if tree else cwd
    return Place(cwd, root, home, False, (), _hook_files(root))


def _hook_files(root: str) -> tuple[str, ...]:
    """Return the files that settings in force name as hooks."""
    from ultra_runtime.guard.hookfiles import named_files
    from ultra_runtime.jsontext import JsonError, read_object
    from ultra_runtime.regular_file import UnreadableError, read_regular

    found: list[str] = []
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    for folder in (config, os.path.join(root, ".claude")):
        for name in ("settings.json", "settings.local.json"):
            try:
                settings = read_object(read_regular(os.path.join(folder, name))).values
            except (UnreadableError, JsonError):
                continue
            found += named_files(settings, {"CLAUDE_PROJECT_DIR": root})
    return tuple(found)


def _file_of_the_run(path: str, cwd: str, site: Site) -> str:
    """Return what a path is to the run that is under way: its plan, its records, or nothing."""
    real = os.path.realpath(os.path.join(cwd, os.path.expanduser(path)))
    plan = site.lock.get("plan")
    if isinstance(plan, str) and real == os.path.realpath(os.path.join(site.root, plan)):
        return f"{path} is the plan of the run"
    name = os.path.basename(real)
    is_record = name == ".session-state.local.json" or (
        name.endswith(".json") and name.startswith(("progress", ".ultraexecute-progress-"))
    )
    if is_record and _is_inside(real, site.root) and os.path.dirname(real) in _folders(site, plan):
        return f"{path} is written by the runtime alone"
    if _is_inside(real, os.path.join(site.git_dir, "ultra")):
        return f"{path} belongs to the runtime"
    return ""


def _folders(site: Site, plan: object) -> list[str]:
    """Return the folders in which the records of the run lie."""
    named = [site.lock.get("project"), os.path.dirname(plan) if isinstance(plan, str) else None]
    return [os.path.realpath(os.path.join(site.root, name)) for name in named if isinstance(name, str)]


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))
