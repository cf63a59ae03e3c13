"""Read the plugins to adopt: a folder, a zip, or a marketplace with the folders that it offers."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any

from ultra_plugin.check.jsontext import read_json
from ultra_plugin.check.shapes import kind
from ultra_plugin.config import SAFE_NAME
from ultra_plugin.errors import UltraError, problem
from ultra_plugin.folder import MOST_BYTES, MOST_FILES, SKIPPED, read_folder
from ultra_plugin.manifest import MANIFEST
from ultra_plugin.model import Bundle
from ultra_plugin.shipping import leaves_plugin
from ultra_plugin.similar import twins

OFFER = ".claude-plugin/marketplace.json"
_NO_MANIFEST = f"has neither {MANIFEST} nor {OFFER}; name the folder of a plugin or of a marketplace"
_ALL_ELSEWHERE = f"{OFFER} offers no plugin that is in this folder; name the folder of a plugin"


@dataclass(frozen=True, slots=True)
class Found:
    """One plugin to adopt."""

    name: str
    bundle: Bundle
    entry: Mapping[str, Any]
    """Its entry in the marketplace, without name and source."""
    left_out: tuple[str, ...] = ()
    """Files of git and Python, which are not part of the plugin."""
    modes: tuple[str, ...] = ()
    """Files whose mode is neither 644 nor 755, with that mode; when rendered they get one of these two."""
    empty: tuple[str, ...] = ()
    """The topmost folders without a file, which are not rendered."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """All plugins to adopt, and what is known about the whole."""

    name: str
    plugins: tuple[Found, ...]
    offer: Mapping[str, Any]
    """The keys of the marketplace, without its plugins; empty for a single plugin."""
    elsewhere: tuple[Mapping[str, Any], ...] = ()
    """Entries for plugins that are not in these folders."""


@contextmanager
def opened(source: Path) -> Iterator[Shelf]:
    """Read a folder, or a zip by unpacking it into a temporary folder."""
    if source.is_dir():
        yield _shelf(source, source)
        return
    if not source.exists():
        raise UltraError(f"{source}: does not exist; name a folder or a zip")
    with tempfile.TemporaryDirectory(prefix="ultra-adopt-") as place:
        _unpack(source, Path(place))
        yield _shelf(_top(Path(place)), source)


def _shelf(folder: Path, shown: Path) -> Shelf:
    has_offer, has_manifest = (folder / OFFER).is_file(), (folder / MANIFEST).is_file()
    if has_offer:
        offer = _object(folder, OFFER, shown)
        found = offer.pop("plugins", [])
        entries = found if isinstance(found, list) else []
        near = [one for one in entries if isinstance(one, dict) and _local(offer, one)]
        # A plugin may list others that are not here, such as those of the repository that it came from.
        is_whole = all((folder / _local(offer, one)).is_dir() for one in near)
        if near and (is_whole or not has_manifest):
            plugins = tuple(_offered(folder, shown, offer, one) for one in near)
            _refuse_twins(plugins, shown / OFFER)
            elsewhere = tuple(one for one in entries if one not in near)
            return Shelf(_folder_name(offer.get("name"), shown), plugins, offer, elsewhere)
    if not has_manifest:
        raise UltraError(f"{shown}: {_ALL_ELSEWHERE if has_offer else _NO_MANIFEST}")
    one = _plugin(folder, shown, {})
    return Shelf(one.name, (one,), {})


def _folder_name(name: object, shown: Path) -> str:
    """Return the name of a marketplace; if no folder can have it, the name of the marketplace's folder."""
    if isinstance(name, str) and SAFE_NAME.fullmatch(name):
        return name
    return shown.resolve().name.removesuffix(".zip")


