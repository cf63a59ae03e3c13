"""Read a bundle from a folder or a zip, and refuse any difference from its listing."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultra_plugin.errors import UltraError
from ultra_plugin.install.names import RECEIPT, collision, plugin_name, refusal, version_order

FORMAT = 1
LISTING = "bundle.json"
MANIFEST = ".claude-plugin/plugin.json"
MOST_FILES = 5_000
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class PackedFile:
    """One file to install."""

    content: bytes
    executable: bool = False

    @property
    def sha256(self) -> str:
        """Return the digest that receipts carry."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def mode(self) -> int:
        """Return the permission bits."""
        return 0o755 if self.executable else 0o644


@dataclass(frozen=True)
class Package:
    """A checked plugin, ready to install."""

    plugin: str
    version: str
    origin: str
    files: Mapping[str, PackedFile]
    oldest_client: str | None = None

    @property
    def commands(self) -> list[str]:
        """Name the plugin's commands."""
        return self._stems("commands/", ".md")

    @property
    def editing_commands(self) -> list[str]:
        """Name the commands that may edit files; each has this permission for one turn, until it is called again."""
        return [name for name in self.commands if _may_edit(self.files[f"commands/{name}.md"].content)]

    @property
    def programs(self) -> list[str]:
        """Name the programs that the plugin adds to the PATH of the Bash tool."""
        return self._stems("bin/", "")

    def _stems(self, folder: str, suffix: str) -> list[str]:
        inner = [
            path[len(folder) :] for path in self.files if path.startswith(folder) and path.endswith(suffix)
        ]
        return sorted(name.removesuffix(suffix) for name in inner if "/" not in name)


def carried() -> dict[str, Path]:
    """Return the plugins of this installer: from the wheel, or from a clone's dist folder."""
    package = Path(__file__).resolve().parent.parent
    for root in (package / "bundles", package.parent.parent / "dist"):
        found = {listing.parent.name: listing.parent for listing in sorted(root.glob(f"*/{LISTING}"))}
        if found:
            return found
    return {}


def _may_edit(command: bytes) -> bool:
    """Tell whether the front matter of a command allows it to edit files."""
    head = command.partition(b"---\n")[2].partition(b"\n---")[0]
    tools = next((line for line in head.split(b"\n") if line.startswith(b"allowed-tools:")), b"")
    return b"Edit" in tools.replace(b",", b" ").split()


def read(source: Path, origin: str = "") -> Package:
    """Return the package in a folder or zip, or refuse it."""
    try:
        if source.is_dir():
            members = _from_folder(source)
        elif source.is_file():
            members = _from_zip(source)
        else:
            raise UltraError(f"{source}: no such zip or folder; give a built bundle")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise UltraError(f"{source}: this zip cannot be read ({error}); download it again") from None
    return _checked(source, members, origin or source.name)


