"""Check what is installed against a release: its list of checksums, and the signature of that list."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ultra_plugin.errors import UltraError
from ultra_plugin.install.archive import LISTING, Package

SUMS = "SHA256SUMS"
SIGNATURE = f"{SUMS}.sig"
NAMESPACE = "ultra-suite-release"
KEYS_VARIABLE = "ULTRA_RELEASE_KEYS"
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_PLACE = re.compile(r"(?!\.)[^/\\]+(?:/(?!\.)[^/\\]+)?")
"""Names a file in the release folder or below it, never outside."""
_LIMIT = 60  # seconds; ssh-keygen answers at once unless it asks for a passphrase or a hardware key


@dataclass(frozen=True)
class Release:
    """The checksums of a release, and who signed them."""

    folder: Path
    digests: Mapping[str, str]
    signer: str = ""
    """The principal of the key; empty if no keys were given."""

    @property
    def is_signed(self) -> bool:
        """Say whether there is a signature, checked or not."""
        return (self.folder / SIGNATURE).is_file()

    def require(self, name: str, digest: str, shown: str) -> None:
        """Refuse a file whose digest is not the one that the release has under a name."""
        if name not in self.digests:
            raise UltraError(
                f"{shown}: {self.folder / SUMS} does not list {name}; it belongs to another release"
            )
        if self.digests[name] != digest:
            raise UltraError(
                f"{shown}: its SHA-256 is not the one in {self.folder / SUMS}; download it again"
            )


def keys_file(named: Path | None, environment: Mapping[str, str]) -> Path | None:
    """Return the file of allowed signers: the named one, the variable's, or that in the user's configuration."""
    if named or environment.get(KEYS_VARIABLE):
        keys = named or Path(environment[KEYS_VARIABLE])
        if not keys.is_file():
            raise UltraError(
                f"{keys}: no such file of allowed signers; create it or name another one with --keys"
            )
        return keys
    home = environment.get("HOME", "")
    settings = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    usual = Path(settings, "ultra-suite", "allowed_signers")
    return usual if settings and usual.is_file() else None


def read_release(folder: Path, keys: Path | None) -> Release:
    """Read the checksums in a folder; with keys, refuse them unless one of the keys signed them."""
    place = folder / SUMS
    try:
        content = place.read_bytes()
    except FileNotFoundError:
        raise UltraError(f"{place}: no such file; name the folder of the release with --release") from None
    signer = _signer(folder, content, keys) if keys else ""
    return Release(folder, _parsed(place, content), signer)


def require_released(package: Package, release: Release) -> None:
    """Refuse a package that is not, byte for byte, part of a release."""
    release.require(f"{package.plugin}/{LISTING}", package.files[LISTING].sha256, package.origin)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _parsed(place: Path, content: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        match = _LINE.fullmatch(line)
        if not match or match[2] in found or not _PLACE.fullmatch(match[2]):
            raise UltraError(
                f"{place}:{number}: must be one SHA-256 and one new file name; download it again"
            )
        found[match[2]] = match[1]
    if not found:
        raise UltraError(f"{place}: lists no files; download it again")
    return found


def _signer(folder: Path, content: bytes, keys: Path) -> str:
    """Return the principal whose key signed the content."""
    signature = folder / SIGNATURE
    if not signature.is_file():
        raise UltraError(
            f"{folder / SUMS} is not signed, and {keys} says who must sign; get {SIGNATURE} of the release"
        )
    found = _keygen("find-principals", keys, signature)
    who = found.stdout.decode("utf-8", "replace").splitlines()
    if found.returncode or not who:
        raise UltraError(
            f"{signature}: was made by no key that {keys} allows today; get the current keys or the current release"
        )
    checked = _keygen("verify", keys, signature, "-I", who[0], "-n", NAMESPACE, content=content)
    if checked.returncode:
        raise UltraError(f"{signature}: is not the signature of this {SUMS}; download both again")
    return who[0]


def _keygen(
    action: str, keys: Path, signature: Path, *more: str, content: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    command = ["ssh-keygen", "-Y", action, "-f", str(keys), "-s", str(signature), *more]
    try:
        return subprocess.run(command, input=content, capture_output=True, check=False, timeout=_LIMIT)
    except FileNotFoundError:
        raise UltraError(
            "signatures are checked with ssh-keygen, which is not installed; install OpenSSH"
        ) from None
    except subprocess.TimeoutExpired:
        raise UltraError(
            f"{signature}: ssh-keygen gave no answer within {_LIMIT} seconds; try again"
        ) from None
