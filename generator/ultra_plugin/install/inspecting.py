"""Report what is installed, and how it differs from its receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ultra_plugin.errors import UltraError
from ultra_plugin.install import client, presence, receipt, settings, shortnames
from ultra_plugin.install.place import Place
from ultra_plugin.install.presence import Copy
from ultra_plugin.install.receipt import Receipt
from ultra_plugin.install.survey import Survey, survey


@dataclass(frozen=True)
class Standing:
    """One installed plugin and its differences from the receipt."""

    receipt: Receipt
    path: str
    differences: tuple[str, ...]
    added: tuple[str, ...]
    """Files that the owner added to the folder."""
    copies: tuple[Copy, ...]

    def as_dict(self) -> dict[str, object]:
        """Return the standing as JSON values."""
        return {
            "plugin": self.receipt.plugin,
            "version": self.receipt.version,
            "scope": self.receipt.scope,
            "path": self.path,
            "installed_at": self.receipt.installed_at,
            "from": self.receipt.origin,
            "permissions": list(self.receipt.granted.rules),
            "short_names": list(self.receipt.commands),
            "kept": list(self.receipt.kept),
            "differences": list(self.differences),
            "added": list(self.added),
            "copies": [copy.as_dict() for copy in self.copies],
        }


def standings(place: Place, names: Sequence[str]) -> list[Standing]:
    """Return the standing of the named plugins, or of all."""
    found = [one for one in receipt.installed(place) if not names or one.plugin in names]
    return [_standing(place, one) for one in found]


def _standing(place: Place, one: Receipt) -> Standing:
    folder = place.plugin(one.plugin)
    seen = survey(folder, one)
    differences = (*_files(seen), *_commands(place, one), *_rules(place, one))
    added = tuple(path for path in seen.added if path not in one.kept)
    return Standing(one, place.shown(folder), differences, added, tuple(presence.copies(place, one.plugin)))


def _files(seen: Survey) -> list[str]:
    return [
        *(f"{path} was changed" for path in seen.changed),
        *(f"{path} is missing" for path in seen.missing),
        *(f"{path} has a different mode" for path in seen.other_mode),
    ]


def _commands(place: Place, one: Receipt) -> list[str]:
    found = {name: shortnames.digest(place.commands / f"{name}.md") for name in one.commands}
    return [
        f"the short name /{name} {'was changed' if found[name] else 'is missing'}"
        for name, recorded in one.commands.items()
        if found[name] != recorded
    ]


def _rules(place: Place, one: Receipt) -> list[str]:
    if not one.granted.rules:
        return []
    try:
        missing = settings.Draft(place.settings).missing(one.granted.rules)
    except UltraError as error:
        return [str(error)]
    return [f"the rule {rule} is missing from settings.json" for rule in missing]


def notes(place: Place, plugin: str) -> list[str]:
    """Say which copy the client loads if it is not this one, or if it is disabled."""
    found = presence.copies(place, plugin)
    if not found:
        return []
    first, here = found[0], str(place.config / "skills" / plugin)
    said = []
    if first.where != here:
        from_market = not first.id.endswith("@skills-dir")
        remedy = f"claude plugin uninstall {first.id}" if from_market else "ultra-install --uninstall"
        loses = any(copy.where == here for copy in found)
        rest = f", not this copy ({remedy} changes that)" if loses else ""
        said.append(f"{first.id} {first.version} in {first.where} is loaded{rest}")
    if not first.enabled:
        said.append(f"{first.id} is disabled; to load it: claude plugin enable {first.id}")
    return said


def complaints(binary: Path, place: Place, plugin: str) -> tuple[list[str], list[str]]:
    """Ask the client; return problems and notes."""
    listed = client.listing(binary, place)
    if listed is None:
        return [], [f"{binary} did not say whether it loads the plugin; see: claude plugin list"]
    ours = [one for one in listed if one.id == f"{plugin}@skills-dir"]
    if not ours:
        return [f"the client does not list {plugin}@skills-dir; see: claude plugin list"], []
    if notes(
        place, plugin
    ):  # another copy is loaded, or this one is disabled: already reported, and not a fault
        return [], []
    return [f"the client says: {error}" for one in ours for error in one.errors], []
