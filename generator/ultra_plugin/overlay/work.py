"""What `ultra-plugin overlay` does: begin an overlay, take a part, accept a change, move to another version."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from ultra_plugin.config import NAME
from ultra_plugin.document import nearest
from ultra_plugin.errors import NotKnown, UltraError
from ultra_plugin.overlay.files import DATA, PATCH, UPSTREAM, blocks_in, parent_in, placed
from ultra_plugin.overlay.layers import LayeredTree
from ultra_plugin.overlay.lock import Standing, record, standings
from ultra_plugin.overlay.parts import block_names, block_text, value_at
from ultra_plugin.overlay.settings import SETTINGS, Settings, read_settings
from ultra_plugin.overlay.upstream import open_source, open_upstream, version_of
from ultra_plugin.overlay.values import Value, as_value, read_value, written
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import staged_for, write_file

SCHEMA = ".schemas/overlay.schema.json"
_MODELINE = f"# yaml-language-server: $schema={SCHEMA}\n"
_IGNORED = "# The plugin is built from the overlay: ultra-plugin build\ndist/\n"
_ATTRIBUTES = "# If you commit dist/ (remove it from .gitignore): never merge it, build it again.\ndist/** -merge linguist-generated\n"


def begin(folder: Path, upstream: str, name: str, launcher: str, plugin: str | None, schema: bytes) -> None:
    """Create an overlay that renames the upstream's plugin, its commands and its program."""
    if folder.exists():
        raise UltraError(f"{folder}: exists already; name a new folder")
    for option, word in (("--name", name), ("--launcher", launcher)):
        if not NAME.fullmatch(word):
            raise UltraError(
                f"'{word}' cannot be a name; give one of a-z, 0-9 and single hyphens with {option}"
            )
    kind = "wheel" if upstream.endswith(".whl") else "git" if "@" in Path(upstream).name else "folder"
    if kind != "git" and not os.path.exists(upstream):
        raise UltraError(f"{upstream}: no such upstream; name a folder or a wheel with --upstream")
    inner = os.path.relpath(upstream, folder)
    tree = open_source(folder.parent, kind, os.path.relpath(upstream, folder.parent))
    version = version_of(tree)
    known = tree.folders("plugins")
    if plugin is None and len(known) > 1:
        raise UltraError(f"{upstream}: has several plugins; add --plugin with one of {', '.join(known)}")
    if (plugin := plugin or known[0]) not in known:
        raise NotKnown(f"{upstream}: has no plugin '{plugin}'", nearest(plugin, known))
    settings = read_value(plugin, tree.read(f"plugins/{plugin}/plugin.yaml"))
    rows = settings.pairs["pipeline"].pairs if "pipeline" in settings.pairs else {}
    names: dict[str, object] = {
        "suite": name,
        "owner": name,
        "plugin": name,
        "title": name.replace("-", " ").title(),
    }
    if "runtime" in settings.pairs:
        names["launcher"] = launcher
    if rows:
        names["commands"] = {stage: f"{name}-{stage}" for stage in rows}
    where = inner.replace(version, "{version}")
    source = {kind: where, "version": version, "sha256": tree.digest()}
    which = {"plugin": plugin} if len(known) > 1 else {}
    text = as_value({"upstream": source, **which, "version": "0.1.0", "names": names}, (SETTINGS, 0))
    with staged_for(folder) as staged:
        (staged / SETTINGS).write_bytes(_MODELINE.encode() + written(text)[0])
        write_file(staged / SCHEMA, schema)
        (staged / ".gitignore").write_text(_IGNORED, encoding="utf-8")
        (staged / ".gitattributes").write_text(_ATTRIBUTES, encoding="utf-8")


def take(tree: LayeredTree, asked: str) -> str:
    """Copy a file, a block or a key of the upstream into the overlay, and record it; return the new file."""
    path, _, part = asked.partition("#")
    target = placed(path, tree.folder)
    base = tree.paths.base(target)
    if tree.upstream.find(base) is None:
        known = [tree.paths.short(one) for one in tree.upstream.files()]
        raise NotKnown(f"the upstream has no file '{path}'", nearest(path, known))
    if not part:
        file, content = path, tree.upstream.read(base)
    elif path.endswith(DATA):
        file, content = path.removesuffix(DATA) + PATCH, _key_patch(tree.upstream, base, part)
    else:
        file, content = path, _block_override(tree, path, base, part)
    place = tree.root / file
    if place.exists() and not (part and path.endswith(".j2")):
        raise UltraError(f"{tree.label(file)}: exists already; change it there")
    write_file(place, content)
    again = LayeredTree(tree.root, tree.settings, tree.upstream)
    taken = {one.part.id for one in standings(again) if one.part.file == file and one.state == "new"}
    record(again, taken, tree.settings.upstream.version)
    return file


