"""Open the upstream of a fork: a folder, a wheel or a git tag."""

from __future__ import annotations

import io
import os
import re
import stat
import subprocess
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ultra_plugin.errors import UltraError
from ultra_plugin.overlay.settings import SETTINGS, Source
from ultra_plugin.overlay.values import read_value
from ultra_plugin.source import SourceTree, is_source

_SOURCES = "plugin_src"
_IN_WHEEL = f"ultra_plugin/{_SOURCES}"
_MODULE = "ultra_plugin/__init__.py"
_VERSION = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)
_VERSION_GAP = "{version}"


class Packed(NamedTuple):
    """One file of a wheel or of a git tag."""

    content: bytes
    is_program: bool = False
    is_link: bool = False


class PackedTree(SourceTree):
    """The sources of a wheel or of a git tag, read once."""

    def __init__(self, root: Path, label: str, packed: Mapping[str, Packed], module: str) -> None:
        self.root = root
        self.module = module
        self._label = label
        self._packed = {path: file for path, file in packed.items() if is_source(path)}
        self._links = {path for path, file in self._packed.items() if file.is_link}
        self._list(self._packed)

    @property
    def watched(self) -> list[Path]:
        return [self.root]

    def is_executable(self, path: str) -> bool:
        return self._packed[path].is_program

    def read(self, path: str) -> bytes:
        return self._packed[path].content


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
                one.filename.removeprefix(f"{_IN_WHEEL}/"): Packed(
                    archive.read(one), bool(one.external_attr >> 16 & stat.S_IXUSR)
                )
                for one in archive.infolist()
                if one.filename.startswith(f"{_IN_WHEEL}/") and not one.is_dir()
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
        lines = done.stderr.decode("utf-8", "replace").strip().split("\n")
        told = next((line for line in lines if line.startswith("fatal: ")), lines[-1])
        raise UltraError(f"{asked}: git cannot read this tag: {told}; fetch it, or correct 'upstream'")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        files = {
            one.name: Packed(
                one.linkname.encode() if one.issym() else _content(archive, one),
                bool(one.mode & stat.S_IXUSR) and not one.issym(),
                one.issym(),
            )
            for one in archive
            if one.isfile() or one.issym()
        }
    contents = {
        name.removeprefix(f"{_SOURCES}/"): content
        for name, content in files.items()
        if name.startswith(f"{_SOURCES}/")
    }
    return _packed(place, asked, contents, files.get(f"generator/{_MODULE}", Packed(b"")).content.decode())


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return file.read() if file else b""


def _packed(place: Path, label: str, contents: dict[str, Packed], module: str) -> SourceTree:
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
