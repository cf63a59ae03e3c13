"""Render the names of a contract's fields, sections, parts and values as constants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ultra_plugin.artifact import Contract, Field
from ultra_plugin.source import SourceTree
from ultra_plugin.tables.literal import literal

END = "_fields"
_IMPORT = re.compile(r"^from ultra_runtime\.tables\.fields import (\([^)]*\)|.*)$", re.MULTILINE)
_ABSENT = '''

class _Absent(type):
    """The names of a contract that this bundle does not have: each is empty."""

    def __getattr__(cls, name: str) -> str:
        if name[:1] == "_":
            raise AttributeError(name)
        return ""
'''
_USED = re.compile(rf"\b(\w+){END}\b")


def fields_module(contracts: Iterable[Contract], absent: Iterable[str]) -> str:
    """Return the module with the names of all contracts: one file, since each costs start-up time."""
    missing = [*absent]
    parts = [
        '"""Rendered from contracts/*.yaml: edit those files, not this one."""\n',
        _ABSENT if missing else "",
    ]
    for contract in contracts:
        rows = (f"    {name} = {literal(word)}\n" for name, word in field_names(contract).items())
        parts.append(f"\n\nclass {contract.key}{END}:\n{''.join(rows)}")
    parts += [f"\n\nclass {key}{END}(metaclass=_Absent):\n    pass\n" for key in missing]
    return "".join(parts)


def absent_fields(tree: SourceTree, contracts: Iterable[str]) -> list[str]:
    """Return the keys of missing contracts whose names the runtime imports."""
    used = {
        key
        for path in tree.files("runtime")
        if path.endswith(".py")
        for imported in _IMPORT.findall(tree.text(path))
        for key in _USED.findall(imported)
    }
    return sorted(used - {*contracts})


def field_names(contract: Contract) -> dict[str, str]:
    """Return constant -> the contract's name."""
    names: dict[str, str] = {}
    for name, word in _names(contract):
        names.setdefault(_constant(name), word)
    return names


def clashes(contract: Contract) -> list[tuple[str, str, str]]:
    """Return each constant that two names of a contract would share, with both names."""
    names = field_names(contract)
    pairs = [(_constant(name), word) for name, word in _names(contract)]
    return [(constant, names[constant], word) for constant, word in pairs if names[constant] != word]


def _names(contract: Contract) -> Iterator[tuple[str, str]]:
    yield "kind", contract.artifact
    yield from _fields(contract.fields)
    for name, section in contract.sections.items():
        yield f"section {section.as_ or name}", name
        yield from _fields(section.fields, section.as_ or name)
    for name, part in contract.parts.items():
        yield f"part {name}", name
        yield from _fields(part.fields, name)
    for name, block in contract.blocks.items():
        yield f"block {name}", name
        yield from _fields(block.fields, name)
    yield from _fields(contract.stats, "stats")
    if contract.gate:
        yield from ((f"gate {name}", name) for name in contract.gate.dimensions)
        yield from ((f"verdict {name}", name) for name in contract.gate.verdicts)


def _fields(fields: Mapping[str, Field], above: str = "") -> Iterator[tuple[str, str]]:
    for name, field in fields.items():
        known = f"{above} {field.as_ or name}".strip()
        yield known, name
        for value in field.values or ():
            yield f"{known} {value}", value
        yield from _fields(field.fields, known)
        yield from _fields(field.entries, known)


def _constant(words: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", words).strip("_").upper()
