"""upstream.lock: the overridden parts as the upstream had them when they were taken or accepted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import yaml

from ultra_plugin.document import nearest, read_document
from ultra_plugin.errors import Problem
from ultra_plugin.overlay.layers import LayeredTree
from ultra_plugin.overlay.parts import Part, parts_of
from ultra_plugin.overlay.settings import LOCK, shown_in
from ultra_plugin.tree import write_file

State = Literal["fresh", "stale", "orphaned", "new", "added"]
_HEAD = "# Written by `ultra-plugin overlay`: what the overlay overrides, as the upstream had it.\n"


@dataclass(frozen=True, slots=True)
class Record:
    """An overridden part when it was last accepted."""

    sha256: str
    version: str
    """The version of the upstream."""
    text: str | None = None


@dataclass(frozen=True, slots=True)
class _Lock:
    parts: Mapping[str, Record] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Standing:
    """A part, its record, and its state."""

    part: Part
    record: Record | None
    renamed: str | None = None
    """The recorded text with the present names of the upstream's files."""

    @property
    def state(self) -> State:
        """Say whether the upstream still has what was overridden."""
        if self.record is None:
            return "added" if self.part.upstream is None else "new"
        if self.part.upstream is None:
            return "orphaned"
        is_same = _sha(self.part.upstream) == self.record.sha256
        return "fresh" if is_same or self.renamed == (_text(self.part.upstream) or "") else "stale"


def read_lock(root: Path) -> Mapping[str, Record]:
    """Return part -> record."""
    place = root / LOCK
    if not place.is_file():
        return {}
    return read_document(shown_in(root, LOCK), place.read_bytes(), _Lock).parts


def standings(tree: LayeredTree) -> list[Standing]:
    """Return the state of every part of an overlay."""
    lock = read_lock(tree.root)
    found = []
    for part in parts_of(tree):
        record = lock.get(part.id)
        renamed = record.text if record else None
        for old in tree.renames.files if renamed else ():
            renamed = (renamed or "").replace(old, tree.renames.file(old))
        found.append(Standing(part, record, renamed))
    return found


def lock_problems(tree: LayeredTree) -> Iterator[Problem]:
    """Yield the parts that the upstream has changed since they were overridden, or that are not recorded."""
    for standing in standings(tree):
        part = standing.part
        path, accept = tree.label(part.file), f"ultra-plugin overlay accept '{part.id}'"
        what = f"'{part.name}'" if part.name else "this file"
        if standing.state == "stale":
            message = f"upstream has changed {what} since you overrode it"
            remedy = f"compare with: ultra-plugin overlay status; then: {accept}"
            yield Problem(path, part.line, "stale", message, remedy)
        elif standing.state == "orphaned":
            message = f"overrides {what}, which the upstream no longer has"
            remedy = (
                nearest(part.name, part.known) if part.known else f"remove it, or keep it as yours: {accept}"
            )
            yield Problem(path, part.line, "orphan", message, remedy)
        elif standing.state == "new":
            yield Problem(
                path, part.line, "unrecorded", f"overrides {what} without a record", f"run: {accept}"
            )


def record(tree: LayeredTree, accepted: set[str], version: str) -> None:
    """Write the lock: accepted parts as they are now, other parts as they were recorded."""
    parts = {}
    for standing in standings(tree):
        part = standing.part
        if part.id not in accepted:
            kept = standing.record
        else:
            kept = (
                None if part.upstream is None else Record(_sha(part.upstream), version, _text(part.upstream))
            )
        if kept:
            row = {"sha256": kept.sha256, "version": kept.version, "text": kept.text}
            parts[part.id] = {key: value for key, value in row.items() if value is not None}
    text = yaml.dump(
        {"parts": dict(sorted(parts.items()))},
        Dumper=_Dumper,
        sort_keys=False,
        width=10_000,
        allow_unicode=True,
    )
    write_file(tree.root / LOCK, (_HEAD + text).encode())


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _text(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


class _Dumper(yaml.SafeDumper):
    """Write texts of several lines as blocks."""


def _lines(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _lines)
