"""Digests without the `hashlib` package, which loads all of OpenSSL."""

from __future__ import annotations

from ultra_runtime.typed import Any

MAKERS: dict[str, Any] = {}


def sha256(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return _digest("sha256", ("_sha2", "_sha256", "hashlib"), data)


def sha1(data: bytes) -> str:
    """Return the SHA-1 in hexadecimal digits: a name for a text, not a protection."""
    return _digest("sha1", ("_sha1", "hashlib"), data)


def blob_name(data: bytes, like: str) -> str:
    """Return the name that git gives to a blob; another name shows the format of the repository."""
    return (sha256 if len(like) == 64 else sha1)(b"blob %d\0" % len(data) + data)


def _digest(name: str, modules: tuple[str, ...], data: bytes) -> str:
    if name not in MAKERS:  # a search for a module that is not there costs more than a digest
        MAKERS[name] = next(filter(None, (_maker(module, name) for module in modules)))
    return str(MAKERS[name](data, usedforsecurity=False).hexdigest())


def _maker(module: str, name: str) -> Any:
    try:
        return getattr(__import__(module), name)
    except (ImportError, AttributeError):
        return None
