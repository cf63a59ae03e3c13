"""The page of all rules, and what `ultra-plugin explain` says about one, from the table of codes."""

from __future__ import annotations

from ultra_plugin.check.codes import CODES
from ultra_plugin.lint.fixes import FIXABLE

_HEAD = """\
# Rules of the check

Made from the table in `generator/ultra_plugin/check/codes.py` by `ultra-plugin explain --page`. What the client refuses
is an error; everything else is a warning, and `--severity CODE=error` makes one fail. Rules that are marked with *fix*
are repaired by `ultra-plugin check FOLDER --fix`.

| code | means | remedy | |
|---|---|---|---|
"""


def page() -> str:
    """Return the page in Markdown."""
    rows = (
        f"| `{code}` | {_cell(known.means)} | {_cell(known.remedy)} | {'*fix*' if code in FIXABLE else ''} |\n"
        for code, known in CODES.items()
    )
    return _HEAD + "".join(rows)


def entry(code: str) -> str:
    """Return the entry of one code."""
    known = CODES[code]
    lines = [f"{code}: {known.means}", f"remedy: {known.remedy}"]
    if code in FIXABLE:
        lines.append("`ultra-plugin check FOLDER --fix` repairs it.")
    lines.append(
        f"accept one: <!-- ultra-check: ignore {code} -- the reason --> on its line or the line before"
    )
    lines.append(f"accept all: `ignore: [{code}]` in .ultra-check.yaml, or `allow: [{code}]` in plugin.yaml")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
