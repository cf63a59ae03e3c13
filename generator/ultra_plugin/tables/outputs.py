"""Render the output block of each agent."""

from __future__ import annotations

from collections.abc import Mapping

from ultra_plugin.artifact import Output
from ultra_plugin.tables.contract import field_call, gate_call, used_classes
from ultra_plugin.tables.literal import arguments, literal, row


def outputs_module(outputs: Mapping[str, Output]) -> str:
    """Return the module with the output block of each agent."""
    rows = "".join(f"    {literal(agent)}: {_output(output)},\n" for agent, output in outputs.items())
    return (
        '"""Rendered from outputs/*.yaml: edit those files, not this one."""\n\n'
        f"{used_classes(rows)}\n"
        f"OUTPUTS = {{\n{rows}}}\n"
    )


def _output(output: Output) -> str:
    optional = {key: value for key in ("gate", "weights") if (value := getattr(output, key))}
    fields = row(field_call(name, field) for name, field in output.fields.items())
    scores = f", scores={gate_call(output.scores)}" if output.scores else ""
    return f"Output({arguments(name=output.output, **optional)}, fields={fields}{scores})"
