"""Follow one command whose arguments are known: rules, then what it runs, then what it prints.

Modules are loaded on first use: most commands need few of them.
"""

from __future__ import annotations

from ultra_runtime.guard.follow.ask import ask_rules, family, logic
from ultra_runtime.guard.follow.kinds import (
    BUILTINS,
    CHANGERS,
    HOSTS,
    LAUNCHERS,
    POWERSHELLS,
    PRINTERS,
    SHELLS,
    SILENT,
    STARTS,
    VERIFIERS,
    WRITERS,
    language,
)
from ultra_runtime.guard.follow.wrappers import PLAIN, SCANNED, TEXT_OPERANDS, TEXT_OPTIONS
from ultra_runtime.guard.shell.calls import HELP, REMOVE, Call, Write, is_opaque, options
from ultra_runtime.guard.shell.marks import (
    DECODED,
    FETCHED,
    MAX_NAME,
    TAINTS,
    UNKNOWN,
    base_name,
    known,
    may_be,
    pieces,
    taint,
)
from ultra_runtime.typed import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower
    from ultra_runtime.guard.policy import Policy
    from ultra_runtime.guard.rules.git_use import GitCall

    Handler = Callable[[Follower, Call], str]

_MARKS = {"fetched": FETCHED, "decoded": DECODED}
_GLOB = frozenset("*?[")
MAX_FOLDERS = 8
_GIT_PLACES = ("GIT_DIR", "GIT_WORK_TREE")
# What changes the files or the history of the tree in which git works.
CHANGES_TREE = frozenset((
    "add", "am", "apply", "checkout", "cherry-pick", "clean", "commit", "merge", "pull", "rebase", "reset", "restore",
    "revert", "stash", "switch",
))  # fmt: skip
# What an unknown name may be: commands that their arguments alone identify.
_GUESSES = ("rm", "chmod", "git", "dd", "kill")


def execute(follower: Follower, args: list[str], stdin: str, expands: bool) -> str:
    """Follow a command; return what it prints."""
    follower.work.spend(8 + len(args))
    name = args[0]
    shell = follower.shell
    if name[:1] in TAINTS:
        follower.foreign(name[0])
    if name in shell.functions:
        return follower.call_function(name, args[1:], stdin)
    if name in shell.aliases:
        return _alias(follower, name, args, stdin)
    if name in follower.ordinary:
        return taint(stdin) or UNKNOWN
    base = base_name(name)
    if base.endswith(".exe"):
        base = base[:-4]
    call = Call(base, args[1:], stdin, shell, expands)
    call.alone = follower.is_alone()
    if not known(base) or (len(base) > 1 and _GLOB.intersection(base)):
        return _unknown_name(follower, call)
    if call.args not in HELP:
        ask_rules(follower, call)
    return _effect(follower, call, name)


def _unknown_name(follower: Follower, call: Call) -> str:
    """Follow a command whose name is unknown, wholly or in part; return what it prints.

    A rule matches only when the known words already fit the rest of it.
    """
    follower.work.spend(40)
    if follower.policy is not None:
        for name in _candidates(call.name, follower.policy):
            ask_rules(follower, Call(name, call.args, call.stdin, call.shell, call.expands, True))
    if taint(call.stdin) and all(arg in ("-", "-s") for arg in call.args):
        follower.foreign(call.stdin)
    if call.args[:1] in (["-c"], ["-lc"], ["-ec"]) and len(call.args) > 1:
        return follower.scoped(call.args[1], call.stdin, False)
    return _behind(follower, call)


def _candidates(name: str, policy: Policy) -> list[str]:
    """Return the commands that the name could be."""
    if len(name) > MAX_NAME:
        return []
    names = [guess for guess in _GUESSES if may_be(name, guess)]
    if is_opaque(name) or name[0] in "*?[":
        return names
    letters = sum(map(len, pieces(name)))
    return names + [
        other
        for other in policy.commands
        if other[0:1] == name[0]
        and letters * 5 >= len(other) * 3
        and other not in names
        and may_be(name, other)
    ]


