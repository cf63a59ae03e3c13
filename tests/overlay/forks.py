"""A small upstream in several versions, and overlays on it, written out where a test can see and change them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.generator.sample import COMMAND, SUITE, sample
from tests.kit.files import write_tree
from ultra_plugin.errors import UltraError
from ultra_plugin.model import Bundle
from ultra_plugin.overlay.layers import LayeredTree, open_tree
from ultra_plugin.overlay.upstream import open_source
from ultra_plugin.overlay.work import accept
from ultra_plugin.pipeline import checked

PLUGIN = "plugins/acme-plan"
EXTENDED = """\
{% extends "upstream:commands/brief.md.j2" %}

{% block ask %}
First think.
{{ super() }}
{% endblock %}
"""
BLOCKS = """\
---
description: Write the brief of a piece of work for Acme
argument-hint: "[task]"
allowed-tools: Read
---
{% block intro %}
# Brief

{% include "fragments/rules.md.j2" %}
{% endblock %}

{% block ask %}
Ask {{ agent('critic') }}, then go on with {{ command('review') }}.
{% endblock %}
"""
assert COMMAND.split("---")[1] == BLOCKS.split("---")[1]

Files = Mapping[str, str | bytes | None]


def write_upstream(folder: Path, version: str = "1.2.3", changes: Files | None = None) -> Path:
    """Write an upstream below a folder, which is named by its version, and return its folder."""
    suite = SUITE.replace("1.2.3", version)
    files: dict[str, str | bytes | None] = {
        **sample(),
        "suite.yaml": suite,
        f"{PLUGIN}/commands/brief.md.j2": BLOCKS,
    }
    files |= changes or {}
    root = folder / f"upstream-{version}"
    write_tree(root / "plugin_src", {path: text for path, text in files.items() if text is not None})
    return root


def settings(folder: Path, more: str = "", version: str = "1.2.3") -> str:
    """Return an overlay.yaml on an upstream of this version."""
    digest = open_source(folder, "folder", f"upstream-{version}").digest()
    return f"upstream:\n  folder: ../upstream-{{version}}\n  version: {version}\n  sha256: {digest}\nversion: 0.9.0\n{more}"


def write_fork(folder: Path, files: Files | None = None, more: str = "") -> Path:
    """Write an overlay on upstream 1.2.3 below a folder, and return its folder."""
    if not (folder / "upstream-1.2.3").exists():
        write_upstream(folder)
    root = folder / "fork"
    return write_tree(
        root,
        {
            "overlay.yaml": settings(folder, more),
            **{path: text for path, text in (files or {}).items() if text is not None},
        },
    )


def opened(root: Path) -> LayeredTree:
    tree = open_tree(root)
    assert isinstance(tree, LayeredTree)
    return tree


def built(root: Path) -> Bundle:
    """Return the plugin that an overlay makes, checked."""
    (bundle,), _ = checked(open_tree(root), "dist")
    return bundle


def told(root: Path) -> list[str]:
    """Return what keeps an overlay from being built, with paths below its folder and beside it."""
    try:
        built(root)
    except UltraError as error:
        return str(error).replace(f"{root}/", "").replace(f"{root.parent}/", "").split("\n")
    return []


def fork(folder: Path, files: Files, more: str = "") -> Path:
    """Return an overlay whose overrides are recorded."""
    root = write_fork(folder, files, more)
    accept(opened(root), ())
    return root


def words(text: str) -> str:
    """Return a text with its paragraphs on one line, however they are filled."""
    return " ".join(text.split())
