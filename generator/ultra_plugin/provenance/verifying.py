"""Verify a file or folder of a release, and build it again from the sources that the release names."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultra_plugin.errors import UltraError
from ultra_plugin.install.archive import LISTING, read
from ultra_plugin.install.released import SUMS, Release, file_digest, read_release
from ultra_plugin.provenance.attesting import STATEMENT
from ultra_plugin.provenance.statement import SOURCES
from ultra_plugin.stamp import STAMP

_SDIST = ".tar.gz"
_NOT_SOURCES = shutil.ignore_patterns(
    ".git", ".venv", "dist", "__pycache__", ".*_cache", ".hypothesis", ".bench"
)
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV")


@dataclass(frozen=True, slots=True)
class Verified:
    """What is known about a file of a release."""

    file: str
    release: str
    signer: str
    is_signed: bool
    commit: str
    """The commit of the sources, followed by " and changes" if files differed from it."""
    sources: str
    command: tuple[str, ...]
    builder: str
    rebuilt: str = ""
    """The sources that gave the same bytes."""


def verify(
    file: Path, folder: Path | None, keys: Path | None, rebuild: bool, source: Path | None
) -> Verified:
    """Check a zip, wheel, sdist or plugin folder against its release; raise with the reason if it differs."""
    if not file.exists():
        raise UltraError(f"{file}: no such file or folder; name a zip, wheel or plugin folder of a release")
    release = read_release(folder or file.resolve().parent, keys)
    name, digest = _identity(file)
    release.require(name, digest, str(file))
    said = _statement(release)
    if {"name": name, "digest": {"sha256": digest}} not in said["subject"]:
        raise UltraError(
            f"{file}: the provenance of the release does not name it; download the release again"
        )
    definition = said["predicate"]["buildDefinition"]
    found = {one["name"]: one for one in definition["resolvedDependencies"]}
    commit = found.get("commit", {"digest": {"gitCommit": ""}})
    rebuilt = _rebuild(file, name, digest, release, definition, source) if rebuild else ""
    return Verified(
        file=str(file),
        release=str(release.folder),
        signer=release.signer,
        is_signed=release.is_signed,
        commit=commit["digest"]["gitCommit"] + (" and changes" if "annotations" in commit else ""),
        sources=found[SOURCES]["digest"]["sha256"],
        command=tuple(definition["externalParameters"]["command"]),
        builder=said["predicate"]["runDetails"]["builder"]["id"],
        rebuilt=rebuilt,
    )


def _identity(file: Path) -> tuple[str, str]:
    """Return the name in the checksums and the digest of a file, or of the listing of a folder that follows it."""
    if not file.is_dir():
        return file.name, file_digest(file)
    package = read(file)
    for compiled in sorted(file.rglob("__pycache__/*")):
        raise UltraError(
            f"{compiled}: no release describes compiled files, and Python would run them; remove every __pycache__"
        )
    return f"{package.plugin}/{LISTING}", package.files[LISTING].sha256


def _statement(release: Release) -> Mapping[str, Any]:
    """Return the provenance of a release, if its digest is in the checksums."""
    names = [name for name in release.digests if name.endswith(STATEMENT)]
    if len(names) != 1:
        raise UltraError(f"{release.folder / SUMS}: must list one file *{STATEMENT}, not {len(names)}")
    (name,) = names
    place = release.folder / name
    try:
        content = place.read_bytes()
        release.require(name, hashlib.sha256(content).hexdigest(), str(place))
        said: Mapping[str, Any] = json.loads(content)
        definition = said["predicate"]["buildDefinition"]
        _ = (said["subject"], said["predicate"]["runDetails"]["builder"]["id"])
        _ = (definition["externalParameters"]["command"], definition["internalParameters"])
        if not [one for one in definition["resolvedDependencies"] if one["name"] == SOURCES]:
            raise KeyError(SOURCES)
    except FileNotFoundError:
        raise UltraError(f"{place}: no such file; download it with the release") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UltraError(f"{place}: is not a provenance statement of ours ({error!r})") from None
    return said


def _rebuild(
    file: Path, name: str, digest: str, release: Release, definition: Mapping[str, Any], source: Path | None
) -> str:
    """Build the file again from the sources of its release, and return which sources these were."""
    if name.endswith(_SDIST):
        raise UltraError(
            f"{file}: an sdist is the sources; --rebuild needs a zip, a wheel or a plugin folder"
        )
    wanted = next(
        one["digest"]["sha256"] for one in definition["resolvedDependencies"] if one["name"] == SOURCES
    )
    wheel = "--wheel" in definition["externalParameters"]["command"]
    shown = str(source or _sdist(release))
    with tempfile.TemporaryDirectory(prefix="ultra-rebuild-") as folder:
        tree = _sources(release, source, wheel, Path(folder))
        out = tree.parent / "dist" if wheel else Path(folder, "dist")
        _build(tree, out, wheel, definition["internalParameters"])
        if json.loads((out / STAMP).read_bytes())["inputs"] != wanted:
            raise UltraError(
                f"{shown}: these are not the sources and the generator that the release was built with"
            )
        if not (out / name).is_file() or file_digest(out / name) != digest:
            raise UltraError(f"{file}: building {shown} gives other bytes")
    return shown


def _sdist(release: Release) -> Path:
    names = [name for name in release.digests if name.endswith(_SDIST)]
    if len(names) != 1:
        raise UltraError(f"{release.folder / SUMS} lists no sdist; name the sources with --source")
    (name,) = names
    return release.folder / name


def _sources(release: Release, source: Path | None, wheel: bool, folder: Path) -> Path:
    """Return the source tree to build: the given one (a copy if a wheel is built there), or that of the sdist."""
    if source is None:
        return _unpacked(release, _sdist(release), folder / "sdist") / "plugin_src"
    if not wheel:
        return source
    project = source.resolve().parent
    shutil.copytree(project, folder / "project", symlinks=True, ignore=_NOT_SOURCES)
    return folder / "project" / source.resolve().name


def _unpacked(release: Release, sdist: Path, folder: Path) -> Path:
    """Unpack an sdist without the rendered bundles, and return its single folder."""
    if not sdist.is_file():
        raise UltraError(
            f"{sdist}: no such file; download it with the release, or name the sources with --source"
        )
    release.require(sdist.name, file_digest(sdist), str(sdist))
    try:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        (root,) = folder.iterdir()
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError) as error:
        raise UltraError(f"{sdist}: cannot be unpacked ({error}); download it again") from None
    shutil.rmtree(root / "dist", ignore_errors=True)
    return root


def _build(tree: Path, out: Path, wheel: bool, settings: Mapping[str, str]) -> None:
    """Run the generator of a source tree, or this one if the tree has none."""
    own = tree.parent / "generator"
    code = own if own.is_dir() else Path(__file__).parents[2]
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"PYTHONPATH": str(code)}
    if epoch := settings.get("SOURCE_DATE_EPOCH"):
        environment["SOURCE_DATE_EPOCH"] = epoch
    command = [sys.executable, "-m", "ultra_plugin", "build", "--source", str(tree), "--out", str(out)]
    done = subprocess.run(
        [*command, *(["--wheel"] if wheel else [])],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UltraError(f"{tree}: cannot be built again: {reason}")
