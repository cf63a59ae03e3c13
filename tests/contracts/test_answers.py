"""What contracts decide about the answers of agents, in the process: blocks, scores and every fault by its key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ultra_runtime.tables.limits import ISSUES_TOLD

from tests.kit.table import each
from ultra_runtime.contract import agent_output
from ultra_runtime.contract.gates import Output
from ultra_runtime.contract.model import Field, load_contract
from ultra_runtime.contract.scores import json_blocks, read_score, split_answer


def made(field: Field) -> Any:
    """Return a value that a field allows."""
    kind = field.type
    if kind == "list":
        item = (
            {one.name: made(one) for one in field.fields}
            if field.fields
            else sample(field, field.items or "text")
        )
        return [item]
    if kind == "object":
        return {one.name: made(one) for one in field.fields}
    return sample(field, kind)


def sample(field: Field, kind: str) -> Any:
    if field.values:
        return next(iter(field.values))
    if kind in ("integer", "number"):
        return field.minimum if field.minimum is not None else 1
    texts = {"sha1": "a" * 40, "location": "a:1", "commit": "a" * 40, "sha256": "a" * 64, "version": "1.0"}
    return {
        "boolean": True,
        "any": 1,
        "object": {},
        "date": "2026-01-31",
        "timestamp": "2026-01-31T12:00:00Z",
    }.get(kind, texts.get(field.form, "text"))


def changed(fields: tuple[Field, ...], value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what the fault is about, and the value with it."""
    yield "strange is not a key", {**value, "strange": 1}
    for field in fields:
        rest = {name: one for name, one in value.items() if name != field.name}
        if field.required:
            yield f"{field.name} is missing", rest
        else:
            yield "", rest
        if field.type != "any":
            yield f"{field.name} must be", {**value, field.name: None}
        if field.type == "list":
            if field.maximum is not None:
                yield (
                    f"{field.name} must have at most",
                    {**value, field.name: value[field.name] * (int(field.maximum) + 1)},
                )
                yield "", {**value, field.name: value[field.name] * int(field.maximum)}
            if (field.items or "any") != "any":
                yield f"{field.name}[2] must be", {**value, field.name: [*value[field.name], None]}
            for about, item in changed(field.fields, value[field.name][0]) if field.fields else ():
                yield about and f"{field.name}[2].{about}", {**value, field.name: [*value[field.name], item]}
        elif field.type == "object":
            for about, item in changed(field.fields, value[field.name]):
                yield about and f"{field.name}.{about}", {**value, field.name: item}
        if field.values and field.type == "text":
            yield f"{field.name} must be", {**value, field.name: "nothing of this"}
        if field.type == "integer" and field.minimum is not None and not field.values:
            yield f"{field.name} must be at least", {**value, field.name: field.minimum - 1}
        if field.type == "integer" and field.maximum is not None and not field.values:
            yield f"{field.name} must be at most", {**value, field.name: field.maximum + 1}
            yield "", {**value, field.name: field.maximum}


def block(value: object) -> str:
    return f"Words.\n\n```json\n{json.dumps(value)}\n```\n"


PLAIN = {name: one for name, one in agent_output.known_outputs().items() if not (one.gate or one.scores)}


@each(PLAIN.items())
def test_every_fault_of_an_answer_is_told_by_its_key(agent: str, output: Output) -> None:
    value = {one.name: made(one) for one in output.fields}
    assert agent_output.output_faults(output, block(value)) == []
    assert agent_output.answer_block(agent, block(value), "hint") == value
    rows = list(changed(output.fields, value))
    assert len(rows) > 1
    for about, other in rows:
        told = agent_output.output_faults(output, block(other))
        assert told if about else not told, (about, other, told)
        assert not about or any(one.startswith(about) for one in told), (about, told)
        assert len(told) <= ISSUES_TOLD


