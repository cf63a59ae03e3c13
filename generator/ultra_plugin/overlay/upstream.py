"""Open the upstream of a fork: a folder, a wheel or a git tag."""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from ultra_plugin.errors import UltraError
from ultra_plugin.overlay.settings import SETTINGS, Source
from ultra_plugin.overlay.values import read_value
from ultra_plugin.source import SourceTree, is_source

_SOURCES = "plugin_src"
_IN_WHEEL = f"ultra_plugin/{_SOURCES}"
_MODULE = "ultra_plugin/__init__.py"
_VERSION = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)
_VERSION_GAP = "{version}"


class PackedTree(SourceTree):
    """The sources of a wheel or of a git tag, read once."""

    def __init__(self, root: Path, label: str, contents: Mapping[str, bytes], module: str) -> None:
        self.root = root
        self.module = module
        self._label = label
        self._contents = {path: content for path, content in contents.items() if is_source(path)}
        self._list(self._contents)

    @property
    def watched(self) -> list[Path]:
        return [self.root]

    def read(self, path: str) -> bytes:
        return self._contents[path]


def open_upstream(root: Path, source: Source, version: str | None = None) -> SourceTree:
    """Return the upstream's sources in a version, by default the one that overlay.yaml names."""
    (kind,) = source.kinds
    asked = str(getattr(source, kind)).replace(_VERSION_GAP, version or source.version)
    return open_source(root, kind, asked)


def open_source(root: Path, kind: str, asked: str) -> SourceTree:
    """Return the sources in a folder, a wheel or a git tag; a relative path starts at the overlay."""
    if kind == "git":
        return _tag(root, asked)
    place = Path(os.path.normpath(root / asked))
    if not place.exists():
        raise UltraError(f"{asked}: no such upstream; correct 'upstream' in {root / SETTINGS}")
    return _wheel(place) if kind == "wheel" else _folder(place)


def _folder(place: Path) -> SourceTree:
    for root in (place / _SOURCES, place):
        if (root / "suite.yaml").is_file():
            return SourceTree(root)
        if (root / SETTINGS).is_file():
            raise UltraError(f"{root}: is an overlay itself; an upstream must be a whole source tree")
    raise UltraError(f"{place}: is not an upstream: it has no suite.yaml; name the folder of a source tree")


def _wheel(place: Path) -> SourceTree:
    try:
        with zipfile.ZipFile(place) as archive:
            contents = {
                name.removeprefix(f"{_IN_WHEEL}/"): archive.read(name)
                for name in archive.namelist()
                if name.startswith(f"{_IN_WHEEL}/") and not name.endswith("/")
            }
            module = archive.read(_MODULE).decode() if _MODULE in archive.namelist() else ""
    except (OSError, zipfile.BadZipFile) as error:
        raise UltraError(f"{place}: cannot be read as a wheel: {error}; download it again") from None
    return _packed(place, place.name, contents, module)


def _tag(root: Path, asked: str) -> SourceTree:
    folder, _, tag = asked.rpartition("@")
    place = root / folder
    if not folder:
        raise UltraError(f"'git' must be FOLDER@TAG, not '{asked}'; correct it in {root / SETTINGS}")
    command = ["git", "-C", str(place), "archive", "--format=tar", f"{tag}^{{commit}}"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise UltraError(f"{asked}: git cannot read this tag: {told}; fetch it, or correct 'upstream'")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        files = {
            member.name: file.read()
            for member in archive
            if member.isfile() and (file := archive.extractfile(member)) is not None
        }
    contents = {
        name.removeprefix(f"{_SOURCES}/"): content
        for name, content in files.items()
        if name.startswith(f"{_SOURCES}/")
    }
    return _packed(place, asked, contents, files.get(f"generator/{_MODULE}", b"").decode())


def _packed(place: Path, label: str, contents: dict[str, bytes], module: str) -> SourceTree:
    if "suite.yaml" not in contents:
        raise UltraError(f"{place}: is not an upstream: it has no {_SOURCES}/suite.yaml; name another one")
    return PackedTree(place, label, contents, module)


def version_of(tree: SourceTree) -> str:
    """Return the version of an upstream: the one in suite.yaml, or else that of its generator."""
    declared = read_value(tree.shown("suite.yaml"), tree.read("suite.yaml")).pairs.get("version")
    if declared:
        return declared.text
    if isinstance(tree, PackedTree):
        module = tree.module
    else:
        places = (tree.project / "generator" / _MODULE, tree.project / "__init__.py")
        module = next((place.read_text(encoding="utf-8") for place in places if place.is_file()), "")
    found = _VERSION.search(module)
    if found is None:
        raise UltraError(f"{tree.root}: has no version; add 'version:' to its suite.yaml")
    return found.group(1)
