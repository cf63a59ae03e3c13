"""Find what a template spells by hand although a contract says it: codes, versions, allowed values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultra_plugin.errors import Problem
from ultra_plugin.model import Suite
from ultra_plugin.source import SourceTree

# What Jinja replaces is no hand spelling; it is blanked out so that lines and columns stay.
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_CODE_WORD = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_REMEDY = {
    "code": "write {{ contract.%s.code('%s') }}",
    "value": "write {{ contract.%s.value('%s', '%s') }}",
    "version": "write {{ contract.%s.version }}",
}


def spelling_problems(tree: SourceTree, suite: Suite) -> list[Problem]:
    """Look through every Markdown template and fragment."""
    words = _Words(suite)
    return [
        Problem(tree.shown(path), line, "spelled-by-hand", message, remedy)
        for path in tree.files()
        if path.endswith(".md.j2")
        for line, message, remedy in words.found(tree.text(path))
    ]


class _Words:
    """Every word that contracts own, with the macro that writes it."""

    def __init__(self, suite: Suite) -> None:
        self.codes = {
            code: _REMEDY["code"] % (contract.key, code)
            for contract in suite.contracts.values()
            for code in contract.codes
        }
        self.values = {
            value: _REMEDY["value"] % (contract.key, name, value)
            for contract in suite.contracts.values()
            for name, field in contract.fields.items()
            for value in field.values or ()
        }
        self.versions: list[tuple[re.Pattern[str], str, str]] = [
            (
                re.compile(rf"(?<![\w.]){re.escape(suite.version)}(?![\w.])"),
                "the version",
                "write {{ version }}",
            )
        ]
        for contract in suite.contracts.values():
            field, current = contract.version.field, re.escape(str(contract.version.current))
            pattern = re.compile(rf"\b{field}\b\W{{1,6}}{current}(?![\w.])")
            what = f"the version of {contract.artifact}"
            self.versions.append((pattern, what, _REMEDY["version"] % contract.key))

    def found(self, text: str) -> Iterator[tuple[int, str, str]]:
        """Yield line, message and remedy of each word that is spelled by hand."""
        plain = _JINJA.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
        for number, line in enumerate(plain.split("\n"), 1):
            if not line or line.isspace():
                continue
            for word in _CODE_WORD.findall(line):
                if word in self.codes:
                    yield number, f"the code {word} is spelled by hand", self.codes[word]
            for word in self._spans(line):
                if word in self.values:
                    yield number, f"the value '{word}' is spelled by hand", self.values[word]
            for pattern, what, remedy in self.versions:
                if pattern.search(line):
                    yield number, f"{what} is spelled by hand", remedy

    def _spans(self, line: str) -> list[str]:
        """Return what stands in code spans and table cells."""
        spans = _CODE_SPAN.findall(line)
        if line.lstrip().startswith("|"):
            spans += [cell.strip().strip("`*_") for cell in line.split("|")]
        return [span.strip("\"' ") for span in dict.fromkeys(spans)]
