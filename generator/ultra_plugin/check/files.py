"""Check every file for types and content that do not belong in a plugin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname, join, normpath

from ultra_plugin.check.client import FILE_LIMIT
from ultra_plugin.check.codes import problem, quote, warning
from ultra_plugin.check.components import without_fences
from ultra_plugin.check.jsontext import without_lines
from ultra_plugin.check.subject import MANIFEST, Subject
from ultra_plugin.errors import Problem
from ultra_plugin.keys import CACHES
from ultra_plugin.model import BundleFile

LARGEST_FILE = 5_000_000
LARGEST_ICON = 2 * 1024 * 1024
_TEXT = (
    ".md", ".json", ".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts", ".txt", ".yaml", ".yml", ".toml", ".html",
    ".css", ".svg", ".xml", ".csv", ".cfg", ".ini", ".j2",
)  # fmt: skip
_HIDDEN = re.compile(
    "(?<!!)\u200b|\u200b(?!`)|[\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e001f\U000e007f]"
    "|(?<=[A-Za-z])[\u00ad\u200c\u200d](?=[A-Za-z])|[\U000e0100-\U000e01ef]"
    "|(?<![\u0590-\u08ff])[\u200e\u200f](?![\u0590-\u08ff])"
    "|(?<!\U0001f3f4)(?<![\U000e0020-\U000e007e])[\U000e0020-\U000e007e]"
)
"""Marks of direction count outside of right-to-left text, tags outside of flags.

