"""Parse YAML as the pinned client does, as far as PyYAML can tell.

The client reads YAML 1.2. It repairs text that does not parse and tries again: values with
punctuation are quoted, leading tabs become spaces. PyYAML reads YAML 1.1, so scalars are resolved
by our own rules, and where the two may differ a fault is not `sure`.
Measured on 2.1.325 with 30,000 generated headers: the client also refused every header with a sure fault.
"""

from __future__ import annotations

import re
from contextlib import suppress

import yaml

SPACE = "[ \t\n\v\f\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
"""What JavaScript calls white space."""
TAG = "tag:yaml.org,2002:"

_REPAIRABLE = re.compile(f"([a-zA-Z_-]+):{SPACE}+((?!{SPACE})[^\n\r\u2028\u2029]+)\\Z")
_HAZARD = re.compile(r"[{}\[\]*&#!|>%@`]|: ")
_LEADING_TABS = re.compile(r"^\t+", re.MULTILINE)
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EXOTIC = re.compile(
    r"^[ \t]*(?:- +)*[&!?:,]|[:\[{,-] *[,:?&!]|(?<!\w)\?\s|^\.\.\.|[|>] +[-+\d]|\r(?!\n)|\ufeff",
    re.MULTILINE,
)
"""Anchors, tags, explicit keys, stray commas and colons: here the two parsers differ."""
_HASH_AFTER_FLOW = re.compile(r"[\]}]#")
"""A comment for PyYAML, a fault for the client, which then repairs the line."""
_BRACKET = re.compile(r"[\[\]{}]")
_DEEPEST = 100
"""Nested brackets; PyYAML needs quadratic time, and the client reads far more."""
_SURE_FAULTS = (
    "expected '<document start>'",
    "expected ',' or",
    "expected a comment or a line break",
    "expected a digit",
    "expected chomping or indentation indicators",
    "found undefined alias",
    "found unexpected end of stream",
    "sequence entries are not allowed here",
)
"""PyYAML's messages for faults that the client also had in every exotic header."""


class Loader(yaml.SafeLoader):
    """PyYAML with the client's rules for null, booleans and numbers."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


if yaml.__with_libyaml__:

    class QuickLoader(yaml.CSafeLoader):
        """libyaml with the same rules."""

        yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


_FLOAT = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_NUMBER = rf"(?:{_FLOAT}|0x[0-9a-fA-F]+|0o[0-7]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
_BOOLEAN = r"(?:true|True|TRUE|false|False|FALSE)\Z"
Loader.add_implicit_resolver(TAG + "null", re.compile(r"(?:~|null|Null|NULL|)\Z"), [*"~nN", ""])
Loader.add_implicit_resolver(TAG + "bool", re.compile(_BOOLEAN), list("tTfF"))
Loader.add_implicit_resolver(TAG + "int", re.compile(_NUMBER), list("-+.0123456789"))


if yaml.__with_libyaml__:
    QuickLoader.yaml_implicit_resolvers = Loader.yaml_implicit_resolvers


class Unreadable(Exception):
    """A text that is not YAML; `sure` if the client refuses it too."""

    def __init__(self, text: str, line: int, sure: bool) -> None:
        super().__init__(text)
        self.text, self.line, self.sure = text, line, sure


def parse(source: str) -> tuple[yaml.Node | None, bool]:
    """Return the root node, and whether it needed the client's repair."""
    if (at := source.find("\0")) >= 0:
        raise Unreadable("a NUL character", source.count("\n", 0, at), sure=True)
    is_plain = not _EXOTIC.search(source)
    if not _HASH_AFTER_FLOW.search(source):
        with suppress(Unreadable):
            return _compose(source, is_plain), False
    return _compose(_LEADING_TABS.sub(_two_spaces_each, repaired(source)), is_plain), True


def parse_as_it_stands(source: str) -> yaml.Node | None:
    """Return the root node of a text without repair."""
    return _compose(source.replace("\0", "\ufffd"), not _EXOTIC.search(source))


def repaired(source: str) -> str:
    """Quote the values that the client quotes before its second attempt."""
    return "\n".join(map(_repaired_line, source.split("\n")))


def _repaired_line(line: str) -> str:
    match = _REPAIRABLE.match(line)
    if match is None:
        return line
    key, value = match.groups()
    is_quoted = value[0] == value[-1] and value[0] in "\"'"
    if is_quoted or not _HAZARD.search(value) or _is_list(value):
        return line
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key}: "{escaped}"'


def _is_list(value: str) -> bool:
    if not (value.startswith("[") and value.endswith("]")):
        return False
    try:
        return isinstance(_compose(value, False), yaml.SequenceNode)
    except Unreadable:
        return False


def _two_spaces_each(tabs: re.Match[str]) -> str:
    return "  " * len(tabs.group())


def _compose(source: str, is_plain: bool) -> yaml.Node | None:
    lines = [_without_inner_tabs(line) for line in _UNPRINTABLE.sub("\ufffd", source).split("\n")]
    text = "\n".join(lines)
    if _depth(text) > _DEEPEST:
        raise Unreadable("nested too deeply to be checked", 0, sure=False)
    try:
        node = _quickly(text) if is_plain else yaml.compose(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        what = error.problem or error.context or "not YAML"
        mark = error.problem_mark or error.context_mark
        line = text.count("\n", 0, mark.index) if mark else 0
        raise Unreadable(what, line, is_plain or what.startswith(_SURE_FAULTS)) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unreadable(type(error).__name__, 0, sure=False) from None
    if isinstance(node, yaml.MappingNode):
        _refuse_text_at_the_margin(node, lines, is_plain)
    return node


def _quickly(text: str) -> yaml.Node | None:
    """Return the root node, with libyaml if it is installed; a fault is always reported by PyYAML."""
    if yaml.__with_libyaml__ and text.isascii():
        with suppress(yaml.YAMLError):
            node: yaml.Node | None = yaml.compose(text, Loader=QuickLoader)
            return node
    other: yaml.Node | None = yaml.compose(text, Loader=Loader)
    return other


def _depth(text: str) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _without_inner_tabs(line: str) -> str:
    """Turn tabs that do not indent into spaces: PyYAML stops at them, the client does not."""
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)] + text.replace("\t", " ") if text else ""


def _refuse_text_at_the_margin(root: yaml.MappingNode, lines: list[str], sure: bool) -> None:
    """Refuse values that continue at the column of their key: PyYAML accepts them, the client does not."""
    for key, value in root.value:
        first, margin = key.start_mark.line, key.start_mark.column
        start, end = value.start_mark, value.end_mark
        is_block = isinstance(value, yaml.CollectionNode) and not value.flow_style
        is_alias = start.line < first
        if is_block or is_alias or start.line == end.line == first:
            continue
        if start.line > first and start.column <= margin and start.index < end.index:
            raise Unreadable("the value starts at the column of its key", start.line, sure)
        if isinstance(value, yaml.ScalarNode) and value.style in (None, "", "|", ">"):
            continue
        for number in range(start.line + 1, min(end.line + 1, len(lines))):
            text = lines[number].lstrip(" ")
            if text and len(lines[number]) - len(text) <= margin and text[0] not in "]}":
                raise Unreadable("the value continues at the column of its key", number, sure)
