"""Parse a call by the one line that documents it.

    USAGE = "verb words, then: NAME [NAME] NAME... --opt VALUE [--opt VALUE] [--opt a|b] [--flag] [--x|--y V]"

Words in lower case are the verb. NAME is an argument; in brackets it may be left out, with `...` it
takes all that follow. An option in brackets may be left out, one without always takes a value.
A value in lower case lists what is allowed, and options separated by `|` cannot be used together.
A value in brackets of its own, [--opt [VALUE]], may be left out, and is then empty.
"""

from __future__ import annotations

from ultra_runtime.answer import UsageError
from ultra_runtime.rendered import verb
from ultra_runtime.typed import Sequence
from ultra_runtime.words import listed, nearest, one_line


class Option:
    """One option: its value's name (none for a flag), its choices, and the options it excludes."""

    __slots__ = ("choices", "excludes", "lone", "name", "required", "value")

    def __init__(self, words: str, required: bool, excludes: Sequence[str] = ()) -> None:
        self.name, _, self.value = words.strip().partition(" ")
        self.lone = self.value[:1] == "["  # the value may be left out
        self.value = self.value.strip("[]")
        self.choices = self.value.split("|") if self.value.islower() else []
        self.required = required
        self.excludes = [name for name in excludes if name != self.name]


class Usage:
    """The parts of a USAGE line."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.verb: list[str] = []
        self.arguments: list[str] = []
        self.needed: list[str] = []
        self.takes_rest = ""
        self.options: dict[str, Option] = {}
        words = iter(line.split(" "))
        for word in words:
            if word[0] == "[":
                while word.count("[") > word.count("]"):
                    word += " " + next(words)
                self._add_optional(word[1:-1])
            elif word.startswith("--"):
                self._add_option(Option(f"{word} {next(words)}", True))
            elif word.islower():
                self.verb.append(word)
            else:
                self.needed.append(self._add_argument(word))

    def _add_optional(self, words: str) -> None:
        if not words.startswith("--"):
            self._add_argument(words)
            return
        parts = words.split("|")
        if not all(part.strip().startswith("--") for part in parts):
            parts = [words]
        names = [part.split()[0] for part in parts]
        for part in parts:
            self._add_option(Option(part, False, names))

    def _add_option(self, option: Option) -> None:
        self.options[option.name] = option

    def _add_argument(self, word: str) -> str:
        name = word.replace("...", "")
        self.arguments.append(name)
        if name != word:
            self.takes_rest = name
        return name

    def error(self, message: str) -> UsageError:
        """Return the error for a call that does not fit this line."""
        return UsageError(message, f"usage: {verb(self.line)}")


class Args:
    """The words of a call under the names of its USAGE line; an unknown name is a KeyError."""

    def __init__(self, usage: Usage) -> None:
        self.usage = usage
        self.given: dict[str, list[str]] = {name: [] for name in [*usage.arguments, *usage.options]}
        self.flags = {name: False for name, option in usage.options.items() if not option.value}

    def get(self, name: str) -> str | None:
        """Return the value of an argument or option that may have been left out."""
        return self.given[name][0] if self.given[name] else None

    def need(self, name: str) -> str:
        """Return the value of a required argument or option."""
        return self.given[name][0]

    def rest(self, name: str) -> list[str]:
        """Return all values of an argument that takes many."""
        return self.given[name]

    def flag(self, name: str) -> bool:
        """Tell whether a flag was given."""
        return self.flags[name]


def parse(usage: Usage, words: Sequence[str]) -> Args:
    """Sort the words of a call, without the verb, by the usage line."""
    args = Args(usage)
    arguments: list[str] = []
    queue = list(reversed(words))
    while queue:
        word = queue.pop()
        if word == "--":
            arguments.extend(reversed(queue))
            break
        if word.startswith("-") and word != "-":
            _take_option(args, word, queue)
        else:
            arguments.append(word)
    _take_arguments(args, arguments)
    for option in usage.options.values():
        if option.required and not args.given[option.name]:
            raise usage.error(f"missing {option.name} {option.value}")
    return args


def _take_option(args: Args, word: str, queue: list[str]) -> None:
    usage = args.usage
    name, equals, value = word.partition("=")
    if name not in usage.options:
        raise usage.error(f"unknown option: {one_line(name)}{nearest(name, usage.options)}")
    option = usage.options[name]
    if args.given[name] or args.flags.get(name):
        raise usage.error(f"{name} is given twice")
    for other in option.excludes:
        if args.given[other] or args.flags.get(other):
            raise usage.error(f"{other} and {name} cannot be used together")
    if not option.value:
        if equals:
            raise usage.error(f"{name} takes no value")
        args.flags[name] = True
        return
    if not equals and queue and not queue[-1].startswith("--"):
        value = queue.pop()
    if not value and not option.lone:
        raise usage.error(f"{name} needs a value: {name} {option.value}")
    if option.choices and value not in option.choices:
        raise usage.error(f"{name} must be {listed(option.choices, 'or')}, not {one_line(value)}")
    args.given[name].append(value)


def _take_arguments(args: Args, arguments: list[str]) -> None:
    usage = args.usage
    for missing in usage.needed[len(arguments) :]:
        raise usage.error(f"missing {missing}")
    for name in usage.arguments:
        if name == usage.takes_rest:
            args.given[name] = arguments
            return
        if arguments:
            args.given[name].append(arguments.pop(0))
    if arguments:
        raise usage.error(f"unexpected argument: {one_line(arguments[0])}")
