"""The state of the shell while its text is followed: variables, functions, files, directory."""

from __future__ import annotations

from ultra_runtime.guard.shell.marks import HOME, UNKNOWN, collapsed
from ultra_runtime.guard.shell.syntax import Script, TooMuch
from ultra_runtime.typed import Any, Union

TYPE_CHECKING = False
if TYPE_CHECKING:
    Value = Union[str, list[str]]

MAX_VALUE = 64 * 1024
MAX_PATH = 4096
MAX_OTHERS = 6
MAX_ITEMS = 1000  # of an array whose elements are set one by one
DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/")
_MISSING = object()

# The variables of a fresh shell.  All others have unknown values.
_INITIAL: dict[str, str] = {
    "IFS": " \t\n",
    "HOME": HOME,
    "PWD": ".",
    "SHELL": "/bin/bash",
    "BASH": "/bin/bash",
    "HISTFILE": HOME + "/.bash_history",
    "PAGER": "less",
    "EDITOR": "vi",
    "VISUAL": "vi",
}


class Work:
    """Counts the work of the guard, so that no text can cost too much."""

    __slots__ = ("limit", "spent")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0

    def spend(self, amount: int) -> None:
        """Count some work, and stop at the limit."""
        self.spent += amount
        if self.spent > self.limit:
            raise TooMuch("too much to follow")

    def plenty(self, amount: int = 0) -> bool:
        """Tell whether there is enough left for optional work."""
        return (self.spent + amount) * 4 < self.limit


class Shell:
    """Everything that a command can change for later commands."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.variables: dict[str, Value] = dict(_INITIAL)
        self.functions: dict[str, Script] = {}
        self.aliases: dict[str, str] = {}
        self.references: dict[str, str] = {}
        self.others: dict[str, list[Any]] = {}  # what a variable may be as well, by branches not taken
        self.git: dict[str, str] = {}  # settings of git that the text made: what it runs
        self.branches = 0  # how many of the branches that are followed may not be taken
        self.files: dict[str, str] = {}  # what the text itself wrote, by path
        self.streams: dict[str, str] = {}  # what can be read from a file descriptor
        self.place: dict[str, str] = {"cwd": "", "zero": "bash"}
        self.arguments: dict[str, list[str] | None] = {"@": []}
        self._changes: list[tuple[dict[str, Any], str, object]] = []
        self._levels = 0

    @property
    def cwd(self) -> str:
        """The current directory, relative to where the text started."""
        return self.place["cwd"]

    def put(self, table: dict[str, Any], name: str, value: object) -> None:
        """Set a value, and record how to undo that at the end of a subshell."""
        if self._levels:
            self._changes.append((table, name, table.get(name, _MISSING)))
        table[name] = value

    def drop(self, table: dict[str, Any], name: str) -> None:
        """Remove a value in the same way."""
        if name in table:
            if self._levels:
                self._changes.append((table, name, table[name]))
            del table[name]

    def enter(self) -> int:
        """Start a subshell: leave() undoes what is set from here on."""
        self._levels += 1
        return len(self._changes)

    def leave(self, mark: int) -> None:
        """End a subshell."""
        self._levels -= 1
        while len(self._changes) > mark:
            table, name, old = self._changes.pop()
            if old is _MISSING:
                table.pop(name, None)
            else:
                table[name] = old

    def get(self, name: str) -> Value | None:
        """Return the value of a variable, or None when it is not known."""
        for _ in range(8):
            if name not in self.references:
                break
            name = self.references[name]
        value = self.variables.get(name)
        if value is None and "SUDO" in name:  # `$SUDO rm -rf x`: nothing, or a wrapper
            return ""
        return value

    def set(self, name: str, value: Value, append: bool = False) -> None:
        """Set a variable; a value that grows without end is not followed."""
        name = self.references.get(name, name)
        if "[" in name:
            name, _, index = name.partition("[")
            self._set_element(name, index.rstrip("]"), value if isinstance(value, str) else " ".join(value))
            return
        if append:
            old = self.get(name)
            if isinstance(value, list):
                value = (old if isinstance(old, list) else [old] if old else []) + value
            elif isinstance(old, list):
                value = [(old[0] if old else "") + value, *old[1:]]
            else:
                value = (UNKNOWN if old is None else old) + value
        size = len(value) if isinstance(value, str) else sum(len(item) + 1 for item in value)
        self.work.spend(size)
        self._keep_others(name, value)
        self.put(self.variables, name, UNKNOWN if size > MAX_VALUE else value)

    def _keep_others(self, name: str, value: Value) -> None:
        """In a branch that may not be taken the old value stays possible; elsewhere the new one is the only one."""
        if not self.branches:
            if name in self.others:
                self.drop(self.others, name)
            return
        old = self.variables.get(name)
        if old and old != value and old not in self.others.get(name, ()):
            self.put(self.others, name, [*self.others.get(name, ()), old][-MAX_OTHERS:])

    def set_arguments(self, words: list[str]) -> None:
        """Set the positional parameters."""
        old = self.arguments["@"]
        if self.branches and old:
            self.put(self.others, "@", [*self.others.get("@", ()), old][-MAX_OTHERS:])
        elif not self.branches:
            self.drop(self.others, "@")
        self.put(self.arguments, "@", words)

    def _set_element(self, name: str, index: str, value: str) -> None:
        """Set one element of an array; with a key that is not a number, it may be any element."""
        old = self.variables.get(name)
        items = list(old) if isinstance(old, list) else [old] if old else []
        at = int(index) if index.removeprefix("-").isdecimal() and len(index) < 5 else MAX_ITEMS
        at = at + len(items) if at < 0 else at
        if not 0 <= at < MAX_ITEMS:
            self.put(self.variables, name, [UNKNOWN])
            return
        while len(items) <= at:
            items.append("")
        items[at] = value
        self.work.spend(len(items))
        self.put(self.variables, name, items)

    def path(self, name: str) -> str:
        """Return a path relative to where the text started."""
        name = name[2:] if name.startswith("./") else name
        self.work.spend((len(self.cwd) + len(name)) // 16)
        if not self.cwd or name.startswith(("/", HOME)) or not name:
            return name
        return self.cwd + "/" + name

    def content(self, name: str) -> str | None:
        """Return what the text wrote to a file or a descriptor, or None."""
        for folder in DESCRIPTORS:
            if name.startswith(folder) and name[len(folder) :] in self.streams:
                return self.streams[name[len(folder) :]]
        return self.files.get(collapsed(self.path(name)))

    def program(self, name: str, stdin: str) -> str | None:
        """Return what is in a file that is about to be run, when the text itself wrote it."""
        if name in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"):
            return stdin
        return self.content(name)

    def write(self, name: str, content: str, append: bool = False) -> None:
        """Record what the text wrote to a file."""
        key = collapsed(self.path(name))
        old = self.files.get(key, "") if append else ""
        self.work.spend(len(old) // 64 + len(content))  # the old content is only copied
        self.files[key] = (old + content)[:MAX_VALUE]  # a file remains after the subshell that wrote it

    def chdir(self, target: str) -> None:
        """Follow a cd."""
        if target.startswith(("/", HOME)) or UNKNOWN in target:
            self.put(self.place, "cwd", target)
        elif target not in (".", ""):
            path = collapsed(self.path(target))  # bash goes back the way it came, links or not
            self.put(self.place, "cwd", path if len(path) < MAX_PATH else UNKNOWN)
