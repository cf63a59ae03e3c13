"""Add the source tree, the rendered bundles and the manual pages to the wheel: exactly the files that are listed."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
from manpages import write_pages
from ultra_plugin.source import SourceTree


class CarryPlugins(BuildHookInterface):  # type: ignore[type-arg]
    """Add files to a wheel; an editable install finds them in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name each file and its place in the package."""
        if version == "editable":
            return
        root = Path(self.root)
        carried = build_data["force_include"]
        for path in SourceTree(root / "plugin_src").files():
            carried[str(root / "plugin_src" / path)] = f"ultra_plugin/plugin_src/{path}"
        for listing in sorted((root / "dist").glob("*/bundle.json")):
            folder = listing.parent
            for path in ("bundle.json", *json.loads(listing.read_text())["files"]):
                carried[str(folder / path)] = f"ultra_plugin/bundles/{folder.name}/{path}"
        self.pages = tempfile.TemporaryDirectory(prefix="ultra-suite-man-")
        for page in write_pages(root / "dist", Path(self.pages.name)):
            build_data["shared_data"][str(page)] = f"share/man/man1/{page.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the manual pages, which are in the wheel now."""
        if version != "editable":
            self.pages.cleanup()
