"""Write small commands that call the plugin's, so that users can type the bare names."""

from __future__ import annotations

from pathlib import Path

from ultra_plugin.install.archive import Package
from ultra_plugin.install.place import Place
from ultra_plugin.install.survey import sha256

# A command that has allowed-tools asks before another one calls it, unless the caller's rules name it.
# The client leaves the short name out of what it sends to the model: only people type it.
_COMMAND = """---
description: Short for /{full}
{hint}allowed-tools: Skill({full})
disable-model-invocation: true
---
Call the Skill tool with skill `{full}` and, as its args, the text below word for word (it may be empty).
Then do as that command says.

$ARGUMENTS
"""


def commands(package: Package) -> dict[str, bytes]:
    """Return the text of every short command, by its name."""
    return {name: _command(package, name) for name in package.commands}


def digest(path: Path) -> str | None:
    """Return the SHA-256 of a short command, or None; git may change the line ends of a project's."""
    try:
        return sha256(path.read_bytes().replace(b"\r\n", b"\n"))
    except FileNotFoundError:
        return None


def taken(place: Place, name: str) -> str | None:
    """Return what already has a name, or None."""
    for path in (place.commands / f"{name}.md", place.skills / name / "SKILL.md"):
        if path.exists() or path.is_symlink():
            return place.shown(path)
    return None


def _command(package: Package, name: str) -> bytes:
    text = package.files[f"commands/{name}.md"].content.decode("utf-8", "replace")
    front = text.split("\n---", 1)[0] if text.startswith("---") else ""
    hint = next((f"{line}\n" for line in front.splitlines() if line.startswith("argument-hint:")), "")
    return _COMMAND.format(full=f"{package.plugin}:{name}", hint=hint).encode()
