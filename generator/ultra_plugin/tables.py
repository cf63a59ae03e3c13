"""The Python modules that carry contracts and names into the bundled runtime: plain calls and literals that cache."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from ultra_plugin.model import (
    Block,
    Code,
    Contract,
    Field,
    Gate,
    Modes,
    Output,
    Part,
    Plugin,
    Section,
    Suite,
    Version,
)
from ultra_plugin.rules import Policy

_CLASSES = "Block, Code, Contract, Dimension, Field, Gate, Modes, Part, Section, Version"
_COMMON = "common"


def contract_module(contract: Contract) -> str:
    """Return the module that holds one contract."""
    arguments = {
        "artifact": literal(contract.artifact),
        "title": literal(contract.title),
        "prefix": literal(contract.prefix),
        "format": literal(contract.format),
        "version": _version(contract.version),
        "modes": _modes(contract.modes),
        "places": literal(tuple(place.path for place in contract.places)),
        "fields": _rows(_field(name, field) for name, field in contract.fields.items()),
        "sections": _rows(_section(name, section) for name, section in contract.sections.items()),
        "parts": _rows(_part(name, part) for name, part in contract.parts.items()),
        "blocks": _rows(_block(name, block) for name, block in contract.blocks.items()),
        "files": literal({name: file.role for name, file in contract.files.items()}),
        "forbidden_headings": literal(contract.forbidden_headings),
        "rules": literal(tuple(contract.rules)),
        "stats": _rows(_field(name, field) for name, field in contract.stats.items()),
        "gate": _gate(contract.gate) if contract.gate else "None",
        "codes": _rows(_code(name, code) for name, code in contract.codes.items()),
    }
    body = "".join(
        f"    {name}={text},\n" for name, text in arguments.items() if text not in ("()", "{}", "None")
    )
    return (
        f'"""Rendered from contracts/{contract.artifact}.yaml: edit that file, not this one."""\n\n'
        f"from ultra_runtime.contract.model import {_used(body)}\n\n"
        f"CONTRACT = Contract(\n{body})\n"
    )


def common_module(codes: Mapping[str, Code]) -> str:
    """Return the module that holds the codes which no single artifact owns."""
    return (
        f'"""Rendered from contracts/{_COMMON}.yaml: edit that file, not this one."""\n\n'
        "from ultra_runtime.contract.model import Code\n\n"
        f"CODES = {_rows(_code(name, code) for name, code in codes.items())}\n"
    )


def outputs_module(outputs: Mapping[str, Output]) -> str:
    """Return the module that holds the form in which each agent answers."""
    rows = "".join(f"    {literal(agent)}: {_output(output)},\n" for agent, output in outputs.items())
    used = ", ".join(name for name in ("Dimension", "Field", "Gate", "Output") if f"{name}(" in rows)
    return (
        '"""Rendered from outputs/*.yaml: edit those files, not this one."""\n\n'
        f"from ultra_runtime.contract.model import {used}\n\n"
        f"OUTPUTS = {{\n{rows}}}\n"
    )


def _output(output: Output) -> str:
    optional = {key: value for key in ("gate", "weights") if (value := getattr(output, key))}
    fields = _row(_field(name, field) for name, field in output.fields.items())
    scores = f", scores={_gate(output.scores)}" if output.scores else ""
    return f"Output({_call(name=output.output, **optional)}, fields={fields}{scores})"


def names_module(suite: Suite, plugin: Plugin) -> str:
    """Return the module that tells the runtime how things are called in this bundle."""
    stages = plugin.settings.pipeline or plugin.commands
    values = {
        "PLUGIN": plugin.settings.name,
        "VERSION": suite.version,
        "OLDEST_CLIENT": suite.settings.oldest_client,
        "COMMANDS": {stage: f"/{plugin.settings.name}:{name}" for stage, name in stages.items()},
        "CARRIED": tuple(stage for stage in stages if stage in plugin.commands),
        "READING": tuple(sorted(verb.name for verb in suite.verbs.values() if verb.reads_only)),
    }
    body = "".join(f"{name} = {literal(value)}\n" for name, value in values.items())
    return f'"""Rendered from plugin.yaml and suite.yaml: edit those files, not this one."""\n\n{body}'


def policy_module(policy: Policy) -> str:
    """Return the module that holds the policy for the guard, as plain literals."""
    commands: dict[str, tuple[tuple[str, str], ...]] = {}
    events: dict[str, tuple[tuple[str, str], ...]] = {}
    sources: dict[str, tuple[tuple[str, str], ...]] = {}
    adders: dict[str, tuple[tuple[str, ...], bool, tuple[str, ...]]] = {}
    for rule in policy.commands:
        for logic in rule.logic:
            for name, adder in logic.adders.items():
                commands[name] = (*commands.get(name, ()), (rule.id, logic.use))
                adders[name] = (adder.verbs, not adder.bare, adder.values)
            if logic.when in ("command", "source"):
                table, first = (commands, rule.id) if logic.when == "command" else (sources, logic.gives)
                for name in logic.commands:
                    table[name] = (*table.get(name, ()), (first, logic.use))
            else:
                events[logic.when] = (*events.get(logic.when, ()), (rule.id, logic.use))
    tables: dict[str, Mapping[str, object]] = {
        "RULES": {r.id: (r.verdict, r.title, r.why, r.instead) for r in (*policy.commands, *policy.paths)},
        "COMMANDS": commands,
        "EVENTS": events,
        "SOURCES": sources,
        "ADDERS": adders,
        "PATHS": {rule.id: (rule.patterns, rule.unless) for rule in policy.paths},
        "SECRET_FILES": _secret_files(policy),
    }
    body = "".join(f"{name} = {_table(rows)}\n" for name, rows in tables.items())
    return f'"""Rendered from policy/commands.yaml and policy/paths.yaml: edit those files, not this one."""\n\n{body}'


def _secret_files(policy: Policy) -> dict[str, object]:
    """Return the names that nothing quotes: of the rules that count, and those of its own."""
    secrets = policy.secret_files
    if secrets is None:
        return {}
    rules = {rule.id: (rule.patterns, rule.unless) for rule in policy.paths if rule.id in secrets.rules}
    return {**rules, "own": (secrets.patterns, secrets.unless)}


def _table(rows: Mapping[str, object]) -> str:
    return "{\n" + "".join(f"    {literal(key)}: {literal(row)},\n" for key, row in rows.items()) + "}"


def _used(body: str) -> str:
    """Return the classes that the body calls, in the order of an import."""
    return ", ".join(name for name in _CLASSES.split(", ") if f"{name}(" in body or name == "Contract")


def _field(name: str, field: Field) -> str:
    optional = {
        "values": field.values,
        "minimum": field.minimum,
        "maximum": field.maximum,
        "form": field.form,
        "items": field.items,
        "nullable": field.nullable or None,
        "code": field.code,
        "type_code": field.type_code,
        "missing": field.missing,
        "legacy": field.legacy or None,
        "moves": field.moves or None,
    }
    call = _call(name=name, type=field.type, required=field.required, means=field.means) + "".join(
        f", {key}={literal(value)}" for key, value in optional.items() if value is not None
    )
    for key, inner in (("fields", field.fields), ("entries", field.entries)):
        if inner:
            call += f", {key}={_row(_field(name, field) for name, field in inner.items())}"
    return f"Field({call})"


def _section(name: str, section: Section) -> str:
    call = _call(name=name, required=section.required, means=section.means)
    if section.fields:
        call += f", fields={_row(_field(name, field) for name, field in section.fields.items())}"
    return f"Section({call}{', mild=True' if section.mild else ''})"


def _part(name: str, part: Part) -> str:
    call = _call(name=name, heading=part.heading, under=part.under, level=part.level, means=part.means)
    for key in ("code", "counted_by", "count_code", "listed_by"):
        if value := getattr(part, key):
            call += f", {key}={literal(value)}"
    return f"Part({call}, fields={_row(_field(name, field) for name, field in part.fields.items())})"


def _block(name: str, block: Block) -> str:
    fields = _row(_field(name, field) for name, field in block.fields.items())
    return f"Block({_call(name=name, means=block.means)}, fields={fields})"


def _code(name: str, code: Code) -> str:
    call = _call(name=name, severity=code.severity, means=code.means, remedy=code.remedy)
    return f"Code({call}{', soft=True' if code.soft else ''})"


def _version(version: Version | None) -> str:
    if version is None:
        return "None"
    optional = {"legacy": version.legacy, "block": version.block}
    given = {key: value for key, value in optional.items() if value}
    return f"Version({_call(field=version.field, current=version.current, accepts=version.accepts, **given)})"


def _modes(modes: Modes) -> str:
    write = modes.write
    given = {key: value for key, value in (("soft_when", write.soft_when), ("draft", write.draft)) if value}
    return f"Modes({_call(write=write.mode, read=modes.read.mode, **given)})"


def _gate(gate: Gate) -> str:
    numbers = ("lowest", "highest", "passes_at", "detail_at", "rounds", "degraded_score", "degraded_verdict")
    call = _call(
        **{name: getattr(gate, name) for name in numbers}, tie_order=gate.tie_order, verdicts=gate.verdicts
    )
    call += f", {_call(hard=gate.hard)}" if gate.hard else ""
    dimensions = _row(
        f"Dimension({_call(name=name, detail=one.detail, detail_fields=one.detail_fields)}"
        f", passes_at={one.passes_at or gate.passes_at})"
        for name, one in gate.dimensions.items()
    )
    return f"Gate({call}, dimensions={dimensions})"


def _rows(calls: Iterable[str]) -> str:
    """Return a tuple with one call a line, as an argument of the contract."""
    lines = "".join(f"        {call},\n" for call in calls)
    return f"(\n{lines}    )" if lines else "()"


def _row(calls: Iterable[str]) -> str:
    """Return a tuple on one line."""
    return "(" + "".join(f"{call}, " for call in calls).rstrip(" ") + ")"


def _call(**arguments: object) -> str:
    return ", ".join(f"{name}={literal(value)}" for name, value in arguments.items())


def literal(value: object) -> str:
    """Return a Python literal that is the same text on every version of Python."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{literal(item)}, " for item in value).rstrip(" ") + ")"
    return repr(value)
