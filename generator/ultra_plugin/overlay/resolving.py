"""Resolve old names of an upstream in the files of an overlay, with a warning for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ultra_plugin.errors import Problem
from ultra_plugin.overlay.files import UPSTREAM, Override, placed
from ultra_plugin.overlay.paths import Paths
from ultra_plugin.overlay.renames import Renames
from ultra_plugin.overlay.values import Value


@dataclass(frozen=True, slots=True)
class Resolver:
    """The renames of an upstream, and the warnings about old names that were found."""

    renames: Renames
    paths: Paths
    label: Callable[[str], str]
    warnings: list[Problem] = field(default_factory=list)

    def override(self, override: Override) -> Override:
        """Return an override with the present names of its file, and of the files and blocks that it names."""
        old = self.paths.base(override.target)
        if (new := self.renames.file(old)) != old:
            remedy = f"rename it to {self.paths.short(new)}"
            self._warn(override.file, 1, f"upstream renamed '{old}' to '{new}'", remedy)
            kind = "replace" if override.kind == "add" else override.kind
            override = replace(override, target=self.paths.own(new), kind=kind)
        return self._blocks(self._files(override)) if override.file.endswith(".j2") else override

    def _files(self, override: Override) -> Override:
        text, parent = override.content.decode("utf-8", "replace"), override.parent
        names = {old: self.renames.file(old) for old in self.renames.files}
        names |= {self.paths.short(old): self.paths.short(new) for old, new in names.items()}
        for old, new in names.items():
            if found := re.search(rf"[\"'](?:{UPSTREAM})?{re.escape(old)}[\"']", text):
                line = _line(text, found.start())
                self._warn(override.file, line, f"upstream renamed '{old}' to '{new}'", f"write '{new}'")
                text, parent = text.replace(old, new), parent.replace(old, new)
        return replace(override, content=text.encode(), parent=parent)

    def _blocks(self, override: Override) -> Override:
        text = override.content.decode()
        parent = self.paths.base(placed(override.parent, self.paths.folder))
        for old in self.renames.blocks.get(parent, {}):
            new = self.renames.block(parent, old)
            pattern = re.compile(rf"(\{{%[-+]?\s*(?:end)?block\s+){re.escape(old)}\b")
            if found := pattern.search(text):
                message = f"upstream renamed the block '{old}' to '{new}'"
                self._warn(override.file, _line(text, found.start()), message, f"write '{new}'")
                text = pattern.sub(rf"\g<1>{new}", text)
        return replace(override, content=text.encode())

    def patch(self, override: Override, patch: Value) -> Value:
        """Return a patch with the present names of the keys that it changes."""
        path = self.paths.base(override.target)
        for old in self.renames.keys.get(path, {}):
            new = self.renames.key(path, old).rpartition("/")[2]
            patch = self._key(override.file, patch, old.split("/"), new)
        return patch

    def _key(self, file: str, patch: Value, keys: Sequence[str], new: str) -> Value:
        key, *rest = keys
        if key not in patch.pairs:
            return patch
        pairs = dict(patch.pairs)
        if rest:
            pairs[key] = self._key(file, pairs[key], rest, new)
            return Value(pairs, patch.place)
        message = f"upstream renamed the key '{key}' to '{new}'"
        self._warn(file, pairs[key].place[1], message, f"write '{new}'")
        return Value({new if one == key else one: value for one, value in pairs.items()}, patch.place)

    def _warn(self, file: str, line: int, message: str, remedy: str) -> None:
        problem = Problem(self.label(file), line, "renamed", message, remedy, "warning")
        if problem not in self.warnings:
            self.warnings.append(problem)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
