"""Check every file for types and content that do not belong in a plugin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename

from ultra_plugin.check.client import FILE_LIMIT
from ultra_plugin.check.codes import problem, quote, warning
from ultra_plugin.check.jsontext import read_json
from ultra_plugin.check.subject import MANIFEST, Subject
from ultra_plugin.errors import Problem
from ultra_plugin.model import BundleFile

LARGEST_FILE = 5_000_000
LARGEST_ICON = 2 * 1024 * 1024
_TEXT = (
    ".md", ".json", ".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts", ".txt", ".yaml", ".yml", ".toml", ".html",
    ".css", ".svg", ".xml", ".csv", ".cfg", ".ini", ".j2",
)  # fmt: skip
_HIDDEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
_STRAY_NAMES = frozenset({
    ".ds_store", "thumbs.db", "desktop.ini", ".env", ".idea", ".vscode", "__pycache__", "__macosx",
    "node_modules", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".git", ".svn", ".hg", ".venv", ".npmrc",
})  # fmt: skip
_STRAY_ENDS = (".pyc", ".pyo", ".swp", ".swo", ".orig", ".rej", ".bak", ".tmp", "~", ".log")
_MISPLACED = re.compile(r"\.claude-plugin/(commands|agents|skills|hooks|bin)/")
_UNPORTABLE = re.compile(
    r'[<>:"|?*\\\x00-\x1f]|[. ](?:/|\Z)|(?:\A|/)(?:con|prn|aux|nul)(?:\.|/|\Z)', re.IGNORECASE
)
_UNPACKED = ".mcpb-cache/"
"""Where the client unpacks bundles; it refuses a plugin with links there."""
_ELSEWHERE = frozenset({MANIFEST, ".claude-plugin/marketplace.json", "hooks/hooks.json", ".mcp.json"})
"""JSON files that another check reads."""


def check_files(subject: Subject) -> Iterator[Problem]:
    """Find stray, misplaced, oversize and garbled files."""
    for file in subject.files.values():
        yield from _path(file)
        if file.symlink:
            message = f"links to {quote(file.text)}, which the client may not follow"
            severity = subject.severity if file.path.startswith(_UNPACKED) else "warning"
            yield problem(severity, file.path, 0, "symlink", message)
        else:
            yield from _size(file)
            yield from _content(file)
    yield from _collisions(subject)


def _path(file: BundleFile) -> Iterator[Problem]:
    path = file.path
    parts = path.split("/")
    for index, part in enumerate(parts):
        if _is_stray(part):
            yield warning("/".join(parts[: index + 1]), 0, "stray-file", "does not belong in a plugin")
            break
    if match := _MISPLACED.match(path):
        message = f"the client does not look for {match.group(1)} inside .claude-plugin"
        yield warning(path, 0, "misplaced", message)
    if path.lower() in ("claude.md", "claude.local.md"):
        yield warning(path, 0, "not-loaded", "the client does not load it from a plugin")
    if _UNPORTABLE.search(path):
        yield warning(path, 0, "unportable-path", "cannot be written on every system")


def _is_stray(part: str) -> bool:
    lower = part.lower()
    return lower in _STRAY_NAMES or lower.endswith(_STRAY_ENDS) or lower.startswith((".env.", "._"))


def _size(file: BundleFile) -> Iterator[Problem]:
    size = len(file.content)
    top, name = file.path.partition("/")[0], basename(file.path)
    is_component = file.path.lower().endswith(".md") and top in ("commands", "agents", "skills")
    if is_component and size > FILE_LIMIT:
        yield warning(
            file.path, 0, "oversize", f"has {size:,} bytes; over {FILE_LIMIT:,} the client drops it"
        )
    elif name == "icon.png" and size > LARGEST_ICON:
        yield warning(file.path, 0, "oversize", f"has {size:,} bytes; an icon has at most {LARGEST_ICON:,}")
    elif size > LARGEST_FILE:
        yield warning(file.path, 0, "oversize", f"has {size:,} bytes")


def _content(file: BundleFile) -> Iterator[Problem]:
    content, path = file.content, file.path
    if not path.lower().endswith(_TEXT) and not content.startswith(b"#!"):
        return
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        yield warning(path, line, "not-utf8", f"is not UTF-8 text: {fault.reason}")
        text = file.text
    if (at := content.find(b"\r\n")) >= 0:
        yield warning(path, content.count(b"\n", 0, at) + 1, "crlf", "has Windows line ends")
    if text.startswith("\ufeff") and path not in ("hooks/hooks.json", ".mcp.json"):
        yield warning(path, 1, "bom", "starts with a byte order mark")
    if hidden := _HIDDEN.search(text, int(text.startswith("\ufeff"))):
        message = f"has an invisible character: U+{ord(hidden.group()):04X}"
        yield warning(path, text.count("\n", 0, hidden.start()) + 1, "hidden-character", message)
    if path.lower().endswith(".json") and path not in _ELSEWHERE:
        document = read_json(text.removeprefix("\ufeff"))
        if document.fault:
            yield warning(path, document.line, "json", f"is not JSON: {document.fault}")


def _collisions(subject: Subject) -> Iterator[Problem]:
    """Find paths that differ only in case."""
    first: dict[str, str] = {}
    for path in sorted({*subject.files, *subject.folders}):
        other = first.setdefault(path.casefold(), path)
        if other != path:
            message = f"differs from {quote(other)} only in case"
            yield warning(path, 0, "case-collision", message)
