"""The environment of a run: what its commands get, and whether a call has that of the start."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.variables import replace_paths
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.process import MARK
from ultra_runtime.files.run_files import ENVIRONMENTS
from ultra_runtime.guard.realpath import inside
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.owner import SESSION_VARIABLE
from ultra_runtime.tables.environment import DROPPED, UNLESS, VARYING
from ultra_runtime.words import listed, one_line, shell_word, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.tree.workspace import Workspace

OURS = (MARK, SESSION_VARIABLE)
MOST_NAMED = 8
PINNED = "pinned"
LOST = "the record of the variables that the run was started with is lost or changed"
NOT_PLAIN, BACKSLASHED = r"[^\w/.,:+@%-]", r"\\\g<0>"
LINKED = r"(?<![\w./~}-])(~|\$HOME\b|\$\{HOME\})?((?:/[\w.,+@%-]+)+)"
"""A path in a command that may lead to the tree by a link."""
IMPORTS = ("PATH", "LIB")
"""How the names of variables end that say where code is imported from, such as PYTHONPATH and PERL5LIB."""


def is_dropped(name: str) -> bool:
    """Tell whether a plan's commands do not get a variable."""
    return _fits(name, DROPPED) and not _fits(name, UNLESS)


def is_varying(name: str) -> bool:
    """Tell whether a variable may differ from call to call."""
    return name in OURS or _fits(name, VARYING)


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(name.startswith(one[:-1]) if one[-1] == "*" else name == one for one in patterns)


def command_environment(root: str) -> dict[str, str]:
    """Return the environment of a plan's command that runs in a folder."""
    env = {name: value for name, value in os.environ.items() if not is_dropped(name) and name != "OLDPWD"}
    return {**env, "PWD": root}


def environment_in_copy(root: str, copy: str) -> dict[str, str]:
    """Return the environment of a plan's command in a copy: a path into the user's tree leads to the copy instead.

    A program that only the user's tree has is still found, and so is any other file, unless code is imported from it.
    """
    env = command_environment(copy)
    return {name: value if name == "PWD" else _led(name, value, root, copy) for name, value in env.items()}


def _led(name: str, value: str, root: str, copy: str) -> str:
    imports = name != "PATH" and name.endswith(IMPORTS)

    def lead(path: str) -> str:
        there = copy + path[len(root) :]
        return there if imports or os.path.lexists(there) else path

    return replace_paths(value, root, lead)


def command_in_copy(command: str, root: str, copy: str) -> str:
    """Return a plan's command for a copy: where it names the user's tree by its full path, it means the copy."""
    import re

    if root == os.sep:
        return command
    home = os.environ.get("HOME") or ""
    names = [_spelled(root)]
    if home != "/" and root.startswith(home + os.sep):
        names.append(r"(?:~|\$HOME\b|\$\{HOME\})" + _spelled(root[len(home) :]))
    named = f"(?<![\\w./~}}-])(?:{'|'.join(names)})(?![\\w.\\\\-])"
    command = re.sub(named, lambda found: _quoted(copy, _quote_at(command, found.start())), command)

    def lead(found: re.Match[str]) -> str:
        parts = found.group(2).split("/")
        for count in range(2, len(parts) + 1):
            real = os.path.realpath((home if found.group(1) else "") + "/".join(parts[:count]))
            if inside(real, root):
                there = _quoted(copy + real[len(root) :], _quote_at(command, found.start()))
                return "/".join([there, *parts[count:]])
        return found.group()

    return re.sub(LINKED, lead, command)


def _spelled(path: str) -> str:
    """Return a pattern for a path as it is, and with a backslash before each sign that means something to a shell."""
    import re

    return f"(?:{re.escape(path)}|{re.escape(re.sub(NOT_PLAIN, BACKSLASHED, path))})"


def _quote_at(command: str, end: int) -> str:
    """Return the quote that is open at a place of a command; empty if none is."""
    quote, is_escaped = "", False
    for sign in command[:end]:
        if is_escaped:
            is_escaped = False
        elif sign == "\\" and quote != "'":
            is_escaped = True
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in ("'", '"'):
            quote = sign
    return quote


def _quoted(path: str, quote: str) -> str:
    """Return a path for a place of a command where a quote is open, or none."""
    if quote == "'":
        return path.replace("'", "'\\''")
    if quote:
        return "".join(f"\\{sign}" if sign in '\\"$`' else sign for sign in path)
    return shell_word(path)


def dropped_note() -> str:
    """Return which variables of this call the plan's commands do not get; empty when they get all."""
    names = sorted(name for name in os.environ if is_dropped(name))
    return f"the plan's commands run without {_named(names)}" if names else ""


def pin() -> dict[str, str]:
    """Return the variables that must stay the same, each with a digest of its value."""
    return {name: _digest(name, value) for name, value in sorted(os.environ.items()) if not is_varying(name)}


def write_pinned(workspace: Workspace, place: RunPlace) -> None:
    """Pin the run to the variables of this call."""
    workspace.write_sealed({PINNED: pin()}, ENVIRONMENTS, f"{place.slug}.json")


def refuse_other_environment(workspace: Workspace, place: RunPlace) -> None:
    """Refuse a call whose environment is not that of the start."""
    anew = f"`{verb('run abort')}`, then `{place.call} --mode resume`"
    if is_lost(workspace, place):
        raise RefusedError(LOST, f"the run can continue with the current variables: {anew}")
    names = _differing(workspace, place)
    if names:
        error = f"this call has other variables than the run was started with: {_named(names)}"
        hint = f"call the verb by itself, with the variables of the start; if they changed for good, {anew}"
        raise RefusedError(error, hint)


def is_lost(workspace: Workspace, place: RunPlace) -> bool:
    """Tell whether the record of the variables is missing, or somebody else wrote it."""
    return not _pinned(workspace, place)


def other_variables(workspace: Workspace, place: RunPlace) -> str:
    """Return which variables differ from those of the start; empty when none do or when that is unknown."""
    names = [] if is_lost(workspace, place) else _differing(workspace, place)
    return _named(names) if names else ""


def _pinned(workspace: Workspace, place: RunPlace) -> dict[str, str]:
    kept: dict[str, str] = workspace.read_sealed(ENVIRONMENTS, f"{place.slug}.json").get(PINNED) or {}
    return kept


def _differing(workspace: Workspace, place: RunPlace) -> list[str]:
    """Return the names of the variables that this call has added, removed or changed."""
    here, pinned = pin(), _pinned(workspace, place)
    return sorted(name for name in {*here, *pinned} if here.get(name) != pinned.get(name))


def _digest(name: str, value: str) -> str:
    if name == "PATH":  # a folder named again finds nothing new
        value = os.pathsep.join(dict.fromkeys(value.split(os.pathsep)))
    return sha256(os.fsencode(f"{name}={value}"))[:16]


def _named(names: list[str]) -> str:
    return listed(shortened((one_line(name, 60) for name in names), MOST_NAMED))
