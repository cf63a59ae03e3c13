"""Digests without the `hashlib` package, which loads all of OpenSSL."""

from __future__ import annotations

from ultra_runtime.typed import Any


def sha256(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return _digest("sha256", ("_sha2", "_sha256"), data)


def sha1(data: bytes) -> str:
    """Return the SHA-1 in hexadecimal digits: a name for a text, not a protection."""
    return _digest("sha1", ("_sha1",), data)


def _digest(name: str, modules: tuple[str, ...], data: bytes) -> str:
    maker: Any = None
    for module in (*modules, "hashlib"):
        try:
            maker = getattr(__import__(module), name)
        except (ImportError, AttributeError):
            continue
        break
    return str(maker(data, usedforsecurity=False).hexdigest())
