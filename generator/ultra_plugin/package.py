"""Package the bundles: reproducible zip files, and the wheel that carries them."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

from ultra_plugin.errors import UltraError
from ultra_plugin.model import Bundle, BundleFile
from ultra_plugin.tree import write_file

_FILE = stat.S_IFREG
_EPOCH = (1980, 1, 1, 0, 0, 0)


def zip_bundle(bundle: Bundle, out: Path) -> Path:
    """Write <plugin>-<version>.zip and its checksum; keep older versions."""
    content = archive((path, file.content, _mode(file)) for path, file in sorted(bundle.files.items()))
    name = f"{bundle.name}-{bundle.version}.zip" if bundle.version else f"{bundle.name}.zip"
    write_file(out / name, content)
    write_file(out / f"{name}.sha256", f"{hashlib.sha256(content).hexdigest()}  {name}\n".encode())
    return out / name


def _mode(file: BundleFile) -> int:
    return stat.S_IFLNK | 0o777 if file.symlink else _FILE | file.mode


def archive(entries: Iterable[tuple[str, bytes, int]]) -> bytes:
    """Return a zip of (path, content, mode), stored, because compressors differ."""
    buffer, when = io.BytesIO(), _timestamp()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as target:
        for path, content, mode in entries:
            info = zipfile.ZipInfo(path, when)
            info.create_system = 3
            info.external_attr = mode << 16
            target.writestr(info, content)
    return buffer.getvalue()


def _timestamp() -> tuple[int, int, int, int, int, int]:
    """Return SOURCE_DATE_EPOCH, or the earliest time that a zip file can store."""
    value = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not value:
        return _EPOCH
    if not value.isdecimal():
        raise UltraError(f"SOURCE_DATE_EPOCH must be seconds since 1970, not '{value}'")
    return max(_EPOCH, time.gmtime(int(value))[:6])


def build_distributions(root: Path, out: Path) -> list[Path]:
    """Build sdist and wheel of the project at root, next to the zips."""
    with tempfile.TemporaryDirectory(prefix="ultra-suite-") as folder:
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, str(root)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
            raise UltraError(f"{root}: the wheel could not be built: {reason[0]}")
        return [_place(built, out) for built in sorted(Path(folder).iterdir())]


def _place(built: Path, out: Path) -> Path:
    content = built.read_bytes()
    write_file(out / built.name, _stored(content) if built.suffix == ".whl" else content)
    return out / built.name


def _stored(wheel: bytes) -> bytes:
    """Return the wheel with its members stored, in the same order."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as source:
        members = [
            (
                info.filename,
                source.read(info),
                _FILE | (0o755 if info.external_attr >> 16 & 0o111 else 0o644),
            )
            for info in source.infolist()
        ]
    return archive(members)