def _behind(follower: Follower, call: Call) -> str:
    """Follow the words after an unknown name, which may be a wrapper: `$SUDO_CMD rm -rf x`."""
    policy = follower.policy
    rest = call.args
    if policy is not None and len(rest) > 1 and known(rest[0]) and "--cached" not in rest:
        base = base_name(rest[0])
        if (
            base in SHELLS
            or base in policy.listed
            or any(not use.endswith(".adds_package") for _, use in policy.commands.get(base, ()))
        ):
            return follower.perhaps(rest, call.stdin)
    return taint(call.stdin) or UNKNOWN


def _effect(follower: Follower, call: Call, name: str) -> str:
    """Follow what a command does to the shell, or what it runs; return what it prints."""
    base = call.name
    for variable in STARTS.get(base, ()):
        _start_up(follower, variable)
    if base in BUILTINS and "/" not in name:
        from ultra_runtime.guard.follow import builtin

        handler: Handler = getattr(builtin, BUILTINS[base])
        return handler(follower, call)
    if base in SHELLS or base in POWERSHELLS or base in LAUNCHERS or base in PLAIN:
        return _launched(follower, call)
    if base in HOSTS:
        from ultra_runtime.guard.follow import hosts

        host: Callable[[Follower, Call], None] = getattr(hosts, HOSTS[base])
        host(follower, call)
    tongue = language(base)
    if tongue:
        from ultra_runtime.guard.follow.interpret import run_language

        out = run_language(follower, call, tongue)
        return _printed(call) if tongue == "awk" else out
    if base == "git" or base.startswith("git-"):
        return _git(follower, call)
    if base in TEXT_OPTIONS or base in TEXT_OPERANDS or base in SCANNED:
        from ultra_runtime.guard.follow import launch

        launch.run_texts(follower, call)
        if base in SCANNED:
            return launch.run_scanned(follower, call)
    content = _written_program(follower, name)
    if content is not None:
        return follower.scoped(content, call.stdin, False, name, call.args)
    if "/" not in name and _is_ordinary(follower, base):
        follower.ordinary.add(name)
    return _output(follower, call)


def _written_program(follower: Follower, name: str) -> str | None:
    """Return the text of a program that the text itself has written, by its path or in a folder of PATH."""
    shell = follower.shell
    if not shell.files or not known(name):
        return None
    if "/" in name:
        return shell.content(name)
    folders = shell.variables.get("PATH")
    for folder in folders.split(":")[:MAX_FOLDERS] if isinstance(folders, str) else ():
        content = shell.content(f"{folder}/{name}") if known(folder) else None
        if content is not None:
            return content
    return None


def _start_up(follower: Follower, variable: str) -> None:
    """Follow the command that a variable names, if the text has set it."""
    value = follower.shell.variables.get(variable)
    if isinstance(value, str) and value not in ("", "less", "vi"):
        follower.scoped(value.lstrip("|"), "", False)


def _launched(follower: Follower, call: Call) -> str:
    """Follow a command that runs another one."""
    from ultra_runtime.guard.follow import launch

    if call.name in SHELLS:
        return launch.run_shell(follower, call)
    if call.name in LAUNCHERS:
        handler: Handler = getattr(launch, LAUNCHERS[call.name])
        return handler(follower, call)
    if call.name in PLAIN:
        return launch.run_wrapped(follower, call)
    return launch.run_powershell(follower, call)


def _is_ordinary(follower: Follower, base: str) -> bool:
    """Tell whether no table lists the command, so that it need not be checked again."""
    policy = follower.policy
    if (
        policy is None
        or base in WRITERS
        or base in HOSTS
        or base in STARTS
        or base in CHANGERS
        or base in PRINTERS
        or base in SILENT
        or base in VERIFIERS
    ):
        return False
    return not (
        base in policy.commands
        or base in policy.sources
        or base in policy.listed
        or family(base, policy) != base
    )


