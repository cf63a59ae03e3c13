"""Compare two surfaces: what of the old one is missing in the new one. Additions are no loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.released.surface import Surface
from ultra_runtime.usage import Option, Usage

_WORDS = {"title", "description", "examples", "$id", "$comment"}


def losses(old: Surface, new: Surface) -> list[str]:
    """Return one sentence per loss."""
    return [
        *_verbs(old["verbs"], new["verbs"]),
        *_answers(old["answers"], new["answers"]),
        *_flags(old["commands"], new["commands"]),
        *_codes(old["codes"], new["codes"]),
        *_schemas(old["schemas"], new["schemas"]),
        *(f"hook {line}: missing" for line in old["hooks"] if line not in new["hooks"]),
        *(f"file {path}: missing" for path in old["files"] if path not in new["files"]),
        *(f"plugin.json: no key {key}" for key in old["manifest"] if key not in new["manifest"]),
        *(f"bundle.json: no key {key}" for key in old["listing"] if key not in new["listing"]),
    ]


def _verbs(old: list[str], new: list[str]) -> Iterator[str]:
    known = {" ".join(usage.verb): usage for usage in map(Usage, new)}
    for before in map(Usage, old):
        name = " ".join(before.verb)
        if name in known:
            yield from (f"verb {name}: {loss}" for loss in _usage(before, known[name]))
        else:
            yield f"verb {name}: missing"


def _usage(old: Usage, new: Usage) -> Iterator[str]:
    if new.needed != old.needed[: len(new.needed)] or new.arguments[: len(old.arguments)] != old.arguments:
        yield f"takes {' '.join(new.arguments) or 'nothing'}, took {' '.join(old.arguments) or 'nothing'}"
    if old.takes_rest and new.takes_rest != old.takes_rest:
        yield f"{old.takes_rest} takes one value only"
    for name, option in old.options.items():
        if name in new.options:
            yield from (f"{name} {loss}" for loss in _option(option, new.options[name], set(old.options)))
        else:
            yield f"{name} missing"
    yield from (
        f"{name} is required" for name, option in new.options.items() if option.required and name not in old.options
    )  # fmt: skip


def _option(old: Option, new: Option, names: set[str]) -> Iterator[str]:
    if bool(old.value) != bool(new.value):
        yield "takes a value" if new.value else "takes no value"
    if new.choices and not set(old.choices or ["any value"]) <= set(new.choices):
        yield f"takes only {', '.join(new.choices)}"
    if new.required and not old.required:
        yield "is required"
    for other in sorted(set(new.excludes) & names - set(old.excludes)):
        yield f"excludes {other}"


def _answers(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for name, before in old.items():
        after = new[name]
        if after["status"] != before["status"]:
            yield f"answer to {name}: exits {after['status']}, exited {before['status']}"
        yield from (f"answer to {name}: no key {key}" for key in before["keys"] if key not in after["keys"])


def _flags(old: dict[str, list[str]], new: dict[str, list[str]]) -> Iterator[str]:
    for command, flags in old.items():
        if command not in new:
            yield f"command {command}: missing"
        yield from (
            f"command {command}: {flag} missing" for flag in flags if flag not in new.get(command, flags)
        )


def _codes(old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    for code, severity in old.items():
        if new.get(code) != severity:
            yield f"code {code}: was {severity}, is {new.get(code, 'missing')}"


def _schemas(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for name, schema in old.items():
        if name in new:
            yield from (f"schema {name}: {loss}" for loss in _schema(schema, new[name], "the artifact"))
        else:
            yield f"schema {name}: missing"


def _schema(old: Any, new: Any, place: str) -> Iterator[str]:
    """Yield where the new schema refuses what the old one accepts, or no longer describes it."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        if old != new:
            yield f"{place} is {new!r}, was {old!r}"
        return
    for key in sorted({*old, *new} - _WORDS):
        before, after = old.get(key), new.get(key)
        if key == "required":
            yield from (f"{place} requires {name}" for name in after or () if name not in (before or ()))
        elif key == "enum" and before and after:
            yield from (f"{place} refuses {value!r}" for value in before if value not in after)
        elif key in ("properties", "$defs"):
            for name, part in (before or {}).items():
                if name in (after or {}):
                    yield from _schema(part, (after or {})[name], name)
                else:
                    yield f"{place} has no {name}"
        elif key == "enum" and after is None:
            continue
        else:
            yield from _schema(before, after, f"{place}: {key}")
