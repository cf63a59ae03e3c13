"""Seal what the runtime records about runs, so that it recognises what somebody else wrote.

The key is in the runtime's folder of the git dir, which all worktrees share. Whoever reads the key can forge a seal:
records tell where a run stands, and the result of a run does not depend on them alone.
"""

from __future__ import annotations

import os

from ultra_runtime.files.digest import sha256
from ultra_runtime.files.quick_write import make_folder, put
from ultra_runtime.rendered import launcher
from ultra_runtime.text.jsontext import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

KEY = "key"
SEAL = "seal"


def sealed(common: str, values: Mapping[str, Any], after: str = "") -> dict[str, Any]:
    """Return values with the seal of the repository whose common git dir is named; `after` is the seal they follow."""
    bare = {name: value for name, value in values.items() if name != SEAL}
    return {**bare, SEAL: _seal(_make_key(common), bare, after)}


def is_sealed(common: str, values: Mapping[str, Any]) -> bool:
    """Tell whether the runtime wrote these values in this repository."""
    return sealed_in_turn(common, [values]) == 1


def sealed_in_turn(common: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Return how many of these values, from the first on, the runtime wrote, each after the one before it."""
    key, after, count = read_key(common), "", 0
    for values in rows:
        bare = {name: value for name, value in values.items() if name != SEAL}
        seal = _seal(key, bare, after) if key else ""
        if not seal or values.get(SEAL) != seal:
            break
        after, count = seal, count + 1
    return count


def seal_of(common: str, data: bytes) -> str:
    """Return the seal of a file that is not JSON."""
    return _seal_of(_make_key(common), data)


def read_key(common: str) -> bytes:
    """Return the key of a repository; empty when it has none."""
    try:
        with open(_path(common), "rb") as file:
            return file.read(200)
    except OSError:
        return b""


def _make_key(common: str) -> bytes:
    """Return the key; of several processes that find none, the first one makes it, else the others' seals are void."""
    if not read_key(common):
        path = _path(common)
        make_folder(os.path.dirname(path))
        made = f"{path}.{os.getpid()}.made"
        put(made, os.urandom(32).hex().encode(), 0o600)
        try:
            os.link(made, path)
        except OSError:  # another process was first, or the file system has no links, or the key is empty
            if not read_key(common):
                os.replace(made, path)
        finally:
            if os.path.exists(made):
                os.unlink(made)
    return read_key(common)


def _path(common: str) -> str:
    return os.path.join(common, launcher(), KEY)


def _seal(key: bytes, values: Mapping[str, Any], after: str) -> str:
    return _seal_of(key, (after + write(dict(values))).encode("utf-8", "surrogateescape"))


def _seal_of(key: bytes, data: bytes) -> str:
    return sha256(key + sha256(key + data).encode())
