"""Judge a tool call: what the policy says of it where it happens."""

from __future__ import annotations

import os

from ultra_runtime.guard.first_look import may_match
from ultra_runtime.guard.policy import ALLOW, Policy, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.watch import Watcher
    from ultra_runtime.guard.own_files import OwnFiles
    from ultra_runtime.guard.paths import PathContext
    from ultra_runtime.guard.site import Site

MAIN_TREE = "main_tree"
# What a plain writer or remover is called; a test holds it against what the reader knows.
WRITERS = frozenset(
    (
        "bmaptool", "cp", "dc3dd", "dcfldd", "dd", "ddrescue", "gcp", "gdd", "ginstall", "gln", "gmv", "gsed", "install",
        "ln", "mv", "qemu-img", "rsync", "scp", "sed", "sponge", "tee", "touch", "truncate",
        "rm", "grm", "srm", "unlink", "rmdir", "shred", "gshred",
    )
)  # fmt: skip
_BLANK = str.maketrans(dict.fromkeys(";&|()<{}[]=!,/\t\n\r", " "))
_BARE = str.maketrans(dict.fromkeys("'\"\\", None))
_TO_NOWHERE = ("2>&1", ">&2", ">/dev/null", "> /dev/null")
_ELSEWHERE = ("-C", "--git-dir", "--work-tree", "GIT_", "cd", "pushd", "chdir")


def load_policy() -> Policy:
    """Return the policy of this bundle."""
    from ultra_runtime.rendered import table

    return Policy.of(table("policy"))


def judge_command(command: str, cwd: str, site: Site | None) -> Verdict:
    """Return what is to be said of a shell command; outside a run only what is blocked in any case."""
    if may_match(command):
        from ultra_runtime.guard.verdict import verdict_for

        verdict = verdict_for(command, load_policy())
        if verdict.verdict == "block" and (site is not None or not verdict.unreadable):
            return verdict
    if not _may_write(command, site is not None and site.is_linked):
        return ALLOW
    return _judge_effects(command, cwd, site)


def _may_write(command: str, linked: bool) -> bool:
    """Tell whether a command may write a file by redirection or a plain writer; no means that it does not."""
    plain = command.replace("\\\n", "").translate(_BARE)
    for nowhere in _TO_NOWHERE:
        plain = plain.replace(nowhere, "")
    if ">" in plain or "$" in plain or "`" in plain:
        return True
    if "open(" in plain or ("{" in plain and "," in plain):
        return True
    if linked and "git" in plain and any(word in plain for word in _ELSEWHERE):
        return True
    return not WRITERS.isdisjoint(plain.translate(_BLANK).split())


def _judge_effects(command: str, cwd: str, site: Site | None) -> Verdict:
    """Judge the files that a command would write or remove, and the trees that its git commands work in."""
    from ultra_runtime.guard.follow.watch import watch

    watcher = watch(command)
    written = watcher.written()
    if written:
        place, own = place_of(cwd, site), _own_files(cwd, site)
        for path in written:
            verdict = _judge(path, place, own)
            if verdict.verdict == "block":
                return verdict
    return ALLOW if site is None else _judge_in_run(watcher, cwd, site)


def _judge_in_run(watcher: Watcher, cwd: str, site: Site) -> Verdict:
    """Judge what a command would take away from the run, and whether it leaves the worktree."""
    from ultra_runtime.guard.own_files import REMOVERS

    own = None
    for name, args in watcher.calls:
        if name in REMOVERS or (name == "git" and args[:1] and args[0] in ("rm", "mv")):
            own = own or _own_files(cwd, site)
            for path in args:
                verdict = own.verdict_of_removing(path) if own else None
                if verdict:
                    return verdict
    if site.is_linked:
        for folder in watcher.git_directories:
            if _leaves(folder, cwd, site.root):
                reason = f"git is told to work in {_shown(folder)}, which is not the worktree of this run"
                return Verdict("block", MAIN_TREE, reason, "use git inside the worktree only")
    return ALLOW


def _leaves(folder: str, cwd: str, root: str) -> bool:
    """Tell whether a folder lies outside the worktree; one that is not known is left to git."""
    from ultra_runtime.guard.realpath import inside, real_path
    from ultra_runtime.guard.shell.marks import HOME, known

    if not known(folder):
        return False
    if folder.startswith(HOME):
        folder = home_folder() + folder[len(HOME) :]
    real = real_path(os.path.join(cwd, folder))
    return real is None or not inside(real, root)


def _shown(path: str) -> str:
    from ultra_runtime.guard.shell.marks import show

    return show(path)


def judge_path(path: str, cwd: str, site: Site | None) -> Verdict:
    """Return what is to be said of a path that is to be written."""
    return _judge(path, place_of(cwd, site), _own_files(cwd, site))


def _judge(path: str, place: PathContext, own: OwnFiles | None) -> Verdict:
    from ultra_runtime.guard.paths import path_verdict

    return (own.verdict(path) if own else None) or path_verdict(path, place, load_policy())


def _own_files(cwd: str, site: Site | None) -> OwnFiles | None:
    if site is None:
        return None
    from ultra_runtime.guard.own_files import OwnFiles

    return OwnFiles(site, cwd, home_folder())


def home_folder() -> str:
    """Return the home of the user, without the password database where the environment names it."""
    return os.environ.get("HOME") or os.path.expanduser("~")


def place_of(cwd: str, site: Site | None) -> PathContext:
    """Return what the path policy has to know; outside a run the repository is no boundary."""
    from ultra_runtime.guard.paths import PathContext
    from ultra_runtime.guard.site import trees

    root = site.root if site else next(trees(cwd), (cwd, ""))[0]
    return PathContext(cwd, root, home_folder(), site is not None, (), _hook_files(root))


def _hook_files(root: str) -> tuple[str, ...]:
    """Return what runs by itself in this session: our own hooks, and the files that settings in force name."""
    from ultra_runtime.files.regular_file import UnreadableError, read_regular
    from ultra_runtime.rendered import BUNDLE
    from ultra_runtime.text.jsontext import JsonError, read_object

    found = [os.path.join(BUNDLE, "hooks"), os.path.join(BUNDLE, "runtime")]
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home_folder(), ".claude")
    for folder in (config, os.path.join(root, ".claude")):
        for name in ("settings.json", "settings.local.json"):
            try:
                settings = read_object(read_regular(os.path.join(folder, name))).values
            except (UnreadableError, JsonError):
                continue
            if settings.get("hooks"):
                from ultra_runtime.guard.hookfiles import named_files

                found += named_files(settings, {"CLAUDE_PROJECT_DIR": root})
    return tuple(found)
