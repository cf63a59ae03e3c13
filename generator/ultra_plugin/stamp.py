"""Remember the last build, so that a build with nothing to do ends before importing Jinja."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ultra_plugin.document import read_document
from ultra_plugin.errors import UltraError
from ultra_plugin.report import Report
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import files_below, write_file

STAMP = ".build.json"
# Other inputs of a build, and further inputs of a wheel.
_CHECKED_FILES = ("CHANGELOG.md", "MIGRATION.md")
_PROJECT_FILES = ("pyproject.toml", "README.md", "LICENSE", "CONTRIBUTING.md", "Makefile")


@dataclasses.dataclass(frozen=True, slots=True)
class _Stamp:
    inputs: str
    outputs: str
    report: Report
    trial: str = ""
    """The digest of the runtime, policy and fixtures that last passed the trial."""


def inputs_digest(tree: SourceTree, distributions: bool) -> str:
    """Return a digest of all inputs of a build."""
    total = hashlib.sha256(f"{tree.digest()} {distributions} {os.environ.get('SOURCE_DATE_EPOCH')}".encode())
    code = Path(__file__).parent
    for path in sorted(files_below(code)):
        if path.endswith(".py") and not path.startswith(("plugin_src/", "bundles/")):
            total.update((code / path).read_bytes())
    for name in (*_CHECKED_FILES, *(_PROJECT_FILES if distributions else ())):
        file = tree.root.parent / name
        total.update(file.read_bytes() if file.is_file() else b"-")
    return total.hexdigest()


def recall(out: Path, inputs: str) -> Report | None:
    """Return the last build's report if its inputs and outputs are unchanged."""
    stamp = _last(out)
    if stamp is None or stamp.inputs != inputs:
        return None
    try:
        is_as_left = stamp.outputs == _outputs_digest(out, stamp.report)
    except OSError:
        return None
    return dataclasses.replace(stamp.report, written=0) if is_as_left else None


def tried(out: Path) -> str:
    """Return the digest of the last trial, or ""."""
    stamp = _last(out)
    return stamp.trial if stamp else ""


def _last(out: Path) -> _Stamp | None:
    try:
        return read_document(STAMP, (out / STAMP).read_bytes(), _Stamp)
    except (OSError, UltraError):
        return None


def remember(out: Path, inputs: str, report: Report, trial: str) -> None:
    """Store this build's inputs, trial and outputs."""
    stamp = _Stamp(inputs, _outputs_digest(out, report), report, trial)
    write_file(out / STAMP, json.dumps(dataclasses.asdict(stamp), default=list).encode())


def _outputs_digest(out: Path, report: Report) -> str:
    """Return a digest of names, sizes, modes and times of a build's outputs."""
    total = hashlib.sha256()
    for path in _outputs(out, report):
        status = os.lstat(path)
        total.update(f"{path}\0{status.st_size}\0{status.st_mode}\0{status.st_mtime_ns}\n".encode())
    return total.hexdigest()


def _outputs(out: Path, report: Report) -> Iterator[Path]:
    yield out.parent / ".claude-plugin" / "marketplace.json"
    for plugin in report.plugins:
        yield Path(plugin.zip)
        yield Path(f"{plugin.zip}.sha256")
        yield from _sorted(Path(plugin.folder))
    for target in report.targets:
        yield from _sorted(Path(target.folder))
    yield from map(Path, report.packages)


def _sorted(folder: Path) -> Iterable[Path]:
    return (folder / path for path in sorted(files_below(folder)))
