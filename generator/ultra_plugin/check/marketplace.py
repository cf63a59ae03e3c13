"""Check a marketplace: its fields, and whether they match the plugins that it offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import basename, join

from ultra_plugin.check.client import (
    ENTRY_KEYS,
    MARKETPLACE_KEYS,
    MARKETPLACE_METADATA_KEYS,
    OFFICIAL_MARKETPLACES,
    RESERVED_MARKETPLACES,
)
from ultra_plugin.check.codes import error, quote, suggest, warning
from ultra_plugin.check.components import inner_path
from ultra_plugin.check.hooks import check_hooks
from ultra_plugin.check.jsontext import Json, Path, read_json
from ultra_plugin.check.manifest import check_manifest
from ultra_plugin.check.manifest_paths import check_manifest_paths
from ultra_plugin.check.marketplace_shape import BARE_SOURCE, MARKETPLACE_SHAPE, is_bare
from ultra_plugin.check.names import KEBAB, check_names, is_reserved
from ultra_plugin.check.servers import check_servers
from ultra_plugin.check.subject import MANIFEST, Subject, subject_of
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle

ENTRY_MISMATCH = "entry-mismatch"
_OFFICIAL = re.compile(r"official(?:anthropic|claude)|(?:anthropic|claude)official")
_FRONT = re.compile(r"(?:anthropic|claude)(?:marketplace|plugins|official|directory|directories)")
_OF_A_MANIFEST: tuple[Callable[[Subject], Iterator[Problem]], ...] = (
    check_manifest,
    check_manifest_paths,
    check_names,
    check_hooks,
    check_servers,
)


@dataclass(frozen=True, slots=True)
class _Offer:
    """A marketplace file under check."""

    path: str
    document: Json
    fields: dict[str, object]
    plugins: Mapping[str, Bundle]
    folders: frozenset[str]

    @property
    def entries(self) -> list[object]:
        """The entries, if they are a list."""
        entries = self.fields.get("plugins")
        return entries if isinstance(entries, list) else []

    @property
    def is_official(self) -> bool:
        """Whether its name is one of Anthropic's, whose plugins may have reserved names."""
        return str(self.fields.get("name", "")).lower() in OFFICIAL_MARKETPLACES

    def error(self, where: Path, code: str, message: str, remedy: str = "") -> Problem:
        """Make an error at the line of a key."""
        return error(self.path, self.document.line_of(*where), code, message, remedy)

    def warning(self, where: Path, code: str, message: str, remedy: str = "") -> Problem:
        """Make a warning at the line of a key."""
        return warning(self.path, self.document.line_of(*where), code, message, remedy)


def check_marketplace(
    marketplace: bytes,
    path_label: str,
    plugins: Mapping[str, Bundle],
    folders: frozenset[str] = frozenset(),
) -> list[Problem]:
    """Find the faults of a marketplace file.

    `plugins` holds the plugins within reach, by folder below the marketplace or by that folder's last part;
    a plugin in the folder of the marketplace itself is "." or has its name. `folders` are the other folders
    with files, which an entry can make a plugin.
    """
    document = read_json(marketplace.decode("utf-8", "replace").removeprefix("\ufeff"))
    if document.fault:
        tell = error if document.sure else warning
        return [tell(path_label, document.line, "marketplace-json", f"is not JSON: {document.fault}")]
    if not isinstance(document.value, dict):
        return [error(path_label, 1, "marketplace-value", "must be an object")]
    offer = _Offer(path_label, document, document.value, plugins, folders)
    return sorted({*_shape(offer), *_name(offer), *_keys(offer), *_wanted(offer), *_entries(offer)})


def _shape(offer: _Offer) -> Iterator[Problem]:
    for where, what in MARKETPLACE_SHAPE(offer.fields):
        shown = quote(".".join(map(str, where)) or "the marketplace")
        yield offer.error(where, "marketplace-value", f"{shown} {what}")
    for key, line in offer.document.repeated:
        yield warning(offer.path, line, "duplicate-key", f"{quote(key)} is listed twice; the last one counts")
    renames = offer.fields.get("renames")
    names = {entry.get("name") for entry in offer.entries if isinstance(entry, dict) and _named(entry)}
    renamed = renames if isinstance(renames, dict) else {}
    for old, new in renamed.items():
        if isinstance(new, str) and new not in names and new not in renamed:
            yield offer.error(("renames", old), "marketplace-value", f"{quote(new)} is not offered here")


def _named(entry: dict[str, object]) -> bool:
    return isinstance(entry.get("name"), str)


def _name(offer: _Offer) -> Iterator[Problem]:
    name = offer.fields.get("name")
    if not isinstance(name, str) or not name:
        return
    lower = name.lower()
    joined = re.sub(r"[^a-z0-9]+", "", lower)
    if not BARE_SOURCE.fullmatch(name) or ".." in name:
        yield offer.error(("name",), "bad-name", f"no plugin can be installed from {quote(name)}")
    elif lower in OFFICIAL_MARKETPLACES and "anthropic" in str(offer.fields.get("owner")).lower():
        return
    elif lower in OFFICIAL_MARKETPLACES:
        yield offer.warning(("name",), "reserved-name", f"the name {quote(name)} is Anthropic's own")
    elif lower in RESERVED_MARKETPLACES or _OFFICIAL.search(joined) or _FRONT.match(joined):
        yield offer.error(("name",), "reserved-name", f"the name {quote(name)} is reserved")
    elif not KEBAB.fullmatch(name):
        yield offer.warning(("name",), "not-kebab-case", f"the name {quote(name)} is not kebab-case")


