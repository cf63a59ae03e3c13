"""Check the last json block of an agent's answer, key by key, against the form in its output file."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.field_types import item_type_fault, type_fault, value_fault
from ultra_runtime.contract.gates import Gate, Output
from ultra_runtime.contract.model import Field, load_contract
from ultra_runtime.contract.scores import read_review, read_score, split_answer, unnamed
from ultra_runtime.rendered import names, table, table_names
from ultra_runtime.tables.limits import ISSUES_TOLD
from ultra_runtime.text.jsontext import JsonError, read_object
from ultra_runtime.typed import Any, Iterator, Mapping
from ultra_runtime.words import listed


def known_outputs() -> Mapping[str, Output]:
    """Return agent -> the form of its answer."""
    found: Mapping[str, Output] = table("outputs").OUTPUTS if "outputs" in table_names() else {}
    return found


def bare_name(agent: str) -> str:
    """Return an agent's name without the plugin's prefix."""
    prefix = f"{names().plugin}:"
    return agent[len(prefix) :] if agent.startswith(prefix) else agent


def output_faults(output: Output, answer: str) -> list[str]:
    """Return what is wrong with an answer, outermost first, or nothing."""
    block, prose = split_answer(answer)
    if block is None and prose.strip()[:1] == "{":
        block = prose
    if block is None:
        return ["the answer has no ```json block at its end"]
    try:
        values = read_object(block.encode("utf-8", "replace")).values
    except JsonError as problem:
        return [f"line {problem.line} of the json block: {problem}"]
    gate = output.scores or (load_contract(output.gate).gate if output.gate else None)
    if gate:
        return list(_gate_faults(gate, values, f"{prose}\n```json\n{block}\n```"))[:ISSUES_TOLD]
    return list(_faults(output.fields, values, ""))[:ISSUES_TOLD]


def answer_block(agent: str, text: str, hint: str) -> dict[str, Any]:
    """Return the json block that an answer ends in, if it has its agent's form; the block alone is enough."""
    faults = output_faults(known_outputs()[agent], text)
    if faults:
        raise RefusedError(f"the answer is not in the form of {agent}: {'; '.join(faults)}", hint)
    block = split_answer(text)[0]
    return read_object((block if block is not None else text).encode("utf-8", "replace")).values


def _gate_faults(gate: Gate, values: Mapping[str, Any], answer: str) -> Iterator[str]:
    """Yield unreadable scores and verdicts, and failing scores without a detail."""
    for one in gate.dimensions:
        part = values.get(one.name)
        score = part.get("score") if isinstance(part, dict) else None
        if read_score(gate, score) is None:
            yield f"{one.name}.score must be a whole number from {gate.lowest} to {gate.highest}"
    review = read_review(gate, answer)
    if values.get("verdict") not in gate.verdicts:
        yield f"verdict must be {listed(gate.verdicts, 'or')}"
    empty = unnamed(gate, review)
    for one in gate.dimensions:
        if one.name in empty:
            yield f"{one.name}.{one.detail} is empty although its score is {review.scores[one.name]}"


def _faults(fields: tuple[Field, ...], values: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the faults of an object; an unknown key is one."""
    for field in fields:
        name = path + field.name
        if field.name not in values:
            if field.required:
                yield f"{name} is missing"
            continue
        value = values[field.name]
        fault = type_fault(field, value)
        if fault:
            yield f"{name} {fault}"
        elif isinstance(value, list):
            if field.maximum is not None and len(value) > field.maximum:
                yield f"{name} must have at most {field.maximum} entries, not {len(value)}"
            for number, item in enumerate(value, 1):
                yield from _item_faults(field, item, f"{name}[{number}]")
        elif isinstance(value, dict):
            yield from _faults(field.fields, value, f"{name}.")
        elif fault := value_fault(field, value):
            yield f"{name} {fault}"
    known = {field.name for field in fields}
    yield from (f"{path}{name} is not a key of this form" for name in values if name not in known)


def _item_faults(field: Field, item: object, name: str) -> Iterator[str]:
    fault = item_type_fault(field, item)
    if fault:
        yield f"{name} {fault}"
    elif isinstance(item, dict):
        yield from _faults(field.fields, item, f"{name}.")
    elif fault := value_fault(field, item):
        yield f"{name} {fault}"
