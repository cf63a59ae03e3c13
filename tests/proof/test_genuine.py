"""An object that somebody wrote anew under its old name is found, loose or packed, in every format of names."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from tests.kit.files import write_tree
from tests.kit.repository import git
from ultra_runtime.files.git import find_git
from ultra_runtime.proof.genuine import forged


@pytest.mark.parametrize("names", ["sha1", "sha256"])
def test_an_object_with_other_content_is_found(tmp_path: Path, names: str) -> None:
    git(tmp_path, "init", "--quiet", f"--object-format={names}")
    write_tree(tmp_path, {"a.txt": "a\n", "deep/b.txt": "b\n", "deep/empty": ""})
    git(tmp_path, "add", ".")
    words = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "one")
    git(tmp_path, *words)
    found, head = find_git(str(tmp_path)), git(tmp_path, "rev-parse", "HEAD")
    assert forged(found, head) == forged(found, head, folders=True) == []
    name = git(tmp_path, "rev-parse", "HEAD:deep/b.txt")
    path = tmp_path / ".git/objects" / name[:2] / name[2:]
    path.unlink()
    path.write_bytes(zlib.compress(b"blob 2\0x\n"))
    assert (forged(found, head), forged(found, head, folders=True)) == ([name], [])
    git(tmp_path, "repack", "-adq")
    assert not path.exists()
    assert forged(found, head) == [name]
