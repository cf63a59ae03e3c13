"""Find the source line behind a line of a bundle."""

from __future__ import annotations

from ultra_plugin.config import load
from ultra_plugin.model import BundleFile
from ultra_plugin.per_plugin import own_suite
from ultra_plugin.render import templates_of
from ultra_plugin.source import SourceTree
from ultra_plugin.templates import Templates


class Origins:
    """The sources of a suite's bundles, traced when asked for."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        suite = load(tree)
        self._templates: dict[str, Templates] = {
            plugin.settings.name: templates_of(tree, own_suite(suite, plugin), plugin)
            for plugin in suite.plugins
        }
        self._traces: dict[tuple[str, str], list[tuple[str, int]]] = {}

    def place(self, plugin: str, file: BundleFile, line: int) -> str:
        """Return the file, and if it is known the line, that a line of a bundle's file comes from."""
        source = file.sources[0] if file.sources else ""
        if not source.endswith(".j2"):
            is_copy = self._tree.find(source) is not None and self._tree.read(source) == file.content
            return f"{self._tree.shown(source)}:{line}" if is_copy else self._tree.shown(source)
        key = (plugin, source)
        if key not in self._traces:
            self._traces[key] = self._templates[plugin].trace(source)
        trace = self._traces[key]
        raw = file.source_lines[line - 1] if line <= len(file.source_lines) else line - 1
        name, at = trace[min(raw, len(trace) - 1)]
        return f"{self._tree.shown(name)}:{at}"
