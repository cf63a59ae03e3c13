"""The calls install, uninstall, status and verify: each takes a request and returns a report."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ultra_plugin import __version__
from ultra_plugin.errors import UltraError
from ultra_plugin.install import (
    archive,
    client,
    inspecting,
    journal,
    marketplace,
    preparing,
    receipt,
    scaffold,
)
from ultra_plugin.install.archive import Package
from ultra_plugin.install.inspecting import Standing
from ultra_plugin.install.installing import Wishes, install
from ultra_plugin.install.place import Place, repository_of
from ultra_plugin.install.plan import Line, Plan, Planner
from ultra_plugin.install.released import read_release, require_released
from ultra_plugin.install.removing import purge, uninstall


@dataclass(frozen=True)
class Asked:
    """The request of the command line."""

    plugins: tuple[str, ...] = ()
    source: Path | None = None
    upgrade: bool = False
    dry_run: bool = False
    purge: bool = False
    wishes: Wishes = field(default_factory=Wishes)
    wait: float = 60.0
    keys: Path | None = None
    """Who may sign releases; if it is given, only what they signed is installed."""
    release: Path | None = None
    prepare: bool = False
    """Whether to prepare the repository around the current folder without asking."""


@dataclass
class Report:
    """The result of a call."""

    action: str
    place: Place
    lines: tuple[Line, ...] = ()
    planned: bool = False
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    standings: list[Standing] = field(default_factory=list)
    client: str | None = None


Agree = Callable[[Plan], bool]
Ask = Callable[[str], bool]
Tell = Callable[[str], None]


def call_install(place: Place, asked: Asked, agree: Agree, tell: Tell, ask: Ask) -> Report:
    """Install or upgrade plugins, verify them, and prepare the current repository if that is wanted."""
    report = Report("install", place)
    packages = _packages(asked)
    root = _to_prepare(asked, packages)
    report.notes += _released(asked, packages)
    binary = client.find()
    if binary:
        for package in packages:
            report.client = client.require(binary, package.oldest_client)
    recover(place, asked.wait, report, tell, asked.dry_run)
    if asked.upgrade:
        packages = _installed(place, packages, bool(asked.plugins))

    def plan() -> Plan:
        planner = Planner(place)
        for package in packages:
            install(planner, package, asked.wishes)
        return planner.finish()

    _do(place, asked, plan, agree, tell, report)
    if report.planned:
        report.notes += [f"would prepare {root}"] if asked.prepare else []
        return report
    _verify(report, [package.plugin for package in packages], binary, asked.wait, tell)
    if place.scope == "project":
        report.notes += _for_colleagues(place, [package.plugin for package in packages])
    if root and not report.problems:
        report.notes += _prepared(report, asked, packages, root, ask)
    report.notes += _how_to_start(packages)
    return report


def call_uninstall(place: Place, asked: Asked, agree: Agree, tell: Tell) -> Report:
    """Uninstall plugins, and with purge their data."""
    report = Report("uninstall", place)
    recover(place, asked.wait, report, tell, asked.dry_run)

    def plan() -> Plan:
        planner = Planner(place)
        names = asked.plugins or tuple(planner.receipts)
        leaving = [planner.receipts[name] for name in names if name in planner.receipts]
        # What created the settings goes last: then the rules of the others are no longer in the way.
        for one in sorted(leaving, key=lambda left: bool(left.granted.created)):
            uninstall(planner, one)
        for name in names or (archive.carried() if asked.purge else ()):
            if asked.purge:
                purge(planner, name)
        return planner.finish()

    _do(place, asked, plan, agree, tell, report)
    return report


def call_status(places: Sequence[Place], asked: Asked, tell: Tell) -> Report:
    """Report what is installed in one or more places."""
    report = Report("status", places[0])
    for place in places:
        recover(place, asked.wait, report, tell)
        found = inspecting.standings(place, asked.plugins)
        report.standings += found
        names = {*asked.plugins, *(one.receipt.plugin for one in found)}
        for name in sorted(names or (archive.carried() if place is places[0] else ())):
            report.notes += inspecting.notes(place, name)
    return report


def call_verify(place: Place, asked: Asked, tell: Tell) -> Report:
    """Compare the installed files with their receipts; fail if nothing is installed."""
    report = Report("verify", place)
    recover(place, asked.wait, report, tell)
    names = asked.plugins or tuple(one.receipt.plugin for one in inspecting.standings(place, ()))
    if not names:
        raise UltraError(f"nothing is installed in {place.config}; to install, run: ultra-install")
    _verify(report, names, client.find(), asked.wait, tell)
    for one in report.standings:
        report.problems += [f"{one.receipt.plugin}: {path} was added" for path in one.added]
    return report


def recover(place: Place, wait: float, report: Report, tell: Tell, dry_run: bool = False) -> None:
    """Finish or undo an interrupted call."""
    if dry_run:
        if place.state.is_dir():
            report.notes.append("an earlier call was interrupted; the next call finishes it or rolls it back")
        return
    scaffold.sweep(place.state)
    if place.state.is_dir():
        with scaffold.locked(place.state, wait, tell):
            said = journal.recover(place)
            scaffold.take_down(place.state)
        report.notes += [said] if said else []


def _packages(asked: Asked) -> list[Package]:
    if asked.source:
        package = archive.read(asked.source)
        if asked.plugins and asked.plugins != (package.plugin,):
            raise UltraError(f"{asked.source} contains {package.plugin}, not {' '.join(asked.plugins)}")
        return [package]
    carried = archive.carried()
    if not carried:
        raise UltraError(
            "no plugin came with this installer; give one with --from, or build one with: make plugin"
        )
    for name in asked.plugins:
        if name not in carried:
            raise UltraError(f"unknown plugin: {name}; use one of: {', '.join(carried)}")
    origin = f"ultra-suite {__version__}"
    return [archive.read(carried[name], origin) for name in asked.plugins or carried]


def _released(asked: Asked, packages: Sequence[Package]) -> list[str]:
    """Refuse packages that are not of a release, where the user named keys or a release; say who signed it."""
    if not asked.keys and not asked.release:
        return []
    said = []
    for package in packages:
        usual = asked.source or archive.carried()[package.plugin]
        release = read_release(asked.release or usual.resolve().parent, asked.keys)
        require_released(package, release)
        by = f" signed by {release.signer}" if release.signer else ""
        said.append(f"{package.plugin} {package.version} is part of the release{by} in {release.folder}")
    return said


def _installed(place: Place, packages: list[Package], all_of_them: bool) -> list[Package]:
    """Return the packages whose plugin is installed: the only ones to upgrade."""
    there = {one.plugin for one in receipt.installed(place)}
    found = [package for package in packages if package.plugin in there]
    if not found or (all_of_them and len(found) < len(packages)):
        missing = next(package.plugin for package in packages if package.plugin not in there)
        raise UltraError(f"{missing} is not installed in {place.config}; leave out --upgrade")
    return found


def _do(
    place: Place, asked: Asked, make: Callable[[], Plan], agree: Agree, tell: Tell, report: Report
) -> None:
    """Show the plan, ask, and run exactly that plan."""
    shown = make()
    report.lines, report.planned = shown.lines, asked.dry_run
    if shown.empty or asked.dry_run:
        return
    if not agree(shown):
        raise UltraError("cancelled; nothing was changed")
    with scaffold.locked(place.state, asked.wait, tell):
        try:
            journal.recover(place)
            plan = make()
            if plan.lines != shown.lines:
                raise UltraError("files changed while waiting for the answer; nothing was done, run it again")
            if plan.above:
                scaffold.may_go(place.state, plan.above)
            journal.perform(place, plan.changes, plan.closes_commands)
            for folder in plan.purged:
                shutil.rmtree(folder)
        finally:
            if journal.interrupted(place) is None:
                scaffold.take_down(place.state)


def _verify(report: Report, names: Sequence[str], binary: Path | None, wait: float, tell: Tell) -> None:
    place = report.place
    report.standings = _standings(place, names, wait, tell)
    standing = {one.receipt.plugin: one for one in report.standings}
    for name in names:
        if name not in standing:
            report.problems.append(f"{name} is not installed in {place.config}")
            continue
        report.problems += [f"{name}: {difference}" for difference in standing[name].differences]
        report.notes += inspecting.notes(place, name)
        if binary:
            problems, notes = inspecting.complaints(binary, place, name)
            report.problems += problems
            report.notes += notes


def _standings(place: Place, names: Sequence[str], wait: float, tell: Tell) -> list[Standing]:
    """Compare files with receipts; if they differ, look again with the lock, because another call may be at work."""
    found = inspecting.standings(place, names)
    if any(one.differences for one in found) or len(found) < len(names):
        with suppress(OSError), scaffold.locked(place.state, wait, tell):
            journal.recover(place)
            found = inspecting.standings(place, names)
            scaffold.take_down(place.state)
    return found


def _to_prepare(asked: Asked, packages: Sequence[Package]) -> Path | None:
    """Return the repository around the current folder; refuse to prepare what cannot be prepared."""
    root = repository_of(Path.cwd()) if preparing.preparers(packages) else None
    if asked.prepare and not preparing.preparers(packages):
        raise UltraError("--prepare: none of these plugins prepares a repository")
    if asked.prepare and root is None:
        raise UltraError(f"{Path.cwd()} is not in a git repository; go to one, or leave out --prepare")
    return root


def _prepared(report: Report, asked: Asked, packages: Sequence[Package], root: Path, ask: Ask) -> list[str]:
    """Prepare a repository if the call says so, or if the owner of a new plugin agrees."""
    said = []
    for package in preparing.preparers(packages):
        new = any(line.plugin == package.plugin for line in report.lines)
        if asked.prepare or (new and ask(f"Prepare {root} for {package.plugin}?")):
            minimal = asked.wishes.permissions == "minimal"
            said += preparing.prepare(report.place, package, root, minimal, ask)
    return said


def _for_colleagues(place: Place, plugins: Sequence[str]) -> list[str]:
    """Say what to commit, and offer settings that name the marketplace as an alternative to the copy."""
    folders = [place.config / "skills" / plugin for plugin in plugins]
    said = [
        f"commit {', '.join(map(str, folders))} with the receipt, and the commands and settings.json of .claude if a "
        "line above names them; do not commit settings.json.ultra-backup or byte code",
        f"colleagues who start the client in {place.root} and trust it get the plugin",
        *(
            f"git ignores {folder}; change .gitignore so that colleagues get it"
            for folder in folders
            if _ignored(place, folder)
        ),
    ]
    small = marketplace.settings_for(plugins)
    return [
        *said,
        "without a copy in the repository: uninstall it, and commit these settings as .claude/settings.json: "
        + small,
    ]


def _how_to_start(packages: Sequence[Package]) -> list[str]:
    """Return the last two lines of an installation."""
    start = "start Claude Code: claude (in a running session type /reload-plugins instead)"
    largest = sorted(packages, key=lambda package: -len(package.commands))
    typed = [names for package in largest if (names := _what_to_type(package))]
    if not typed:
        return [start]
    first, others = typed[0], ", ".join(name for names in typed[1:] for name in names)
    more = f" (the other plugins: {others})" if others else ""
    return [start, f"type{' one of' if len(first) > 1 else ''}: {', '.join(first)}{more}"]


def _what_to_type(package: Package) -> list[str]:
    """Return the command that the plugin's README names first, or all of them when it does not name all."""
    readme = (
        package.files["README.md"].content.decode("utf-8", "replace") if "README.md" in package.files else ""
    )
    places = {
        typed: readme.find(f"{typed}`") for name in package.commands if (typed := f"/{package.plugin}:{name}")
    }
    if not places or -1 in places.values():
        return list(places)
    return [min(places, key=lambda typed: places[typed])]


def _ignored(place: Place, folder: Path) -> bool:
    try:
        command = ["git", "-C", str(place.root), "check-ignore", "-q", str(folder / archive.MANIFEST)]
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
