"""Remember the last build, so that a build with nothing to do ends before importing Jinja."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from ultra_plugin.report import PluginReport, Report
from ultra_plugin.source import PLUGINS, Seen, SourceTree
from ultra_plugin.tree import files_below, write_file

STAMP = ".build.json"
PARTS = ".parts.json"
"""The plugins of the last build, in a file of their own, which a build with nothing to do does not read."""
SEEN = ".seen.json"
"""The status and digest of each source of the last build."""
# Other inputs of a build, and further inputs of a wheel.
_CHECKED_FILES = ("CHANGELOG.md", "MIGRATION.md")
_PROJECT_FILES = ("pyproject.toml", "README.md", "LICENSE", "CONTRIBUTING.md", "Makefile")


@dataclasses.dataclass(frozen=True, slots=True)
class _Part:
    """One plugin of the last build."""

    inputs: str
    outputs: str
    sources: list[str]
    warnings: Mapping[str, int]

    def is_same(self, inputs: str, outputs: str) -> bool:
        """Say whether it has these digests; an empty digest means that an input is gone."""
        return (self.inputs, self.outputs) == (inputs, outputs) and bool(inputs and outputs)


@dataclasses.dataclass(frozen=True, slots=True)
class _Stamp:
    inputs: str
    outputs: str
    report: Report
    trial: str = ""
    """The digest of the runtime, policy and fixtures that last passed the trial."""


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """A plugin whose inputs and outputs are those of the last build."""

    report: PluginReport
    part: _Part

    @property
    def sources(self) -> frozenset[str]:
        """The sources that it was made from."""
        return frozenset(self.part.sources)


def inputs_digest(tree: SourceTree, distributions: bool) -> str:
    """Return a digest of all inputs of a build."""
    total = hashlib.sha256(f"{tree.digest()} {distributions} {_surroundings()}".encode())
    for name in (*_CHECKED_FILES, *(_PROJECT_FILES if distributions else ())):
        file = tree.project / name
        total.update(file.read_bytes() if file.is_file() else b"-")
    return total.hexdigest()


@cache
def _surroundings() -> str:
    """Return a digest of the generator and of the variables that it reads."""
    total = hashlib.sha256(str(os.environ.get("SOURCE_DATE_EPOCH")).encode())
    code = Path(__file__).parent
    for path in sorted(files_below(code)):
        if path.endswith(".py") and not path.startswith(("plugin_src/", "bundles/")):
            total.update((code / path).read_bytes())
    return total.hexdigest()


def kept_plugins(tree: SourceTree, out: Path) -> dict[str, Kept]:
    """Return the plugins that need not be built again.

    In a tree with contracts or forms of answer, plugins depend on each other; there all are built again.
    """
    stamp = _last(out)
    if stamp is None or tree.files("contracts") or tree.files("outputs"):
        return {}
    shared = _shared_digest(tree)
    kept = {}
    parts = _last_parts(out)
    for plugin in stamp.report.plugins:
        part = parts.get(plugin.name)
        if part and part.is_same(
            _part_inputs(tree, shared, plugin.name, part.sources), _part_outputs(plugin)
        ):
            kept[plugin.name] = Kept(plugin, part)
    return kept


def abandoned(out: Path, suite: str, names: Iterable[str]) -> list[str]:
    """Return folder, zip and checksum of each plugin without a listing that the suite no longer has, if unchanged."""
    stamp, parts, present = _last(out), _last_parts(out), {*names}
    if stamp is None or stamp.report.suite != suite:
        return []
    return [
        path
        for plugin in stamp.report.plugins
        if plugin.name not in present and plugin.name in parts
        if not (out / plugin.name).is_symlink() and not (out / plugin.name / "bundle.json").exists()
        if parts[plugin.name].outputs == _part_outputs(plugin)
        for path in (plugin.name, Path(plugin.zip).name, f"{Path(plugin.zip).name}.sha256")
    ]


def _last_parts(out: Path) -> dict[str, _Part]:
    try:
        parts = json.loads((out / PARTS).read_bytes()).items()
        return {name: _Part(*part) for name, part in parts if [*map(type, part)] == [str, str, list, dict]}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def last_seen(out: Path) -> dict[str, Seen]:
    """Return the status and digest of each source that the last build read."""
    try:
        return {
            path: (status, digest) for path, (status, digest) in json.loads((out / SEEN).read_bytes()).items()
        }
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}


def _shared_digest(tree: SourceTree) -> str:
    """Return a digest of what every plugin depends on; fragments count for those that include them."""
    shared = (path for path in tree.files() if not path.startswith((f"{PLUGINS}/", "fragments/")))
    return f"{_surroundings()} {tree.digest(shared)}"


def _part_inputs(tree: SourceTree, shared: str, name: str, sources: Iterable[str]) -> str:
    """Return a digest of the inputs of one plugin, or "" if one of them is gone."""
    folder = f"{PLUGINS}/{name}"
    own = [path for path in (f"{folder}.yaml", *tree.files(folder), *tree.aside(folder)) if tree.find(path)]
    if not all(map(tree.find, sources)):
        return ""
    return hashlib.sha256(f"{shared} {tree.digest({*own, *sources})}".encode()).hexdigest()


def _part_outputs(plugin: PluginReport) -> str:
    try:
        return _status_digest(_plugin_outputs(plugin))
    except OSError:
        return ""


def recall(out: Path, inputs: str) -> Report | None:
    """Return the last build's report if its inputs and outputs are unchanged."""
    stamp = _last(out)
    if stamp is None or stamp.inputs != inputs:
        return None
    try:
        is_as_left = stamp.outputs == _outputs_digest(
            out, stamp.report, map(_status_digest, map(_plugin_outputs, stamp.report.plugins))
        )
    except OSError:
        return None
    return dataclasses.replace(stamp.report, written=0) if is_as_left else None


