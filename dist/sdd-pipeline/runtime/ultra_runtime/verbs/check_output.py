"""Check the last json block of an agent's answer, given on standard input, against the form for that agent.

AGENT is its name, with or without the plugin's prefix. The exit status is 0 even when faults are found.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.contract.agent_output import bare_name, known_outputs, output_faults
from ultra_runtime.files.given_text import read_given
from ultra_runtime.usage import Args
from ultra_runtime.words import nearest, one_line

USAGE = "check-output AGENT [--json]"

HINT = "give the agent's answer, or its json block in a fence, on standard input"


def run(args: Args) -> Answer:
    """Answer whether the block has the form, and list the faults."""
    agent = bare_name(args.need("AGENT"))
    outputs = known_outputs()
    if agent not in outputs:
        error = f"unknown agent: {one_line(agent)}{nearest(agent, outputs)}"
        raise UsageError(error, f"use one of: {', '.join(outputs)}")
    faults = output_faults(outputs[agent], read_given(None, HINT).decode("utf-8", "replace"))
    next_step = (
        "spawn the agent once more with these faults, or continue without it" if faults else "continue"
    )
    data = {"ok": True, "valid": not faults, "faults": faults, "next": next_step}
    verdict = f"{agent}: {'not ' if faults else ''}valid"
    return Answer(data, "\n".join([verdict, *(f"- {fault}" for fault in faults)]))
