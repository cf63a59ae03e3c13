"""Plan an installation: new, or over an older, newer or edited one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from ultra_plugin import __version__
from ultra_plugin.errors import UltraError
from ultra_plugin.install import receipt as receipts
from ultra_plugin.install import settings, shortnames
from ultra_plugin.install.archive import MANIFEST, Package, PackedFile
from ultra_plugin.install.names import RECEIPT, version_order
from ultra_plugin.install.place import Place
from ultra_plugin.install.plan import Line, Planner, Verb
from ultra_plugin.install.receipt import Receipt, Recorded
from ultra_plugin.install.settings import Granted
from ultra_plugin.install.staging import FolderContent
from ultra_plugin.install.steps import Change, Step
from ultra_plugin.install.survey import Survey, left_behind, sha256, survey

# Colleagues check the folder out with git: it must neither change line ends nor offer byte code for a commit.
_FOR_GIT = {".gitattributes": PackedFile(b"* -text\n"), ".gitignore": PackedFile(b"__pycache__/\n")}


@dataclass(frozen=True)
class Wishes:
    """The requested options; None means "as installed now"."""

    permissions: Literal["none", "minimal"] | None = None
    short_names: bool | None = None


def install(planner: Planner, package: Package, wishes: Wishes) -> None:
    """Add the installation of a package to a plan."""
    place = planner.place
    folder = place.plugin(package.plugin)
    present = _present(place, package)
    around = present is None and folder.exists()
    seen = survey(folder, present) if present else left_behind(folder) if around else Survey()
    files = {**_FOR_GIT, **package.files} if place.scope == "project" else dict(package.files)
    carried = _carried(files, present, seen)
    headline = len(planner.lines)
    granted = _grant(planner, package, present, wishes)
    (planner.granting.add if granted.rules else planner.granting.discard)(package.plugin)
    commands = _commands(planner, package, present, wishes)
    new = Receipt(
        plugin=package.plugin,
        version=package.version,
        scope=place.scope,
        installed_at=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        origin=package.origin,
        installer=__version__,
        files={path: Recorded(file.sha256, file.mode) for path, file in files.items()},
        granted=granted,
        commands=commands,
        kept=_kept(present, carried),
        made=planner.made,
        made_commands=planner.made_commands,
    )
    if present and seen.clean and _same(present, new):
        return
    verb, what = _verb(present, new, seen)
    planner.lines.insert(headline, Line(package.plugin, verb, what, place.shown(folder)))
    for path, old in carried.items():
        if path != old:
            planner.line(package.plugin, "keep", f"your {old} as {path}", folder / path)
    content = FolderContent({**files, RECEIPT: PackedFile(new.dump())}, carried, seen.empty)
    planner.changes.append(
        Change(Step("plugin", package.plugin, "folder" if present or around else None, "folder"), content)
    )


def _present(place: Place, package: Package) -> Receipt | None:
    """Return the receipt of the installed plugin; refuse a folder or namesake that is not ours."""
    folder = place.plugin(package.plugin)
    if found := receipts.read(folder):
        return found
    if (folder.exists() or folder.is_symlink()) and not _only_kept(folder):
        raise UltraError(f"{place.shown(folder)} was not installed by ultra-install; move it away first")
    for other in sorted(place.skills.glob(f"*/{MANIFEST}")):
        if _manifest_name(other) == package.plugin:
            home = place.shown(other.parent.parent)
            raise UltraError(
                f"{home} is also called {package.plugin}, and the client loads only one; move it"
            )
    return None


def _only_kept(folder: Path) -> bool:
    """Tell whether a folder is no plugin and no skill: an uninstallation has left the owner's files there."""
    own = folder.is_dir() and not folder.is_symlink()
    return own and not any(os.path.lexists(folder / name) for name in (MANIFEST, "SKILL.md", RECEIPT))


def _manifest_name(path: Path) -> object:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return value.get("name") if isinstance(value, dict) else None


def _verb(present: Receipt | None, new: Receipt, seen: Survey) -> tuple[Verb, str]:
    count = f"{len(new.files)} files"
    if present is None:
        return "install", f"{new.plugin} {new.version} ({count})"
    if present.version != new.version:
        older = (version_order(new.version) or ()) < (version_order(present.version) or ())
        what = f"{new.plugin} {present.version} to {new.version} ({count})"
        return ("downgrade" if older else "upgrade"), what
    if present.files != new.files:
        return "replace", f"{new.plugin} {new.version} with another build of it ({count})"
    if not seen.clean:
        repaired = len(seen.changed) + len(seen.missing) + len(seen.other_mode)
        return "repair", f"{new.plugin} {new.version} ({repaired} of {count})"
    return "replace", f"the list of what was installed with {new.plugin} {new.version}"