def _key_patch(upstream: SourceTree, base: str, part: str) -> bytes:
    whole = read_value(upstream.shown(base), upstream.read(base))
    found = value_at(whole, part)
    *above, last = part.split("/")
    if found is None:
        siblings = value_at(whole, "/".join(above)) if above else whole
        ids = [item.pairs["id"].text for item in siblings.items if "id" in item.pairs] if siblings else []
        known = [*siblings.pairs, *ids] if siblings else []
        raise NotKnown(f"{upstream.shown(base)} has no key '{part}'", nearest(last, known))
    value = found
    for depth, key in reversed(list(enumerate(part.split("/")))):
        holder = value_at(whole, "/".join(part.split("/")[:depth])) if depth else whole
        is_rule = holder is not None and isinstance(holder.content, tuple)
        value = Value((value,), value.place) if is_rule else Value({key: value}, value.place)
        if is_rule and "id" not in value.items[0].pairs:
            first = value.items[0]
            value = Value((Value({"id": Value(key, first.place), **first.pairs}, first.place),), first.place)
    return written(value)[0]


def _block_override(tree: LayeredTree, path: str, base: str, name: str) -> bytes:
    text = block_text(tree.upstream, base, name)
    if text is None:
        known = [*block_names(tree.upstream, base)]
        raise NotKnown(f"{path} has no block '{name}'", nearest(name, known))
    place = tree.root / path
    before = place.read_text(encoding="utf-8") if place.exists() else f'{{% extends "{UPSTREAM}{path}" %}}\n'
    if parent_in(before) != f"{UPSTREAM}{path}":
        raise UltraError(f"{tree.label(path)}: replaces the whole file; remove it first, or change it there")
    if name in blocks_in(before):
        raise UltraError(f"{tree.label(path)}: has the block '{name}' already; change it there")
    return f"{before}\n{{% block {name} %}}\n{text}\n{{% endblock %}}\n".encode()


def accept(tree: LayeredTree, asked: tuple[str, ...]) -> list[str]:
    """Record parts as the upstream has them now: all of a file, one part, or every part without names."""
    found = standings(tree)
    for name in asked:
        known = {word for one in found for word in (one.part.id, one.part.file)}
        if name not in known:
            raise NotKnown(f"the overlay overrides no '{name}'", nearest(name, known))
    chosen = {one.part.id for one in found if not asked or {one.part.id, one.part.file} & {*asked}}
    changed = [
        one.part.id for one in found if one.part.id in chosen and one.state in ("new", "stale", "orphaned")
    ]
    record(tree, chosen, tree.settings.upstream.version)
    return changed


def moved(root: Path, version: str) -> tuple[LayeredTree, list[Standing]]:
    """Return the overlay on another version of its upstream, and the state that its parts would have."""
    settings = read_settings(root)
    upstream = open_upstream(root, settings.upstream, version)
    if (found := version_of(upstream)) != version:
        raise UltraError(
            f"the upstream is version {found}, not {version}; put {version} in its place, or correct 'upstream' in {root / SETTINGS}"
        )
    source = replace(settings.upstream, version=version, sha256=upstream.digest())
    tree = LayeredTree(root, replace(settings, upstream=source), upstream)
    return tree, standings(tree)


def pin(root: Path, old: Settings, new: Settings) -> None:
    """Write another version and digest of the upstream into overlay.yaml, and change nothing else there."""
    place = root / SETTINGS
    text = place.read_text(encoding="utf-8")
    head, start, rest = text.partition("upstream:")
    for key, before, after in (
        ("version", old.upstream.version, new.upstream.version),
        ("sha256", old.upstream.sha256, new.upstream.sha256),
    ):
        rest = re.sub(rf"({key}:\s*[\"']?){re.escape(before)}", rf"\g<1>{after}", rest, count=1)
    write_file(place, f"{head}{start}{rest}".encode())
