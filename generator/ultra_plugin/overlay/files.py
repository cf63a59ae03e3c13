"""The files of an overlay: what each one does, and to which file of the upstream."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ultra_plugin.errors import Problem, UltraError, problem, refuse
from ultra_plugin.overlay.paths import Paths
from ultra_plugin.overlay.settings import LOCK, SETTINGS, shown_in
from ultra_plugin.similar import twins
from ultra_plugin.source import SPECIAL, is_in_plugin, is_source

UPSTREAM = "upstream:"
MARKER, PATCH, DATA = ".remove", ".patch.yaml", ".yaml"
SHARED = ("contracts", "fragments", "outputs", "policy", "runtime", "plugins")
"""Folders beside plugins/; every other folder of an overlay is one of the plugin's."""
SHARED_FILES = ("suite.yaml", "limits.yaml", "LICENSE")
OWN = frozenset({
    SETTINGS, LOCK, "README.md", "CHANGELOG.md", "MIGRATION.md", "SECURITY.md", "CONTRIBUTING.md", "Makefile",
    "pyproject.toml", "dist", "tests",
})  # fmt: skip
"""Files and folders at the top of an overlay that belong to the fork's repository, not to the plugin."""
UNSHIPPED = (".mcp.json", ".lsp.json", ".codex-plugin")
"""What a plugin may have at its top, but is the repository's own at the top of an overlay."""
_TAG = re.compile(
    r"\{#.*?#\}|\{%[-+]?\s*(?:(?P<open>block)\s+(?P<name>\w+)|(?P<close>endblock)|extends\s+[\"'](?P<parent>[^\"']+)[\"'])"
    r".*?%\}",
    re.DOTALL,
)
Kind = Literal["add", "replace", "extend", "remove", "patch"]


@dataclass(frozen=True, slots=True)
class Override:
    """One file of an overlay."""

    file: str
    """Its path in the overlay."""
    target: str
    """The path that it adds or changes in the whole tree."""
    kind: Kind
    content: bytes
    parent: str = ""
    """The template that it extends, as written after `upstream:`."""
    is_link: bool = False
    """Whether it is a symlink of the plugin; the content is then the path that it points to."""


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one block of a template."""

    line: int
    text: str


def blocks_in(text: str) -> dict[str, Block]:
    """Return the blocks of a template by name, with their source text."""
    found: dict[str, Block] = {}
    opened: list[tuple[str, int]] = []
    for tag in _TAG.finditer(text):
        if tag["open"]:
            opened.append((tag["name"], tag.end()))
        elif tag["close"] and opened:
            name, start = opened.pop()
            found[name] = Block(text.count("\n", 0, start) + 1, text[start : tag.start()].strip("\n"))
    return found


def parent_in(text: str) -> str:
    """Return the template that a template extends, or ""."""
    return next((tag["parent"] for tag in _TAG.finditer(text) if tag["parent"]), "")


def placed(path: str, folder: str) -> str:
    """Return the path in the whole tree of a path in an overlay, whose plugin has this folder."""
    is_shared = path.partition("/")[0] in SHARED or path in SHARED_FILES
    return path if is_shared else f"{folder}/{path}"


def short(path: str, folder: str) -> str:
    """Return the path in an overlay of a path in the whole tree."""
    return path.removeprefix(f"{folder}/")


def read_overrides(root: Path, paths: Paths, upstream: Iterable[str]) -> list[Override]:
    """Return what every file of an overlay does; two files for one path are a problem."""
    known = frozenset(upstream)
    overrides: dict[str, Override] = {}
    problems = []
    for path in sorted(_walk(root, "")):
        made = _override(root, path, paths.folder, known)
        if (own := paths.own(made.target)) != made.target:
            message, remedy = (
                f"{paths.base_folder} is {paths.folder} in this fork",
                f"move it to {paths.short(own)}",
            )
            problems.append(Problem(shown_in(root, path), 0, "orphan", message, remedy))
        if first := overrides.get(made.target):
            message = f"{first.file} already overrides '{made.target}'"
            problems.append(Problem(shown_in(root, path), 0, "two-overlays", message, "remove one of them"))
        overrides[made.target] = made
    refuse([*problems, *_indistinct(root, overrides, known)])
    return list(overrides.values())


def _indistinct(root: Path, overrides: Mapping[str, Override], known: Iterable[str]) -> Iterator[Problem]:
    """Yield files that differ from another one of the overlay or the upstream only in case."""
    removed = tuple(target for target, one in overrides.items() if one.kind == "remove")
    kept = [
        path for path in known if not any(path == gone or path.startswith(f"{gone}/") for gone in removed)
    ]
    own = [target for target, one in overrides.items() if one.kind in ("add", "extend")]
    for name, message in twins(sorted(kept) + own):
        for target in own:
            if target == name or target.startswith(f"{name}/"):
                yield Problem(
                    shown_in(root, overrides[target].file), 0, "case-collision", message, "rename it"
                )


def _override(root: Path, path: str, folder: str, known: frozenset[str]) -> Override:
    target = placed(path, folder)
    kind: Kind = "replace" if target in known else "add"
    if (root / path).is_symlink() and is_in_plugin(target):
        return Override(path, target, kind, os.fsencode(os.readlink(root / path)), is_link=True)
    content = (root / path).read_bytes()
    if path.endswith(MARKER):
        return Override(path, placed(path.removesuffix(MARKER), folder), "remove", content)
    if path.endswith(PATCH):
        return Override(path, placed(path.removesuffix(PATCH) + DATA, folder), "patch", content)
    parent = parent_in(content.decode("utf-8", "replace")) if path.endswith(".j2") else ""
    if parent.startswith(UPSTREAM):
        return Override(path, target, "extend", content, parent.removeprefix(UPSTREAM))
    return Override(path, target, kind, content)


def _walk(root: Path, folder: str) -> Iterator[str]:
    with os.scandir(root / folder) as entries:
        for entry in entries:
            path = f"{folder}{entry.name}"
            if path in OWN or path.startswith(".") or entry.name == "__pycache__":
                continue
            target = placed(path, "plugins/any")
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(root, f"{path}/")
            elif entry.is_symlink() and not is_in_plugin(target) and not entry.is_file():
                message = f"links to '{os.readlink(entry.path)}', which is not a file"
                remedy = "put a copy there; an overlay does not follow links to folders"
                raise problem(shown_in(root, path), 0, "link-outside", message, remedy)
            elif not entry.is_symlink() and not entry.is_file():
                raise UltraError(f"{shown_in(root, path)}: {SPECIAL}")
            elif path.endswith(MARKER) or is_source(target):
                yield path
