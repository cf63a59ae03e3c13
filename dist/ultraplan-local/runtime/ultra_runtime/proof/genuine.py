"""Find objects whose content is not what their names stand for: git does not compare the two when it reads one."""

from __future__ import annotations

import re

from ultra_runtime.files.digest import sha1, sha256
from ultra_runtime.proof.objects import AS_THEY_ARE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ultra_runtime.files.git import Git

NAME = re.compile(rb" ([0-9a-f]{40,64})\t")
SHA1_DIGITS = 40
LARGEST, AT_ONCE = 32 << 20, 32 << 20
"""Bytes: larger objects are not read, and so many are read by one call of git."""


def forged(git: Git, commit: str, folders: bool = False) -> list[str]:
    """Return the objects of a commit that somebody wrote again under their old names; `folders` skips files."""
    words = ("ls-tree", "-r", "-t", *(["-d"] if folders else []), "-z", "--full-tree", commit)
    said = git.ask(*words, env=AS_THEY_ARE)
    names = [commit, git.line("rev-parse", f"{commit}^{{tree}}")]
    names += [name.decode() for name in set(NAME.findall(said))]
    return sorted(name for part in _portions(git, names) for name in _differing(git, part))


def _portions(git: Git, names: list[str]) -> Iterator[list[str]]:
    """Yield the objects that are here in portions; the commits of submodules are not."""
    part, size = [], 0
    for row in git.ask("cat-file", "--batch-check", given=_lines(names), env=AS_THEY_ARE).splitlines():
        name, *kind = row.decode().split(" ")
        if not kind[1:] or int(kind[1]) > LARGEST:
            continue
        part.append(name)
        size += int(kind[1])
        if size > AT_ONCE:
            yield part
            part, size = [], 0
    if part:
        yield part


def _differing(git: Git, names: list[str]) -> Iterator[str]:
    said, at = git.ask("cat-file", "--batch", "--buffer", given=_lines(names), env=AS_THEY_ARE), 0
    digest = sha1 if len(names[0]) == SHA1_DIGITS else sha256
    while at < len(said):
        begin = said.index(b"\n", at) + 1
        name, _, head = said[at : begin - 1].partition(b" ")
        at = begin + int(head.rpartition(b" ")[2])
        if digest(head + b"\0" + said[begin:at]) != name.decode():
            yield name.decode()
        at += 1


def _lines(names: list[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()
