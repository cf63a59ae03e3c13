"""Plan an uninstallation: remove what the receipt names, keep what the owner changed or added."""

from __future__ import annotations

from ultra_plugin.install.archive import MANIFEST
from ultra_plugin.install.installing import aside, drop_command
from ultra_plugin.install.plan import Planner
from ultra_plugin.install.receipt import Receipt
from ultra_plugin.install.staging import FolderContent
from ultra_plugin.install.steps import Change, Step
from ultra_plugin.install.survey import survey


def uninstall(planner: Planner, receipt: Receipt) -> None:
    """Add the removal of a plugin to a plan."""
    place, name = planner.place, receipt.plugin
    folder = place.plugin(name)
    seen = survey(folder, receipt)
    planner.line(name, "remove", f"{name} {receipt.version} ({len(receipt.files)} files)", folder)
    stays = {path: path for path in (*seen.changed, *seen.added)}
    if MANIFEST in seen.changed:  # under its own name the client would still load the rest
        del stays[MANIFEST]
        stays[aside(MANIFEST, receipt.version, stays)] = MANIFEST
    for path, old in sorted(stays.items()):
        why = "you have changed it" if old in seen.changed else "it is yours"
        planner.line(name, "keep", f"{path}: {why}", folder / path)
    content = FolderContent({}, stays, seen.empty) if stays or seen.empty else None
    planner.changes.append(Change(Step("plugin", name, "folder", "folder" if content else None), content))
    for command, recorded in receipt.commands.items():
        drop_command(planner, name, command, recorded)
    there = set(receipt.granted.rules) - set(planner.draft.missing(receipt.granted.rules))
    planner.draft.revoke(receipt.granted)
    for rule in sorted(there):
        planner.line(name, "remove", f"the rule {rule}", place.config / "settings.json")
    planner.granting.discard(name)
    planner.leaving.append(receipt)


def purge(planner: Planner, name: str) -> None:
    """Add the removal of a plugin's data to a plan."""
    data = planner.place.data(name)
    if data.is_dir() and not data.is_symlink():
        planner.line(name, "remove", "its data folder with all its contents", data)
        planner.purged.append(data)
