"""The policy as the generator renders it, for tests that import the runtime from its sources."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from ultra_plugin.config import load as load_suite
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import table_files

ROOT = Path(__file__).resolve().parents[2]
POLICY = ROOT / "plugin_src" / "policy"
RUNTIME = ROOT / "plugin_src" / "runtime"
if str(RUNTIME) not in sys.path:
    sys.path.insert(0, str(RUNTIME))

import ultra_runtime  # noqa: E402
from ultra_runtime.guard.policy import Policy  # noqa: E402


def render_tables(folder: Path) -> None:
    """Write the rendered modules of the flagship below a folder, as they lie in the runtime of its bundle."""
    tree = SourceTree(ROOT / "plugin_src")
    suite = load_suite(tree)
    for file in table_files(tree, suite, suite.plugins[0]):
        path = folder / file.path.removeprefix("runtime/ultra_runtime/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)


_FOLDER = tempfile.TemporaryDirectory(prefix="ultra-tables-")
render_tables(Path(_FOLDER.name))
ultra_runtime.__path__.append(_FOLDER.name)  # where `ultra_runtime.tables` is found


def load(name: str) -> list[dict[str, Any]]:
    """Read the rules of a policy file."""
    rules: list[dict[str, Any]] = yaml.safe_load((POLICY / name).read_text(encoding="utf-8"))["rules"]
    return rules


def policy() -> Policy:
    """Return the policy of the sources."""
    from ultra_runtime.rendered import table

    return Policy.of(table("policy"))
