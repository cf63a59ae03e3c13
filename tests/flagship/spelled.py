"""Which verbs of `ultra` a text of the plugin names, which of them it asks for, and which were played."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.client.conversation import ToolResult
from tests.kit.names import PIPELINE, ROOT

RUNTIME = ROOT / "plugin_src/runtime/ultra_runtime/verbs"
MORE = {"put": 1, "validate": 1, "stats": 1, "guide": 2}
"""Verbs that are told apart by the words behind them, too."""
CONDITIONAL: Mapping[str, Mapping[str, str]] = {
    "brief": {
        "guide degraded": "the Agent tool is missing, or the reviewer failed twice",
        "guide brief usage": "the arguments are wrong",
        "guide brief exists": "the directory is not empty",
        "guide brief stop": "the user stops",
        "guide brief auto": "the user takes Auto",
    },
    "research": {
        "guide degraded": "the Agent tool is missing",
        "guide research usage": "the arguments are wrong",
        "brief status": "the user wants to skip the rest",
    },
    "plan": {
        "guide plan usage": "the arguments are wrong",
        "plan begin": "the source is a brief or a review",
        "plan task": "the task is small",
        "guide plan sessions": "the plan is long, or its sessions are exported",
    },
    "execute": {
        "guide execute usage": "the arguments are wrong",
        "guide execute look": "nothing is to be run",
    },
    "continue": {},
    "review": {"guide review usage": "the arguments are wrong"},
}
"""For each stage what its phases name for a case that may not arise, and the case."""


OF_GUIDES = {
    "step rescue": "undone edits are a good start",
    "guide degraded": "the Agent tool is missing",
    "guide research who": "a name says too little",
}
"""What a guide names for a case that may not arise, and the case."""


def known_verbs() -> set[str]:
    """Return the verbs of the runtime, by their usage lines."""
    lines = [
        re.search(r'(?m)^(?:USAGE = |    )"([a-z][^"]*)', path.read_text())
        for path in RUNTIME.glob("[a-z]*.py")
    ]
    verbs = {
        (re.match(r"[a-z][a-z-]*(?: [a-z][a-z-]*)*(?= |$)", line[1]) or line)[0] for line in lines if line
    }
    assert {"continue", "brief note", "put", "check-output", "run start"} <= verbs, verbs
    return verbs


VERBS = known_verbs()


def spelled(call: str) -> str:
    """Return the verb of a call, without what differs from call to call."""
    words = call.split()[1:]
    for count in (2, 1):
        verb = " ".join(words[:count])
        if verb in VERBS:
            more = re.match(r"(?: [a-z][a-z-]*)*", f" {' '.join(words[count : count + MORE.get(verb, 0)])}")
            return verb + (more[0] if more else "")
    return ""


def named(text: str) -> list[str]:
    """Return the verbs that a text names in its code, in their order."""
    code = re.findall(r"`(ultra [^`]+)`|^ {4,}(ultra .+)$", text, re.MULTILINE)
    verbs = [spelled(span or line) for span, line in code]
    return [verb for verb in verbs if verb and verb not in MORE]


def phases(command: str) -> list[str]:
    """Return the numbered sections of a command, in which its calls stand."""
    return re.split(r"(?m)^## \d+\. ", command)[1:]


def played(results: Iterable[ToolResult]) -> list[str]:
    """Return what was done, in order: a verb, another program or a tool; files that were read are left out."""
    names = []
    for result in results:
        call = str(result.call.input.get("command", ""))
        if call.startswith("ultra "):
            names.append(spelled(call))
        elif result.call.name != "Read":
            names.append(call.split()[0] if call else result.call.name)
    return names


def guide_in(result: ToolResult) -> str:
    """Return the guide that a call printed, by itself or with its answer."""
    if str(result.call.input["command"]).startswith("ultra guide "):
        return result.text
    found = re.search(r"^\{.*\}$", result.text, re.MULTILINE)
    return str(json.loads(found.group()).get("guide", "")) if found else ""


def keeps_to(name: str, bundle: Path, results: Sequence[ToolResult]) -> None:
    """Compare what was played in a stage with the texts that the model had: all of it, in order, and nothing else."""
    command = (bundle / "commands" / f"{name}.md").read_text()
    (conditional,) = [CONDITIONAL[stage] for stage, typed in PIPELINE.items() if typed == name]
    calls = [one for one in results if str(one.call.input.get("command", "")).startswith("ultra ")]
    guides = [guide_in(one) for one in calls]
    verbs = [spelled(str(one.call.input["command"])) for one in calls]
    known = {*named(command), *(verb for guide in guides for verb in named(guide))}
    skills = [str(one.call.input["skill"]).partition(":")[2] for one in results if one.call.name == "Skill"]
    theirs = {verb for skill in skills for verb in named((bundle / "commands" / f"{skill}.md").read_text())}
    assert set(verbs) <= known | theirs, f"{name} does not name {set(verbs) - known - theirs}"
    of_phases = [named(phase) for phase in phases(command)]
    asked = {verb for phase in of_phases for verb in phase}
    assert set(conditional) <= asked, f"{name} no longer names {set(conditional) - asked}"
    wanted = known - {*conditional, *OF_GUIDES} - (set(named(command)) - asked)
    assert wanted <= set(verbs), f"{name} asks for {wanted - set(verbs)}, which was not played"
    number = {verb: at for at, phase in reversed([*enumerate(of_phases)]) for verb in phase}
    turns = [number[verb] for verb in dict.fromkeys(verbs) if verb in number]
    assert turns == sorted(turns), f"{name} was played in another order: {verbs}"
