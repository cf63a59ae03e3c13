"""The rooms that get faults, the tests that should notice them, and the faults that nobody can notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.kit.names import ROOT

PLACES = {"runtime": "plugin_src/runtime/ultra_runtime", "generator": "generator/ultra_plugin"}
# A test of the client takes seconds, and a test of dist/ or of the text of the sources fails for every change.
LEFT_OUT = {"client", "fork", "distribution", "closed", "readable", "rooms", "imports", "wheel"}

# What tests use that call the launcher or a hook of a bundle, which is built first.
OF_A_BUNDLE = ("bundle", "Scene", "Ultra")


@dataclass(frozen=True, slots=True)
class Room:
    """Modules, the tests that should notice a fault in them, and the percentage of faults that they must notice."""

    name: str
    modules: str
    killed: int
    tests: list[str]

    def files(self) -> list[Path]:
        """Return the modules."""
        place, _, below = self.modules.partition("/")
        folder = ROOT / PLACES[place]
        return sorted(folder.glob(below) if below.endswith(".py") else (folder / below).rglob("*.py"))

    def noticing(self, module: str = "") -> list[str]:
        """Return the test files: with the name of a module, then those that import it, or its room, and need no bundle."""
        words = set(Path(module).stem.split("_"))
        dotted = "ultra_" + module.removesuffix(".py").partition("/ultra_")[2].replace("/", ".")

        package = ".".join(dotted.split(".")[:2])

        def far(path: Path) -> tuple[bool, bool, bool]:
            text = path.read_text() if module else ""
            slow = package not in text or any(word in text for word in OF_A_BUNDLE)
            return not words & set(path.stem.split("_")), dotted not in text, slow

        found = [path for name in self.tests for path in files_of(name)]
        kept = [path for path in found if not LEFT_OUT & set(path.stem.split("_"))]
        return [path.relative_to(ROOT).as_posix() for path in sorted(kept, key=far)]


def files_of(name: str) -> list[Path]:
    """Return the test files of a folder, or those with a pattern for a name."""
    return sorted((ROOT / "tests").glob(name if name.endswith(".py") else f"{name}/**/test_*.py"))


def rooms() -> list[Room]:
    """Return the rooms."""
    return [Room(name, **row) for name, row in _read("rooms.yaml").items()]


def equivalents() -> list[dict[str, Any]]:
    """Return the faults that nobody can notice: file, was, now, because."""
    rows: list[dict[str, Any]] = _read("equivalent.yaml")
    return rows


def _read(name: str) -> Any:
    return yaml.safe_load(Path(__file__).with_name(name).read_text())