def _local(offer: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """Return the folder of an entry, relative to the marketplace; empty if it is elsewhere."""
    source, metadata = entry.get("source"), offer.get("metadata")
    if not isinstance(source, str):
        return ""
    if source.startswith("./"):
        return normpath(source)
    root = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    return normpath(f"{root}/{source}") if isinstance(root, str) and ":" not in source else ""


def _offered(folder: Path, shown: Path, offer: Mapping[str, Any], entry: Mapping[str, Any]) -> Found:
    inner = _local(offer, entry)
    if leaves_plugin("x", inner) or not (folder / inner).is_dir():
        message = f"the entry '{entry.get('name')}' names the folder '{inner}', which is not there"
        line = read_json((folder / OFFER).read_text(encoding="utf-8", errors="replace")).line_of("plugins")
        raise problem(str(shown / OFFER), line, "source-missing", message, "fix the source")
    if not (folder / inner).resolve().is_relative_to(folder.resolve()):
        message = "is a link to a folder outside the marketplace"
        raise problem(str(shown / inner), 0, "link-outside", message, "replace it with a copy")
    return _plugin(folder / inner, shown / inner if inner != "." else shown, entry)


def _plugin(folder: Path, shown: Path, entry: Mapping[str, Any]) -> Found:
    fields = _object(folder, MANIFEST, shown) if (folder / MANIFEST).is_file() else {}
    name = fields.get("name", entry.get("name"))
    if not isinstance(name, str) or not SAFE_NAME.fullmatch(name):
        message = f"'name' must be the name of the plugin, not {kind(name) if name is None else repr(name)}"
        raise problem(str(shown / MANIFEST), 1, "bad-name", message, "use letters, digits and hyphens")
    bundle = read_folder(folder)
    left_out = tuple(sorted(_left_out(folder, shown)))
    bundle = replace(
        bundle, files={path: file for path, file in bundle.files.items() if path not in left_out}
    )
    _refuse_files(bundle, folder, shown)
    rest = {key: value for key, value in entry.items() if key not in ("name", "source")}
    return Found(
        name, bundle, rest, left_out, tuple(_odd_modes(folder, bundle)), tuple(sorted(_empty(folder, bundle)))
    )


def _object(folder: Path, inner: str, top: Path) -> dict[str, Any]:
    path, shown = folder / inner, str(top / inner)
    if not path.resolve().is_relative_to(folder.resolve()):
        message = (
            f"links to '{os.readlink(path) if path.is_symlink() else path.resolve()}', outside the plugin"
        )
        raise problem(shown, 0, "link-outside", message, "replace it with a copy")
    content = path.read_text(encoding="utf-8", errors="replace").removeprefix("\ufeff")
    document = read_json(content)
    if document.fault:
        raise problem(shown, document.line, "manifest-json", f"is not JSON: {document.fault}", "fix it")
    if not isinstance(document.value, dict):
        raise problem(shown, 1, "manifest-value", "must be an object", "write {...}")
    value: dict[str, Any] = json.loads(content)
    return value


def _refuse_files(bundle: Bundle, folder: Path, shown: Path) -> None:
    for path, file in bundle.files.items():
        if not os.path.lexists(folder / path):
            message = "has a name that is not printable UTF-8 text"
            raise problem(str(shown / path), 0, "unportable-path", message, "rename it")
        if file.symlink and leaves_plugin(path, file.text):
            message = f"links to '{file.text}', outside the plugin"
            raise problem(str(shown / path), 0, "link-outside", message, "replace it with a copy")
    for name, message in twins(bundle.files):
        raise problem(str(shown / name), 0, "case-collision", message, "rename one")


def _left_out(folder: Path, shown: Path) -> Iterator[str]:
    """Yield what git and Python keep in a folder; refuse pipes, sockets and devices, which have no bytes."""
    for base, folders, names in os.walk(folder):
        start = os.path.relpath(base, folder)
        yield from (normpath(f"{start}/{name}") for name in (*folders, *names) if name in SKIPPED)
        folders[:] = [name for name in folders if name not in SKIPPED]
        for name in names:
            mode = os.lstat(os.path.join(base, name)).st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
                place = str(shown / normpath(f"{start}/{name}"))
                message = "is neither a file, a folder nor a link"
                raise problem(place, 0, "special-file", message, "remove it")


def _odd_modes(folder: Path, bundle: Bundle) -> Iterator[str]:
    for path, file in bundle.files.items():
        mode = stat.S_IMODE(os.lstat(folder / path).st_mode)
        if not file.symlink and mode != file.mode:
            yield f"{path} ({mode:o})"


def _empty(folder: Path, bundle: Bundle) -> Iterator[str]:
    full = {str(parent) for path in bundle.files for parent in PurePosixPath(path).parents}
    for base, names, _ in os.walk(folder):
        start = os.path.relpath(base, folder)
        inner = {name: normpath(f"{start}/{name}") for name in names if name not in SKIPPED}
        yield from (f"{path}/" for path in inner.values() if path not in full and path not in bundle.files)
        names[:] = [name for name, path in inner.items() if path in full]


def _refuse_twins(plugins: tuple[Found, ...], shown: Path) -> None:
    seen: set[str] = set()
    for one in plugins:
        if one.name.casefold() in seen:
            raise problem(
                str(shown), 0, "duplicate-name", f"two plugins are called '{one.name}'", "rename one"
            )
        seen.add(one.name.casefold())


def _unpack(source: Path, place: Path) -> None:
    """Unpack a zip with its modes and links; refuse members that leave the folder."""
    try:
        with zipfile.ZipFile(source) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if len(members) > MOST_FILES or size > MOST_BYTES:
                raise UltraError(
                    f"{source}: unpacks to {len(members):,} files and {size:,} bytes; "
                    f"at most {MOST_FILES:,} and {MOST_BYTES:,} are allowed; take out what does not belong to the plugin"
                )
            for member in members:
                _member(archive, member, source, place)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise UltraError(
            f"{source}: is neither a folder nor a zip that can be read: {error}; name another one"
        ) from error


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, source: Path, place: Path) -> None:
    path = member.filename
    if leaves_plugin("x", path) or "\\" in path:
        message = f"'{path}' would be unpacked elsewhere"
        raise problem(str(source), 0, "path-outside", message, "rename it")
    target = place / path
    if member.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    mode, content = member.external_attr >> 16, archive.read(member)
    if stat.S_ISLNK(mode):
        os.symlink(content, os.fsencode(target))
    else:
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as handle:
            handle.write(content)
        os.chmod(target, mode & 0o777 | stat.S_IRUSR if mode else 0o644)  # a zip made on Windows has no modes


def _top(place: Path) -> Path:
    """Return the folder of the plugin: the place itself, or the single folder in it."""
    entries = [*place.iterdir()]
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else place
