"""The settings of a project: how its working copies are made ready, and what a run proves in them."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.rendered import verb
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import settings_fields as fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

REQUIRE: str = fields.PROOF_REQUIRE
TRY: str = fields.PROOF_TRY
OFF: str = fields.PROOF_OFF


class Settings(Struct):
    """What a project sets, with the defaults for what it does not."""

    setup: str
    """A script that makes a fresh checkout ready; empty when there is none."""
    setup_seconds: int
    proof: str
    dependencies: tuple[str, ...]
    """The names of the folders that a working copy gets from the user's tree."""
    ports: tuple[int, ...]
    """The first and the last port that working copies may use; empty when none are set."""
    limits: dict[str, int]
    hub: str
    """Where workers on other machines get and leave commits; empty when none is set."""
    worker_setup: str
    """A script that a worker runs first."""
    ssh: dict[str, Any]
    slurm: dict[str, Any]
    given: Mapping[str, Any]
    """What the file says, to be kept with a run."""


def settings_file() -> str:
    """Return the path of the settings, seen from the root."""
    return load_contract(fields.KIND).places[0]


def read_settings(root: str) -> Settings:
    """Return the settings of the repository at this root; the defaults when there is no file."""
    contract, shown = load_contract(fields.KIND), settings_file()
    path = os.path.join(root, shown)
    if not os.path.lexists(path):
        return settings_of({})
    result = validate_file(contract, path)
    if result.errors:
        first, more = result.errors[0], len(result.errors) - 1
        line = f":{first.line}" if first.line else ""
        rest = f" (and {more} more: `{verb('validate')} {fields.KIND} {shown}`)" if more else ""
        raise RefusedError(f"{shown}{line}: {first.message}{rest}", first.remedy)
    return settings_of(result.parsed or {})


def settings_problem(root: str) -> str:
    """Return what is wrong with the settings of a repository, with the remedy; empty when nothing is."""
    try:
        read_settings(root)
    except RefusedError as problem:
        return f"{problem.error}; {problem.next_step}"
    return ""


def settings_of(values: Mapping[str, Any]) -> Settings:
    """Return the settings that valid values describe."""
    held: dict[str, Any] = {
        field.name: field.default if values.get(field.name) is None else values[field.name]
        for field in load_contract(fields.KIND).fields
    }
    return Settings(
        _script(held[fields.SETUP]),
        held[fields.SETUP_SECONDS],
        held[fields.PROOF],
        tuple(held[fields.DEPENDENCIES]),
        tuple(held[fields.PORTS] or ()),
        _given(held[fields.LIMITS]),
        held[fields.HUB] or "",
        _script(held[fields.WORKER_SETUP]),
        _given(held[fields.SSH]),
        _given(held[fields.SLURM]),
        values,
    )


def _script(commands: str | list[str] | None) -> str:
    return commands if isinstance(commands, str) else "\n".join(commands or ())


def _given(values: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (values or {}).items() if value is not None}


def requiring(settings: Settings) -> Settings:
    """Return the settings with the proof required, unless they switch it off."""
    return settings if settings.proof != TRY else settings_of({**settings.given, fields.PROOF: REQUIRE})
