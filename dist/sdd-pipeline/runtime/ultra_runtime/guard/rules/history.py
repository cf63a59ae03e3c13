"""Rules on the history of the shell: clearing it, cutting it short, or not keeping it."""

from __future__ import annotations

from ultra_runtime.guard.shell.calls import Call, Write, options
from ultra_runtime.guard.shell.marks import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Policy

NEEDS = {
    "history_assign": ("*hist*",),
    "history_file": ("*hist*",),
    "history_unset": ("*hist*",),
    "history_write": ("*hist*",),
}

FILES = frozenset(
    (
        ".bash_history", ".zsh_history", ".zhistory", ".sh_history", ".ksh_history", ".mksh_history", ".ash_history",
        ".dash_history", ".history", ".histfile", ".tcsh_history", ".csh_history", "fish_history",
        "ConsoleHost_history.txt",
    )
)  # fmt: skip
_KEPT = frozenset(("HISTFILE", "HISTSIZE", "HISTFILESIZE", "SAVEHIST"))


def _is_history(path: str) -> bool:
    return base_name(path) in FILES


def history_command(call: Call, policy: Policy) -> bool:
    """Match `history -c`, `history -d` and what other shells call it."""
    for arg in call.args:
        if arg == "--":
            break
        if arg[:1] == "-" and arg[:2] != "--" and ("c" in arg or "d" in arg):
            return True
    return (
        call.args[:1] in (["clear"], ["delete"], ["clear-session"])
        or "--delete" in call.args
        or "--clear" in call.args
    )


def history_file(call: Call, policy: Policy) -> bool:
    """Match a command that removes a history file."""
    operands = options(call.args, "nsr", "iterations size reference").operands
    if call.name == "mv":
        operands = operands[:-1]
    return any(_is_history(path) for path in operands)


def history_write(write: Write) -> bool:
    """Match a write that replaces a history file, or puts a link in its place."""
    if write.how == "append":
        return False
    return _is_history(write.path) or any(name in FILES for name in write.names if write.how == "link")


def history_unset(call: Call, policy: Policy) -> bool:
    """Match `unset HISTFILE` and `set +o history`."""
    if call.name == "shopt":
        letters = "".join(arg for arg in call.args if arg[:1] == "-")
        return "history" in call.args and "u" in letters and "o" in letters
    if call.name == "set":
        return any(a == "+o" and b == "history" for a, b in zip(call.args, call.args[1:]))
    return any(arg in _KEPT for arg in call.args)


def history_assign(name: str, value: str) -> bool:
    """Match `HISTFILE=/dev/null`, `HISTSIZE=0` and their like."""
    if name == "HISTFILE":
        return value in ("", "/dev/null")
    if name == "HISTIGNORE":
        return value == "*"
    return name in _KEPT and value in ("0", "")
