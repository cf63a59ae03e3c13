"""The Python modules that carry contracts and names into the bundled runtime: plain literals that cache."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ultra_plugin.model import Contract, Plugin, Suite


def contract_module(contract: Contract) -> str:
    """Return the module that holds one contract."""
    fields = "".join(
        f"        Field({_call(name=name, type=f.type, required=f.required, means=f.means, values=f.values)}),\n"
        for name, f in contract.fields.items()
    )
    codes = "".join(
        f"        Code({_call(name=name, severity=c.severity, means=c.means, remedy=c.remedy)}),\n"
        for name, c in contract.codes.items()
    )
    version = contract.version
    head = {
        "artifact": contract.artifact,
        "title": contract.title,
        "prefix": contract.prefix,
        "format": contract.format,
    }
    return (
        f'"""Rendered from contracts/{contract.artifact}.yaml: edit that file, not this one."""\n\n'
        "from ultra_runtime.contract import Code, Contract, Field, Version\n\n"
        "CONTRACT = Contract(\n"
        + "".join(f"    {key}={_literal(value)},\n" for key, value in head.items())
        + f"    version=Version({_call(field=version.field, current=version.current, accepts=version.accepts)}),\n"
        f"    fields=(\n{fields}    ),\n"
        f"    rules={_literal(contract.rules)},\n"
        f"    codes=(\n{codes}    ),\n"
        ")\n"
    )


def names_module(suite: Suite, plugin: Plugin) -> str:
    """Return the module that tells the runtime how things are called in this bundle."""
    stages = plugin.settings.pipeline or plugin.commands
    values = {
        "PLUGIN": plugin.settings.name,
        "VERSION": suite.version,
        "OLDEST_CLIENT": suite.settings.oldest_client,
        "COMMANDS": {stage: f"/{plugin.settings.name}:{name}" for stage, name in stages.items()},
        "CARRIED": tuple(stage for stage in stages if stage in plugin.commands),
    }
    body = "".join(f"{name} = {_literal(value)}\n" for name, value in values.items())
    return f'"""Rendered from plugin.yaml and suite.yaml: edit those files, not this one."""\n\n{body}'


def _call(**arguments: object) -> str:
    return ", ".join(f"{name}={_literal(value)}" for name, value in arguments.items())


def _literal(value: object) -> str:
    """Return a Python literal that is the same text on every version of Python."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{_literal(item)}, " for item in value).rstrip(" ") + ")"
    return repr(value)