def _keys(offer: _Offer) -> Iterator[Problem]:
    yield from _unknown(offer, (), offer.fields, MARKETPLACE_KEYS)
    yield from _unknown(offer, ("metadata",), offer.fields.get("metadata"), MARKETPLACE_METADATA_KEYS)
    for index, entry in enumerate(offer.entries):
        yield from _unknown(offer, ("plugins", index), entry, ENTRY_KEYS)


def _unknown(offer: _Offer, where: Path, value: object, known: frozenset[str]) -> Iterator[Problem]:
    for key in value if isinstance(value, dict) else ():
        if key not in known:
            message = f"the client does not know the key {quote(key)}"
            yield offer.warning((*where, key), "unknown-key", message, suggest(key, known))


def _wanted(offer: _Offer) -> Iterator[Problem]:
    metadata = offer.fields.get("metadata")
    inner = metadata.get("description") if isinstance(metadata, dict) else None
    if not offer.fields.get("description") and not inner:
        yield offer.warning(("description",), "no-description", "the marketplace has no description")
    if offer.fields.get("plugins") == []:
        yield offer.warning(("plugins",), "no-plugins", "offers no plugin")


def _entries(offer: _Offer) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, entry in enumerate(offer.entries):
        if not isinstance(entry, dict):
            continue
        where = ("plugins", index)
        name = entry.get("name")
        if isinstance(name, str) and name:
            if not BARE_SOURCE.fullmatch(name):
                yield offer.error((*where, "name"), "bad-name", f"{quote(name)} cannot be installed")
            elif is_reserved(name) and not offer.is_official:
                yield offer.error(
                    (*where, "name"), "reserved-name", f"the name {quote(name)} is Anthropic's own"
                )
            if name in seen:
                yield offer.error((*where, "name"), "duplicate-name", f"{quote(name)} is offered twice")
            seen.add(name)
        yield from _source(offer, where, entry)


def _source(offer: _Offer, where: Path, entry: dict[str, object]) -> Iterator[Problem]:
    source = entry.get("source")
    inner = source.get("path") if isinstance(source, dict) else source
    if isinstance(inner, str) and ".." in inner.replace("\\", "/").split("/"):
        yield offer.error(
            (*where, "source"), "path-outside", f"{quote(inner)} points outside the marketplace"
        )
        return
    if isinstance(source, str) and is_bare(source) and source != ".":
        root = _plugin_root(offer)
        if root is None:
            message = f"the bare name {quote(source)} needs metadata.pluginRoot"
            yield offer.error((*where, "source"), "marketplace-value", message)
            return
        source = join(root, source)
    if isinstance(source, str) and source.startswith("."):
        yield from _plugin(offer, where, entry, inner_path(source))


def _plugin_root(offer: _Offer) -> str | None:
    metadata = offer.fields.get("metadata")
    root = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    if not isinstance(root, str) or not root or root.startswith("/") or "\\" in root or ":" in root:
        return None
    inner = root.removeprefix("./").rstrip("/") or "."
    return f"./{inner}" if inner == "." or not {"", ".", ".."} & set(inner.split("/")) else None


def _plugin(offer: _Offer, where: Path, entry: dict[str, object], folder: str) -> Iterator[Problem]:
    """Compare an entry with the plugin in its folder."""
    last = str(entry.get("name")) if folder == "." else basename(folder)
    bundle = offer.plugins.get(folder) or offer.plugins.get(last)
    if bundle is None:
        if folder not in offer.folders:
            yield offer.warning((*where, "source"), "source-missing", f"{quote(folder)} has no plugin")
        return
    if bundle.kept is not None and bundle.name == entry.get("name"):
        return  # compared when it was built
    subject = subject_of(bundle)
    if subject.manifest is None:
        return
    name, version = subject.fields.get("name"), subject.fields.get("version")
    if isinstance(name, str) and _named(entry) and name != entry["name"]:
        message = f"the plugin in {quote(folder)} is called {quote(name)}"
        yield offer.warning((*where, "name"), ENTRY_MISMATCH, message)
    if isinstance(version, str) and version and entry.get("version") not in (None, "", version):
        message = f"the plugin in {quote(folder)} has version {quote(version)}, which wins"
        yield offer.warning((*where, "version"), ENTRY_MISMATCH, message)
    found = (problem for check in _OF_A_MANIFEST for problem in check(subject))
    is_judged_by_entry = offer.is_official or name == entry.get("name")
    if any(
        problem.severity == "error" and problem.path == MANIFEST
        for problem in found
        if not (is_judged_by_entry and problem.code == "reserved-name")
    ):
        message = f"the manifest of the plugin in {quote(folder)} has errors"
        yield offer.error((*where, "source"), "plugin-invalid", message)
