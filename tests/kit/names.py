"""Where things are, and what the sources call them: a renamed fork runs the same tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "plugin_src"
RUNTIME = SOURCES / "runtime"


def _flagship() -> tuple[Path, dict[str, Any]]:
    """Return the folder and the settings of the plugin whose pipeline begins with a brief."""
    found = {path: yaml.safe_load(path.read_text()) for path in sorted(SOURCES.glob("plugins/*/plugin.yaml"))}
    return next((path.parent, one) for path, one in found.items() if "brief" in one["pipeline"])


PLUGIN_SOURCE, SETTINGS = _flagship()
NAME: str = SETTINGS["name"]
BRANCHES = NAME.removesuffix("-local")
LAUNCHER: str = SETTINGS["runtime"]["launcher"]
SUITE: str = yaml.safe_load((SOURCES / "suite.yaml").read_text())["name"]
# Stage -> the name of its command, and how it is typed.
PIPELINE: dict[str, str] = {stage: row["command"] for stage, row in SETTINGS["pipeline"].items()}
COMMANDS = {stage: f"/{NAME}:{command}" for stage, command in PIPELINE.items()}
BUILT = ROOT / "dist" / NAME
# The project that the docs show and most tests have.
PROJECT = ".claude/projects/2026-01-31-rate-limit"
EXAMPLE = BUILT / "docs/examples/2026-01-31-rate-limit"
