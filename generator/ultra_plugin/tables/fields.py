"""Render the names of a contract's fields, sections, parts and values as constants."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from ultra_plugin.artifact import Contract, Field
from ultra_plugin.source import SourceTree
from ultra_plugin.syntax import try_parse
from ultra_plugin.tables.literal import literal

END = "_fields"
MODULE = "ultra_runtime.tables.fields"
HEAD = '''\
"""Rendered from contracts/*.yaml, the names in use: edit those files, not this one."""

import sys

# types.SimpleNamespace without an import of types: a class per contract takes twice as long to make.
Names = type(sys.implementation)
'''


def fields_module(contracts: Mapping[str, Contract], used: Mapping[str, Iterable[str]]) -> str:
    """Return the module that spells the names in use, and no others: every call of the runtime loads it.

    The names of a contract that this bundle does not have are empty, but for its kind. A name that its contract does
    not have is left out; `check` reports it.
    """
    parts = [HEAD]
    for key in sorted(used):
        absent = {name: key.replace("_", "-") if name == "KIND" else "" for name in sorted(used[key])}
        names = field_names(contracts[key]) if key in contracts else absent
        rows = [f"    {name}={literal(word)},\n" for name, word in names.items() if name in used[key]]
        parts.append(f"\n{key}{END} = Names(\n{''.join(rows)})\n")
    return "".join(parts)


def used_names(tree: SourceTree) -> dict[str, set[str]]:
    """Return key of a contract -> the constants that the runtime takes from it."""
    used: dict[str, set[str]] = {}
    for path in tree.files("runtime"):
        text = tree.text(path) if path.endswith(".py") else ""
        if MODULE in text:
            for key, names in _taken(text).items():
                used.setdefault(key, set()).update(names)
    return used


def _taken(text: str) -> dict[str, set[str]]:
    """Return the names that one module uses, also under an alias: `from ... import plan_fields as of_plan`."""
    module = try_parse(text)
    if module is None:  # reported by the check of the verbs, or by the linter
        return {}
    imports = [node for node in module.every(ast.ImportFrom) if node.module == MODULE]
    aliases = [alias for node in imports for alias in node.names if alias.name.endswith(END)]
    keys = {alias.asname or alias.name: alias.name.removesuffix(END) for alias in aliases}
    taken: dict[str, set[str]] = {key: set() for key in keys.values()}
    for node in module.every(ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id in keys:
            taken[keys[node.value.id]].add(node.attr)
    return taken


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
