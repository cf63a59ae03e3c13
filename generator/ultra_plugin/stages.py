"""Find stages whose names do not resolve, and artifacts that the runtime could not place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ultra_plugin.artifact import GAPS, Contract
from ultra_plugin.document import nearest
from ultra_plugin.errors import Problem
from ultra_plugin.model import Plugin, Stage
from ultra_plugin.source import SourceTree

_GAP = re.compile(r"\{([^{}]*)\}")


def stage_problems(tree: SourceTree, plugin: Plugin, contracts: Mapping[str, Contract]) -> list[Problem]:
    """Return the problems of a plugin's stages that name missing things."""
    path = tree.shown(plugin.file)
    return [
        Problem(path, stage.line, "bad-stage", f"the stage '{name}' {message}", remedy)
        for name, stage in plugin.settings.pipeline.items()
        for message, remedy in _faults(tree, plugin, name, stage, contracts)
    ]


def _faults(
    tree: SourceTree, plugin: Plugin, name: str, stage: Stage, contracts: Mapping[str, Contract]
) -> Iterator[tuple[str, str]]:
    """Yield message and remedy for each thing that a stage lacks."""
    needed = [("command", f"commands/{name}.md.j2"), ("page", f"docs/commands/{name}.md.j2")]
    contract = contracts.get(stage.makes or "")
    if contract and contract.is_text:
        needed.append(("template", f"templates/{contract.artifact}.md.j2"))
    for what, path in needed:
        if tree.find(f"{plugin.folder}/{path}") is None:
            yield f"has no {what}", f"add {tree.shown(f'{plugin.folder}/{path}')}, or remove the stage"
    if stage.makes and contract is None:
        yield f"makes '{stage.makes}', which has no contract", nearest(stage.makes, contracts)
    if contract and not contract.project_files:
        remedy = f"add a place '{{project_dir}}/...' to contracts/{contract.artifact}.yaml"
        yield f"makes '{stage.makes}', which has no place in a project", remedy
    if contract and contract.producer != name:
        remedy = f"write 'producer: {name}' in contracts/{contract.artifact}.yaml"
        yield f"makes '{stage.makes}', whose producer is '{contract.producer}'", remedy
    if stage.next:
        yield from _order_faults(plugin.settings.pipeline, name, stage.next)


def _order_faults(pipeline: Mapping[str, Stage], name: str, following: str) -> Iterator[tuple[str, str]]:
    order = [stage for stage, one in pipeline.items() if one.makes]
    if following not in pipeline:
        yield f"is followed by '{following}', which is not a stage", nearest(following, pipeline)
    elif name not in order or order[order.index(name) + 1 :][:1] != [following]:
        remedy = "list the stages in their order; each but the last names the one below it as next"
        yield f"is followed by '{following}', which is not the next one that makes an artifact", remedy


def place_problems(tree: SourceTree, contracts: Mapping[str, Contract]) -> list[Problem]:
    """Return the problems of artifacts that `put` could not place or that would share a file."""
    problems: list[Problem] = []
    owners: dict[str, str] = {}
    for contract in contracts.values():
        path = tree.shown(f"contracts/{contract.artifact}.yaml")
        for message, remedy in _place_faults(contract, owners):
            problems.append(Problem(path, contract.line, "bad-place", message, remedy))
    return problems


def _place_faults(contract: Contract, owners: dict[str, str]) -> Iterator[tuple[str, str]]:
    files = contract.project_files
    if contract.is_text and not files:
        yield "`put` cannot place it: none of its places is in a project", "add a place '{project_dir}/...'"
    for gap in _GAP.findall(files[0]) if contract.is_text and files else ():
        if f"{{{gap}}}" not in GAPS.values():
            yield f"`put` cannot fill in '{{{gap}}}' of its first place", f"use one of {', '.join(GAPS)}"
    for file in files:
        shape = _GAP.sub("*", file)
        if owners.setdefault(shape, contract.artifact) != contract.artifact:
            yield f"'{file}' is also a place of '{owners[shape]}'", "give each artifact its own place"
