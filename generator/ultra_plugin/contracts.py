"""Find faults between contracts, and between the parts of one contract."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from ultra_plugin.artifact import Code, CommonCodes, Contract, Field, Output, Part
from ultra_plugin.document import line_of, nearest
from ultra_plugin.errors import Problem
from ultra_plugin.ranges import Fault, field_faults, gate_faults, range_faults, walk, walk_fields
from ultra_plugin.source import SourceTree

_BRACKETS = re.compile(r"\(([^()]+)\)$")
_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
OUTSIDE = ("another plugin", "the user")
"""The producers and consumers of an artifact that comes from, or goes to, elsewhere."""


def contract_problems(
    tree: SourceTree, contracts: list[Contract], common: CommonCodes, stages: Collection[str]
) -> list[Problem]:
    """Return every fault of the contracts; without known stages, stage names are not checked."""
    problems = _code_problems(tree, contracts, common)
    handovers: dict[int, str] = {}
    for contract in contracts:
        path = f"contracts/{contract.artifact}.yaml"
        if tree.find(path) is None:
            message = f"the contract of '{contract.artifact}' is not in {path}"
            remedy = "name the file after the artifact"
            problems.append(tree.problem(path, contract.line, "bad-name", message, remedy))
            continue
        faults = [*_inner_faults(contract, common), *range_faults(contract), *_stage_faults(contract, stages)]
        other = handovers.setdefault(contract.handover, contract.artifact)
        if other != contract.artifact:
            message = f"'{other}' has the handover {contract.handover} too"
            faults.append((("handover",), message, "number the handovers in the order of the pipeline"))
        problems += located(tree, path, "bad-value", faults)
    return problems


def reader_problems(
    tree: SourceTree, contracts: Iterable[Contract], modules: Collection[str]
) -> list[Problem]:
    """Return the readers that the runtime does not have."""
    problems: list[Problem] = []
    for contract in contracts:
        if contract.reader and contract.reader not in modules:
            message = f"the runtime has no module '{contract.reader}'"
            fault = (("reader",), message, nearest(contract.reader, modules))
            problems += located(tree, f"contracts/{contract.artifact}.yaml", "bad-value", [fault])
    return problems


def located(tree: SourceTree, path: str, code: str, faults: Iterable[Fault]) -> Iterator[Problem]:
    """Yield faults as problems, each at the line of its key."""
    for keys, message, remedy in faults:
        yield tree.problem(path, line_of(tree.read(path), *keys), code, message, remedy)


def _stage_faults(contract: Contract, stages: Collection[str]) -> Iterator[Fault]:
    named = (("producer", contract.producer), *(("consumer", stage) for stage in contract.consumers))
    for key, stage in named:
        if stages and stage not in stages and stage not in OUTSIDE:
            yield (key,), f"the {key} '{stage}' is not a stage", nearest(stage, [*stages, *OUTSIDE])


def _code_problems(tree: SourceTree, contracts: list[Contract], common: CommonCodes) -> list[Problem]:
    """Find codes that are in two files or are not valid codes."""
    problems: list[Problem] = []
    owner: dict[str, str] = {}
    listed: list[tuple[str, Mapping[str, Code]]] = [("common", common.codes)]
    listed += [(contract.artifact, contract.codes) for contract in contracts]
    for artifact, codes in listed:
        path = tree.shown(f"contracts/{artifact}.yaml")
        for name, code in codes.items():
            if name in owner:
                message = f"{name} is also a code of '{owner[name]}'"
                problems.append(Problem(path, code.line, "duplicate-code", message, "rename one"))
            elif not _CODE.fullmatch(name):
                message = f"{name} is not a code"
                problems.append(Problem(path, code.line, "bad-code", message, "use WORDS_LIKE_THIS"))
            owner.setdefault(name, artifact)
    return problems


def _inner_faults(contract: Contract, common: CommonCodes) -> Iterator[Fault]:
    """Yield each code and section that a contract names but does not have."""
    known = {*contract.codes, *common.codes}
    for keys, code in _named_codes(contract):
        if code not in known:
            yield keys, f"the code '{code}' is not listed", nearest(code, known)
    for name, part in contract.parts.items():
        for section in part.under:
            if section not in contract.sections:
                message = f"'{name}' is under '{section}', which is not a section"
                yield ("parts", name, "under"), message, nearest(section, contract.sections)


def with_values(output: Output, contracts: list[Contract]) -> Output:
    """Return the output with the values that its fields take from a contract."""
    known = {
        f"{contract.artifact}.{name}": _section_values(contract, part.under)
        for contract in contracts
        for name, part in contract.parts.items()
    }
    return replace(output, fields=_filled(output.fields, known))


def _section_values(contract: Contract, sections: tuple[str, ...]) -> dict[str, str]:
    """Return the text in brackets at the end of each section's name -> the section's meaning."""
    found = ((_BRACKETS.search(name), contract.sections.get(name)) for name in sections)
    return {word.group(1): section.means for word, section in found if word and section}


def _filled(fields: Mapping[str, Field], known: Mapping[str, dict[str, str]]) -> dict[str, Field]:
    filled = {}
    for name, field in fields.items():
        values = known.get(field.values_of or "", field.values)
        filled[name] = replace(field, values=values, fields=_filled(field.fields, known))
    return filled


def output_problems(
    tree: SourceTree, outputs: list[Output], contracts: list[Contract], complete: bool = True
) -> list[Problem]:
    """Return every fault of the agents' outputs.

    If a contract could not be read, values taken from contracts are not checked.
    """
    problems: list[Problem] = []
    gates = [contract.artifact for contract in contracts if contract.gate]
    for output in outputs:
        path = f"outputs/{output.output}.yaml"
        faults = []
        if tree.find(path) is None:
            message = f"the output '{output.output}' is not in {path}"
            faults.append((message, "name the file after the output"))
        if sum(map(bool, (output.fields, output.gate, output.scores))) != 1:
            faults.append(("needs exactly one of fields, gate and scores", "keep one"))
        if output.scores:
            problems += located(tree, path, "bad-output", gate_faults(("scores",), output.scores))
        for keys, field in walk_fields(("fields",), output.fields):
            problems += located(tree, path, "bad-output", field_faults(keys, field))
            if complete and field.values_of and not field.values:
                message = f"'{field.values_of}' must be a part of a contract whose sections name values"
                faults.append((message, "name one"))
        if complete and output.gate and output.gate not in gates:
            faults.append((f"'{output.gate}' has no gate", nearest(output.gate, gates)))
        problems += [tree.problem(path, output.line, "bad-output", *fault) for fault in faults]
    return problems


def _named_codes(contract: Contract) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every code that fields and parts name, with the keys that lead to it."""
    owners: list[tuple[tuple[str, ...], Field | Part]] = [*walk(contract)]
    owners += [(("parts", name), part) for name, part in contract.parts.items()]
    for keys, owner in owners:
        for key in ("code", "type_code", "missing", "count_code"):
            if code := getattr(owner, key, None):
                yield (*keys, key), code
