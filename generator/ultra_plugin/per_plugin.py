"""Return the suite for one plugin: its verbs, the contracts of its stages, and the name of its launcher."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ultra_plugin.artifact import Contract
from ultra_plugin.model import Plugin, Suite

MARK = "{launcher}"
"""The placeholder for the plugin's launcher in a contract."""


def own_suite(suite: Suite, plugin: Plugin) -> Suite:
    """Return the suite with the verbs and contracts that the plugin carries and the name of its launcher."""
    launcher = plugin.launcher or suite.settings.name
    verbs = plugin.settings.runtime.verbs if plugin.settings.runtime else {}
    marks = {f"{MARK} {verb}": f"{launcher} {own}" for verb, own in verbs.items()} | {MARK: launcher}
    contracts, codes = _said(own_contracts(suite, plugin), marks), _said(suite.common_codes, marks)
    policy = _said(suite.policy, marks)
    return dataclasses.replace(
        suite, verbs=plugin.verbs, contracts=contracts, common_codes=codes, policy=policy
    )


def own_contracts(suite: Suite, plugin: Plugin) -> dict[str, Contract]:
    """Return the contracts that a stage writes or reads, or a room needs; all of them for a plugin without stages."""
    stages = {*plugin.settings.pipeline}
    needed = plugin.settings.runtime.contracts if plugin.settings.runtime else ()
    return {
        key: contract
        for key, contract in suite.contracts.items()
        if not stages or contract.artifact in needed or stages & {contract.producer, *contract.consumers}
    }


def _said(value: Any, marks: Mapping[str, str]) -> Any:
    """Return a value with the launcher's name filled in everywhere, and the plugin's own verbs."""
    if isinstance(value, str):
        for mark, word in marks.items() if MARK in value else ():
            value = value.replace(mark, word)
        return value
    if isinstance(value, tuple):
        return tuple(_said(item, marks) for item in value)
    if isinstance(value, Mapping):
        return {key: _said(item, marks) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **{name: _said(part, marks) for name, part in parts.items()})
    return value
