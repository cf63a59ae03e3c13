"""Check plugin.json: it exists, it parses, and every field has its shape."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ultra_plugin.check.client import EXPERIMENTAL_KEYS, MANIFEST_KEYS, MOVED_TO_EXPERIMENTAL, OPTION_KEYS
from ultra_plugin.check.codes import FREE_KEYS, error, quote, suggest, warning
from ultra_plugin.check.jsontext import Json
from ultra_plugin.check.manifest_shape import MANIFEST_SHAPE
from ultra_plugin.check.shapes import UNKNOWN_KEY
from ultra_plugin.check.subject import MANIFEST, MARKETPLACE, Subject
from ultra_plugin.errors import Problem

_IDENTIFIER = r"(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
SEMVER = re.compile(
    rf"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-{_IDENTIFIER}(?:\.{_IDENTIFIER})*)?"
    r"(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?"
)
LONGEST_VERSION = 200
_OBJECT_FIELDS = ("metadata", "engines", "experimental", "binaries")
_WANTED = (
    ("version", "no-version", "has no version"),
    ("description", "no-description", "has no description"),
    ("author", "no-author", "has no author"),
)


def check_manifest(subject: Subject) -> Iterator[Problem]:
    """Find the faults of the manifest itself."""
    manifest = subject.manifest
    if manifest is None:
        yield from _absent(subject)
    elif manifest.fault:
        tell = error if manifest.sure else warning
        yield tell(MANIFEST, manifest.line, "manifest-json", f"is not JSON: {manifest.fault}")
    elif not isinstance(manifest.value, dict):
        yield error(MANIFEST, 1, "manifest-value", "must be an object")
    else:
        yield from _fields(manifest, manifest.value, subject.bundle.around.entry)


def _absent(subject: Subject) -> Iterator[Problem]:
    """Report a folder without a manifest; the client still validates one with skills or a .claude-plugin folder."""
    if MANIFEST in subject.folders:
        yield error(MANIFEST, 0, "no-manifest", "is a folder")
        return
    if MARKETPLACE in subject.files or subject.bundle.around.entry:
        return  # a marketplace needs none, and its entry can replace a plugin's
    if subject.is_linked(MANIFEST):
        yield warning(MANIFEST, 0, "no-manifest", "is behind a symlink and was not read")
        return
    tops = {path.partition("/")[0] for path in subject.files}
    is_known = bool(tops & {".claude-plugin", "skills"}) and bool(tops & {"commands", "agents", "skills"})
    tell = warning if is_known or ".claude" in tops else error
    what = "does not exist" if subject.files else "does not exist: the folder is empty"
    yield tell(MANIFEST, 0, "no-manifest", what)


def _fields(manifest: Json, fields: Mapping[str, object], entry: Mapping[str, object]) -> Iterator[Problem]:
    for where, what in MANIFEST_SHAPE(fields):
        shown = ".".join(map(str, where)) or "the manifest"
        remedy = suggest(str(where[-1]), OPTION_KEYS) if what == UNKNOWN_KEY else ""
        yield error(MANIFEST, manifest.line_of(*where), "manifest-value", f"{quote(shown)} {what}", remedy)
    for key, line in manifest.repeated:
        yield warning(MANIFEST, line, "duplicate-key", f"{quote(key)} is listed twice; the last one counts")
    yield from _keys(manifest, fields)
    for key, code, message in _WANTED:
        if fields.get(key, "") == "" and not entry.get(key):
            yield warning(MANIFEST, manifest.line_of(key), code, message)
    for key in _OBJECT_FIELDS:
        if key in fields and not isinstance(fields[key], dict):
            message = f"{quote(key)} must be an object; the client ignores it"
            yield warning(MANIFEST, manifest.line_of(key), "ignored-value", message)
    version = fields.get("version")
    if isinstance(version, str) and version and not is_semver(version):
        message = f"{quote(version)} is not a semantic version"
        yield warning(MANIFEST, manifest.line_of("version"), "not-semver", message)
    for key in ("homepage", "repository"):
        address = fields.get(key)
        if isinstance(address, str) and address.lower().startswith("http:"):
            message = f"{quote(key)} is not an https address"
            yield warning(MANIFEST, manifest.line_of(key), "not-https", message)


def _keys(manifest: Json, fields: Mapping[str, object]) -> Iterator[Problem]:
    for key in fields:
        if key not in MANIFEST_KEYS:
            message = f"the client does not know the key {quote(key)}"
            remedy = suggest(key, MANIFEST_KEYS) or FREE_KEYS
            yield warning(MANIFEST, manifest.line_of(key), "unknown-key", message, remedy)
        elif key in MOVED_TO_EXPERIMENTAL:
            message = f"{quote(key)} belongs under 'experimental'"
            yield warning(MANIFEST, manifest.line_of(key), "moved-key", message)
    experimental = fields.get("experimental")
    for key in experimental if isinstance(experimental, dict) else ():
        if key not in EXPERIMENTAL_KEYS:
            message = f"the client does not know the key {quote(key)} under 'experimental'"
            remedy = suggest(key, EXPERIMENTAL_KEYS)
            yield warning(MANIFEST, manifest.line_of("experimental", key), "unknown-key", message, remedy)


def is_semver(version: str) -> bool:
    """Say whether a version is MAJOR.MINOR.PATCH with optional pre-release and build."""
    return len(version) <= LONGEST_VERSION and SEMVER.fullmatch(version) is not None
