"""The value of $name and ${name...}."""

from __future__ import annotations

from ultra_runtime.guard.shell.marks import OPAQUE, UNKNOWN, replaced
from ultra_runtime.guard.shell.syntax import Word, WordPart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower
    from ultra_runtime.guard.shell.shell_state import Value

_CASES = {"L": ",,", "U": "^^", "u": "^"}  # ${name@L} is ${name,,}
_GLOB = frozenset("*?[")


def parameter(follower: Follower, part: WordPart) -> Value:
    """Return the value that a parameter expansion gives."""
    index = follower.text(part.index) if part.index is not None else ""
    if not part.op and not index:
        value = _plain(follower, part.text)
        if isinstance(value, list) and part.text not in ("@", "*"):
            return value[0] if value else ""
        return UNKNOWN if value is None else value
    op = part.op
    if op.startswith("#") and not part.text:
        return UNKNOWN
    if op == "!" and part.text == "#":  # the last argument
        arguments = follower.shell.arguments["@"]
        return UNKNOWN if arguments is None else "".join(arguments[-1:])
    value = _lookup(follower, part.text, index)
    if op.startswith("!"):
        value = _plain(follower, value) if isinstance(value, str) and value.isidentifier() else None
        op = op[1:]
    elif op.startswith("#") and op not in ("#", "##"):
        return UNKNOWN
    word = part.word if part.word is not None else Word([])
    if op == ":" and isinstance(value, list) and (index in ("@", "*") or part.text in ("@", "*")):
        return _items(follower, value, follower.text(word), part.text in ("@", "*"))
    if op in (":-", "-", ":=", "=", ":+", "+"):
        return _default(follower, part.text, value, op, word)
    operand = follower.text(word)
    if value is None:
        return UNKNOWN
    if op == "@" and operand in _CASES:
        op, operand = _CASES[operand], ""
    if not op or op in (":?", "?") or op == "@":
        return value
    if op == ":":
        return _slice(follower, value if isinstance(value, str) else "".join(value[:1]), operand)
    if isinstance(value, list):
        return [_changed(item, op, operand) for item in value]
    return _changed(value, op, operand)


def _plain(follower: Follower, name: str) -> Value | None:
    """Return the value of a variable or a positional parameter."""
    shell = follower.shell
    if name == "0":
        return shell.place["zero"]
    if name in ("@", "*"):
        return shell.arguments["@"]
    if name.isdecimal():
        arguments = shell.arguments["@"]
        if arguments is None:
            return None
        at = int(name[:4]) - 1
        return arguments[at] if at < len(arguments) else ""
    return shell.get(name)


def _lookup(follower: Follower, name: str, index: str) -> Value | None:
    """Return the value of a variable, or of the element of an array."""
    value = _plain(follower, name)
    if not isinstance(value, list):
        return value if index in ("", "@", "*", "0") else None
    if index in ("@", "*") or name in ("@", "*"):
        return value
    if not index:
        return value[0] if value else ""
    at = number(follower, index)
    if at is None:
        return None
    return value[at] if -len(value) <= at < len(value) else ""


def _default(follower: Follower, name: str, value: Value | None, op: str, word: Word) -> Value:
    """Resolve the operators that choose between the value and a word.

    An unknown value becomes the word, which is in the text.
    """
    given = value is not None and (value not in ("", []) or ":" not in op)
    if op in (":+", "+"):
        return follower.text(word) if given or value is None else ""
    if given and value is not None:
        return value
    chosen = follower.text(word)
    if op in (":=", "=") and name.isidentifier():
        follower.shell.set(name, chosen)
    return chosen


def _changed(value: str, op: str, operand: str) -> str:
    """Apply an operator that changes a value, when the result is certain."""
    if op in ("^^", ",,", "^", ",") and not operand:
        if op in ("^^", ",,"):
            return value.upper() if op == "^^" else value.lower()
        return (value[:1].upper() if op == "^" else value[:1].lower()) + value[1:]
    if op in ("/", "//", "/#", "/%"):
        old, _, new = operand.partition("/")
        if old and not _GLOB.intersection(old) and not any(mark in old for mark in OPAQUE):
            if op == "//":
                return replaced(value, old, new)
            if op == "/":
                return replaced(value, old, new, 1)
            if op == "/#":
                return new + value[len(old) :] if value.startswith(old) else value
            return value[: -len(old)] + new if value.endswith(old) else value
    if op in ("#", "##", "%", "%%"):
        return _trimmed(value, op, operand)
    return UNKNOWN


def _range(follower: Follower, size: int, operand: str) -> tuple[int, int] | None:
    """Return start and end of ${name:offset:length}; negative numbers count from the end."""
    offset, colon, length = operand.partition(":")
    start = number(follower, offset)
    count = number(follower, length) if colon else size
    if start is None or count is None:
        return None
    start = size + start if start < 0 else start
    if start < 0:  # before the beginning there is nothing
        return 0, 0
    return start, size + count if count < 0 else start + count


def _slice(follower: Follower, value: str, operand: str) -> str:
    """Resolve ${name:offset:length} of a text."""
    found = _range(follower, len(value), operand)
    return UNKNOWN if found is None else value[found[0] : max(found[1], 0)]


def _items(follower: Follower, items: list[str], operand: str, arguments: bool) -> Value:
    """Resolve ${array[@]:offset:length}; of arguments the first one has the number 1."""
    items = [follower.shell.place["zero"], *items] if arguments else items
    found = _range(follower, len(items), operand)
    return [UNKNOWN] if found is None else items[found[0] : max(found[1], 0)]


def number(follower: Follower, text: str) -> int | None:
    """Return the value of plain arithmetic: whole numbers, variables, + - * and parentheses."""
    text = text.strip()
    if not text:
        return 0
    if text.isdecimal() and len(text) < 10 and text[0] != "0":
        return int(text)
    from ultra_runtime.guard.follow.arithmetic import value_of

    return value_of(text, follower.shell)


def compute(follower: Follower, expression: str) -> int | None:
    """Assign what an expression of `let`, (( )) or $(( )) sets; return its value."""
    found: int | None = None
    for one in expression.split(","):
        name, equals, value = (part.strip() for part in one.partition("="))
        counted = one.strip().strip("+-").strip()
        bare = name.rstrip("+-*/%").rstrip()
        if equals and bare.isidentifier() and value[:1] != "=":
            sign = name[len(bare) :].strip()
            found = number(follower, f"{bare}{sign}({value})" if sign else value)
            follower.assign(bare, UNKNOWN if found is None else str(found))
        elif counted.isidentifier() and ("++" in one or "--" in one):
            found = number(follower, f"{counted}{'+' if '++' in one else '-'}1")
            follower.assign(counted, UNKNOWN if found is None else str(found))
            found = None  # the value before or behind the change
        else:
            found = number(follower, one)
    return found


def _trimmed(value: str, op: str, pattern: str) -> str:
    """Resolve ${name#pattern} and its like for a fixed pattern with a star at its open end."""
    front = op[0] == "#"
    starred = pattern.startswith("*") if front else pattern.endswith("*")
    fixed = (pattern[1:] if front else pattern[:-1]) if starred else pattern
    if _GLOB.intersection(fixed) or not fixed:
        return UNKNOWN
    if not starred:
        if front:
            return value[len(fixed) :] if value.startswith(fixed) else value
        return value[: -len(fixed)] if value.endswith(fixed) else value
    if front:
        at = value.find(fixed) if op == "#" else value.rfind(fixed)
        return value if at < 0 else value[at + len(fixed) :]
    at = value.rfind(fixed) if op == "%" else value.find(fixed)
    return value if at < 0 else value[:at]
