"""Digests without the `hashlib` package, which loads all of OpenSSL."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def sha256(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    maker: Any
    for module in ("_sha2", "_sha256"):
        try:
            maker = __import__(module).sha256
        except (ImportError, AttributeError):
            continue
        break
    else:
        import hashlib

        maker = hashlib.sha256
    return str(maker(data).hexdigest())
