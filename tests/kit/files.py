"""Write the files of a test where the test can show them, and read a folder back."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

Content = str | bytes | Mapping[str, object]


def write_tree(root: Path, files: Mapping[str, Content]) -> Path:
    """Write text, bytes or JSON below a folder, scripts as executable files, and return the folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(content) if isinstance(content, Mapping) else content
        data = text.encode() if isinstance(text, str) else text
        path.write_bytes(data)
        if data.startswith(b"#!"):
            path.chmod(0o755)
    return root


def copy_tree(source: Path, target: Path) -> Path:
    """Copy a folder with its times, so that byte code in it stays valid, and return the copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    assert not target.exists()
    subprocess.run(["cp", "-a", source, target], check=True)  # several times as fast as shutil.copytree
    return target


def tree_of(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder with their bytes, without those of git."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git/" not in path.as_posix()
    }
