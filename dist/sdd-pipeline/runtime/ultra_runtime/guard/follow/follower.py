"""Follow a script as the shell would, without running anything.

Every branch, every loop body and every function body is followed.  What a command prints
is followed into pipes, substitutions, files and variables as far as it is known; the rest
is marked as unknown.
"""

from __future__ import annotations

from ultra_runtime.guard.follow import expand
from ultra_runtime.guard.follow.ask import logic
from ultra_runtime.guard.follow.execute import execute
from ultra_runtime.guard.follow.redirect import redirect, send
from ultra_runtime.guard.policy import ALLOW, Policy, Verdict, ruled
from ultra_runtime.guard.shell.calls import MODE, REMOVE, Write
from ultra_runtime.guard.shell.marks import DECODED, FETCHED, UNKNOWN, clean
from ultra_runtime.guard.shell.reader import read
from ultra_runtime.guard.shell.shell_state import Shell, Work
from ultra_runtime.guard.shell.syntax import (
    LITERAL,
    QUOTED,
    Compound,
    Pipeline,
    Script,
    ShellAssignment,
    SimpleCommand,
    TooMuch,
    Word,
)
from ultra_runtime.typed import Callable

MAX_LEVEL = 32
MAX_OUTPUT = 64 * 1024
MAX_TURNS = 16
WORK_BASE = 400_000
WORK_PER_CHARACTER = 12
NESTED_WORK = 300  # the cost of starting on a nested text


class Blocked(Exception):
    """A rule that blocks has matched."""

    def __init__(self, rule: str, found: str) -> None:
        super().__init__(rule)
        self.rule = rule
        self.found = found


