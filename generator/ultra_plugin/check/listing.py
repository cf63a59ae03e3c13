"""Check what a plugin directory requires: README, licence and icon."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultra_plugin.check.codes import quote, warning
from ultra_plugin.check.components import inner_path
from ultra_plugin.check.subject import MANIFEST, Subject
from ultra_plugin.errors import Problem
from ultra_plugin.keys import LICENCE_NAMES, PRIVACY, README_NAMES
from ultra_plugin.model import BundleFile

ICON = ".claude-plugin/icon.png"
ICON_PLACES = (
    ".claude-plugin/icon.svg", ICON, "icon.svg", "icon.png", "assets/icon.svg", "assets/icon.png", "assets/logo.svg",
    "assets/logo.png", "images/icon.png", "images/icon.svg",
)  # fmt: skip
"""Where the client looks for an icon, in its order."""
FEWEST_WORDS = 40
ICON_SIZES = range(512, 2049)
_SPACES = " \t\v\f\r\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_FENCE = re.compile(f"[{_SPACES}]*(?:```|~~~)")
_NAMED_URL = re.compile(r"\[([^\]]{0,80})\]\(https?://[^)\s]+\)")
_URL = re.compile(r"https?://[^ \t\n\f\r)<>\"']+")
_WORD = re.compile(f"[^{_SPACES}\n]+")
_PRIVACY = re.compile(r"privacy", re.IGNORECASE)
_HTTPS = re.compile(r"https://[^ \t\n\f\r)<>\"']+")
_INSTALL = re.compile(
    r"plugin install\b|--plugin-dir\b|ultra-install\b|^#.*(?:\bInstall|\bSetup\b|インストール|安装|설치)",
    re.IGNORECASE | re.MULTILINE,
)
"""A command that installs a plugin, or a section about it."""
_PNG = b"\x89PNG\r\n\x1a\n"


def check_listing(subject: Subject) -> Iterator[Problem]:
    """Find what a directory would miss; skip a folder without a manifest."""
    if subject.manifest is not None:
        yield from _readme(subject)
        yield from _licence(subject)
        yield from _icon(subject)


def has_privacy_policy(subject: Subject) -> bool:
    """Say whether the manifest or the README names a privacy policy, as a directory looks for it."""
    if any(subject.fields.get(key) for key in PRIVACY):
        return True
    path = _readme_path(subject)
    text = subject.files[path].text if path else subject.bundle.around.readme or ""
    return any(_HTTPS.search(line) for line in text.split("\n") if _PRIVACY.search(line))


def _readme_path(subject: Subject) -> str | None:
    return next((name for name in README_NAMES if name in subject.files), None)


def _readme(subject: Subject) -> Iterator[Problem]:
    path = _readme_path(subject)
    if path is None and subject.bundle.around.readme is None:
        yield warning("README.md", 0, "readme-missing", "does not exist")
        return
    if path is not None and subject.files[path].symlink:
        return
    text = subject.files[path].text if path else subject.bundle.around.readme or ""
    shown = path or "README.md"
    if (count := _words(text)) < FEWEST_WORDS:
        whose = "" if path else "the README of the repository "
        message = f"{whose}has {count} words outside of code; a directory asks for {FEWEST_WORDS}"
        yield warning(shown, 1, "readme-short", message)
    if path and not _INSTALL.search(text) and not _INSTALL.search(subject.bundle.around.readme or ""):
        yield warning(shown, 1, "readme-no-install", "does not say how the plugin is installed")


def _words(text: str) -> int:
    """Count as the client does: what is between spaces, without fenced code and addresses."""
    count, in_fence = 0, False
    for line in text.split("\n"):
        if _FENCE.match(line):
            in_fence = not in_fence
        elif not in_fence:
            count += len(_WORD.findall(_URL.sub("", _NAMED_URL.sub(r"\1", line))))
    return count


def _licence(subject: Subject) -> Iterator[Problem]:
    has_own = any(path.lower() in LICENCE_NAMES and not file.symlink for path, file in subject.files.items())
    if not subject.fields.get("license") and not has_own and not subject.bundle.around.has_licence:
        yield warning(
            MANIFEST, 1, "license-missing", "has no license field, and the plugin has no LICENSE file"
        )


def _icon(subject: Subject) -> Iterator[Problem]:
    named = subject.fields.get("icon")
    if isinstance(named, str) and named.strip():
        if subject.manifest is not None and "://" not in named:
            yield from _named_icon(subject, inner_path(named), subject.manifest.line_of("icon"))
        return
    path = next((path for path in ICON_PLACES if path in subject.files), None)
    if path is None:
        yield warning(ICON, 0, "icon-missing", "does not exist")
    elif not subject.files[path].symlink and path.endswith(".png"):
        yield from _image(subject.files[path])


def _named_icon(subject: Subject, path: str, line: int) -> Iterator[Problem]:
    file = subject.files.get(path)
    if file is None:
        if not subject.is_linked(path):
            yield warning(MANIFEST, line, "icon-missing", f"the icon {quote(path)} does not exist")
    elif not file.symlink and not (
        path.lower().endswith((".jpg", ".jpeg")) and file.content.startswith(b"\xff\xd8\xff")
    ):
        yield from _image(file)


def _image(file: BundleFile) -> Iterator[Problem]:
    content = file.content
    if not content.startswith(_PNG) or content[12:16] != b"IHDR" or len(content) < 24:
        yield warning(file.path, 0, "icon-invalid", "is not a PNG image")
        return
    width, height = int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if width != height or width not in ICON_SIZES:
        message = f"has {width} x {height} pixels; an icon is a square of 512 to 2048"
        yield warning(file.path, 0, "icon-size", message)
