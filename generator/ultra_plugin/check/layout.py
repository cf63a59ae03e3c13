"""Check rendered Markdown: heading levels, and remains of templates.

The renderer handles blank lines, tables and line lengths, so they need no check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultra_plugin.check.codes import warning
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle

_FENCE = re.compile(r" *(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?: +|$)(.*)")
_NOISE = re.compile(r"\{\{|\}\}|\{%|%\}|\{#|#\}")
_CODE_SPAN = re.compile(r"(`+).*?\1")
_INDENTED = "    "


def layout_problems(bundle: Bundle) -> Iterator[Problem]:
    """Yield the layout faults of the rendered Markdown."""
    for path, file in bundle.files.items():
        if path.endswith(".md") and file.sources and file.sources[0].endswith(".j2"):
            yield from _page(path, file.text)


def _page(path: str, text: str) -> Iterator[Problem]:
    above = 0
    for number, line in _prose(text):
        if noise := _NOISE.search(_CODE_SPAN.sub("", line)):
            message = f"'{noise.group()}' is left over from a template"
            yield warning(path, number, "template-noise", message)
        if not (heading := _HEADING.match(line)):
            continue
        level = len(heading.group(1))
        if level == 1 and above:
            message = f"'{heading.group(2)}' is a second title"
            yield warning(path, number, "second-title", message)
        elif level > above + 1:
            follows = f"'{line.strip()}' follows a heading of level {above}"
            message = follows if above else "the first heading is not a title"
            yield warning(path, number, "heading-level", message, f"write '{'#' * (above + 1)}'")
        above = max(level, above) if level == 1 else level


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines outside code and front matter, with their numbers."""
    lines = text.split("\n")
    start = lines.index("---", 1) + 1 if lines[0] == "---" and "---" in lines[1:] else 0
    fence = ""
    for number, line in enumerate(lines[start:], start + 1):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark.group(1).startswith(fence) else fence or mark.group(1)
        elif not fence and not line.startswith(_INDENTED):
            yield number, line
