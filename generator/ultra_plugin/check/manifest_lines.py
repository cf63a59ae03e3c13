"""Find the line of plugin.yaml behind a line of the rendered plugin.json."""

from __future__ import annotations

import re

from ultra_plugin.document import line_of, top_keys

_KEY = re.compile(r'( *)"((?:[^"\\]|\\.)*)":')
_NAMES = {"displayName": "title", "userConfig": "options"}
"""Key of the manifest -> its name in plugin.yaml, where that is another."""


def manifest_line(settings: bytes, rendered: str, line: int) -> int:
    """Return the line of the settings that gives a line of the manifest; 0 if another file gives it."""
    path: list[tuple[int, str]] = []
    for text in rendered.split("\n")[:line]:
        if found := _KEY.match(text):
            depth = len(found.group(1))
            path = [*(one for one in path if one[0] < depth), (depth, found.group(2))]
    if not path:
        return 0
    known = top_keys(settings)
    top = path[0][1]
    given = top if top in known else _NAMES.get(top, top)
    inner = [key for _, key in path[1:]]
    if given in known:
        return line_of(settings, given, *inner)
    return line_of(settings, "manifest", top, *inner) if "manifest" in known else 0
