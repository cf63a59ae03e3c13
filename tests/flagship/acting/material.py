"""What is written on the whole way stands in whole_way/, in files that read like what they become."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

MATERIAL = Path(__file__).parent.parent / "whole_way"
TASK = "Show the most frequent words of a text"
DONE = "That is all."
"""What is left to say when the last call was made after the summary."""


def text(name: str, **values: object) -> str:
    """Return a file of the material with its blanks filled in."""
    return Template((MATERIAL / name).read_text()).substitute(values)


def scenes(name: str) -> dict[str, str]:
    """Return the texts of a file that holds several, by their headings."""
    found = re.findall(
        r"^## ([^\n]*)\n\n~~~~\n(.*?)^~~~~$", (MATERIAL / name).read_text(), re.MULTILINE | re.DOTALL
    )
    return dict(found)
