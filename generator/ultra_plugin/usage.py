"""Read the USAGE line of a verb as the runtime does, and check the options that its module reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ultra_plugin.document import nearest
from ultra_plugin.syntax import Python

Fault = tuple[int, str, str]
"""Line, message and remedy."""
_VALUE = r"[A-Za-z][A-Za-z0-9_-]*(?:\|[a-z][a-z0-9_-]*)*"
_OPTION = rf"--[a-z][a-z-]*(?: {_VALUE}| \[{_VALUE}\])?"
_ARGUMENT = r"[A-Z][A-Z0-9_-]*(?:\.\.\.)?"
_PART = re.compile(
    rf"(?P<verb>[a-z][a-z-]*)|(?P<argument>{_ARGUMENT})|(?P<needed>--[a-z][a-z-]* {_VALUE})"
    rf"|\[(?P<left_out>{_ARGUMENT})\]|\[(?P<options>{_OPTION}(?:\|{_OPTION})*)\]"
)
_READERS = {"get": "a value", "need": "a value", "rest": "a value", "flag": "no value"}


@dataclass(frozen=True, slots=True)
class UsageLine:
    """A verb's name, arguments, options and flags."""

    verb: str
    values: frozenset[str]
    """Arguments, and options that take a value."""
    flags: frozenset[str]


def read_usage(text: str) -> UsageLine | str:
    """Return the parts of a line, or the text that the runtime could not read."""
    verb: list[str] = []
    values: set[str] = set()
    flags: set[str] = set()
    at = 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None or text[part.end() : part.end() + 1] not in ("", " "):
            return text[at:]
        if part["verb"]:
            verb.append(part["verb"])
        for option in re.findall(_OPTION, part["options"] or part["needed"] or ""):
            name, _, value = option.partition(" ")
            (values if value else flags).add(name)
        values |= {(part["argument"] or part["left_out"] or "").replace("...", "")} - {""}
        at = part.end() + 1
    return UsageLine(" ".join(verb), frozenset(values), frozenset(flags)) if not text.endswith(" ") else " "


def usage_faults(usage: ast.Constant, stem: str) -> Iterator[Fault]:
    """Yield faults that keep the runtime from finding the verb by its file name or reading its line."""
    read = read_usage(str(usage.value))
    if isinstance(read, str):
        remedy = "write NAME, [NAME], NAME..., --option VALUE, [--option VALUE], [--flag] or [--a|--b], one space between"
        yield usage.lineno, f"USAGE cannot be parsed from '{read}' on", remedy
        return
    wanted = read.verb.replace(" ", "_").replace("-", "_")
    if wanted != stem.rstrip("_"):
        remedy = f"rename the file to {wanted}.py, or begin USAGE with the verb of the file"
        yield usage.lineno, f"USAGE says '{read.verb}', but the file is {stem}.py", remedy


def option_faults(module: Python, line: UsageLine) -> Iterator[Fault]:
    """Yield every option or argument that the module reads from Args but USAGE does not have."""
    for function in module.every(ast.FunctionDef):
        names = {taken.arg for taken in function.args.args if _is_args(function, taken)}
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and (asked := _asked(call, names)):
                reader, name = asked
                known = line.flags if reader == "flag" else line.values
                if name not in known:
                    message = f"args.{reader}('{name}') is not in USAGE with {_READERS[reader]}"
                    yield call.lineno, message, nearest(name, known)


def _is_args(function: ast.FunctionDef, taken: ast.arg) -> bool:
    return function.name == "run" or (
        isinstance(taken.annotation, ast.Name) and taken.annotation.id == "Args"
    )


def _asked(call: ast.Call, names: set[str]) -> tuple[str, str] | None:
    """Return the reader and the name of a call such as args.get("--plan"), or None."""
    match call:
        case ast.Call(ast.Attribute(ast.Name(owner), reader), [ast.Constant(str(name))]) if (
            owner in names and reader in _READERS
        ):
            return reader, name
    return None
