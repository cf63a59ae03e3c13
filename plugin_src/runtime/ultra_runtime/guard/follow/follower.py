"""Follow a script as the shell would, without running anything.

Every branch, every loop body and every function body is followed.  What a command prints
is followed into pipes, substitutions, files and variables as far as it is known; the rest
is marked as unknown.
"""

from __future__ import annotations

from ultra_runtime.guard.follow import expand
from ultra_runtime.guard.follow.ask import logic
from ultra_runtime.guard.follow.execute import execute
from ultra_runtime.guard.follow.kinds import BUILTINS, TOOLS
from ultra_runtime.guard.follow.redirect import redirect, send
from ultra_runtime.guard.policy import Blocked, Policy
from ultra_runtime.guard.shell.calls import MODE, REMOVE, Write
from ultra_runtime.guard.shell.marks import DECODED, FETCHED, MAX_MADE, UNKNOWN
from ultra_runtime.guard.shell.reader import read
from ultra_runtime.guard.shell.shell_state import MAX_OTHERS, Shell, Work
from ultra_runtime.guard.shell.syntax import (
    Compound,
    Pipeline,
    Script,
    ShellAssignment,
    SimpleCommand,
    TooMuch,
    Word,
)

MAX_LEVEL = 32
WORK_BASE = 400_000
WORK_PER_CHARACTER = 12
NESTED_WORK = 300  # the cost of starting on a nested text
_DECLARES = ("declare", "export", "local", "readonly", "typeset")


class Ran:
    """A command that runs: its words, the folder relative to where the text starts, and its input."""

    __slots__ = ("args", "cwd", "stdin")

    def __init__(self, args: list[str], cwd: str, stdin: str) -> None:
        self.args = args
        self.cwd = cwd
        self.stdin = stdin


