"""Check a plugin folder in memory; find more than the client does, and agree with it.

What the pinned client calls an error is an error here, everything else is a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from posixpath import dirname

from ultra_plugin.check.client import OFFICIAL_MARKETPLACES
from ultra_plugin.check.dangers import check_dangers
from ultra_plugin.check.evals import check_evals
from ultra_plugin.check.files import check_files
from ultra_plugin.check.frontmatter import check_frontmatter
from ultra_plugin.check.hooks import check_hooks
from ultra_plugin.check.javascript import check_javascript
from ultra_plugin.check.listing import check_listing
from ultra_plugin.check.manifest import check_manifest
from ultra_plugin.check.manifest_paths import check_manifest_paths
from ultra_plugin.check.marketplace import check_marketplace
from ultra_plugin.check.names import check_names
from ultra_plugin.check.parts import check_parts
from ultra_plugin.check.promises import check_promises
from ultra_plugin.check.references import check_references
from ultra_plugin.check.scripts import check_scripts
from ultra_plugin.check.servers import check_servers
from ultra_plugin.check.sources import check_sources
from ultra_plugin.check.subject import MANIFEST, MARKETPLACE, Subject, subject_of
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, BundleFile

__all__ = ["CHECKS", "check_bundle", "check_marketplace", "check_offered"]


def check_own_marketplace(subject: Subject) -> Iterator[Problem]:
    """Find what is wrong with a marketplace that lies in the plugin's own folder."""
    file = subject.files.get(MARKETPLACE)
    if file is None or file.symlink:
        return
    plugins = {".": subject.bundle, **_inner_bundles(subject)}
    yield from check_marketplace(file.content, MARKETPLACE, plugins, subject.folders)


def _inner_bundles(subject: Subject) -> dict[str, Bundle]:
    """Return the plugins in folders below, by folder."""
    ends = f"/{MANIFEST}"
    inner: dict[str, dict[str, BundleFile]] = {
        path.removesuffix(ends): {} for path in subject.files if path.endswith(ends)
    }
    for path, file in subject.files.items() if inner else ():
        folder = dirname(path)
        while folder:
            if folder in inner:
                inside = path[len(folder) + 1 :]
                inner[folder][inside] = replace(file, path=inside)
            folder = dirname(folder)
    return {folder: Bundle(folder, "", files) for folder, files in inner.items()}


_OF_FOLDERS: tuple[Callable[[Subject], Iterator[Problem]], ...] = (
    check_manifest, check_manifest_paths, check_names, check_frontmatter, check_files, check_references, check_evals,
    check_listing, check_own_marketplace, check_sources,
)  # fmt: skip
_OF_PLUGINS: tuple[Callable[[Subject], Iterator[Problem]], ...] = (
    check_hooks, check_scripts, check_servers, check_promises, check_parts, check_dangers, check_javascript,
)  # fmt: skip
"""What the client does not read in the folder of a marketplace that is no plugin."""
CHECKS = _OF_FOLDERS + _OF_PLUGINS


def check_bundle(bundle: Bundle) -> list[Problem]:
    """Return every problem of a plugin folder, sorted by path and line."""
    subject = subject_of(bundle)
    checks = CHECKS if subject.is_plugin else _OF_FOLDERS
    return sorted({problem for check in checks for problem in check(subject)})


def check_offered(bundle: Bundle, marketplace: str) -> list[Problem]:
    """Check a plugin that a marketplace offers; its entry can replace the manifest, and an official one has own names."""
    milder = set() if MANIFEST in bundle.files else {"no-manifest"}
    milder |= {"reserved-name"} if marketplace.lower() in OFFICIAL_MARKETPLACES else set()
    found = check_bundle(bundle)
    return [replace(one, severity="warning") if one.code in milder else one for one in found]
