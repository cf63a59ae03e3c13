"""The id of a finding: it stays the same when lines shift or white space changes, and changes otherwise."""

from __future__ import annotations

from ultra_runtime.contract.forms import is_location
from ultra_runtime.errors import UltraError
from ultra_runtime.files.digest import sha1
from ultra_runtime.text.jsontext import JsonError, read_object
from ultra_runtime.typed import Any, Mapping

PARTS = ("path", "rule", "evidence")


class FindingError(UltraError):
    """A finding that cannot get an id."""


def read_finding(line: bytes) -> str:
    """Return the id of the finding that a JSON object describes."""
    try:
        return finding_id(read_object(line).values)
    except JsonError as problem:
        raise FindingError(f"this is not a JSON object: {problem}") from None


def finding_id(finding: Mapping[str, Any]) -> str:
    """Return the SHA-1 of the normalized path, rule and evidence."""
    for name in PARTS:
        value = finding.get(name)
        if not isinstance(value, str) or not value.strip():
            raise FindingError(f"missing {name}: give path, rule and evidence as text")
    parts = (_path(finding["path"]), " ".join(finding["rule"].split()), "".join(finding["evidence"].split()))
    # The length prefix keeps "a" + "bc" apart from "ab" + "c".
    return sha1("".join(f"{len(part)}:{part}\n" for part in parts).encode())


def _path(path: str) -> str:
    """Return the path without a line number, `./` and doubled slashes."""
    path = path.strip()
    if is_location(path):
        path = path.rpartition(":")[0]
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)