A zero-width space after '!' keeps the client from running an example of a command.
"""
_MAYBE_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e01ef]")
"""Any character that the pattern above can find; a class alone is searched far more quickly."""
_HTML_COMMENT = re.compile(r"^\s*(?:[-*>]\s*)?<!--(.*?)(?:-->|\Z)", re.DOTALL | re.MULTILINE)
_BEHIND = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|other|all)\b.{0,30}\b(?:instruction|rule|prompt|message|guideline)"
    r"|\b(?:do not|don't|never|without)\b.{0,20}\b(?:tell|telling|mention|inform|informing|ask|asking|reveal|show|notify)\w*\b.{0,30}\b(?:user|human|anyone|operator)"
    r"|\b(?:send|post|upload|exfiltrate|forward|leak)\b.{0,60}(?:https?://|\b(?:secret|token|credential|api.?key|password|\.env|\.ssh)\b)"
    r"|\b(?:curl|wget)\b[^\n]{0,120}\|\s*(?:ba|z)?sh\b|\brm\s+-rf\s+[~/]",
    re.IGNORECASE | re.DOTALL,
)
"""What a comment says that wants more of a model than its reader would allow."""
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_READ_BY_A_MODEL = (
    "commands/",
    "agents/",
    "skills/",
    "output-styles/",
    "workflows/",
    "guides/",
    "hooks/",
    ".claude-plugin/",
)
_STRAY_NAMES = frozenset({
    ".ds_store", "thumbs.db", "desktop.ini", ".env", "__pycache__", "__macosx", ".pytest_cache", ".mypy_cache",
    ".ruff_cache", ".git", ".svn", ".hg", ".venv",
})  # fmt: skip
_STRAY_ENDS = (".pyc", ".pyo", ".swp", ".swo", ".orig", ".rej", "~")
_SAMPLES = (".example", ".sample", ".template", ".schema", ".dist", ".defaults")
_DEVELOPMENT = frozenset({
    ".claude-plugin/marketplace.json", ".gitignore", "package.json", "pyproject.toml", "Makefile", "CONTRIBUTING.md",
    "AGENTS.md", "Cargo.toml", "go.mod",
})  # fmt: skip
"""Files at the top of a repository, whose CLAUDE.md is for those who work on the plugin."""
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\$\{|<[A-Za-z_][\w -]*>|\.\.\.")
_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/|(?<=[\w"\]}]),(?=\s*[}\]])', re.DOTALL)
_NOT_OURS = re.compile(
    r"(?:^|/)(?:\w*[Tt]ests?\w*|fixtures?|testdata|test-files|templates?|examples?|samples?|refs|vendor|third[-_]party|\.[^/]+)/"
    r"|(?:ts|js)config"
)
"""Samples, test data and files of other tools."""
_MISPLACED = re.compile(r"\.claude-plugin/(commands|agents|skills|hooks|bin)/")
_UNPORTABLE = re.compile(
    r'[<>:"|?*\\\x00-\x1f]|[. ](?:/|\Z)|(?:\A|/)(?:con|prn|aux|nul)(?:\.|/|\Z)', re.IGNORECASE
)
_MOST_COLLISIONS = 5
_UNPACKED = ".mcpb-cache/"
"""Where the client unpacks bundles; it refuses a plugin with links there."""
_ELSEWHERE = frozenset({MANIFEST, ".claude-plugin/marketplace.json", "hooks/hooks.json", ".mcp.json"})
"""JSON files that another check reads."""


def check_files(subject: Subject) -> Iterator[Problem]:
    """Find stray, misplaced, oversize and garbled files."""
    components = {component.path for component in subject.components}
    for file in subject.files.values():
        if not CACHES.isdisjoint(file.path.split("/")):
            continue
        yield from _path(file, subject.is_plugin)
        if file.symlink:
            yield from _link(subject, file)
        else:
            yield from _size(file, file.path in components)
            if subject.is_plugin or file.path.startswith((".claude-plugin/", "README")):
                yield from _content(file, file.path in components)
    if not subject.bundle.around.is_repository and _DEVELOPMENT.isdisjoint(subject.files):
        for path in ("CLAUDE.md", "CLAUDE.local.md"):
            if path in subject.files:
                yield warning(path, 0, "not-loaded", "the client does not load it from a plugin")
    yield from _collisions(subject)


def _link(subject: Subject, file: BundleFile) -> Iterator[Problem]:
    """Find links that the client does not follow: in place of a file that it reads, or out of the plugin."""
    target = normpath(join(dirname(file.path), file.text))
    if file.path.startswith(_UNPACKED):
        message = f"links to {quote(file.text)}, which the client may not follow"
        yield problem(subject.severity, file.path, 0, "symlink", message)
    elif _is_loaded(file.path) or file.path in _ELSEWHERE or file.path == "README.md":
        message = f"links to {quote(file.text)}, which the client may not follow"
        yield warning(file.path, 0, "symlink", message)
    elif file.text.startswith("/") or target.startswith("..") or not subject.has(target):
        yield warning(file.path, 0, "symlink", f"links to {quote(file.text)}, which is not in the plugin")


def _is_loaded(path: str) -> bool:
    """Say whether the client loads a component from a path: a text, or a folder with skills or one of them."""
    top, _, rest = path.partition("/")
    if top in ("commands", "agents", "output-styles"):
        return not rest or rest.lower().endswith(".md")
    return top == "skills" and (rest.count("/") == 0 or rest.endswith("/SKILL.md"))


def _path(file: BundleFile, is_plugin: bool) -> Iterator[Problem]:
    path = file.path
    parts = path.split("/")
    for index, part in enumerate(parts if is_plugin else ()):
        if _is_stray(part):
            yield warning("/".join(parts[: index + 1]), 0, "stray-file", "does not belong in a plugin")
            break
    if match := _MISPLACED.match(path):
        message = f"the client does not look for {match.group(1)} inside .claude-plugin"
        yield warning(path, 0, "misplaced", message)
    if _UNPORTABLE.search(path):
        yield warning(path, 0, "unportable-path", "cannot be written on every system")


def _is_stray(part: str) -> bool:
    lower = part.lower()
    if lower.endswith(_SAMPLES):
        return False
    return lower in _STRAY_NAMES or lower.endswith(_STRAY_ENDS) or lower.startswith((".env.", "._"))


def _size(file: BundleFile, is_component: bool) -> Iterator[Problem]:
    size, name = file.size, basename(file.path)
    if is_component and size > FILE_LIMIT:
        yield warning(
            file.path, 0, "oversize", f"has {size:,} bytes; over {FILE_LIMIT:,} the client drops it"
        )
    elif name == "icon.png" and size > LARGEST_ICON:
        yield warning(file.path, 0, "oversize", f"has {size:,} bytes; an icon has at most {LARGEST_ICON:,}")
    elif size > LARGEST_FILE:
        yield warning(file.path, 0, "oversize", f"has {size:,} bytes")


def _content(file: BundleFile, is_component: bool) -> Iterator[Problem]:
    content, path = file.content, file.path
    is_script = path.lower().endswith((".sh", ".bash")) or (file.executable and content.startswith(b"#!"))
    if not path.lower().endswith(_TEXT) and not is_script:
        return
    is_read = path.startswith(_READ_BY_A_MODEL) or "/" not in path or bool(file.sources)
    text = file.text
    is_prompt = is_read and path.lower().endswith((".md", ".json", ".txt", ".yaml", ".yml"))
    is_prompt = is_prompt and not _NOT_OURS.search(path)
    if is_prompt and not file.left_out and "\ufffd" in text and not path.endswith(".txt"):
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as fault:
            line = content.count(b"\n", 0, fault.start) + 1
            yield warning(path, line, "not-utf8", f"is not UTF-8 text: {fault.reason}")
    if (at := content.find(b"\r\n")) >= 0 and (is_script or file.sources or (is_read and _BANG.search(text))):
        yield warning(path, content.count(b"\n", 0, at) + 1, "crlf", "has Windows line ends")
    is_parsed = is_component or is_script or path.endswith(".json") or bool(file.sources)
    if text.startswith("\ufeff") and is_parsed and is_read and path not in ("hooks/hooks.json", ".mcp.json"):
        yield warning(path, 1, "bom", "starts with a byte order mark")
    start = int(text.startswith("\ufeff"))
    hidden = _CONTROL.search(text) if is_prompt else None
    if is_prompt and not hidden and not text.isascii() and _MAYBE_HIDDEN.search(text, start):
        hidden = _HIDDEN.search(text, start)
    if hidden:
        message = f"has an invisible character: U+{ord(hidden.group()):04X}"
        yield warning(path, text.count("\n", 0, hidden.start()) + 1, "hidden-character", message)
    if is_prompt and is_component and "<!--" in text:
        shown = without_fences(text)
        for comment in _HTML_COMMENT.finditer(shown):
            if _BEHIND.search(comment.group(1)):
                line = shown.count("\n", 0, comment.start()) + 1
                yield warning(path, line, "hidden-instruction", "a comment gives the model an instruction")
    if path.lower().endswith(".json") and path not in _ELSEWHERE and not file.left_out:
        document = without_lines(text.removeprefix("\ufeff"))
        if document.fault and not _is_other_json(path, text):
            yield warning(path, document.line, "json", f"is not JSON: {document.fault}")


_BANG = re.compile(r"(?:^|\s)!`|^```!", re.MULTILINE)
"""A command that the client runs; it refuses one with a carriage return."""


def _is_other_json(path: str, text: str) -> bool:
    """Say whether a text is JSON with comments, a template or a sample, which is not meant to parse."""
    if _NOT_OURS.search(path) or not text.strip() or _TEMPLATE.search(text):
        return True
    return not without_lines(_COMMENT.sub(lambda match: match.group(1) or "", text)).fault


def _collisions(subject: Subject) -> Iterator[Problem]:
    """Find paths that differ only in case."""
    first: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for path in sorted({*subject.files, *subject.folders}):
        other = first.setdefault(path.casefold(), path)
        if other != path and dirname(path) == dirname(other):  # the others follow from these
            found.append((path, other))
    for path, other in found[:_MOST_COLLISIONS]:
        more = len(found) - _MOST_COLLISIONS
        others = f" (and {more} others)" if more > 0 and path == found[0][0] else ""
        message = f"differs from {quote(other)} only in case{others}"
        yield warning(path, 0, "case-collision", message)