def _same(present: Receipt, new: Receipt) -> bool:
    """Compare two receipts, apart from time and origin."""
    when_and_whence = {key: getattr(present, key) for key in ("installed_at", "origin", "installer")}
    return replace(new, **when_and_whence) == present


def _carried(files: Mapping[str, PackedFile], present: Receipt | None, seen: Survey) -> dict[str, str]:
    """Return where the owner's files go: edited ones aside, added ones in place."""
    version = present.version if present else "before"
    used = set(files)
    carried: dict[str, str] = {}
    for path in (*seen.added, *seen.changed):
        wanted = aside(path, version, used) if path in seen.changed or _clashes(path, used) else path
        used.add(wanted)
        carried[wanted] = path
    return carried


def aside(path: str, version: str, used: Iterable[str]) -> str:
    """Return a free name next to a path for the owner's version of it."""
    taken = set(used)
    parts = path.split("/")
    for depth in range(1, len(parts)):  # the owner has a folder where we now have a file
        if "/".join(parts[:depth]) in taken:
            parts[depth - 1] += f".kept-{version}"
            return "/".join(parts)
    wanted, number = f"{path}.kept-{version}", 2
    while _clashes(wanted, taken):
        wanted, number = f"{path}.kept-{version}-{number}", number + 1
    return wanted


def _clashes(path: str, used: Iterable[str]) -> bool:
    return any(path == one or path.startswith(f"{one}/") or one.startswith(f"{path}/") for one in used)


def _kept(present: Receipt | None, carried: Mapping[str, str]) -> tuple[str, ...]:
    before = present.kept if present else ()
    return tuple(sorted(path for path, old in carried.items() if path != old or old in before))


def _grant(planner: Planner, package: Package, present: Receipt | None, wishes: Wishes) -> Granted:
    """Update the rules to the new version's; do not claim rules that were already there."""
    before = present.granted if present else Granted()
    shown = planner.place.config / "settings.json"
    wanted = wishes.permissions or ("minimal" if before.rules else "none")
    folder = planner.place.plugin(package.plugin)
    rules = settings.needed(package, folder) if wanted == "minimal" else ()
    gone = tuple(rule for rule in before.rules if rule not in rules)
    stays = tuple(rule for rule in before.rules if rule in rules)
    if gone:
        planner.draft.revoke(Granted(gone, "" if stays else before.created))
    for rule in gone:
        planner.line(package.plugin, "remove", f"the rule {rule}", shown)
    added = planner.draft.grant(rules)
    for rule in added.rules:
        planner.line(package.plugin, "add", f"the rule {rule}: {settings.meaning(rule)}", shown)
    for rule in planner.draft.forbidden(rules) if rules else ():
        planner.line(package.plugin, "leave", f"the rule {rule}: you deny it or want to be asked", shown)
    return Granted(stays + added.rules, before.created if stays else added.created)


def _commands(planner: Planner, package: Package, present: Receipt | None, wishes: Wishes) -> dict[str, str]:
    """Update the short names to the new version's commands; never replace the owner's commands."""
    place, before = planner.place, present.commands if present else {}
    wanted = bool(before) if wishes.short_names is None else wishes.short_names
    texts = shortnames.commands(package) if wanted else {}
    recorded: dict[str, str] = {}
    for name, text in texts.items():
        path = place.commands / f"{name}.md"
        found = shortnames.digest(path)
        ours = name in before and found in (None, before[name])
        if ours and found == sha256(text):
            recorded[name] = found
        elif name in planner.short_names or (not ours and shortnames.taken(place, name)):
            whose = shortnames.taken(place, name) or "another plugin's command"
            planner.line(package.plugin, "leave", f"/{name}: {whose} has this name", path)
        else:
            recorded[name] = sha256(text)
            planner.line(package.plugin, "add", f"the short name /{name}", path)
            planner.file("command", name, path, text)
    planner.short_names |= recorded.keys()
    for name in before.keys() - texts.keys():
        drop_command(planner, package.plugin, name, before[name])
    if recorded and not place.commands.exists():
        planner.made_commands = True
    return recorded


def drop_command(planner: Planner, plugin: str, name: str, recorded: str) -> None:
    """Add the removal of a short name to a plan, unless the owner has changed it."""
    path = planner.place.commands / f"{name}.md"
    found = shortnames.digest(path)
    if found == recorded:
        planner.line(plugin, "remove", f"the short name /{name}", path)
        planner.file("command", name, path, None)
    elif found:
        planner.line(plugin, "keep", f"/{name}: you have changed it", path)