class Follower:
    """One walk through a text, with the state of its shell and what was found."""

    def __init__(self, policy: Policy | None, size: int) -> None:
        self.policy = policy
        self.work = Work(WORK_BASE + WORK_PER_CHARACTER * size)
        self.shell = Shell(self.work)
        self.warning: tuple[str, str] | None = None
        self.writes: list[Write] = []
        self.git_directories: list[str] = []
        self.calling: list[str] = []
        self.ordinary: set[str] = set()  # commands that no table lists
        self.locals: list[tuple[str, object]] = []
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
        if self.policy is None:
            self.writes.append(write)

    # -- nested text

    def start(self, script: Script) -> None:
        """Follow the script of the whole text."""
        self._plain = _is_plain(script)
        self.run(script, "")

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
        out = self.nested(text, stdin, strict)
        self.shell.leave(mark)
        return out

    def capture(self, script: Script) -> str:
        """Follow a command substitution; return what it gives."""
        return self._subshell(script, self._input).rstrip("\n")

    def _subshell(self, script: Script, stdin: str) -> str:
        self.down()
        mark = self.shell.enter()
        out = self.run(script, stdin)
        self.shell.leave(mark)
        self.up()
        return out

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
        size = 0
        for pipeline in script.pipelines:
            printed = self._pipeline(pipeline, stdin)
            if size < MAX_OUTPUT:
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
        elif compound.kind == "for":
            out = self._for(compound, stdin)
        elif compound.kind == "while":
            out = self._while(compound, stdin)
        else:
            for word in compound.words or ():
                self.text(word)
            out = "".join([self.run(script, stdin) for script in compound.scripts])
        return send(self, out, targets, muted)

    def _for(self, loop: Compound, stdin: str) -> str:
        """Follow a loop once for each word when they are few and known, else once."""
        values = [UNKNOWN] if loop.words is None else expand.words(self, loop.words)
        if len(values) > MAX_TURNS:
            values = [UNKNOWN]

        def turn(value: str) -> str:
            if loop.name:
                self.shell.set(loop.name, value)
            return self.run(loop.scripts[0], stdin)

        return self._turns(turn, values or [""])

    def _while(self, loop: Compound, stdin: str) -> str:
        """Follow a loop once for each line of its input when they are few and known, else once."""
        lines = stdin.split("\n")[:-1]
        if not 1 < len(lines) <= MAX_TURNS:
            lines = [stdin]

        def turn(line: str) -> str:
            return "".join([self.run(script, line) for script in loop.scripts])

        return self._turns(turn, lines)

    def _turns(self, turn: Callable[[str], str], values: list[str]) -> str:
        """Follow the turns of a loop; when they cost too much, the rest in one turn with an unknown value."""
        if len(values) > 1 and not self.work.plenty():
            values = [UNKNOWN]
        before = self.work.spent
        out = [turn(values[0])]
        if not self.work.plenty((self.work.spent - before) * (len(values) - 1)):
            values = [values[0], UNKNOWN][: len(values)]
        out += [turn(value) for value in values[1:]]
        return "".join(out)[:MAX_OUTPUT]

    def _define(self, function: Compound) -> None:
        """Record a function, and follow its body with unknown arguments."""
        body = function.scripts[0]
        self.shell.put(self.shell.functions, function.name, body)
        self._look_for_bomb(function.name)
        mark = self.shell.enter()
        self.shell.put(self.shell.arguments, "@", None)
        self.calling.append(function.name)
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
            if is_bomb(name, self.shell.functions):
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
        out = self.run(self.shell.functions[name], stdin)
        self.shell.put(self.shell.arguments, "@", old)
        while len(self.locals) > kept:
            variable, value = self.locals.pop()
            if value is None:
                self.shell.drop(self.shell.variables, variable)
            else:
                self.shell.put(self.shell.variables, variable, value)
        self.up()
        self.calling.pop()
        return out

    def _simple(self, command: SimpleCommand, stdin: str) -> str:
        self._input = stdin
        args = expand.words(self, command.words)
        if not command.redirections and not command.assignments:
            if not args:
                return ""
            return self.execute(args, stdin, _expands(command))
        stdin, targets, muted = redirect(self, command.redirections, stdin)
        if not args:
            for assignment in command.assignments:
                self._assign(assignment)
            return send(self, "", targets, muted) if targets else ""
        for_good = args[0] in ("declare", "export", "local", "readonly", "typeset")  # `declare x=(...)`
        mark = self.shell.enter() if command.assignments and not for_good else -1
        for assignment in command.assignments:
            self._assign(assignment)
        out = self.execute(args, stdin, _expands(command))
        if mark >= 0:
            self.shell.leave(mark)
        return send(self, out, targets, muted)

    def execute(self, args: list[str], stdin: str, expands: bool = False) -> str:
        """Follow a command with its arguments; return what it prints."""
        self.down()
        out = execute(self, args, stdin, expands)
        self.up()
        return out

    def _assign(self, assignment: ShellAssignment) -> None:
        if assignment.values is not None:
            self.assign(assignment.name, expand.words(self, assignment.values), assignment.append)
        else:
            value = self.text(assignment.value) if assignment.value is not None else ""
            self.assign(assignment.name, value, assignment.append)

    def assign(self, name: str, value: str | list[str], append: bool = False) -> None:
        """Set a variable, and let the rules see it."""
        if isinstance(value, str) and name.startswith("HIST"):
            self.event("assign", name, value)
        self.shell.set(name, value, append)


def _expands(command: SimpleCommand) -> bool:
    """Tell whether the words after the first contain an expansion, for this shell or the next."""
    for word in command.words[1:]:
        for part in word.parts:
            if part.kind not in (LITERAL, QUOTED) or "$" in part.text or "`" in part.text:
                return True
    return False


def _is_plain(script: Script) -> bool:
    """Tell whether a script is one simple command: no list, no pipe, no assignment, not in the background."""
    if len(script.pipelines) != 1 or len(script.pipelines[0].commands) != 1 or script.pipelines[0].background:
        return False
    command = script.pipelines[0].commands[0]
    return isinstance(command, SimpleCommand) and not command.assignments


def walk(follower: Follower, text: str) -> None:
    """Follow a text from a fresh shell, as far as it can be parsed."""
    try:
        script, error, follower.steps = read(text)
        follower.work.spend(min(follower.steps, follower.work.limit // 2))
        follower.start(script)
        follower.unread = error or follower.unread
    except TooMuch as unreadable:
        follower.unread = str(unreadable)
    except RecursionError:  # the caller's own stack was deep already
        follower.unread = "nested too deep"


def verdict_for(command: str, policy: Policy) -> Verdict:
    """Judge a command, as the shell would read it, by the rules of the policy."""
    text = clean(command)
    follower = Follower(policy, len(text))
    try:
        walk(follower, text)
    except Blocked as blocked:
        return ruled(policy, blocked.rule, blocked.found)
    if follower.unread:
        return ruled(policy, "unreadable", follower.unread)
    return ruled(policy, *follower.warning) if follower.warning is not None else ALLOW
