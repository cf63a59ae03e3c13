"""Render the words by which the guard's first look finds commands to parse."""

from __future__ import annotations

from collections.abc import Iterable

from ultra_plugin.guard import COMMAND, SOURCE
from ultra_plugin.rules import Adder, Policy
from ultra_plugin.tables.literal import literal, table_of

# The characters where the first look splits a command into words.
_BREAKS = str.maketrans(dict.fromkeys(";&|()<>{}=:!@#%^~+,/\t\n\r'\"\\", " "))

# What may change a file: by itself, or by words that it makes for a shell.
_WRITING = ("WRITERS", "CHANGERS", "WORD_MAKERS", "REWRITERS", "GIT_WRITERS")


def first_look_module(policy: Policy) -> str:
    """Return the module that holds the words, as plain literals."""
    commands: dict[str, tuple[str, ...]] = {}
    sources: set[str] = set()
    events: set[str] = set()
    for rule in policy.commands:
        for logic in rule.logic:
            needs = policy.needs(logic)
            if logic.when == COMMAND:
                for name in logic.commands:
                    _look_for(commands, name, needs)
                events.update(f"*{name}*" for name in logic.commands if not name.translate(_BREAKS).split())
                for name, adder in logic.adders.items():
                    _look_for(commands, name, _adding(adder))
            elif logic.when == SOURCE:
                sources.update(map(_word, logic.commands))
            elif logic.use:
                events.update(needs or ("**",))
    tables = policy.guard.tables
    hiding = {*tables.get("SHELLS", ()), *tables.get("POWERSHELLS", ()), *tables.get("WORD_MAKERS", ())}
    attached = {*tables.get("ATTACHED", ())}
    hiding |= {*tables.get("TEXT_OPTIONS", ())} - attached
    for name in hiding:
        commands[name] = ()
    languages = {*tables.get("LANGUAGES", ()), *tables.get("ALIASES", ())}
    constants: dict[str, str] = {
        "COMMANDS": table_of(dict(sorted(commands.items()))),
        "SOURCES": _names(sources),
        "WORDS": _names(need for need in events if "*" not in need),
        "TEXTS": literal(tuple(sorted(need[1:-1] for need in events if "*" in need))),
        "ATTACHED": _names(attached),
        "LANGUAGES": literal(tuple(sorted(name for name in languages if len(name) > 1))),
        "LETTERS": _names(name for name in languages if len(name) == 1),
        "MODULES": literal(tuple(sorted(tables.get("MODULES", ())))),
        "WRITERS": _names({name for kind in _WRITING for name in tables.get(kind, ())}),
        "DOTTED": literal(any("." in name.removesuffix(".exe") for name in commands)),
    }
    body = "".join(f"{name} = {value}\n" for name, value in constants.items())
    return (
        '"""Rendered from policy/commands.yaml and the tables of guard/follow: edit those files, not this one."""\n\n'
        f"{body}"
    )


def _look_for(commands: dict[str, tuple[str, ...]], name: str, needs: tuple[str, ...]) -> None:
    """Add a command to parse if it has one of the needs, or always if there are none."""
    word = _word(name)
    if word in commands and not (commands[word] and needs):
        commands[word] = ()
    else:
        commands[word] = tuple(dict.fromkeys((*commands.get(word, ()), *needs)))


def _word(name: str) -> str:
    """Return the word by which the first look knows a command: the first piece of its name."""
    return (name.translate(_BREAKS).split() or [name])[0]


def _adding(adder: Adder) -> tuple[str, ...]:
    """Return the words that a package manager needs to add a package."""
    if "" in adder.verbs:
        return ()
    last = [verb.split()[-1] for verb in adder.verbs]
    return tuple(verb[:2] + "*" if verb[0] == "-" and verb[:2] != "--" else verb for verb in last)


def _names(names: Iterable[str]) -> str:
    found = sorted(names)
    return f"frozenset({literal(tuple(found))})"
