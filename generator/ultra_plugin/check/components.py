"""Find the commands, agents and skills of a plugin folder, where the client finds them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import basename, dirname, normpath
from typing import Literal

from ultra_plugin.check.client import FILE_LIMIT
from ultra_plugin.check.header import Header, read_header
from ultra_plugin.errors import Severity
from ultra_plugin.model import BundleFile

ComponentKind = Literal["command", "agent", "skill"]

FOLDERS: tuple[tuple[ComponentKind, str], ...] = (
    ("command", "commands"),
    ("agent", "agents"),
    ("skill", "skills"),
)
"""Each kind's default folder, which is also its key in the manifest."""


@dataclass(frozen=True, slots=True)
class Component:
    """One command, agent or skill: a Markdown file with a header."""

    kind: ComponentKind
    name: str
    """As typed after the plugin's prefix."""
    file: BundleFile
    header: Header
    severity: Severity
    """Severity of faults that are errors for the client, which validates only default folders and small files."""
    is_loaded: bool = True
    """False in a default folder that the manifest replaces."""

    @property
    def path(self) -> str:
        """Its path in the bundle."""
        return self.file.path


def find_components(files: Mapping[str, BundleFile], fields: Mapping[str, object]) -> Iterator[Component]:
    """Return every component, those of the default folders first; `fields` are the manifest's."""
    regular = {path: file for path, file in files.items() if not file.symlink}
    ordered = sorted(regular)
    for kind, folder in FOLDERS:
        roots = {inner_path(path) for path in paths_in(fields.get(folder))}
        for path in _below(ordered, folder):
            is_loaded = kind == "skill" or folder not in fields or _is_covered(path, roots)
            yield from _component(kind, folder, regular[path], "error", is_loaded)
        for root in sorted(roots):
            for path in [root] if root in regular else _below(ordered, root):
                if not path.startswith(f"{folder}/"):
                    yield from _component(kind, root, regular[path], "warning", True)
    for name, source in _mapped(fields.get("commands")):
        if source in regular:
            yield _made("command", name, regular[source], "warning", True)
    if "SKILL.md" in regular and "skills" not in fields:
        yield _made("skill", str(fields.get("name", "")), regular["SKILL.md"], "warning", True)


def inline_commands(fields: Mapping[str, object]) -> frozenset[str]:
    """Return the names of commands whose text is in the manifest."""
    return frozenset(name for name, source in _mapped(fields.get("commands")) if not source)


def paths_in(value: object) -> Iterator[str]:
    """Return the paths of a manifest field: one, or a list of them."""
    for path in value if isinstance(value, list) else [value]:
        if isinstance(path, str):
            yield path


def inner_path(path: str) -> str:
    """Return a path as in the bundle: no leading ./, no trailing slash, '.' for the root."""
    return normpath(path) if path else "."


def _is_covered(path: str, roots: set[str]) -> bool:
    """Say whether a path is one of some roots or below one."""
    while path and path not in roots:
        path = dirname(path)
    return bool(path) or "." in roots


def _below(ordered: list[str], root: str) -> Iterator[str]:
    prefix = "" if root == "." else f"{root}/"
    for index in range(bisect_left(ordered, prefix), len(ordered)):
        if not ordered[index].startswith(prefix):
            return
        yield ordered[index]


def _component(
    kind: ComponentKind, root: str, file: BundleFile, severity: Severity, is_loaded: bool
) -> Iterator[Component]:
    inside = basename(root) if file.path == root else file.path.removeprefix(f"{root}/")
    if kind == "skill":
        folder, _, name = inside.rpartition("/")
        if name == "SKILL.md" and "/" not in folder and (folder or root != "skills"):
            yield _made(kind, folder or basename(root), file, severity, is_loaded)
    elif inside.lower().endswith(".md"):
        yield _made(kind, inside[:-3].replace("/", ":"), file, severity, is_loaded)


def _made(kind: ComponentKind, name: str, file: BundleFile, severity: Severity, is_loaded: bool) -> Component:
    is_large = len(file.content) > FILE_LIMIT
    header = read_header("" if is_large else file.text)
    if kind == "agent" and (given := header.values.get("name")) and given.kind == "string":
        name = ":".join([*name.split(":")[:-1], given.text])
    return Component(kind, name, file, header, "warning" if is_large else severity, is_loaded)


def _mapped(value: object) -> Iterator[tuple[str, str]]:
    """Return name and source of the commands that the manifest maps by name; no source for inline text."""
    for name, entry in value.items() if isinstance(value, dict) else ():
        source = entry.get("source") if isinstance(entry, dict) else None
        yield name, inner_path(source) if isinstance(source, str) and source else ""
