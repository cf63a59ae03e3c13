"""Find codes, versions, allowed values and sections of contracts that a template spells out.

Only whole code spans and whole table cells count, and of them everyday words (`high`, `both`, `step`) only on a
line that names their field: a prompt may call a risk high without meaning the contract.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ultra_plugin.artifact import Contract, Field
from ultra_plugin.check.codes import warning
from ultra_plugin.errors import Problem
from ultra_plugin.model import Suite
from ultra_plugin.ranges import walk
from ultra_plugin.source import SourceTree

# Jinja expressions are blanked out; lines and columns stay the same.
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_CODE_WORD = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_REMEDY = {
    "code": "write {{ contract.%s.code('%s') }}",
    "common": "write {{ common_code('%s') }}",
    "value": "write {{ contract.%s.value('%s', '%s') }}",
    "part": "write {{ contract.%s.value('%s', '%s', '%s') }}",
    "verdict": "write {{ contract.%s.gate.verdict('%s') }}",
    "section": "write {{ contract.%s.section('%s') }}",
    "version": "write {{ contract.%s.version }}",
}


class Words:
    """Every word of the contracts, with the macro that writes it."""

    def __init__(self, suite: Suite) -> None:
        self.codes = {code: _REMEDY["common"] % code for code in suite.common_codes}
        self.values: dict[str, str] = {}
        """Values that have no other meaning."""
        self.everyday: dict[str, list[tuple[str, str]]] = {}
        """Values that are also other names -> name of the field, remedy."""
        pattern = re.compile(rf"(?<![\w.]){re.escape(suite.version)}(?![\w.])")
        self.versions = [(pattern, "the version", "write {{ version }}")]
        names = _names(suite)
        for contract in suite.contracts.values():
            self.codes |= {code: _REMEDY["code"] % (contract.key, code) for code in contract.codes}
            self._add_values(contract, names)
            self._add_version(contract)

    def _add_values(self, contract: Contract, names: set[str]) -> None:
        for name, field in contract.fields.items():
            for value in field.values or ():
                remedy = _REMEDY["value"] % (contract.key, name, value)
                if value in names:
                    self.everyday.setdefault(value, []).append((name, remedy))
                else:
                    self.values.setdefault(value, remedy)
        for part_name, part in contract.parts.items():
            for name, value in _values(part.fields):
                remedy = _REMEDY["part"] % (contract.key, name, value, part_name)
                self.everyday.setdefault(value, []).append((name, remedy))
        for name in contract.sections:
            self.values.setdefault(f"## {name}", _REMEDY["section"] % (contract.key, name))
        for verdict in contract.gate.verdicts if contract.gate else ():
            self.values.setdefault(verdict, _REMEDY["verdict"] % (contract.key, verdict))

    def _add_version(self, contract: Contract) -> None:
        if contract.version:
            field, current = contract.version.field, re.escape(str(contract.version.current))
            pattern = re.compile(rf"\b{field}\b\W{{1,6}}{current}(?![\w.])")
            what = f"the version of {contract.artifact}"
            self.versions.append((pattern, what, _REMEDY["version"] % contract.key))

    def problems(self, tree: SourceTree, paths: Iterable[str]) -> list[Problem]:
        """Return the problems of the Markdown templates among some sources."""
        return [
            warning(tree.shown(path), line, "spelled-by-hand", message, remedy)
            for path in paths
            if path.endswith(".md.j2")
            for line, message, remedy in self.found(tree.text(path))
        ]

    def found(self, text: str) -> Iterator[tuple[int, str, str]]:
        """Yield line, message and remedy of each word that is spelled out."""
        plain = _JINJA.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
        for number, line in enumerate(plain.split("\n"), 1):
            if not line or line.isspace():
                continue
            for word in _CODE_WORD.findall(line):
                if word in self.codes:
                    yield number, f"the code {word} is spelled out", self.codes[word]
            for word in self._spans(line):
                if remedy := self._remedy(word, line):
                    yield number, f"the value '{word}' is spelled out", remedy
            for pattern, what, remedy in self.versions:
                if pattern.search(line):
                    yield number, f"{what} is spelled out", remedy

    def _remedy(self, word: str, line: str) -> str | None:
        if word in self.values:
            return self.values[word]
        for field, remedy in self.everyday.get(word, ()):
            if re.search(rf"\b{re.escape(field)}\b", line, re.IGNORECASE):
                return remedy
        return None

    def _spans(self, line: str) -> list[str]:
        """Return the contents of code spans and table cells."""
        spans = _CODE_SPAN.findall(line)
        if line.lstrip().startswith("|"):
            spans += [cell.strip().strip("`*_") for cell in line.split("|")]
        return [span.strip("\"' ") for span in dict.fromkeys(spans)]


def _values(fields: Mapping[str, Field]) -> Iterator[tuple[str, str]]:
    for name, field in fields.items():
        for value in field.values or ():
            yield name, value


def _names(suite: Suite) -> set[str]:
    """Return the names of stages, artifacts, verbs, commands, agents, fields, and the words of the options."""
    names = {word for verb in suite.verbs for word in verb.split()}
    for contract in suite.contracts.values():
        names |= {contract.artifact, contract.producer, *contract.consumers}
        names |= {keys[-1] for keys, _ in walk(contract) if keys[0] != "stats"}
    for plugin in suite.plugins:
        names |= {*plugin.settings.pipeline, *plugin.commands, *plugin.agents}
        for option in plugin.settings.options.values():
            names |= {*re.findall(r"\w+", option.description)}
    return names
