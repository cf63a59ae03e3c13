"""Rules on git: pushing by force, and resetting hard."""

from __future__ import annotations

from ultra_runtime.guard.shell.calls import Call, is_opaque, options
from ultra_runtime.guard.shell.marks import known
from ultra_runtime.rendered import launcher
from ultra_runtime.struct import EMPTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ultra_runtime.guard.policy import Policy

NEEDS = {
    "force_push": ("*push*", "-c*"),
    "hard_reset": ("*reset*", "-c*"),
    "run_refs": ("*refs/*", "*--stdin*", "update-ref", "symbolic-ref", "fast-import"),
}

_VALUES = frozenset(
    (
        "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env",
        "--attr-source", "--exec-path",
    )
)  # fmt: skip

_PROGRAMS = frozenset(
    (
        "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "sequence.editor", "diff.external",
        "credential.helper",
    )
)  # fmt: skip
# Options whose value git runs, by subcommand: letters, long names.
_RUNS = {
    "archive": ("", "exec"),
    "clone": ("u", "upload-pack"),
    "difftool": ("x", "extcmd"),
    "fetch": ("", "upload-pack"),
    "grep": ("O", "open-files-in-pager"),
    "ls-remote": ("", "upload-pack exec"),
    "pull": ("", "upload-pack"),
    "push": ("", "receive-pack exec"),
    "send-email": ("", "sendmail-cmd to-cmd cc-cmd"),
}


class GitCall:
    """The parts of a git command: where it works, its aliases, its subcommand."""

    __slots__ = ("aliases", "args", "directories", "programs", "verb")

    def __init__(self, name: str, args: list[str], settings: Mapping[str, str] = EMPTY) -> None:
        self.aliases: dict[str, str] = {}
        self.directories: list[str] = []
        self.programs: list[str] = []  # what `git -c` lets git run
        self.verb = ""
        if name.startswith("git-") and len(name) > 4:
            self.verb, self.args = name[4:], args
            return
        for key, text in settings.items():
            self._configure(f"{key}={text}")
        at = 0
        while at < len(args):
            option, value, used = _global_option(args, at)
            if not option:
                self.verb = args[at]
                at += 1
                break
            at += used
            if option == "-c":
                self._configure(value)
            elif option in ("-C", "--git-dir", "--work-tree") and value:
                self.directories.append(value)
        self.args = args[at:]

    def _configure(self, setting: str) -> None:
        """Record a setting that names something to run."""
        key, _, text = setting.partition("=")
        if key.startswith("alias."):
            self.aliases[key[6:]] = text
        elif key.lower() in _PROGRAMS:
            self.programs.append(text.lstrip("!"))

    def configured(self) -> dict[str, str]:
        """Return what `git config` sets to something that git runs later."""
        found = options(self.args, "f", "file type default").operands
        if self.verb != "config" or len(found) < 2:
            return {}
        key, text = found[-2:]
        return {key: text} if key.startswith("alias.") or key.lower() in _PROGRAMS else {}

    def texts(self) -> list[str]:
        """Return the shell texts that git would run."""
        out = list(self.programs) if self.verb != "config" else []
        alias = self.aliases.get(self.verb, "")
        if alias.startswith("!"):
            out.append(alias[1:])
        if self.verb == "submodule" and "foreach" in self.args:
            rest = self.args[self.args.index("foreach") + 1 :]
            out.append(" ".join(arg for arg in rest if arg not in ("--recursive", "--quiet", "-q")))
        elif self.verb in ("rebase", "filter-branch"):
            for at, arg in enumerate(self.args):
                option, equals, value = arg.partition("=")
                if option in ("-x", "--exec") or option.endswith("-filter"):
                    out.append(value if equals else "".join(self.args[at + 1 : at + 2]))
        else:
            short, long = _RUNS.get(self.verb, ("", ""))
            out += [
                text
                for name, text in options(self.args, short, long).values
                if name in (*short, *long.split())
            ]
        out += [arg[5:].replace("% ", " ") for arg in self.args if arg.startswith("ext::")]
        return out

    def resolved(self) -> tuple[str, list[str]]:
        """Return the subcommand and its arguments behind an alias that git itself defines here."""
        text = self.aliases.get(self.verb, "")
        if text and not text.startswith("!"):
            words = text.split()
            return words[0], words[1:] + self.args
        return self.verb, self.args


def _global_option(args: list[str], at: int) -> tuple[str, str, int]:
    """Read one option in front of the subcommand: its name, its value, how many words it takes."""
    arg = args[at]
    if arg[:1] != "-" or arg == "--":
        return "", "", 0
    if arg in _VALUES and arg != "--exec-path":
        return arg, "".join(args[at + 1 : at + 2]), 2
    if arg[:2] in ("-C", "-c") and len(arg) > 2:
        return arg[:2], arg[2:], 1
    name, _, value = arg.partition("=")
    return name, value, 1


def force_push(call: Call, policy: Policy) -> bool:
    """Match a forced git push, by option or by refspec."""
    verb, args = GitCall(call.name, call.args).resolved()
    if verb != "push":
        return False
    found = options(args, "o", "repo push-option receive-pack exec recurse-submodules")
    if found.has("force", "f"):
        return True
    return not call.guess and any(item.startswith("+") or ":+" in item for item in found.operands)


def hard_reset(call: Call, policy: Policy) -> bool:
    """Match git reset --hard."""
    verb, args = GitCall(call.name, call.args).resolved()
    if verb != "reset" and not (is_opaque(verb) and not call.guess):
        return False
    return any(
        arg in ("--hard", "--har", "--ha") for arg in (args[: args.index("--")] if "--" in args else args)
    )


def run_refs(call: Call, policy: Policy) -> bool:
    """Match git when it writes a ref of a run, or refs that are unknown."""
    verb, args = GitCall(call.name, call.args).resolved()
    if verb == "fast-import" or (verb == "update-ref" and "--stdin" in args):
        return _run_refs() in call.stdin or not call.stdin or not known(call.stdin)
    if verb in ("update-ref", "symbolic-ref"):
        return any(_run_refs() in arg or not known(arg) for arg in _changed(args))
    return verb in ("fetch", "pull", "push") and any(_writes_run_refs(arg) for arg in args)


def _run_refs() -> str:
    """Return the prefix of the refs of runs."""
    return f"refs/{launcher()}"


def _changed(args: list[str]) -> list[str]:
    """Return the arguments that may name the ref that is changed: the first without a dash."""
    return options(args, "m").operands[:1]


def _writes_run_refs(refspec: str) -> bool:
    """Tell whether the target of a refspec is, or includes, a ref of a run."""
    target = refspec.partition(":")[2]
    before, star, _ = target.partition("*")
    return target.startswith(_run_refs()) or (star != "" and _run_refs().startswith(before))
