"""Check that the paths in plugin.json stay inside the plugin and exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ultra_plugin.check.codes import error, quote, warning
from ultra_plugin.check.components import inner_path
from ultra_plugin.check.jsontext import Json, Path
from ultra_plugin.check.subject import MANIFEST, Subject
from ultra_plugin.errors import Problem

_KEYS = (
    "commands", "agents", "skills", "hooks", "outputStyles", "themes", "workflows", "mcpServers", "lspServers",
    "monitors", "types",
)  # fmt: skip
_EXPERIMENTAL_KEYS = ("themes", "monitors", "outputStyles")
_JSON_KEYS = frozenset({"hooks", "mcpServers", "lspServers", "monitors"})
DEFAULT_HOOKS = "hooks/hooks.json"


def check_manifest_paths(subject: Subject) -> Iterator[Problem]:
    """Find paths that leave the plugin, do not exist or have the wrong type."""
    manifest = subject.manifest
    if manifest is None:
        return
    for where, path in manifest_paths(subject.fields):
        yield from _path(subject, manifest, where, path)
    for where, path in manifest_paths(subject.fields):
        if where[0] == "hooks" and inner_path(path) == DEFAULT_HOOKS:
            message = f"{quote(path)} is loaded by default, so it is declared twice"
            yield warning(MANIFEST, manifest.line_of(*where), "hooks-declared-twice", message)


def manifest_paths(fields: Mapping[str, object]) -> Iterator[tuple[Path, str]]:
    """Return key and value of every path in a manifest."""
    for key in _KEYS:
        yield from _strings((key,), fields.get(key))
    experimental = fields.get("experimental")
    if isinstance(experimental, dict):
        for key in _EXPERIMENTAL_KEYS:
            yield from _strings(("experimental", key), experimental.get(key))
    commands = fields.get("commands")
    for name, entry in commands.items() if isinstance(commands, dict) else ():
        if isinstance(entry, dict):
            yield from _strings(("commands", name, "source"), entry.get("source"))


def named_files(fields: Mapping[str, object], key: str, default: str) -> list[str]:
    """Return the files of one kind: the default one, and those that a manifest names."""
    named = [inner_path(path) for where, path in manifest_paths(fields) if key in where]
    return list(dict.fromkeys([default, *named]))


def _strings(where: Path, value: object) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield where, value
    for index, item in enumerate(value) if isinstance(value, list) else ():
        if isinstance(item, str):
            yield (*where, index), item


def _path(subject: Subject, manifest: Json, where: Path, path: str) -> Iterator[Problem]:
    line, key = manifest.line_of(*where), str(where[-1] if isinstance(where[-1], str) else where[-2])
    if ".." in path.replace("\\", "/").split("/"):
        yield error(MANIFEST, line, "path-outside", f"{quote(path)} points outside the plugin")
        return
    if not path.startswith("./"):
        return  # the shape check reports it
    inner = inner_path(path)
    if not subject.has(inner):
        yield error(MANIFEST, line, "path-missing", f"{quote(path)} does not exist")
    elif subject.is_linked(inner):
        return
    elif key == "skills" and inner in subject.files:
        message = f"{quote(path)} is a file; skills are folders with a SKILL.md"
        yield error(MANIFEST, line, "path-kind", message)
    elif key in _JSON_KEYS and path.endswith(".json") and inner not in subject.files:
        yield error(MANIFEST, line, "path-kind", f"{quote(path)} is a folder, not a JSON file")
