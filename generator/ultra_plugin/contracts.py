"""Find what only shows when contracts are looked at together, or against their own parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Code, CommonCodes, Contract, Field, Gate, Output
from ultra_plugin.source import SourceTree

_BRACKETS = re.compile(r"\(([^()]+)\)$")
MOST_ROUNDS = 9
_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


def contract_problems(tree: SourceTree, contracts: list[Contract], common: CommonCodes) -> list[Problem]:
    """Return every fault of the contracts."""
    problems = _code_problems(tree, contracts, common)
    for contract in contracts:
        path = f"contracts/{contract.artifact}.yaml"
        if tree.find(path) is None:
            message = f"the contract of '{contract.artifact}' is not in {path}"
            remedy = "name the file after the artifact"
            problems.append(Problem(tree.shown(path), contract.line, "bad-name", message, remedy))
        problems += [
            Problem(tree.shown(path), contract.line, "bad-value", message, remedy)
            for message, remedy in _inner_faults(contract, common)
        ]
    return problems


def _code_problems(tree: SourceTree, contracts: list[Contract], common: CommonCodes) -> list[Problem]:
    """Find codes that stand in two files or are none."""
    problems: list[Problem] = []
    owner: dict[str, str] = {}
    listed: list[tuple[str, Mapping[str, Code]]] = [("common", common.codes)]
    listed += [(contract.artifact, contract.codes) for contract in contracts]
    for artifact, codes in listed:
        path = tree.shown(f"contracts/{artifact}.yaml")
        for name, code in codes.items():
            if name in owner:
                message = f"{name} is a code of '{owner[name]}' as well"
                problems.append(Problem(path, code.line, "duplicate-code", message, "rename one"))
            elif not _CODE.fullmatch(name):
                message = f"{name} is not a code"
                problems.append(Problem(path, code.line, "bad-code", message, "use WORDS_LIKE_THIS"))
            owner.setdefault(name, artifact)
    return problems


def _inner_faults(contract: Contract, common: CommonCodes) -> Iterator[tuple[str, str]]:
    """Yield message and remedy of each name that a contract uses and does not have."""
    known = {*contract.codes, *common.codes}
    for code in _named_codes(contract):
        if code not in known:
            yield f"the code '{code}' is not listed", nearest(code, known)
    yield from _version_faults(contract)
    for name, part in contract.parts.items():
        for section in part.under:
            if section not in contract.sections:
                yield (
                    f"'{name}' stands under '{section}', which is no section",
                    nearest(section, contract.sections),
                )
        for counter in (part.counted_by, part.listed_by):
            if counter and counter not in contract.fields:
                yield (
                    f"'{name}' is counted by '{counter}', which is no field",
                    nearest(counter, contract.fields),
                )
    for name, field in contract.fields.items():
        yield from _value_faults(name, field)
    for name, field in contract.stats.items():
        yield from _free_text_faults(name, field)
    if contract.gate:
        yield from _gate_faults(contract.gate)


def _free_text_faults(name: str, field: Field) -> Iterator[tuple[str, str]]:
    """Yield the fields of a line of statistics that could hold a sentence of somebody."""
    if field.type == "text" and not field.values and not field.form:
        yield f"'{name}' of the statistics takes any text", "give it values or a form"
    for inner_name, inner in field.fields.items():
        yield from _free_text_faults(f"{name}.{inner_name}", inner)


def _version_faults(contract: Contract) -> Iterator[tuple[str, str]]:
    version = contract.version
    if version is None:
        return
    if version.block and version.block not in contract.blocks:
        yield f"the version's block '{version.block}' is not a block", nearest(version.block, contract.blocks)
        return
    fields = contract.blocks[version.block].fields if version.block else contract.fields
    if version.field not in fields:
        yield f"the version's field '{version.field}' is not a field", nearest(version.field, fields)
    if version.current in version.accepts:
        yield f"the version {version.current} is current and accepted as an older one", "list older ones only"


def _value_faults(name: str, field: Field) -> Iterator[tuple[str, str]]:
    """Yield what legacy spellings and moves name although it is no value."""
    values = field.values or {}
    named = [
        *field.legacy.values(),
        *field.moves,
        *(after for moves in field.moves.values() for after in moves),
    ]
    for value in named:
        if value not in values:
            yield f"'{value}' is not a value of '{name}'", nearest(value, values or ("values",))
    for spelling in field.legacy:
        if spelling in values:
            yield f"'{spelling}' is a value of '{name}' and an older spelling", "drop one"
    for inner_name, inner in (*field.fields.items(), *field.entries.items()):
        yield from _value_faults(f"{name}.{inner_name}", inner)


def _gate_faults(gate: Gate) -> Iterator[tuple[str, str]]:
    yield from _range_faults(gate)
    for name in {*gate.tie_order} ^ {*gate.dimensions}:
        yield f"'{name}' is not both a dimension of the gate and in its tie_order", "list it in both"
    for name in {*gate.hard} - {*gate.dimensions}:
        yield f"'{name}', which is hard, is no dimension of the gate", nearest(name, gate.dimensions)
    if gate.scale and {*gate.scale} != {str(score) for score in range(gate.lowest, gate.highest + 1)}:
        yield "the scale of the gate does not name every score", "give each score its meaning"
    if gate.degraded_verdict not in gate.verdicts:
        yield "the degraded verdict is none of the verdicts", nearest("", gate.verdicts)


def _range_faults(gate: Gate) -> Iterator[tuple[str, str]]:
    """Yield the numbers of a gate with which it could never pass, or never end."""
    if not 1 <= gate.rounds <= MOST_ROUNDS:
        yield (
            f"'rounds' of the gate must be from 1 to {MOST_ROUNDS}, not {gate.rounds}",
            "write such a number",
        )
    if gate.lowest >= gate.highest:
        yield (
            f"'highest' of the gate must be above {gate.lowest}, not {gate.highest}",
            "write a larger number",
        )
        return
    scores = {
        "passes_at": gate.passes_at,
        "detail_at": gate.detail_at,
        "degraded_score": gate.degraded_score,
        "rework_at": gate.rework_at,
        **{f"passes_at of {name}": one.passes_at for name, one in gate.dimensions.items()},
    }
    for name, score in scores.items():
        if score is not None and not gate.lowest <= score <= gate.highest:
            message = f"'{name}' of the gate must be from {gate.lowest} to {gate.highest}, not {score}"
            yield message, "write a score of the gate"


def with_values(output: Output, contracts: list[Contract]) -> Output:
    """Return the form with the values that its fields take from a contract."""
    known = {
        f"{contract.artifact}.{name}": _section_values(contract, part.under)
        for contract in contracts
        for name, part in contract.parts.items()
    }
    return replace(output, fields=_filled(output.fields, known))


def _section_values(contract: Contract, sections: tuple[str, ...]) -> dict[str, str]:
    """Return what stands in brackets at the end of the sections' names, each with the section's meaning."""
    found = ((_BRACKETS.search(name), contract.sections.get(name)) for name in sections)
    return {word.group(1): section.means for word, section in found if word and section}


def _filled(fields: Mapping[str, Field], known: Mapping[str, dict[str, str]]) -> dict[str, Field]:
    filled = {}
    for name, field in fields.items():
        values = known.get(field.values_of or "", field.values)
        filled[name] = replace(field, values=values, fields=_filled(field.fields, known))
    return filled


def _lost_values(fields: Mapping[str, Field]) -> Iterator[tuple[str, str]]:
    for field in fields.values():
        if field.values_of and not field.values:
            yield f"'{field.values_of}' is no part of a contract whose sections name values", "name one"
        yield from _lost_values(field.fields)


def output_problems(
    tree: SourceTree, outputs: list[Output], contracts: list[Contract], complete: bool = True
) -> list[Problem]:
    """Return every fault of the forms in which agents answer.

    Where the contracts are not complete, because one could not be read, what a form takes from them is not judged.
    """
    problems: list[Problem] = []
    gates = [contract.artifact for contract in contracts if contract.gate]
    for output in outputs:
        path = f"outputs/{output.output}.yaml"
        faults = []
        if tree.find(path) is None:
            faults.append(
                (f"the output '{output.output}' is not in {path}", "name the file after the output")
            )
        if sum(map(bool, (output.fields, output.gate, output.scores))) != 1:
            faults.append(("it needs either fields, a gate or scores", "leave the others out"))
        faults += _lost_values(output.fields) if complete else ()
        if output.scores:
            faults += _gate_faults(output.scores)
        if complete and output.gate and output.gate not in gates:
            faults.append((f"'{output.gate}' has no gate", nearest(output.gate, gates)))
        problems += [Problem(tree.shown(path), output.line, "bad-output", *fault) for fault in faults]
    return problems


def _named_codes(contract: Contract) -> Iterator[str]:
    """Yield every code that fields and parts name."""
    for fields in all_fields(contract):
        for field in fields.values():
            yield from filter(None, (field.code, field.type_code, field.missing))
    for part in contract.parts.values():
        yield from filter(None, (part.code, part.count_code))


def all_fields(contract: Contract) -> Iterator[Mapping[str, Field]]:
    """Yield every group of fields: of the artifact, of its sections, parts and blocks, and those inside fields."""
    groups = [
        contract.fields,
        *(section.fields for section in contract.sections.values()),
        *(part.fields for part in contract.parts.values()),
        *(block.fields for block in contract.blocks.values()),
    ]
    for group in groups:
        if group:
            yield group
            groups += [inner for field in group.values() for inner in (field.fields, field.entries)]