def _output(follower: Follower, call: Call) -> str:
    """Return what a command prints; foreign text is marked."""
    policy = follower.policy
    shell = follower.shell
    if policy is not None and call.name in policy.sources:
        from ultra_runtime.guard.follow.writes import saved

        for kind, use in policy.sources[call.name]:
            if logic(use)(call):
                mark = _MARKS[kind] + taint(call.stdin)
                for path in saved(call):
                    shell.write(path, mark)
                return mark
    if call.name in VERIFIERS:
        from ultra_runtime.guard.follow.outputs import verified

        if verified(call):  # text that was compared with a digest is no longer foreign
            for path in [path for path, content in shell.files.items() if content[:1] in TAINTS]:
                del shell.files[path]
            return ""
    return _printed(call)


def _printed(call: Call) -> str:
    """Return what a command prints that is not a source of foreign text."""
    if call.name not in PRINTERS:
        return "" if call.name in SILENT else taint(call.stdin) or UNKNOWN
    from ultra_runtime.guard.follow.outputs import printed

    return printed(call)


def _alias(follower: Follower, name: str, args: list[str], stdin: str) -> str:
    """Follow an alias that the text defined."""
    text = follower.shell.aliases[name]
    mark = follower.shell.enter()
    follower.shell.drop(follower.shell.aliases, name)  # an alias is not expanded inside itself
    rest = " ".join("'" + arg.replace("'", "'\\''") + "'" for arg in args[1:])
    out = follower.nested(text + " " + rest, stdin, False)
    follower.shell.leave(mark)
    return out


def _git(follower: Follower, call: Call) -> str:
    """Follow the commands that git itself runs."""
    from ultra_runtime.guard.rules.git_use import GitCall

    shell = follower.shell
    git = GitCall(call.name, call.args, shell.git)
    for key, text in git.configured().items():
        shell.put(shell.git, key, text)
    told = [value for name in _GIT_PLACES if isinstance(value := shell.variables.get(name), str)]
    places = [shell.path(path) for path in told + git.directories]
    follower.git_directories += places or [shell.cwd or "."]
    _git_changes(follower, git, [*told, *git.directories])
    for text in git.texts():
        follower.nested(text, call.stdin, False)
    if git.verb == "bisect" and git.args[:1] == ["run"] and len(git.args) > 1:
        follower.execute(git.args[1:], "")
    return taint(call.stdin) or UNKNOWN


def _git_changes(follower: Follower, git: GitCall, places: list[str]) -> None:
    """Record the files that git removes, moves or replaces; if it names none, the trees in which it works."""
    base = f"{git.directories[0]}/" if git.directories else ""
    how = REMOVE if git.verb in ("rm", "mv") else "replace"
    files = _git_files(git)
    for path in files:
        name = _without_magic(path)
        follower.wrote(Write(name if name.startswith("/") else base + name, how, "git"))
    if not files and git.verb in CHANGES_TREE:
        for place in places or ["."] * bool(follower.shell.cwd):
            if not place.rstrip("/").endswith(".git"):
                follower.wrote(Write(place, "replace", "git"))


def _without_magic(path: str) -> str:
    """Return a path of git without the words in front that say how to read it, such as `:(top)`."""
    _, found, rest = path.partition(")") if path.startswith(":(") else ("", "", "")
    return rest if found else path


def _git_files(git: GitCall) -> list[str]:
    """Return the files that a git command names in order to change them in the tree."""
    if git.verb in ("rm", "mv"):
        found = options(git.args)
        return [] if found.has("cached") else found.operands
    if git.verb == "restore":
        found = options(git.args, "s", "source conflict")
        return found.operands if found.has("W", "worktree") or not found.has("S", "staged") else []
    if git.verb == "checkout" and "--" in git.args:
        return git.args[git.args.index("--") + 1 :]
    if git.verb == "config":
        found = options(git.args, "f", "file type default")
        sets = len(found.operands) > 1 or found.has(
            "unset", "unset-all", "remove-section", "rename-section", "e", "edit"
        )
        name = found.value("f", "file")
        return [name] if name and sets else []
    return []
