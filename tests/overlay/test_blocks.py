"""Every template can be changed block by block: its header, each of its sections, and each of their tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.kit.names import SOURCES
from ultra_plugin.overlay.files import blocks_in

ONE_CALL = re.compile(r"\{\{[^}]*\}\}|\{% (?:include|extends) \"[^\"]+\" %\}")
# Macros of recorded sessions, written by a program.
RECORDED = ("tutorial-session.md.j2", "waves-session.md.j2")
# Its headings are fixed; what is below them are blocks.
PAGE = "command-page.md.j2"


def faults(path: Path) -> Iterator[str]:
    """Yield what of a template is in no block."""
    text = path.read_text()
    blocks = blocks_in(text)
    if not blocks:
        if path.name not in RECORDED and not ONE_CALL.fullmatch(text.strip()):
            yield "has no block"
        return
    for block in sorted(blocks.values(), key=lambda block: -len(block.text)):
        text = text.replace(block.text, "")
    if path.name.endswith(".md.j2") and path.name != PAGE:
        if re.search(r"^---$", text, re.MULTILINE):
            yield "has its header in no block"
        if re.search(r"^#+ ", text, re.MULTILINE):
            yield "has a section in no block"
        if re.search(r"^\|--", text, re.MULTILINE):
            yield "has a table in no block"


def test_every_template_has_blocks_for_what_it_says() -> None:
    templates = [path for path in SOURCES.rglob("*.j2") if "runtime" not in path.parts]
    assert len(templates) > 150
    found = {str(path.relative_to(SOURCES)): list(faults(path)) for path in templates}
    assert {path: told for path, told in found.items() if told} == {}


def test_a_text_in_no_block_is_found(tmp_path: Path) -> None:
    path = tmp_path / "x.md.j2"
    path.write_text("---\na: b\n---\n{% block a %}\nText\n{% endblock %}\n## More\n\n| a |\n|---|\n")
    assert list(faults(path)) == [
        "has its header in no block",
        "has a section in no block",
        "has a table in no block",
    ]
    path.write_text("Text\n")
    assert list(faults(path)) == ["has no block"]
