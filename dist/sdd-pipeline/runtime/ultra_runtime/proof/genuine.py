"""Find objects whose content is not what their names stand for: git does not compare the two when it reads one."""

from __future__ import annotations

import re

from ultra_runtime.files.digest import sha1, sha256
from ultra_runtime.proof.objects import AS_THEY_ARE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ultra_runtime.files.git import Git

ENTRY = re.compile(rb"(?:\A|\0)[0-7]{6} (?:blob|tree) ([0-9a-f]{40,64}) +([0-9]+|-)\t")
"""What `git ls-tree -l -z` prints of an object that is here, with its size if it is a file."""
SHA1_DIGITS = 40
LARGEST, AT_ONCE = 32 << 20, 32 << 20
"""Bytes: larger files are not read, and so many are read by one call of git."""


def forged(git: Git, commit: str, folders: bool = False) -> list[str]:
    """Return the objects of a commit that somebody wrote again under their old names; `folders` skips files."""
    words = ("ls-tree", "-r", "-t", *(["-d"] if folders else []), "-l", "-z", "--full-tree", commit)
    listed = set(ENTRY.findall(git.ask(*words, env=AS_THEY_ARE)))
    digest = sha1 if len(commit) == SHA1_DIGITS else sha256
    return sorted(name for part in _portions(commit, listed) for name in _differing(git, part, digest))


def _portions(commit: str, listed: Iterable[tuple[bytes, bytes]]) -> Iterator[bytes]:
    """Yield the names of objects in portions, as lines; git tells no sizes of folders, which are small."""
    part, total = [f"{commit}\n{commit}^{{tree}}\n".encode()], 0
    for name, told in listed:
        size = int(told) if told != b"-" else 0
        if size > LARGEST:
            continue
        part.append(name + b"\n")
        total += size
        if total > AT_ONCE:
            yield b"".join(part)
            part, total = [], 0
    if part:
        yield b"".join(part)


def _differing(git: Git, names: bytes, digest: Callable[[bytes], str]) -> Iterator[str]:
    said, at = git.ask("cat-file", "--batch", "--buffer", given=names, env=AS_THEY_ARE), 0
    while at < len(said):
        begin = said.index(b"\n", at) + 1
        name, _, head = said[at : begin - 1].partition(b" ")
        at = begin + int(head.rpartition(b" ")[2])
        if digest(head + b"\0" + said[begin:at]) != name.decode():
            yield name.decode()
        at += 1
