"""Sources and pages are in plain technical English: the expressions that readers stumbled over do not come back."""

from __future__ import annotations

import re

from tests.kit.names import ROOT

STUMBLES = re.compile(
    r"\bmend(?:s|ed|ing)?\b|\bh(?:old|olds|eld)(?: \w+)? against\b(?! deliberate)|\bstood there\b|\bwhatever it be\b"
    r"|\bsee to it\b|\bis none of\b|\bexclude each other\b|\bone word too many\b|\bone file an? \w+\b",
    re.IGNORECASE,
)
TEXTS = (".py", ".j2", ".md", ".yaml")
# A released contract stays as it was.
RELEASED = ROOT / "plugin_src/contracts/released"


def stumbles(text: str) -> list[str]:
    """Return the expressions, also those that a line end divides."""
    return STUMBLES.findall(" ".join(text.split()))


def test_no_source_and_no_page_has_an_expression_that_readers_stumbled_over() -> None:
    files = [
        *ROOT.glob("*.md"),
        *(path for part in ("plugin_src", "generator", "docs") for path in (ROOT / part).rglob("*")),
    ]
    read = [path for path in files if path.suffix in TEXTS and RELEASED not in path.parents]
    assert len(read) > 300
    found = {str(path.relative_to(ROOT)): stumbles(path.read_text("utf-8", "replace")) for path in read}
    assert {path: words for path, words in found.items() if words} == {}


def test_the_expressions_are_found() -> None:
    said = "Hold it\nagainst the plan, mend it, see to it. What stood there is none of these; one file an artifact."
    assert len(stumbles(said)) == 6
    assert (
        stumbles("Amend it; a boundary that holds against deliberate attacks; one file per artifact.") == []
    )