class Follower:
    """One walk through a text, with the state of its shell and what was found."""

    def __init__(self, policy: Policy | None, size: int) -> None:
        self.policy = policy
        self.work = Work(WORK_BASE + WORK_PER_CHARACTER * size)
        self.shell = Shell(self.work)
        self.warning: tuple[str, str] | None = None
        self.writes: list[Write] = []
        self.ran: list[Ran] | None = None  # each command, where somebody asks
        self.git_directories: list[str] = []
        self.calling: list[str] = []
        self.ordinary: set[str] = set()  # commands that no table lists
        self.locals: list[tuple[str, object]] = []
        self.late: list[tuple[str, Script | None]] = []  # texts of traps, and functions by name and body
        self._called: set[int] = set()  # the bodies of functions that have been followed
        self.unrecorded = 0  # what runs elsewhere, or only perhaps, writes nothing here
        self.blocked: Blocked | None = None
        self.unread = ""
        self.steps = 0  # the work of reading the text
        self._plain = False  # the text is one simple command
        self._level = 0
        self._input = ""
        self._sinks: list[tuple[str, Script]] = []
        self._descriptors = 62
        self._looked: dict[str, int] = {}

    # -- what was found

    def hit(self, rule: str, found: str = "") -> None:
        """Record that a rule matched; one that blocks ends the walk."""
        if self.policy is None or rule in self.policy.off:
            return
        if self.policy.rules[rule][0] == "block":
            raise Blocked(rule, found)
        self.warning = self.warning or (rule, found)

    def event(self, name: str, *about: object) -> None:
        """Ask the rules that look at an event."""
        if self.policy is None:
            return
        for rule, use in self.policy.events.get(name, ()):
            if not use or logic(use)(*about):
                self.hit(rule)

    def foreign(self, text: str) -> None:
        """Record that foreign text is run."""
        if FETCHED in text:
            self.event("fetched_text")
        if DECODED in text:
            self.event("decoded_text")

    def wrote(self, write: Write) -> None:
        """Record that a file is written."""
        if write.path == "/dev/null":
            return
        write.path = self.shell.path(write.path)
        if write.how not in (REMOVE, MODE):  # rules on commands check these
            self.event("write", write)
        if not self.unrecorded:
            self.writes.append(write)

    # -- nested text

    def start(self, script: Script) -> None:
        """Follow the script of the whole text."""
        self._plain = script.is_plain()
        self.run(script, "")
        self._finish(0)

    def is_alone(self) -> bool:
        """Tell whether the command that is followed now is the whole text."""
        return self._plain and self._level == 1

    def down(self) -> None:
        """Go one level deeper; shells that are nested too deep are not followed."""
        self._level += 1
        if self._level > MAX_LEVEL:
            raise TooMuch("nested too deep")

    def up(self) -> None:
        """Come back from down()."""
        self._level -= 1

    def nested(self, text: str, stdin: str = "", strict: bool = True) -> str:
        """Follow text that a command passes to a shell; return what it prints."""
        if not text.strip():
            return ""
        self.down()
        script, error, steps = read(text)
        self.work.spend(NESTED_WORK + steps + len(text))
        if error and strict and not self.unread:
            self.unread = error
        out = self.run(script, stdin)
        self.up()
        return out

    def scoped(
        self, text: str, stdin: str, strict: bool = True, zero: str = "", args: list[str] | None = None
    ) -> str:
        """Follow text in a subshell."""
        mark = self.shell.enter()
        if zero:
            self.shell.put(self.shell.place, "zero", zero)
        self.shell.put(self.shell.arguments, "@", [] if args is None else args)
        late = len(self.late)
        out = self.nested(text, stdin, strict)
        self._finish(late)
        self.shell.leave(mark)
        return out

    def capture(self, script: Script) -> str:
        """Follow a command substitution; return what it gives: neither a NUL nor the newlines at its end."""
        read = script.file_read()
        out = self._subshell(script, self._input) if read is None else redirect(self, [read], "")[0]
        return out.replace("\0", "").rstrip("\n")

    def _subshell(self, script: Script, stdin: str) -> str:
        self.down()
        mark, late = self.shell.enter(), len(self.late)
        out = self.run(script, stdin)
        self._finish(late)
        self.shell.leave(mark)
        self.up()
        return out

    def _finish(self, start: int) -> None:
        """Follow what waits for the end of a shell: its traps, and functions that nothing has called."""
        while len(self.late) > start:
            waiting, self.late[start:] = self.late[start:], []
            for name, body in waiting:
                if body is None:
                    self.nested(name, "", False)
                elif id(body) not in self._called:
                    self._follow_uncalled(name, body)

    def process(self, script: Script, direction: str) -> str:
        """Follow a process substitution; return the name of its file."""
        name = f"/dev/fd/{self.descriptor()}"
        if direction == "<":
            self.shell.files[name] = self._subshell(script, "")
        else:
            self._sinks.append((name, script))
        return name

    def descriptor(self) -> str:
        """Return the number of a new file descriptor."""
        self._descriptors += 1
        return str(self._descriptors)

    def text(self, word: Word) -> str:
        """Expand a word to one string."""
        return expand.text(self, word)

    # -- the tree

    def run(self, script: Script, stdin: str) -> str:
        """Follow a script; return what it prints."""
        if len(script.pipelines) == 1:
            return self._pipeline(script.pipelines[0], stdin)
        out: list[str] = []
        size, maybe, shell = 0, False, self.shell
        for pipeline in script.pipelines:
            shell.branches += maybe
            printed = self._pipeline(pipeline, stdin)
            shell.branches -= maybe
            maybe = pipeline.decides
            if size < MAX_MADE:
                out.append(printed)
                size += len(printed)
        return "".join(out)

    def _pipeline(self, pipeline: Pipeline, stdin: str) -> str:
        commands = pipeline.commands
        if len(commands) == 1 and not pipeline.background:
            return self._command(commands[0], stdin)
        first = commands[0] if len(commands) > 1 else None
        if isinstance(first, SimpleCommand) and len(first.words) == 1:
            self._look_for_self(pipeline, first.words[0])
        for command in commands:
            mark = self.shell.enter()
            stdin = self._command(command, stdin)
            self.shell.leave(mark)
        return stdin

    def _command(self, command: SimpleCommand | Compound, stdin: str) -> str:
        self.work.spend(4)
        sinks = len(self._sinks)
        out = (
            self._simple(command, stdin)
            if isinstance(command, SimpleCommand)
            else self._compound(command, stdin)
        )
        while len(self._sinks) > sinks:
            name, script = self._sinks.pop()
            self._subshell(script, self.shell.files.get(name, UNKNOWN))
        return out

    def _compound(self, compound: Compound, stdin: str) -> str:
        self._input = stdin
        if compound.kind == "function":
            self._define(compound)
            return ""
        stdin, targets, muted = redirect(self, compound.redirections, stdin)
        if compound.kind == "subshell":
            out = self._subshell(compound.scripts[0], stdin)
        elif compound.kind == "group":
            out = self.run(compound.scripts[0], stdin)
        else:
            from ultra_runtime.guard.follow import branches

            out = branches.follow(self, compound, stdin)
        return send(self, out, targets, muted)

    def _define(self, function: Compound) -> None:
        """Record a function; its body is followed where it is called, or at the end."""
        body = function.scripts[0]
        old = self.shell.functions.get(function.name)
        if old is not None and self.shell.branches:
            self.shell.put(self.shell.others, function.name + "()", [old])
        self.shell.put(self.shell.functions, function.name, body)
        self._look_for_bomb(function.name)
        self.late.append((function.name, body))

    def _follow_uncalled(self, name: str, body: Script) -> None:
        """Follow the body of a function with unknown arguments."""
        mark = self.shell.enter()
        self.shell.put(self.shell.arguments, "@", None)
        self.calling.append(name)
        self.down()
        kept = len(self.locals)
        self.run(body, UNKNOWN)
        del self.locals[kept:]
        self.up()
        self.calling.pop()
        self.shell.leave(mark)

    def _look_for_self(self, pipeline: Pipeline, first: Word) -> None:
        """Look for a script that pipes itself into itself."""
        if first.parts[-1].text == "0":
            from ultra_runtime.guard.follow.forks import is_self_pipe

            if is_self_pipe(pipeline):
                self.event("fork_bomb")

    def _look_for_bomb(self, name: str) -> None:
        """Ask once for every function and every number of functions it could call."""
        from ultra_runtime.guard.follow.forks import is_bomb

        if self._looked.get(name) != len(self.shell.functions):
            self._looked[name] = len(self.shell.functions)
            if is_bomb(name, self.shell.functions, self.work):
                self.event("fork_bomb")

    def call_function(self, name: str, args: list[str], stdin: str) -> str:
        """Follow a function with the arguments it is called with."""
        if name in self.calling or not self.work.plenty():
            return UNKNOWN
        self._look_for_bomb(name)
        self.calling.append(name)
        self.down()
        kept = len(self.locals)
        old = self.shell.arguments["@"]
        self.shell.put(self.shell.arguments, "@", args)
        body = self.shell.functions[name]
        self._called.add(id(body))
        out = self.run(body, stdin)
        self.shell.put(self.shell.arguments, "@", old)
        self._give_back(self.locals[kept:])
        del self.locals[kept:]
        self.up()
        self.calling.pop()
        return out

    def _simple(self, command: SimpleCommand, stdin: str) -> str:
        """Follow a command, and once more for every other value that its variables may have."""
        if not self.shell.others:
            return self.once(command, stdin)
        from ultra_runtime.guard.follow.branches import follow_others

        return follow_others(self, command, stdin)

    def once(self, command: SimpleCommand, stdin: str) -> str:
        """Follow a command with the present values of its variables."""
        self._input = stdin
        args = expand.words(self, command.words)
        # Without a value the next word is the program, so only an option may follow.
        if len(args) > 1 and args[0] == UNKNOWN and args[1].startswith("-"):
            tool = command.words[0].variable()
            args[0] = tool.lower() if tool.isupper() and tool.lower() in TOOLS else UNKNOWN
        if not command.redirections and not command.assignments:
            if not args:
                return ""
            return self.execute(args, stdin, command.expands())
        stdin, targets, muted = redirect(self, command.redirections, stdin)
        if not args:
            for assignment in command.assignments:
                self._assign(assignment)
            return send(self, "", targets, muted) if targets else ""
        # `declare x=(...)` stays, or is local; `x=1 declare` is for this command
        declared = args[0] in _DECLARES
        before = [(one, self.shell.variables.get(one.name)) for one in command.assignments]
        kept: list[tuple[str, object]]
        kept = [(one.name, old) for one, old in before if not declared or one.values is None]
        if declared and self.makes_local(args):
            self.locals += [(one.name, old) for one, old in before if one.values is not None]
        in_shell = args[0] in BUILTINS or args[0] in self.shell.functions  # what it sets stays
        mark = -1 if in_shell or not kept else self.shell.enter()
        for assignment in command.assignments:
            self._assign(assignment)
        out = self.execute(args, stdin, command.expands())
        if mark >= 0:
            self.shell.leave(mark)
        elif kept:  # `IFS=: read a b` keeps a and b
            self._give_back(kept)
        return send(self, out, targets, muted)

    def makes_local(self, args: list[str]) -> bool:
        """Tell whether what a command declares ends with the function that is followed now."""
        is_global = args[0] != "local" and any(arg[:1] == "-" and "g" in arg for arg in args)
        return bool(self.calling) and args[0] in ("local", "declare", "typeset") and not is_global

    def _give_back(self, kept: list[tuple[str, object]]) -> None:
        """Restore variables: what they were before a function or an assignment in front of a command."""
        for name, value in reversed(kept):
            if value is None:
                self.shell.drop(self.shell.variables, name)
            else:
                self.shell.put(self.shell.variables, name, value)

    def execute(self, args: list[str], stdin: str, expands: bool = False) -> str:
        """Follow a command with its arguments; return what it prints."""
        self._level += 1
        if self._level > MAX_LEVEL:
            raise TooMuch("nested too deep")
        if self.ran is not None and not self.unrecorded:
            self.ran.append(Ran(args, self.shell.cwd, stdin))
        out = execute(self, args, stdin, expands)
        self.work.spend(len(stdin) // 64 + len(out) // 16)
        self._level -= 1
        return out

    def perhaps(self, args: list[str], stdin: str) -> str:
        """Follow a command that may be another one, or runs on another machine: rules apply, files do not count."""
        self.unrecorded += 1
        out = self.execute(args, stdin)
        self.unrecorded -= 1
        return out

    def _assign(self, assignment: ShellAssignment) -> None:
        if assignment.values is not None:
            values = expand.words(self, assignment.values)
            if values and values[0][:1] == "[" and "]=" in values[0]:  # ([0]=a [1]=b)
                for key, _, value in (item[1:].partition("]=") for item in values):
                    self.assign(f"{assignment.name}[{key}]", value)
                return
            self.assign(assignment.name, values, assignment.append)
            return
        value = self.text(assignment.value) if assignment.value is not None else ""
        self.assign(assignment.name, value, assignment.append)
        if "\n" in value and assignment.value is not None and assignment.value.branches():
            self.shell.put(self.shell.others, assignment.name, value.split("\n")[:MAX_OTHERS])

    def assign(self, name: str, value: str | list[str], append: bool = False) -> None:
        """Set a variable, and let the rules see it."""
        if isinstance(value, str) and "HIST" in name:
            self.event("assign", name, value)
        self.shell.set(name, value, append)


def walk(follower: Follower, text: str) -> None:
    """Follow a text from a fresh shell, as far as it can be parsed, up to a rule that blocks."""
    try:
        script, error, follower.steps = read(text)
        follower.work.spend(min(follower.steps, follower.work.limit // 2))
        follower.start(script)
        follower.unread = error or follower.unread
    except TooMuch as unreadable:
        follower.unread = str(unreadable)
    except RecursionError:  # the caller's own stack was deep already
        follower.unread = "nested too deep"
    except Blocked as blocked:
        follower.blocked = blocked