def _from_folder(source: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    total = 0
    for base, folders, names in os.walk(source, onerror=_fail):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in (*names, *(folder for folder in folders if os.path.islink(os.path.join(base, folder)))):
            place = os.path.join(base, name)
            path = os.path.relpath(place, source)
            status = os.lstat(place)
            if not stat.S_ISREG(status.st_mode):
                raise _refused(source, path, "is a link or a special file, not a regular file")
            total += status.st_size
            _bounded(source, len(found) + 1, total)
            found[path] = Path(place).read_bytes()
    _named_well(source, list(found))
    return found


def _fail(error: OSError) -> None:
    raise error


def _from_zip(source: Path) -> dict[str, bytes]:
    _same_as_sidecar(source)
    with zipfile.ZipFile(source) as archive:
        members = archive.infolist()
        _bounded(source, len(members), sum(info.file_size for info in members))
        # The library cuts names at a NUL; check the original name.
        _named_well(source, [info.orig_filename for info in members])
        for info in members:
            if (kind := stat.S_IFMT(info.external_attr >> 16)) not in (0, stat.S_IFREG, stat.S_IFDIR):
                what = "symbolic link" if kind == stat.S_IFLNK else "special file"
                raise _refused(source, info.filename, f"is a {what}")
        return {info.filename: _member(archive, info) for info in members if not info.is_dir()}


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as handle:
        content = handle.read(info.file_size + 1)
    if len(content) != info.file_size:
        raise zipfile.BadZipFile(f"'{info.filename}' is not as long as its header says")
    return content


def _same_as_sidecar(source: Path) -> None:
    """Compare a zip with the checksum file next to it, if there is one."""
    sidecar = source.with_name(f"{source.name}.sha256")
    if not sidecar.is_file():
        return
    words = sidecar.read_text("utf-8", "replace").split()
    digest = hashlib.sha256()
    with source.open("rb") as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    if not words or words[0].lower() != digest.hexdigest():
        raise UltraError(f"{source}: its SHA-256 does not match {sidecar.name}; download both again")


def _bounded(source: Path, count: int, total: int) -> None:
    if count > MOST_FILES:
        raise UltraError(f"{source}: more than {MOST_FILES} files, too many for a plugin")
    if total > MOST_BYTES:
        raise UltraError(f"{source}: more than {MOST_BYTES >> 20} MB unpacked, too large for a plugin")


def _named_well(source: Path, names: list[str]) -> None:
    for name in names:
        if reason := refusal(name.removesuffix("/")):
            raise _refused(source, name, reason)
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise _refused(source, twice, "is in the bundle twice")
    if pair := collision(name for name in names if not name.endswith("/")):
        raise UltraError(f"{source}: '{pair[0]}' and '{pair[1]}' are the same file on some systems")


def _refused(source: Path, name: str, reason: str) -> UltraError:
    return UltraError(f"{source}: {name!r} {reason}; nothing was written")


def _checked(source: Path, members: Mapping[str, bytes], origin: str) -> Package:
    """Check the members against bundle.json and the manifest."""
    listing = _object(source, members, LISTING)
    if (form := listing.get("format")) != FORMAT:
        newer = isinstance(form, int) and form > FORMAT
        remedy = "install a newer ultra-suite" if newer else "build the plugin again"
        raise UltraError(f"{source}: its bundle format must be {FORMAT}, not {form!r}; {remedy}")
    plugin, version, listed = listing.get("plugin"), listing.get("version"), listing.get("files")
    if not plugin_name(plugin) or not isinstance(version, str) or version_order(version) is None:
        raise UltraError(f"{source}: {LISTING} names no plugin and version; build the plugin again")
    if not isinstance(listed, dict) or not listed:
        raise UltraError(f"{source}: {LISTING} lists no files; build the plugin again")
    manifest = _object(source, members, MANIFEST)
    if (manifest.get("name"), manifest.get("version")) != (plugin, version):
        said = f"{manifest.get('name')} {manifest.get('version')}"
        raise UltraError(f"{source}: it is {plugin} {version}, but its manifest says {said}; build it again")
    files = {path: _listed(source, members, path, entry) for path, entry in listed.items()}
    if unlisted := sorted(members.keys() - files.keys() - {LISTING}):
        raise _refused(source, unlisted[0], f"has no SHA-256 in {LISTING}")
    if RECEIPT in files:
        raise _refused(source, RECEIPT, "is the name of the installer's own receipt")
    files[LISTING] = PackedFile(members[LISTING])
    oldest = listing.get("oldest_client")
    return Package(str(plugin), version, origin, files, oldest if isinstance(oldest, str) else None)


def _object(source: Path, members: Mapping[str, bytes], name: str) -> Mapping[str, Any]:
    if name not in members:
        raise UltraError(f"{source}: this is not a plugin bundle: it has no {name}")
    try:
        value = json.loads(members[name])
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UltraError(f"{source}: {name} is not a JSON object; build the plugin again")
    return value


def _listed(source: Path, members: Mapping[str, bytes], path: str, entry: object) -> PackedFile:
    if path not in members:
        raise _refused(source, path, f"is in {LISTING} but not in the bundle")
    said: Mapping[str, Any] = entry if isinstance(entry, dict) else {}
    if (mode := said.get("mode")) not in ("644", "755"):
        raise _refused(source, path, f"must have mode 644 or 755 in {LISTING}, not {mode!r}")
    file = PackedFile(members[path], mode == "755")
    if not isinstance(said.get("sha256"), str):
        raise _refused(source, path, f"has no SHA-256 in {LISTING}")
    if said["sha256"] != file.sha256 or said.get("size") != len(file.content):
        raise _refused(source, path, f"is not the file that {LISTING} describes: its SHA-256 or size differs")
    return file
