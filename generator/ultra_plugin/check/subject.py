"""A plugin folder, parsed once for all checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import dirname, normpath
from types import MappingProxyType

from ultra_plugin.check.client import FILE_LIMIT
from ultra_plugin.check.codes import problem
from ultra_plugin.check.components import (
    MANIFEST,
    MARKETPLACE,
    Component,
    ComponentKind,
    find_components,
    inline_commands,
)
from ultra_plugin.check.jsontext import Json, read_json
from ultra_plugin.errors import Problem, Severity
from ultra_plugin.model import Bundle, BundleFile

__all__ = ["MANIFEST", "MARKETPLACE", "Subject", "client_json", "subject_of"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A bundle with its manifest and components parsed."""

    bundle: Bundle
    name: str
    """The prefix before the colon of its commands."""
    manifest: Json | None
    """None if it is missing or cannot be read."""
    fields: Mapping[str, object]
    """The manifest's; empty if it is not an object."""
    components: tuple[Component, ...]
    folders: frozenset[str]

    @property
    def files(self) -> Mapping[str, BundleFile]:
        """The files of the bundle."""
        return self.bundle.files

    @property
    def severity(self) -> Severity:
        """Severity of faults in files that the client reads only next to a manifest."""
        return "error" if self.manifest else "warning"

    @property
    def is_plugin(self) -> bool:
        """Whether it is a plugin: the folder of a marketplace that only offers other folders is not."""
        return self.manifest is not None or MARKETPLACE not in self.files or "source" in self.fields

    def has(self, path: str) -> bool:
        """Say whether a path is a file or folder here, or behind a symlink, which is not followed."""
        path = normpath(path)
        return path == "." or path in self.files or path in self.folders or self.is_linked(path)

    def is_linked(self, path: str) -> bool:
        """Say whether a path is a symlink or behind one."""
        while path and path != "/":
            if (file := self.files.get(path)) is not None and file.symlink:
                return True
            path = dirname(path)
        return False

    def names(self, *kinds: ComponentKind) -> frozenset[str]:
        """Return the names of the components of some kinds that the client loads."""
        found = [item for item in self.components if item.kind in kinds and item.is_loaded]
        names = {item.name for item in found} | {self._shown(item) for item in found if item.given}
        return frozenset(names | (inline_commands(self.fields) if "command" in kinds else set()))

    def bare_names(self) -> frozenset[str]:
        """Return the names of commands and skills that need no prefix: those that a header gives."""
        found = (item for item in self.components if item.kind != "agent" and item.is_loaded)
        return frozenset(item.given for item in found if item.given and ":" not in item.given)

    def _shown(self, item: Component) -> str:
        """Return the name that the client shows for a component with a name in its header."""
        folder = f"{self.name}:{item.name}".rpartition(":")[0] + ":"
        shown = item.given if item.given.startswith(folder) else folder + item.given
        return shown.removeprefix(f"{self.name}:")


def client_json(subject: Subject, path: str, code: str) -> tuple[Json, list[Problem], Severity]:
    """Return a JSON file that the client reads, why it refuses it, and the severity of faults in it."""
    file = subject.files[path]
    severity: Severity = subject.severity if file.size <= FILE_LIMIT else "warning"
    document = read_json(file.text)
    if file.text.startswith("\ufeff"):
        message = "starts with a byte order mark, which the client refuses here"
        return document, [problem(severity, path, 1, "bom", message)], severity
    if document.fault:
        worst = severity if document.sure else "warning"
        message = f"is not JSON: {document.fault}"
        return document, [problem(worst, path, document.line, code, message)], severity
    return document, [], severity


def subject_of(bundle: Bundle) -> Subject:
    """Parse a bundle."""
    file = bundle.files.get(MANIFEST)
    manifest = read_json(file.text.removeprefix("\ufeff")) if file and not file.symlink else None
    value = manifest.value if manifest else None
    fields: Mapping[str, object] = MappingProxyType(value if isinstance(value, dict) else {})
    if manifest is None:
        fields = bundle.around.entry  # it can replace a manifest
    name = fields.get("name")
    return Subject(
        bundle,
        name if isinstance(name, str) and name else bundle.name,
        manifest,
        fields,
        tuple(find_components(bundle.files, fields)),
        _folders(bundle.files),
    )


def _folders(files: Mapping[str, BundleFile]) -> frozenset[str]:
    folders: set[str] = set()
    for path in files:
        folder = dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = dirname(folder)
    return frozenset(folders)
