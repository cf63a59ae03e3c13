"""The plugin as the sources render it now, so that a test needs no build first."""

from __future__ import annotations

from pathlib import Path

import pytest

from ultra_plugin.pipeline import checked
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import write

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a plugin folder that no test changes; tests/generator shows that dist/ is the same."""
    out = tmp_path_factory.mktemp("built")
    bundles, _ = checked(SourceTree(ROOT / "plugin_src"), "dist")
    write(bundles, out)
    return out / "ultraplan-local"