def tried(out: Path) -> str:
    """Return the digest of the last trial, or ""."""
    stamp = _last(out)
    return stamp.trial if stamp else ""


def _last(out: Path) -> _Stamp | None:
    try:
        return _parsed((out / STAMP).read_bytes())
    except OSError:
        return None


@lru_cache(maxsize=2)
def _parsed(content: bytes) -> _Stamp | None:
    try:
        stamp: _Stamp = _maker(_Stamp)(json.loads(content))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return stamp


@cache
def _maker(into: Any) -> Callable[[Any], Any]:
    """Return a function that makes a value of a type from JSON; reading it as YAML takes ten times as long."""
    origin = typing.get_origin(into)
    if dataclasses.is_dataclass(into):
        hints = typing.get_type_hints(into)
        fields = [(field.name, _maker(hints[field.name])) for field in dataclasses.fields(into)]
        made = typing.cast("Callable[..., Any]", into)
        return lambda value: made(*[make(value[name]) for name, make in fields])
    if origin is tuple:
        item = _maker(typing.get_args(into)[0])
        return lambda value: tuple(map(item, value))
    if origin is Mapping:
        return lambda value: {**value}
    if origin is typing.Literal:
        return str

    def checked(value: Any) -> Any:
        if not isinstance(value, into):
            raise TypeError(f"{value!r} is not {into}")
        return value

    return checked


def remember(
    tree: SourceTree,
    out: Path,
    inputs: str,
    report: Report,
    trial: str,
    plugins: Mapping[str, tuple[frozenset[str], Mapping[str, int]]],
    kept: Mapping[str, Kept],
) -> None:
    """Store this build's inputs, trial and outputs; `plugins` has the sources and warnings of each new one."""
    shared = _shared_digest(tree)
    parts = {name: one.part for name, one in kept.items()}
    for plugin in report.plugins:
        if plugin.name not in kept:
            sources, warnings = plugins[plugin.name]
            digest = _part_inputs(tree, shared, plugin.name, sources)
            parts[plugin.name] = _Part(digest, _part_outputs(plugin), sorted(sources), dict(warnings))
    write_file(out / SEEN, _as_json({path: seen for path, seen in tree.seen.items() if tree.find(path)}))
    write_file(out / PARTS, _as_json({name: [*_fields(part).values()] for name, part in parts.items()}))
    outputs = _outputs_digest(out, report, [parts[plugin.name].outputs for plugin in report.plugins])
    write_file(out / STAMP, _as_json(_Stamp(inputs, outputs, report, trial)))


def _as_json(value: object) -> bytes:
    """Return a value with dataclasses in it as JSON; `asdict` copies everything first, which takes five times as long."""
    return json.dumps(value, default=_fields).encode()


def _fields(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


def _outputs_digest(out: Path, report: Report, plugins: Iterable[str]) -> str:
    """Return a digest of all outputs; `plugins` are the digests of the plugins' own."""
    return f"{_status_digest(_outputs(out, report))} {hashlib.sha256(' '.join(plugins).encode()).hexdigest()}"


def _status_digest(paths: Iterable[str]) -> str:
    """Return a digest of names, sizes, modes and times of files."""
    total = hashlib.sha256()
    for path in paths:
        status = os.lstat(path)
        total.update(f"{path}\0{status.st_size}\0{status.st_mode}\0{status.st_mtime_ns}\n".encode())
    return total.hexdigest()


def _outputs(out: Path, report: Report) -> Iterator[str]:
    yield f"{out.parent}/.claude-plugin/marketplace.json"
    for target in report.targets:
        yield from _sorted(target.folder)
    yield from report.packages


def _plugin_outputs(plugin: PluginReport) -> Iterator[str]:
    yield plugin.zip
    yield f"{plugin.zip}.sha256"
    yield from _sorted(plugin.folder)


def _sorted(folder: str) -> Iterable[str]:
    return (f"{folder}/{path}" for path in sorted(files_below(folder)))
