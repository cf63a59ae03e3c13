"""Check the headers of commands, agents and skills."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ultra_plugin.check.client import (
    AGENT_KEYS,
    BOOLEAN_KEYS,
    COLORS,
    COMMAND_KEYS,
    CONTEXTS,
    EFFORTS,
    IGNORED_AGENT_KEYS,
    ISOLATIONS,
    MEMORIES,
    MODELS,
    SHELLS,
    SKILL_KEYS,
)
from ultra_plugin.check.codes import FREE_KEYS, printable, problem, quote, suggest, warning
from ultra_plugin.check.components import Component
from ultra_plugin.check.subject import Subject
from ultra_plugin.check.tools import tool_findings
from ultra_plugin.errors import Problem

KEYS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"command": COMMAND_KEYS, "agent": AGENT_KEYS, "skill": SKILL_KEYS}
)
TOOL_KEYS = ("allowed-tools", "disallowed-tools", "tools", "disallowedTools")
_SWITCHES = frozenset({"", "1", "0", "true", "false", "yes", "no", "on", "off"})
"""Texts that the client accepts as a boolean, in upper or lower case."""
SHORTEST_DESCRIPTION = 15
LONGEST_DESCRIPTION = 1536  # what the listing shows of it (specification, 2.1.197 section 3)
_MODEL_ID = re.compile(r"(?:[\w.-]+[/.])*claude-[\w.@:-]+(?:\[1m\])?|arn:aws[\w-]*:bedrock:\S+")
_WORDS: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("color", "unknown-color", COLORS),
    ("context", "bad-value", CONTEXTS),
    ("memory", "bad-value", MEMORIES),
    ("isolation", "bad-value", ISOLATIONS),
)

_REFUSED_KINDS: Mapping[str, frozenset[str]] = MappingProxyType({
    "description": frozenset({"list", "mapping"}),
    "name": frozenset({"boolean", "number", "list", "mapping"}),
    "allowed-tools": frozenset({"boolean", "number", "mapping"}),
    "shell": frozenset({"boolean", "number", "list", "mapping"}),
})  # fmt: skip


_KEY_REMEDIES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("agent", "allowed-tools"): "list an agent's tools under 'tools'",
        ("skill", "tools"): "list them under 'allowed-tools'",
        ("command", "tools"): "list them under 'allowed-tools'",
    }
)


def check_frontmatter(subject: Subject) -> Iterator[Problem]:
    """Find the faults in the header of each component."""
    for component in subject.components:
        yield from _header(component)
        yield from _types(component)
        yield from _keys(component)
        yield from _description(component)
        yield from _values(component)
        if component.header.state == "mapping" and not component.header.body.strip():
            yield warning(
                component.path, component.header.body_line, "empty-body", "has no text below its header"
            )


def _header(component: Component) -> Iterator[Problem]:
    header, path = component.header, component.path
    if header.state == "absent":
        yield warning(path, 1, "no-header", "does not start with a YAML header between '---' lines")
    elif header.state == "unclosed":
        yield warning(path, 1, "no-header", "has a YAML header that no '---' closes")
    elif header.state == "broken":
        message = f"the client cannot read the YAML header: {printable(header.fault)}"
        yield problem(component.severity, path, header.line, "yaml", message)
    elif header.state == "unsure":
        message = f"the client may not be able to read the YAML header: {printable(header.fault)}"
        yield warning(path, header.line, "yaml", message)
    elif header.state == "not-a-mapping":
        message = f"the YAML header must be 'key: value' lines, not {printable(header.fault)}"
        yield problem(component.severity, path, header.line, "header-not-a-mapping", message)
    if header.is_repaired:
        yield warning(
            path, header.line, "yaml-repaired", "the YAML header parses only after the client repairs it"
        )
    if header.is_cut:
        message = "the client ends the header at '---' in the middle of this line"
        yield warning(path, header.body_line, "header-cut", message)
    for key, line in header.repeated:
        yield warning(path, line, "duplicate-key", f"{quote(key)} is listed twice; the last one counts")


def _types(component: Component) -> Iterator[Problem]:
    """Find values that the client refuses."""
    values = component.header.values
    for key, kinds in _REFUSED_KINDS.items():
        value = values.get(key)
        if value is None or (key == "shell" and component.kind == "agent"):
            continue
        if value.kind in kinds:
            message = f"{quote(key)} must be text, not a {value.kind}"
            yield problem(component.severity, component.path, value.line, "bad-type", message)
        elif any(item.kind not in ("string", "unknown") for item in value.items) and key == "allowed-tools":
            message = f"{quote(key)} must list text only"
            yield problem(component.severity, component.path, value.line, "bad-type", message)
        elif key == "shell" and value.kind == "string" and not _is_shell(value.text):
            message = f"'shell' must be bash or powershell, not {quote(value.text)}"
            yield problem(component.severity, component.path, value.line, "bad-value", message)


def _is_shell(text: str) -> bool:
    return text.strip().lower() in SHELLS or "\ufffd" in text  # the client trims more than we can see


def _keys(component: Component) -> Iterator[Problem]:
    known = KEYS[component.kind]
    for key, value in component.header.values.items():
        if key not in known:
            message = f"the client does not know the key {quote(key)} of {'an' if component.kind == 'agent' else 'a'} {component.kind}"
            remedy = _KEY_REMEDIES.get((component.kind, key)) or suggest(key, known) or FREE_KEYS
            yield warning(component.path, value.line, "unknown-key", message, remedy)
        elif component.kind == "agent" and key in IGNORED_AGENT_KEYS:
            message = f"{quote(key)} is ignored in the agents of a plugin"
            yield warning(component.path, value.line, "ignored-key", message)


def _description(component: Component) -> Iterator[Problem]:
    header = component.header
    value = header.values.get("description")
    if header.state != "mapping" or (value and value.kind in ("list", "mapping", "unknown")):
        return
    is_agent = component.kind == "agent"
    if value is None or value.kind == "null" or not value.text.strip():
        line = value.line if value else header.line
        if not is_agent or header.values.keys().isdisjoint(("when_to_use", "when-to-use")):
            yield warning(component.path, line, "no-description", f"this {component.kind} has no description")
    elif len(value.text.strip()) < SHORTEST_DESCRIPTION and component.kind != "command":
        message = f"the description is shorter than {SHORTEST_DESCRIPTION} characters"
        yield warning(component.path, value.line, "short-description", message)
    elif len(value.text) > LONGEST_DESCRIPTION and not is_agent:
        message = f"the description is longer than {LONGEST_DESCRIPTION} characters and is cut"
        yield warning(component.path, value.line, "long-description", message)


def _values(component: Component) -> Iterator[Problem]:
    values, path = component.header.values, component.path
    for key in TOOL_KEYS:
        if key in values and key in KEYS[component.kind]:
            for line, code, message, remedy in tool_findings(values[key]):
                yield warning(path, line, code, message, remedy)
    model, effort = values.get("model"), values.get("effort")
    if model and model.kind != "null" and not (model.text in MODELS or _MODEL_ID.fullmatch(model.text)):
        message = f"the client has no model {quote(model.text)}"
        yield warning(path, model.line, "unknown-model", message, suggest(model.text, MODELS))
    if effort and effort.kind != "null" and effort.text not in EFFORTS and not effort.text.isdecimal():
        message = f"the client has no effort {quote(effort.text)}"
        yield warning(path, effort.line, "unknown-effort", message)
    for key, code, words in _WORDS:
        value = values.get(key)
        if value and value.kind != "null" and value.text not in words:
            message = f"{quote(key)} must be one of {', '.join(sorted(words))}"
            yield warning(path, value.line, code, message, suggest(value.text, words))
    for key in sorted(BOOLEAN_KEYS):
        if (value := values.get(key)) and value.kind != "boolean" and value.text.lower() not in _SWITCHES:
            yield warning(path, value.line, "bad-value", f"{quote(key)} must be true or false")
    turns = values.get("maxTurns")
    if turns and component.kind == "agent" and not (turns.kind == "number" and turns.text.isdecimal()):
        yield warning(path, turns.line, "bad-value", "'maxTurns' must be a whole number")
