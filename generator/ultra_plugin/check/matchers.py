"""Check the matchers of hooks: a plain word must match exactly; anything else is a regular expression."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import lru_cache

from ultra_plugin.check.client import EVENTS_WITHOUT_MATCHER, FORMER_TOOLS, MATCHER_VALUES, TOOL_EVENTS, TOOLS
from ultra_plugin.check.codes import printable, quote, suggest

Finding = tuple[str, str, str]
"""Code, message and remedy."""

LONGEST_PATTERN = 1000
_EXACT = re.compile(r"[\w\-, |]+")
_NAMED_GROUP = re.compile(r"\(\?<(?![=!])")
_RULE = re.compile(r"\w+\(.*\)", re.DOTALL)
_CHOICE = re.compile(r"\w+\([\w|]*\|[\w|]*\)")
"""A regular expression that ends with a choice of names."""
_SERVER_ONLY = re.compile(r"mcp__(?:[^_]|_(?!_))+")


def matcher_findings(event: str, matcher: str) -> Iterator[Finding]:
    """Yield why a matcher has no effect or never matches."""
    if matcher in ("", "*"):
        return
    if event in EVENTS_WITHOUT_MATCHER:
        yield "matcher-ignored", f"{event} takes no matcher; {quote(matcher)} is ignored", ""
    elif _EXACT.fullmatch(matcher):
        yield from _words(event, matcher)
    elif event in TOOL_EVENTS and _RULE.fullmatch(matcher) and not _CHOICE.fullmatch(matcher):
        yield "bad-matcher", f"{quote(matcher)} is a permission rule and never matches", "put it under 'if'"
    elif fault := pattern_fault(matcher):
        yield "bad-matcher", f"{quote(matcher)} {fault}", ""


def _words(event: str, matcher: str) -> Iterator[Finding]:
    known = TOOLS | FORMER_TOOLS if event in TOOL_EVENTS else MATCHER_VALUES.get(event)
    for word in filter(None, map(str.strip, re.split("[|,]", matcher))) if known else ():
        if _SERVER_ONLY.fullmatch(word):
            message = f"{quote(word)} must match a tool's whole name, and matches none"
            yield "bad-matcher", message, f"write '{word}__.*'"
        elif known and word not in known and not word.startswith("mcp__"):
            code = "unknown-tool" if event in TOOL_EVENTS else "bad-matcher"
            yield code, f"{event} never has {quote(word)}", suggest(word, known)


@lru_cache(maxsize=256)
def pattern_fault(pattern: str) -> str:
    """Return why a pattern is not a regular expression in Python's dialect."""
    if len(pattern) > LONGEST_PATTERN:
        return "is too long to be checked"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(_NAMED_GROUP.sub("(?P<", pattern).replace("[^]", "."))
        except (re.error, RecursionError, OverflowError, ValueError) as error:
            return f"is not a regular expression: {printable(str(error))}"
    return ""
