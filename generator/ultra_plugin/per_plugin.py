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
    contracts, codes = _said(own_contracts(suite, plugin), launcher), _said(suite.common_codes, launcher)
    policy = _said(suite.policy, launcher)
    return dataclasses.replace(
        suite, verbs=plugin.verbs, contracts=contracts, common_codes=codes, policy=policy
    )


def own_contracts(suite: Suite, plugin: Plugin) -> dict[str, Contract]:
    """Return the contracts that a stage of the plugin writes or reads; all of them for a plugin without stages."""
    stages = {*plugin.settings.pipeline}
    return {
        key: contract
        for key, contract in suite.contracts.items()
        if not stages or stages & {contract.producer, *contract.consumers}
    }


def _said(value: Any, launcher: str) -> Any:
    """Return a value with the launcher's name filled in everywhere."""
    if isinstance(value, str):
        return value.replace(MARK, launcher) if MARK in value else value
    if isinstance(value, tuple):
        return tuple(_said(item, launcher) for item in value)
    if isinstance(value, Mapping):
        return {key: _said(item, launcher) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **{name: _said(part, launcher) for name, part in parts.items()})
    return value
