"""The source tree of a fork: the upstream, and the overlay's files on top of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem, ProblemsFound, UltraError, problem, refuse
from ultra_plugin.overlay.files import MARKER, UNSHIPPED, UPSTREAM, Override, placed, read_overrides, short
from ultra_plugin.overlay.naming import name_patches, old_names, with_discriminators
from ultra_plugin.overlay.patch import Merge
from ultra_plugin.overlay.paths import Paths
from ultra_plugin.overlay.renames import read_renames
from ultra_plugin.overlay.resolving import Resolver
from ultra_plugin.overlay.settings import LOCK, SETTINGS, Settings, is_overlay, read_settings, shown_in
from ultra_plugin.overlay.stages import Cut
from ultra_plugin.overlay.upstream import open_upstream, version_of
from ultra_plugin.overlay.values import Place, Value, read_value, written
from ultra_plugin.source import SourceTree


@dataclass(frozen=True, slots=True)
class _File:
    """One file of the whole tree."""

    content: bytes
    shown: str
    lines: tuple[Place, ...] = ()
    """For a patched file, the place behind each line."""


def open_tree(root: Path) -> SourceTree:
    """Return the sources in a folder: a whole tree, or an overlay on its upstream."""
    if not is_overlay(root):
        return SourceTree(root)
    settings = read_settings(root)
    upstream = open_upstream(root, settings.upstream)
    _refuse_other_upstream(root, settings, upstream)
    return LayeredTree(root, settings, upstream)


def _refuse_other_upstream(root: Path, settings: Settings, upstream: SourceTree) -> None:
    pinned, version = settings.upstream, version_of(upstream)
    remedy = f"run: ultra-plugin overlay upgrade {version}"
    shown = shown_in(root, SETTINGS)
    if version != pinned.version:
        message = f"the upstream is version {version}, not {pinned.version}"
        raise problem(shown, pinned.line, "other-upstream", message, remedy)
    if upstream.digest() != pinned.sha256:
        message = (
            f"the upstream {version} has the SHA-256 {upstream.digest()[:12]}..., not {pinned.sha256[:12]}..."
        )
        raise problem(shown, pinned.line, "other-upstream", message, f"restore it, or {remedy}")


class LayeredTree(SourceTree):
    """An upstream with an overlay on top; `upstream:PATH` names the file below."""

    def __init__(
        self, root: Path, settings: Settings, upstream: SourceTree, *, with_files: bool = True
    ) -> None:
        self.root = root
        self.settings = settings
        self.upstream = upstream
        name = self._plugin()
        self.folder = f"plugins/{settings.names.plugin or name}"
        self.paths = Paths(self.folder, f"plugins/{name}")
        self.renames = read_renames(upstream)
        self._resolver = Resolver(self.renames, self.paths, self.label)
        self.renamed = self._resolver.warnings
        self._overlay = read_value(self.label(SETTINGS), (root / SETTINGS).read_bytes())
        below = self._below()
        off = self._overlay.pairs.get("stages_off")
        cut = Cut(below, self.folder, off.items if off and with_files else ())
        self._files = {
            path: _File(content, upstream.shown(self.paths.base(path)))
            for path, content in below.items()
            if path not in cut.removed
        }
        self.overrides = [
            self._resolver.override(one)
            for one in (read_overrides(root, self.paths, self._files) if with_files else ())
        ]
        self._patch_data(cut)
        self._lay()
        self._list(self._files)
        self.beside = [self.label(name) for name in UNSHIPPED if os.path.lexists(root / name)]
        self._targets = {override.target: override for override in self.overrides}
        self._links = {
            path
            for path in self._files
            if (
                self._targets[path].is_link
                if path in self._targets
                else upstream.is_link(self.paths.base(path))
            )
        }

    def _plugin(self) -> str:
        """Return the upstream's plugin that the overlay changes."""
        known = self.upstream.folders("plugins")
        name = self.settings.plugin or (known[0] if len(known) == 1 else "")
        if name not in known:
            shown = self.label(SETTINGS)
            message = f"the upstream has no plugin '{name}'" if name else "the upstream has several plugins"
            remedy = nearest(name, known) if name else f"add 'plugin:' with one of {', '.join(known)}"
            raise problem(shown, self.settings.line, "bad-value", message, remedy)
        if self.upstream.find(f"plugins/{name}/plugin.yaml") is None:
            raise UltraError(
                f"{self.upstream.shown(f'plugins/{name}')}: has no plugin.yaml; fork a plugin that has one"
            )
        return name

    def _below(self) -> dict[str, bytes]:
        """Return the upstream's files by their paths in the fork, with the fork's discriminators."""
        renamed = self.settings.names.discriminators
        return {
            self.paths.own(path): with_discriminators(path, self.upstream.read(path), renamed)
            for path in self.upstream.files()
        }

    def label(self, path: str) -> str:
        """Return a file of the overlay as the user would type it."""
        return shown_in(self.root, path)

    def _patch_data(self, cut: Cut) -> None:
        """Apply the names and stages of overlay.yaml to the data."""
        plugin = f"{self.folder}/plugin.yaml"
        for path, patch in cut.patches.items():
            self._patch(path, patch)
        settings = self._value(plugin)
        for which, patch in name_patches(self._overlay, settings, cut.off):
            self._patch(plugin if which == "plugin" else "suite.yaml", patch)

    def _value(self, path: str) -> Value:
        file = self._files[path]
        return read_value(file.shown, file.content)

    def _patch(self, path: str, patch: Value) -> None:
        if not patch.pairs:
            return
        file = self._files[path]
        merge = Merge(_traced(self._value(path), file.lines), patch)
        refuse(merge.problems)
        content, lines = written(merge.value)
        self._files[path] = _File(content, file.shown, lines)

    def _lay(self) -> None:
        """Put every file of the overlay on top of the upstream's, or raise every problem."""
        problems: list[Problem] = []
        for override in self.overrides:
            try:
                self._put(override)
            except ProblemsFound as error:
                problems += error.problems
        refuse(problems)

    def _put(self, override: Override) -> None:
        target = override.target
        if override.kind == "remove":
            gone = [path for path in self._files if path == target or path.startswith(f"{target}/")]
            if not gone:
                self._refuse_orphan(override, "removes")
            if override.content.strip():
                message = "must be empty: it only says that a file is removed"
                raise problem(self.label(override.file), 1, "marker", message, f"empty it, or drop {MARKER}")
            for path in gone:
                del self._files[path]
        elif override.kind == "patch":
            if target not in self._files:
                self._refuse_orphan(override, "changes")
            self._patch(target, self.patch_of(override))
        else:
            self._files[target] = _File(override.content, self.label(override.file))

    def patch_of(self, override: Override) -> Value:
        """Return a patch with the present names of the keys that it changes."""
        patch = read_value(self.label(override.file), override.content)
        if not patch.pairs:
            message, remedy = "must be a mapping of the keys that it changes", "write KEY: VALUE"
            raise problem(*patch.place, "wrong-type", message, remedy)
        return self._resolver.patch(override, patch)

    def _refuse_orphan(self, override: Override, does: str) -> None:
        known = [self.paths.short(self.paths.base(path)) for path in self._files]
        message = f"{does} '{short(override.target, self.folder)}', which the upstream does not have"
        remedy = nearest(short(override.target, self.folder), known)
        remedy = remedy if remedy.startswith("did you") else "remove this file"
        raise problem(self.label(override.file), 0, "orphan", message, remedy)

    def old_names(self) -> tuple[list[str], Place]:
        """Return the upstream's names that must not be left in the fork, and where the fork names its own."""
        suite, plugin = (
            read_value(self.upstream.shown(path), self.upstream.read(path))
            for path in ("suite.yaml", f"{self.paths.base_folder}/plugin.yaml")
        )
        own = self._value(f"{self.folder}/plugin.yaml")
        place = (self.label(SETTINGS), self.settings.names.line)
        return old_names(self.settings.names, suite, plugin, own), place

    # The interface that the generator uses.

    @property
    def project(self) -> Path:
        return self.root

    @property
    def watched(self) -> list[Path]:
        files = [SETTINGS, LOCK, *(override.file for override in self.overrides)]
        return [*(self.root / file for file in files), *self.upstream.watched]

    def find(self, path: str) -> Path | None:
        below = self._path_below(path)
        found = self.upstream.find(below) is not None if below else path in self._known
        return Path(self.shown(path)) if found else None

    def _path_below(self, path: str) -> str:
        """Return the upstream's path for a name such as `upstream:PATH`, or a path of another plugin."""
        if path.startswith(UPSTREAM):
            return self.paths.base(placed(path.removeprefix(UPSTREAM), self.folder))
        is_elsewhere = path.startswith("plugins/") and not path.startswith(f"{self.folder}/")
        return path if is_elsewhere and path not in self._files else ""

    def shown(self, path: str) -> str:
        if below := self._path_below(path):
            return self.upstream.shown(below)
        file = self._files.get(path)
        return file.shown if file else self.label(short(path, self.folder))

    def owns(self, path: str) -> bool:
        return path in self._targets

    def is_executable(self, path: str) -> bool:
        own = self._targets.get(path)
        if own and own.kind != "patch":
            return os.access(self.root / own.file, os.X_OK)
        return self.upstream.is_executable(self.paths.base(path))

    def templates(self) -> list[str]:
        below = [f"{UPSTREAM}{self.paths.short(path)}" for path in self.upstream.templates()]
        return [*super().templates(), *below]

    def placed(self, problem: Problem) -> Problem:
        """Return a problem of a patched file at the line of the layer that it comes from."""
        for file in self._files.values():
            if file.shown == problem.path and 0 < problem.line <= len(file.lines):
                path, line = file.lines[problem.line - 1]
                return replace(problem, path=path, line=line)
        return problem

    def read(self, path: str) -> bytes:
        if below := self._path_below(path):
            return with_discriminators(below, self.upstream.read(below), self.settings.names.discriminators)
        if path not in self._files:
            return super().read(path)
        return self._files[path].content

    def _status(self, path: str) -> list[int]:
        return []  # its files are merged from several

    def digest(self, paths: Iterable[str] | None = None) -> str:
        if paths is not None:
            return super().digest(paths)
        lock = self.root / LOCK
        own = [(self.root / SETTINGS).read_bytes(), lock.read_bytes() if lock.is_file() else b""]
        own += map(os.fsencode, self.beside)
        return super().digest() + "".join(hashlib.sha256(content).hexdigest() for content in own)


def _traced(value: Value, lines: tuple[Place, ...]) -> Value:
    """Return a value that was read from a patched text with the places behind its lines."""
    if not lines:
        return value
    place = lines[value.place[1] - 1]
    if value.pairs:
        return Value({key: _traced(part, lines) for key, part in value.pairs.items()}, place)
    if value.items:
        return Value(tuple(_traced(part, lines) for part in value.items), place)
    return replace(value, place=place)
