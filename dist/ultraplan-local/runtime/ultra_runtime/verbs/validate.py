"""Check a file against the contract of its kind, and list every code with its line and remedy.

KIND is an artifact, or `project` for everything in a project folder; research may be a file or a folder. --strict
makes every error count; --soft turns the codes that the contract calls soft into warnings. --parsed adds the artifact as
it was read, under `parsed`, which is null otherwise.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, UsageError
from ultra_runtime.contract.model import Contract, UnknownKindError, contract_kinds, load_contract
from ultra_runtime.contract.result import Result
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.files.root import from_here
from ultra_runtime.rendered import BUNDLE, verb
from ultra_runtime.tables.fields import research_fields
from ultra_runtime.typed import ModuleType
from ultra_runtime.usage import Args
from ultra_runtime.words import nearest, one_line

USAGE = "validate KIND PATH [--strict|--soft] [--parsed] [--json]"
FOR_PEOPLE = "look"
READ_ONLY = True
PROJECT = "project"
ARTIFACTS, RESEARCH = "artifacts", "research"  # rooms that not every plugin carries


def run(args: Args) -> Answer:
    """Answer with the validator's result."""
    kind, path = args.need("KIND"), from_here(args.need("PATH"))
    if kind == PROJECT and _has(ARTIFACTS):
        result = _room(ARTIFACTS, "consistency").validate_project(
            path, args.flag("--soft"), args.flag("--strict")
        )
        return _answer(result, path, "Project folder", args)
    contract = _contract(kind)
    return _answer(_validate(contract, path, args), path, contract.title, args)


def _validate(contract: Contract, path: str, args: Args) -> Result:
    if contract.artifact == research_fields.KIND and _has(RESEARCH):
        found: Result = _room(RESEARCH, "folder").validate_research(contract, path, args.flag("--soft"))
        return found
    if contract.format == "directory":
        from ultra_runtime.contract.directory import discover

        return discover(contract, path)
    return validate_file(contract, path, args.flag("--soft"), args.flag("--strict"))


def _contract(kind: str) -> Contract:
    try:
        return load_contract(kind)
    except UnknownKindError:
        kinds = [*contract_kinds(), *([PROJECT] if _has(ARTIFACTS) else [])]
        error = f"unknown kind: {one_line(kind)}{nearest(kind, kinds)}; use one of: {', '.join(kinds)}"
        raise UsageError(error, f"usage: {verb(USAGE)}") from None


def _has(room: str) -> bool:
    return os.path.isdir(os.path.join(BUNDLE, "runtime", "ultra_runtime", room))


def _room(room: str, module: str) -> ModuleType:
    """Return a module of a room that not every plugin carries."""
    return __import__(f"ultra_runtime.{room}.{module}", fromlist=["*"])


def _answer(result: Result, path: str, title: str, args: Args) -> Answer:
    shown = result if args.flag("--parsed") else Result(result.errors, result.warnings, None)
    return Answer(shown.as_data(), in_words(result, path, title), 0 if result.valid else 1)


def in_words(result: Result, path: str, title: str) -> str:
    """Return a result for a person."""
    verdict = "valid" if result.valid else "not valid"
    lines = [f"{one_line(path, 500)}: {verdict} ({title})"]
    lines += [f"error {issue}" for issue in result.errors]
    lines += [f"warning {issue}" for issue in result.warnings]
    return "\n".join(lines)