def test_an_answer_without_a_block_is_told() -> None:
    output = next(iter(PLAIN.values()))
    assert agent_output.output_faults(output, "words") == ["the answer has no ```json block at its end"]
    assert "line 2 of the json block" in agent_output.output_faults(output, "```json\n{\n,}\n```")[0]
    value = {one.name: made(one) for one in output.fields}
    assert agent_output.output_faults(output, block(value).split("```json\n")[1].split("\n```")[0]) == []
    many = {f"k{number}": 1 for number in range(ISSUES_TOLD + 5)}
    assert len(agent_output.output_faults(output, block(many))) == ISSUES_TOLD


@each((name, one) for name, one in agent_output.known_outputs().items() if one.gate or one.scores)
def test_an_answer_with_scores(agent: str, output: Output) -> None:
    gate = output.scores or load_contract(output.gate).gate
    assert gate
    value: dict[str, Any] = {one.name: {"score": gate.highest, one.detail: []} for one in gate.dimensions}
    value["verdict"] = next(iter(gate.verdicts))
    assert agent_output.output_faults(output, block(value)) == []
    for one in gate.dimensions:
        for score in (gate.lowest - 1, gate.highest + 1, None, "x"):
            told = agent_output.output_faults(output, block({**value, one.name: {"score": score}}))
            assert f"{one.name}.score must be a whole number from {gate.lowest} to {gate.highest}" in told
        low = {**value, one.name: {"score": gate.detail_at, one.detail: []}}
        assert any(
            f"{one.name}.{one.detail} is empty" in fault
            for fault in agent_output.output_faults(output, block(low))
        )
        fine = {**value, one.name: {"score": gate.detail_at, one.detail: ["why"]}}
        assert agent_output.output_faults(output, block(fine)) == []
        above = {**value, one.name: {"score": gate.detail_at + 1, one.detail: []}}
        assert agent_output.output_faults(output, block(above)) == []
    for score in (str(gate.highest), f"00{gate.highest}"):
        assert read_score(gate, score) == gate.highest
    for wrong in (
        f"000{gate.highest}",
        "",
        f" {gate.highest}",
        f"{gate.highest}.0",
        True,
        float(gate.highest),
        "\u0661",
    ):
        assert read_score(gate, wrong) is None
    told = agent_output.output_faults(output, block({**value, "verdict": "PERHAPS"}))
    assert any(fault.startswith("verdict must be ") for fault in told)


# -- bodies


@each(
    [
        ("```json\n{}\n```", "{}", ""),
        ("``json\n{}\n``", None, "``json\n{}\n``"),
        ("~~~JSON \n{}\n~~~", "{}", ""),
        ("  ``` json\n{}\n  ```\n", "{}", ""),
        ("```json\n{}\n````", "{}", ""),
        ("````json\n```\n````", "```", ""),
        ("```json\na\n``` x\n```\nb", "a\n``` x", "b"),
        ("a\n```json\n1\n```\nb\n```json\n2\n```\nc", "2", "a\nb\nc"),
        ("```json\n{", "{", ""),
        ("```js\nx\n```", None, "```js\nx\n```"),
        ("~~~json\n{}\n```\n~~~\n", "{}\n```", ""),
        ("json\n`\n~", None, "json\n`\n~"),
        ("", None, ""),
    ]
)
def test_the_last_block_and_the_words_around(answer: str, found: str | None, prose: str) -> None:
    assert split_answer(answer) == (found, prose)


ONE, TWO = '```json\n{"a":1}\n```', ' ``` JSON\n{"b":2}\n```'


@each(
    [
        (f"x\n{ONE}\ny", [({"a": 1}, f"x\n{ONE}")]),
        (f"{ONE}\nx\n{TWO}", [({"a": 1}, ONE), ({"b": 2}, f"x\n{TWO}")]),
        (f"```json\n{{\n```\n{ONE}", [({"a": 1}, f"```json\n{{\n```\n{ONE}")]),
        ('{"a":1}', [({"a": 1}, ONE)]),
        ('```js\n{"a":1}\n```', []),
        ('```json\n{"a":1}', []),
        ("words", []),
    ]
)
def test_every_block_with_the_words_before_it(text: str, expected: list[tuple[dict[str, int], str]]) -> None:
    assert json_blocks(text) == expected
