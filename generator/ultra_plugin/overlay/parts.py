"""The parts of an upstream that an overlay overrides: whole files, blocks and keys, with their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ultra_plugin.overlay.files import Override, blocks_in, parent_in, placed
from ultra_plugin.overlay.layers import LayeredTree
from ultra_plugin.overlay.patch import Merge
from ultra_plugin.overlay.values import Value, read_value, written
from ultra_plugin.source import SourceTree


@dataclass(frozen=True, slots=True)
class Part:
    """One overridden part."""

    file: str
    """The file of the overlay."""
    name: str
    """The block, or the keys joined by slashes; "" for a whole file."""
    upstream: bytes | None
    """The part in the upstream; None if it does not have one."""
    own: bytes
    """The part in the overlay."""
    line: int = 0
    known: tuple[str, ...] = ()
    """The blocks that the upstream has instead."""

    @property
    def id(self) -> str:
        """Return the name of the part as users type it and the lock lists it."""
        return f"{self.file}#{self.name}" if self.name else self.file


def parts_of(tree: LayeredTree) -> Iterator[Part]:
    """Yield every part that an overlay overrides or adds."""
    for override in tree.overrides:
        if override.kind == "extend":
            yield from _blocks(tree, override)
        elif override.kind == "patch":
            yield from _keys(tree, override)
        else:
            yield Part(override.file, "", _whole(tree, override.target), override.content)


def _whole(tree: LayeredTree, target: str) -> bytes | None:
    """Return the text of a file of the upstream, or of all files of a folder."""
    base = tree.paths.base(target)
    if tree.upstream.find(base):
        return tree.upstream.read(base)
    below = tree.upstream.files(base)
    return b"".join(map(tree.upstream.read, below)) if below else None


def _blocks(tree: LayeredTree, override: Override) -> Iterator[Part]:
    parent = tree.paths.base(placed(override.parent, tree.folder))
    spelled = (tree.root / override.file).read_text(encoding="utf-8", errors="replace")
    for name, block in blocks_in(spelled).items():
        now = tree.renames.block(parent, name)
        text = block_text(tree.upstream, parent, now)
        known = tuple(block_names(tree.upstream, parent)) if text is None else ()
        below = None if text is None else text.encode()
        yield Part(override.file, name, below, block.text.encode(), block.line, known)


def block_text(tree: SourceTree, path: str, name: str) -> str | None:
    """Return the source text of a block of a template or of one that it extends."""
    while path and tree.find(path):
        text = tree.text(path)
        if name in (found := blocks_in(text)):
            return found[name].text
        path = parent_in(text)
    return None


def block_names(tree: SourceTree, path: str) -> Iterator[str]:
    """Yield the names of the blocks of a template and of those that it extends."""
    while path and tree.find(path):
        text = tree.text(path)
        yield from blocks_in(text)
        path = parent_in(text)


def _keys(tree: LayeredTree, override: Override) -> Iterator[Part]:
    base = tree.paths.base(override.target)
    if tree.upstream.find(base) is None:
        yield Part(override.file, "", None, override.content)
        return
    patch = tree.patch_of(override)
    merge = Merge(read_value(tree.upstream.shown(base), tree.upstream.read(base)), patch)
    spelled = {tree.renames.key(base, old): old for old in tree.renames.keys.get(base, {})}
    for name, value in merge.overridden.items():
        own = value_at(patch, name)
        old = next(
            (
                f"{before}{name[len(now) :]}"
                for now, before in spelled.items()
                if f"{name}/".startswith(f"{now}/")
            ),
            name,
        )
        text = written(own)[0] if own else b"$remove\n"
        yield Part(override.file, old, written(value)[0], text, own.place[1] if own else 0)


def value_at(value: Value, name: str) -> Value | None:
    """Return the value below keys and ids that are joined by slashes."""
    for key in name.split("/"):
        by_id = {item.pairs["id"].text: item for item in value.items if "id" in item.pairs}
        found = value.pairs.get(key) or by_id.get(key)
        if found is None:
            return None
        value = found
    return value
