"""Refuse a contract whose shape changed since the last release without the steps of MIGRATION.md.

The last released contracts are in contracts/released/, with the plugin version of that release;
`make release` stores the current ones there. A tree without that folder, or without a MIGRATION.md next to it, has no
users of a release to protect.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ultra_plugin.artifact import CommonCodes, Contract, Place
from ultra_plugin.config import read
from ultra_plugin.document import line_of
from ultra_plugin.errors import Problem
from ultra_plugin.model import Suite
from ultra_plugin.source import SourceTree

RELEASED = "contracts/released"
FIXTURES = "contracts/fixtures"
VERSION = f"{RELEASED}/version.txt"
MIGRATION = "MIGRATION.md"
COMMON = "common"
# Not part of the shape: words for people; the version, which announces a change; the statistics line, which nothing
# reads back; the gate, which decides when a draft is good enough, not what a file may hold; the runtime's name of
# a renamed field; the module that reads the body.
WORDS = {
    "means", "remedy", "example", "line", "title", "summary", "handover", "producer", "consumer", "stability",
    "failure_modes", "versioning", "when", "version", "stats", "gate", "as_", "reader",
}  # fmt: skip
NAMES_ONLY = {"values", "rules"}
Fault = tuple[str, str]
"""Message and remedy."""


@dataclasses.dataclass(frozen=True, slots=True)
class Release:
    """The context of a change: fixtures, the text of MIGRATION.md, and both versions of the plugin."""

    fixtures: Path
    migration: str
    released: str
    plugin: str

    def entry_faults(self, title: str) -> Iterator[Fault]:
        """Yield a fault if MIGRATION.md lacks an entry."""
        if f"\n## {title}\n" not in f"\n{self.migration}\n":
            yield (
                f"{MIGRATION} has no '## {title}'",
                "add the entry: what changed, and what to do with old files",
            )

    def later_entry_faults(self, name: str) -> Iterator[Fault]:
        """Yield a fault if MIGRATION.md has no entry for a version after the released one."""
        entries = re.findall(rf"^## {re.escape(name)} in (\S+)$", self.migration, re.MULTILINE)
        if not any(numbers(entry) > numbers(self.released) for entry in entries):
            message = f"{MIGRATION} has no '## {name} in x.y.z' for a version after {self.released}"
            yield message, "add the entry: what changed, and what to do with old files"


def protocol_problems(tree: SourceTree, suite: Suite) -> Iterator[Problem]:
    """Yield the missing steps of every contract that changed since the last release."""
    migration = tree.project / MIGRATION
    if tree.find(VERSION) is None or not migration.is_file():
        return
    release = Release(
        tree.root / FIXTURES, migration.read_text(encoding="utf-8"), tree.text(VERSION).strip(), suite.version
    )
    current = {contract.artifact: contract for contract in suite.contracts.values()}
    for path in tree.files(RELEASED):
        name = path.removeprefix(f"{RELEASED}/").removesuffix(".yaml")
        place, line = f"contracts/{name}.yaml", 0
        if path == VERSION:
            continue
        if name == COMMON:
            old = read(tree, path, CommonCodes, suite.limits)
            faults = common_faults(old, CommonCodes(suite.common_codes), release)
        elif name not in current:
            faults = release.entry_faults(f"{name} removed")
        else:
            released = read(tree, path, Contract, suite.limits)
            faults = protocol_faults(released, current[name], release)
            line = line_of(tree.read(place), "version", "current")
        for fault in faults:
            yield tree.problem(place, line, "contract-protocol", *fault)


def shape(value: Any) -> Any:
    """Return the parts of a contract that other code or text depends on."""
    if isinstance(value, Place):  # its placeholder names are words for people
        return re.sub(r"\{[^}]*\}", "{}", value.path)
    if dataclasses.is_dataclass(value):
        return {
            field.name: sorted(part or ()) if field.name in NAMES_ONLY else shape(part)
            for field in dataclasses.fields(value)
            if field.name not in WORDS
            for part in [getattr(value, field.name)]
        }
    if isinstance(value, Mapping):
        return {name: shape(part) for name, part in value.items()}
    return [shape(part) for part in value] if isinstance(value, tuple) else value


def breaks(old: Contract, new: Contract) -> bool:
    """Say whether files of the released shape, or their readers, may fail; new optional fields and warnings break nothing."""
    return bool(_kept(shape(old), shape(new)) != shape(old))


def _kept(old: Any, new: Any) -> Any:
    """Return the new shape without the optional fields and the warnings that the old one does not have."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {
        name: _kept(old[name], part) if name in old else part
        for name, part in new.items()
        if name in old or not _is_harmless(part)
    }


def _is_harmless(part: Any) -> bool:
    """Say whether a part is an optional field or a warning."""
    if not isinstance(part, dict):
        return False
    is_optional = "type" in part and not part["required"] and part["missing"] is None
    return is_optional or part.get("severity") == "warning"


def numbers(version: object) -> tuple[int, ...]:
    """Return a version as numbers that compare."""
    return tuple(int(part) for part in re.findall(r"\d+", str(version)))


def protocol_faults(old: Contract, new: Contract, release: Release) -> Iterator[Fault]:
    """Yield the missing steps of a breaking change."""
    is_broken = breaks(old, new)
    if not is_broken and old.version == new.version:
        return
    same_minor = numbers(release.plugin)[:2] == numbers(release.released)[:2]
    if same_minor and release.plugin != release.released:
        yield (
            f"the plugin's version goes from {release.released} to {release.plugin}",
            "change a contract with a minor version",
        )
    if new.version is None or old.version is None:
        yield from _unversioned_faults(old, new, release)
        return
    before, after = old.version.current, new.version.current
    if not is_broken and before == after:
        for version in sorted(map(str, {*old.version.accepts} - {*new.version.accepts})):
            yield from release.entry_faults(f"{new.artifact} drops {version}")
        return
    if numbers(after) <= numbers(before):
        yield f"its shape changed, but {new.version.field} is still {before}", "raise the version"
    if before != after and before not in new.version.accepts and not new.version.legacy:
        yield f"accepts does not list {before}", "list it; it stays readable for one more minor version"
    fixtures = release.fixtures / new.artifact
    if not list(fixtures.glob(f"old-{before}.*")):
        yield (
            f"{new.artifact}/old-{before}, the fixture of the old shape, is missing",
            f"add it to {FIXTURES}/",
        )
    if not any(str(after) in path.read_text() for path in fixtures.glob("valid*.*")):
        message = f"{new.artifact}/valid, the fixture of the new shape, must have version {after}"
        yield message, f"add it to {FIXTURES}/"
    yield from release.entry_faults(f"{new.artifact} {after}")


def _unversioned_faults(old: Contract, new: Contract, release: Release) -> Iterator[Fault]:
    """Yield the missing steps of a change without a version field: `type` must then differ."""
    kinds = [one.fields["type"].values for one in (old, new) if "type" in one.fields]
    if len(kinds) == 2 and kinds[0] == kinds[1]:
        yield "its shape changed, but it has no version field", f"give `type` of {new.artifact} a new value"
    yield from release.later_entry_faults(new.artifact)


def common_faults(old: CommonCodes, new: CommonCodes, release: Release) -> Iterator[Fault]:
    """Yield the missing steps of a change of the common codes."""
    if shape(old) != shape(new):
        yield from release.later_entry_faults(COMMON)
