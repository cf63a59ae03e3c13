"""Render what describes a plugin: its manifest, its listing with digests, and the marketplace that offers it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ultra_plugin import __version__
from ultra_plugin.model import Bundle, BundleFile, Person, Plugin, Suite

MANIFEST = ".claude-plugin/plugin.json"
LISTING = "bundle.json"
BUNDLE_FORMAT = 1


def manifest(suite: Suite, plugin: Plugin) -> BundleFile:
    """Return plugin.json: what plugin.yaml says, and what suite.yaml says for all plugins."""
    settings = plugin.settings
    fields: dict[str, Any] = {
        "name": settings.name,
        "displayName": settings.title,
        "version": version_of(suite, plugin),
        "description": settings.description,
        "author": _person(suite.settings.owner),
        "license": suite.settings.license,
        "keywords": list(settings.keywords),
    }
    fields = {key: value for key, value in fields.items() if value}
    fields |= settings.more
    if settings.options:
        fields["userConfig"] = {
            name: {key: value for key, value in asdict(option).items() if value is not None}
            for name, option in settings.options.items()
        }
    return BundleFile(MANIFEST, as_json({**fields, **settings.manifest}), sources=(plugin.file, "suite.yaml"))


def version_of(suite: Suite, plugin: Plugin) -> str:
    """Return the version of a plugin that does not ship its own manifest."""
    return plugin.settings.version or suite.version


def marketplace(suite: Suite, folder: str, bundles: Sequence[Bundle]) -> bytes:
    """Return the marketplace that offers every plugin of the suite from a folder next to it."""
    fields: dict[str, Any] = {
        "name": suite.settings.name,
        "description": suite.settings.description,
        "owner": _person(suite.settings.owner),
        **suite.settings.more,
    }
    pairs = zip(suite.plugins, bundles, strict=True)
    offers = [_entry(plugin, folder, bundle) for plugin, bundle in pairs]
    return as_json({**fields, "plugins": [*offers, *suite.settings.offers]})


def _entry(plugin: Plugin, folder: str, bundle: Bundle) -> dict[str, Any]:
    name = plugin.settings.name
    fields = {
        "name": name,
        "source": f"./{folder}/{name}",
        "description": plugin.settings.description,
        "version": bundle.version,
    }
    return {key: value for key, value in fields.items() if value} | dict(plugin.settings.entry)


def _person(person: Person) -> dict[str, str]:
    return {key: value for key, value in asdict(person).items() if value}


def listing(
    suite: Suite, name: str, version: str, files: Mapping[str, BundleFile], digest: str
) -> BundleFile:
    """Return bundle.json: the digest and sources of each file; `digest` is that of all sources."""
    entries = {
        path: {
            "sha256": hashlib.sha256(file.content).hexdigest(),
            "size": len(file.content),
            "mode": "link" if file.symlink else "755" if file.executable else "644",
            "sources": list(file.sources),
        }
        for path, file in sorted(files.items())
    }
    content = {
        "format": BUNDLE_FORMAT,
        "plugin": name,
        "version": version,
        "generator": __version__,
        "oldest_client": suite.settings.oldest_client,
        "source_digest": digest,
        "files": entries,
    }
    return BundleFile(LISTING, as_json(content), sources=("suite.yaml",))


def as_json(value: object) -> bytes:
    """Return a value as JSON for people to read."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
