"""Find the commands, agents and skills of a plugin folder, where the client finds them."""

from __future__ import annotations

import re
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

MANIFEST = ".claude-plugin/plugin.json"
MARKETPLACE = ".claude-plugin/marketplace.json"
_UNUSUAL = re.compile(r"[^a-zA-Z0-9_-]")
"""What the client replaces by a hyphen in the name of a skill."""

_FENCED = re.compile(r"^[ \t]*```.*?^[ \t]*```", re.DOTALL | re.MULTILINE)

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
    given: str = ""
    """The name in its header, under which the client finds a command or skill as well."""

    @property
    def path(self) -> str:
        """Its path in the bundle."""
        return self.file.path


def without_fences(text: str) -> str:
    """Return a text with empty lines in place of its code blocks, which are mostly examples."""
    return _FENCED.sub(lambda fence: "\n" * fence.group().count("\n"), text)


def find_components(files: Mapping[str, BundleFile], fields: Mapping[str, object]) -> Iterator[Component]:
    """Return every component, those of the default folders first; `fields` are the manifest's."""
    regular = {path: file for path, file in files.items() if not file.symlink}
    ordered = sorted(regular)
    validated: Severity = "error"
    if MARKETPLACE in files and MANIFEST not in files:
        if "source" not in fields:
            return  # a marketplace, not a plugin
        validated = "warning"
    for kind, folder in FOLDERS:
        roots = frozenset(inner_path(path) for path in paths_in(fields.get(folder)))
        taken = set()
        for path in _below(ordered, folder):
            root = folder if kind == "skill" or folder not in fields else _root_above(path, roots)
            for component in _component(kind, root or folder, regular[path], validated, root is not None):
                taken.add(path)
                yield component
        for root in sorted(roots):
            for path in [root] if root in regular else _below(ordered, root):
                if path not in taken:
                    yield from _component(kind, root, regular[path], "warning", True)
    for name, source in _mapped(fields.get("commands")):
        if source in regular:
            yield _made("command", name, regular[source], "warning", True)
    if "SKILL.md" in regular and "skills" not in fields:
        yield _made("skill", f"/{fields.get('name', '')}", regular["SKILL.md"], "warning", True)


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


def _root_above(path: str, roots: frozenset[str]) -> str | None:
    """Return the first of some roots that is the path or a folder above it."""
    above = [path, "."]
    while path := dirname(path):
        above.append(path)
    return min(roots.intersection(above), default=None)


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
    folder, _, name = inside.rpartition("/")
    if kind == "skill":
        if name == "SKILL.md" and "/" not in folder:
            yield _made(kind, folder or f"/{basename(root)}", file, severity, is_loaded)
    elif kind == "command" and folder and name.lower() == "skill.md":
        yield _made(kind, folder.replace("/", ":"), file, severity, is_loaded)
    elif inside.lower().endswith(".md"):
        yield _made(kind, inside[:-3].replace("/", ":"), file, severity, is_loaded)


def _made(kind: ComponentKind, name: str, file: BundleFile, severity: Severity, is_loaded: bool) -> Component:
    is_large = file.size > FILE_LIMIT
    header = read_header("" if is_large else file.text)
    value = header.values.get("name")
    given = value.text.strip() if value and value.kind in ("string", "number", "boolean") else ""
    if kind == "agent" and given:
        name = ":".join([*name.split(":")[:-1], given])
    elif kind == "skill":  # one in the folder that a manifest names is called as its header says
        name = _UNUSUAL.sub("-", given or name[1:] if name.startswith("/") else name)
    return Component(kind, name, file, header, "warning" if is_large else severity, is_loaded, given)


def _mapped(value: object) -> Iterator[tuple[str, str]]:
    """Return name and source of the commands that the manifest maps by name; no source for inline text."""
    for name, entry in value.items() if isinstance(value, dict) else ():
        source = entry.get("source") if isinstance(entry, dict) else None
        yield name, inner_path(source) if isinstance(source, str) and source else ""
