"""Find unresolved merge conflict markers."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from ultra_plugin.errors import Problem, Severity
from ultra_plugin.source import SourceTree, is_in_plugin

_OURS, _THEIRS = b"<<<<<<< ", b">>>>>>> "
_MIDDLE = (b"=======", b"||||||| ")
"""These may also underline a heading, so they count only after a first marker."""
_BINARY = (".png",)


def marker_problems(tree: SourceTree, known: Container[str] = ()) -> Iterator[Problem]:
    """Yield the conflict markers in files that the generator parses or renders, except in plugins known to have none."""
    paths = (path for path in tree.files() if _is_parsed(path))
    unknown = (path for path in paths if not is_in_plugin(path) or path.split("/", 2)[1] not in known)
    return _found(tree, unknown, "error")


def copied_marker_problems(tree: SourceTree, folder: str) -> Iterator[Problem]:
    """Yield the conflict markers in files of a plugin that ship as they are; a text may show some."""
    return _found(tree, (path for path in tree.files(folder) if not _is_parsed(path)), "warning")


def _is_parsed(path: str) -> bool:
    return not is_in_plugin(path) or path.endswith((".j2", "/plugin.yaml"))


def _found(tree: SourceTree, paths: Iterable[str], severity: Severity) -> Iterator[Problem]:
    for path in paths:
        content = b"" if path.endswith(_BINARY) else tree.read(path)
        if _OURS not in content and _THEIRS not in content:
            continue
        is_open = False
        for number, line in enumerate(content.splitlines(), 1):
            if line.startswith((_OURS, _THEIRS)) or (is_open and line.startswith(_MIDDLE)):
                mark = line[:7].decode()
                message = f"the conflict marker {mark} is still in the file"
                shown = tree.shown(path)
                yield Problem(shown, number, "conflict-marker", message, "finish the merge", severity)
                is_open = mark != _THEIRS.decode().strip()
