"""Check the smaller parts of a plugin: monitors, workflows, language servers, settings and output styles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultra_plugin.check.codes import quote, suggest, warning
from ultra_plugin.check.header import read_header
from ultra_plugin.check.jsontext import read_json
from ultra_plugin.check.manifest_paths import named_files
from ultra_plugin.check.manifest_shape import LANGUAGE_SERVER, monitors
from ultra_plugin.check.shapes import Shape, record
from ultra_plugin.check.subject import Subject
from ultra_plugin.errors import Problem

SETTINGS = frozenset({"agent", "subagentStatusLine"})
"""The keys of a plugin's settings.json that the client reads."""
STYLE_KEYS = frozenset({"name", "description", "keep-coding-instructions", "force-for-plugin"})
_META = re.compile(r"^\s*export\s+const\s+meta\s*=\s*\{", re.MULTILINE)
_EXPORT = re.compile(r"^\s*export\s+default\b", re.MULTILINE)


def check_parts(subject: Subject) -> Iterator[Problem]:
    """Find parts that the client drops silently."""
    yield from _shaped(subject, "monitors", "monitors/monitors.json", monitors)
    yield from _shaped(subject, "lspServers", ".lsp.json", record(LANGUAGE_SERVER))
    yield from _settings(subject)
    for path, file in subject.files.items():
        if file.symlink:
            continue
        if path.startswith("output-styles/") and path.endswith(".md"):
            yield from _style(path, file.text)
        elif re.fullmatch(r"workflows/[^/]+\.m?js", path):
            yield from _workflow(path, file.text)


def _shaped(subject: Subject, key: str, default: str, shape: Shape) -> Iterator[Problem]:
    for path in named_files(subject.fields, key, default):
        file = subject.files.get(path)
        document = read_json(file.text) if file and not file.symlink else None
        if document is None or document.fault:
            continue  # another check reports JSON that does not parse
        for where, what in shape(document.value):
            shown = quote(".".join(map(str, where)) or key)
            yield warning(path, document.line_of(*where), "part-value", f"{shown} {what}")


def _settings(subject: Subject) -> Iterator[Problem]:
    file = subject.files.get("settings.json")
    document = read_json(file.text) if file and not file.symlink else None
    for key in document.value if document and isinstance(document.value, dict) else ():
        if key not in SETTINGS and document:
            message = f"the client does not read {quote(key)} from the settings of a plugin"
            yield warning(
                "settings.json", document.line_of(key), "unknown-key", message, suggest(key, SETTINGS)
            )


def _style(path: str, text: str) -> Iterator[Problem]:
    header = read_header(text)
    if header.state in ("absent", "unclosed"):
        yield warning(path, 1, "no-header", "does not start with a YAML header between '---' lines")
    elif header.state == "broken":
        yield warning(path, header.line, "yaml", f"the client cannot read the YAML header: {header.fault}")
    for key, value in header.values.items():
        if key not in STYLE_KEYS:
            message = f"the client does not know the key {quote(key)} of an output style"
            yield warning(path, value.line, "unknown-key", message, suggest(key, STYLE_KEYS))


def _workflow(path: str, text: str) -> Iterator[Problem]:
    if not _META.search(text):
        yield warning(
            path,
            1,
            "part-value",
            "has no 'export const meta = {...}'",
            "name and describe the workflow in it",
        )
    if match := _EXPORT.search(text):
        line = text.count("\n", 0, match.start()) + 1
        message = "has 'export default'; the body of a workflow is at the top level"
        yield warning(path, line, "part-value", message, "write the body at the top level, with return")
