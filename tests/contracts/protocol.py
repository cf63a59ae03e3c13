"""The breaking-change protocol: what a contract has to come with when its shape is not the released one any more.

The contracts as last released lie in released/, with the version of the plugin that they were released in.
`python -m tests.contracts.protocol` puts the present ones there; `make release` does so, nobody else should.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ultra_plugin import __version__
from ultra_plugin.document import read_document
from ultra_plugin.limits import load_limits, with_limits
from ultra_plugin.model import CommonCodes, Contract
from ultra_plugin.source import SourceTree

HERE = Path(__file__).parent
RELEASED = HERE / "released"
CURRENT = HERE.parent.parent / "plugin_src" / "contracts"
MIGRATION = HERE.parent.parent / "MIGRATION.md"
VERSION = "VERSION"
LIMITS = load_limits(SourceTree(CURRENT.parent))
COMMON = "common"
# Words for people; all else is shape. The version is what announces a change, so it is none itself; a line of
# statistics is no part of the artifact: nothing reads it back.
WORDS = {
    "means", "remedy", "example", "line", "title", "summary", "handover", "producer", "consumer", "stability",
    "failure_modes", "versioning", "when", "version", "stats", "scale", "rework_at", "as_",
}  # fmt: skip
NAMES_ONLY = {"values", "verdicts", "rules"}


T = TypeVar("T")


def _read(path: Path, into: type[T]) -> T:
    """Read a contract with the limits of today, those of its own release being part of the words it says."""
    return read_document(str(path), with_limits(str(path), path.read_bytes(), LIMITS), into)


def read(folder: Path) -> dict[str, Contract]:
    """Return the contracts of a folder by the name of their artifact."""
    return {path.stem: _read(path, Contract) for path in sorted(folder.glob("*.yaml")) if path.stem != COMMON}


def read_common(folder: Path) -> CommonCodes:
    """Return the codes that no single artifact owns."""
    path = folder / f"{COMMON}.yaml"
    return _read(path, CommonCodes)


def shape(value: Any) -> Any:
    """Return all of a contract that somebody else's code or text depends on."""
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


@dataclasses.dataclass(frozen=True)
class Release:
    """What a change is held against: fixtures, the text of MIGRATION.md, and both versions of the plugin."""

    fixtures: Path
    migration: str
    released: str
    plugin: str = __version__

    def has_entry(self, title: str) -> bool:
        return f"\n## {title}\n" in f"\n{self.migration}"

    def has_entry_in_later_version(self, name: str) -> bool:
        entries = re.findall(rf"^## {re.escape(name)} in (\S+)$", self.migration, re.MULTILINE)
        return any(numbers(entry) > numbers(self.released) for entry in entries)


def numbers(version: object) -> tuple[int, ...]:
    """Return a version as numbers that compare."""
    return tuple(int(part) for part in re.findall(r"\d+", str(version)))


def protocol_faults(old: Contract, new: Contract, release: Release) -> Iterator[str]:
    """Yield what a change of a contract lacks; nothing when there is no change."""
    dropped = set(old.version.accepts if old.version else ()) - set(
        new.version.accepts if new.version else ()
    )
    if shape(old) == shape(new) and old.version == new.version:
        return
    same_minor = numbers(release.plugin)[:2] == numbers(release.released)[:2]
    if same_minor and release.plugin != release.released:
        yield f"the plugin goes from {release.released} to {release.plugin}: a contract changes with a minor version"
    if new.version is None or old.version is None:
        yield from _unversioned_faults(old, new, release)
        return
    if shape(old) == shape(new) and old.version.current == new.version.current:
        for version in sorted(map(str, dropped)):
            if not release.has_entry(f"{new.artifact} drops {version}"):
                yield f"MIGRATION.md has no '## {new.artifact} drops {version}'"
        return
    before, after = old.version.current, new.version.current
    if numbers(after) <= numbers(before):
        yield f"its shape changed, and {new.version.field} is still {before}: bump it"
    if before != after and before not in new.version.accepts and not new.version.legacy:
        yield f"accepts does not list {before}, which has to be read for one more minor version"
    if not list((release.fixtures / new.artifact).glob(f"old-{before}.*")):
        yield f"there is no fixture {new.artifact}/old-{before} of the old shape"
    if not any(str(after) in path.read_text() for path in (release.fixtures / new.artifact).glob("valid*.*")):
        yield f"there is no fixture {new.artifact}/valid of the new shape with version {after}"
    if not release.has_entry(f"{new.artifact} {after}"):
        yield f"MIGRATION.md has no '## {new.artifact} {after}'"


def _unversioned_faults(old: Contract, new: Contract, release: Release) -> Iterator[str]:
    """Yield what a change lacks where no field carries a version: then `type` has to tell old from new."""
    if (
        "type" in old.fields
        and "type" in new.fields
        and old.fields["type"].values == new.fields["type"].values
    ):
        yield f"its shape changed, and no version tells: give `type` of {new.artifact} a new value"
    if not release.has_entry_in_later_version(new.artifact):
        yield f"MIGRATION.md has no '## {new.artifact} in x.y.z' of a version after {release.released}"


def common_faults(old: CommonCodes, new: CommonCodes, release: Release) -> Iterator[str]:
    """Yield what a change of the common codes lacks."""
    if shape(old) != shape(new) and not release.has_entry_in_later_version(COMMON):
        yield f"MIGRATION.md has no '## {COMMON} in x.y.z' of a version after {release.released}"


def keep_released() -> None:
    """Make the present contracts the released ones."""
    for path in RELEASED.glob("*.yaml"):
        path.unlink()
    for path in CURRENT.glob("*.yaml"):
        shutil.copy(path, RELEASED / path.name)
    (RELEASED / VERSION).write_text(f"{__version__}\n")


if __name__ == "__main__":
    keep_released()
