"""Check what a plugin directory requires: README, licence and icon."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultra_plugin.check.codes import quote, warning
from ultra_plugin.check.components import inner_path
from ultra_plugin.check.subject import MANIFEST, Subject
from ultra_plugin.errors import Problem
from ultra_plugin.model import BundleFile

ICON = ".claude-plugin/icon.png"
FEWEST_WORDS = 40
ICON_SIZES = range(512, 2049)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)")
_URL = re.compile(r"\w+://\S+")
_WORD = re.compile(r"\w[\w'-]*")
_INSTALL = re.compile(r"plugin install\b|--plugin-dir\b|ultra-install\b")
_LICENCE = re.compile(r"(?:licen[cs]e|copying|unlicense)(?:[.-].*)?", re.IGNORECASE)
_PNG = b"\x89PNG\r\n\x1a\n"


def check_listing(subject: Subject) -> Iterator[Problem]:
    """Find what a directory would miss; skip a folder without a manifest."""
    if subject.manifest is not None:
        yield from _readme(subject)
        yield from _licence(subject)
        yield from _icon(subject)


def _readme(subject: Subject) -> Iterator[Problem]:
    path = next((path for path in subject.files if path.lower() == "readme.md"), None)
    if path is None:
        yield warning("README.md", 0, "readme-missing", "does not exist")
        return
    if subject.files[path].symlink:
        return
    text = subject.files[path].text
    if (count := len(_WORD.findall(_URL.sub("", _prose(text))))) < FEWEST_WORDS:
        message = f"has {count} words outside of code; a directory asks for {FEWEST_WORDS}"
        yield warning(path, 1, "readme-short", message)
    if not _INSTALL.search(text):
        yield warning(path, 1, "readme-no-install", "does not say how the plugin is installed")


def _prose(text: str) -> str:
    """Return a Markdown text without its fenced code."""
    lines, in_fence = [], False
    for line in text.split("\n"):
        if _FENCE.match(line):
            in_fence = not in_fence
        elif not in_fence:
            lines.append(line)
    return "\n".join(lines)


def _licence(subject: Subject) -> Iterator[Problem]:
    if not subject.fields.get("license") and not any(map(_LICENCE.fullmatch, subject.files)):
        yield warning(
            MANIFEST, 1, "license-missing", "has no license field, and the plugin has no LICENSE file"
        )


def _icon(subject: Subject) -> Iterator[Problem]:
    named = subject.fields.get("icon")
    path = inner_path(named) if isinstance(named, str) and named else ICON
    file = subject.files.get(path)
    if file is not None:
        if not file.symlink:
            yield from _image(file)
    elif path == ICON:
        yield warning(ICON, 0, "icon-missing", "does not exist")
    elif subject.manifest is not None and not subject.is_linked(path):
        message = f"the icon {quote(path)} does not exist"
        yield warning(MANIFEST, subject.manifest.line_of("icon"), "icon-missing", message)


def _image(file: BundleFile) -> Iterator[Problem]:
    content = file.content
    if not content.startswith(_PNG) or content[12:16] != b"IHDR" or len(content) < 24:
        yield warning(file.path, 0, "icon-invalid", "is not a PNG image")
        return
    width, height = int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if width != height or width not in ICON_SIZES:
        message = f"has {width} x {height} pixels; an icon is a square of 512 to 2048"
        yield warning(file.path, 0, "icon-size", message)
