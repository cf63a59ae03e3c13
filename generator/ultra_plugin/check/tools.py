"""Read lists of tools and permission rules in headers."""

from __future__ import annotations

from collections.abc import Iterator

from ultra_plugin.check.client import FORMER_TOOLS, TOOLS
from ultra_plugin.check.codes import quote, suggest
from ultra_plugin.check.header import Value

Finding = tuple[int, str, str, str]
"""Line, code, message and remedy."""


def tool_findings(value: Value) -> Iterator[Finding]:
    """Find unknown tools and malformed rules in a header's list of tools."""
    items = value.items if value.kind == "list" else (value,)
    for item in items:
        if item.kind == "string":
            for rule in split_rules(item.text):
                yield from _rule(item.line, rule)


def split_rules(text: str) -> Iterator[str]:
    """Split at commas and spaces outside parentheses."""
    depth = start = 0
    for index, letter in enumerate(text):
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        elif letter in ", \t\r\n" and depth <= 0:
            if start < index:
                yield text[start:index]
            start = index + 1
    if start < len(text):
        yield text[start:]


def _rule(line: int, rule: str) -> Iterator[Finding]:
    tool, parenthesis, rest = rule.partition("(")
    if rule == "*" or rule.startswith("mcp__"):
        return
    if parenthesis and (not rest.endswith(")") or rule.count("(") != rule.count(")")):
        yield line, "malformed-rule", f"{quote(rule)} has unbalanced parentheses", ""
    elif parenthesis and rest == ")":
        yield line, "malformed-rule", f"{quote(rule)} has nothing between its parentheses", ""
    elif not tool or ")" in tool:
        yield line, "malformed-rule", f"{quote(rule)} does not start with a tool", ""
    elif tool not in TOOLS and tool not in FORMER_TOOLS:
        yield line, "unknown-tool", f"the client has no tool {quote(tool)}", suggest(tool, TOOLS)
