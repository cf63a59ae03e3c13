"""The shapes of an eval case and its graders, as the pinned client's own schema has them.

The client silently ignores unknown keys of a case and refuses those of a grader; this check refuses both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ultra_plugin.check.shapes import (
    Fault,
    Shape,
    anything,
    boolean,
    either,
    list_of,
    one_of,
    positive,
    record,
    table,
    text,
    whole,
    word,
)

_TEXTS = list_of(text(1))
_TOP: Mapping[str, Shape] = MappingProxyType({
    "schema_version": word(r"[01](\.\d+)*", "a version in quotes, such as \"1.1\""),
    "name": text(1), "description": text(), "tags": _TEXTS, "plugins": _TEXTS, "runs": whole(1, 50),
    "expected_outcome": text(),
})  # fmt: skip
_EXECUTION: Mapping[str, Shape] = MappingProxyType({
    "model": text(1), "max_turns": whole(1, 200), "timeout_seconds": whole(1, 3600), "allowed_tools": _TEXTS,
    "disallowed_tools": _TEXTS, "artifact_publish": boolean, "growthbook_overrides": record(anything),
    "append_system_prompt": text(), "env": record(text(), word("EVAL_.*", "named EVAL_...")),
})  # fmt: skip
_CONTEXT: Mapping[str, Shape] = MappingProxyType(
    {"scaffold_script": text(1), "history_file": text(1), "add_dirs": _TEXTS}
)
PROMPT_HEADER = table({**_TOP, **_EXECUTION}, strict=True)
"""The header of prompt.md."""

_TARGET = either(
    "trace, last_message, files, mock_calls or {source: file, path: ...}",
    one_of("trace", "last_message", "files", "mock_calls"),
    table({"source": one_of("file"), "path": text(1)}, ("source", "path"), strict=True),
)
_CALL = either(
    "a tool or {tool: ..., input_match: ...}",
    text(1),
    table({"tool": text(1), "input_match": text(1)}, ("tool",), strict=True),
)
_MATCH = word(r"contains|not_contains|count:\d+", "contains, not_contains or count:N")
_FIELDS: Mapping[str, Mapping[str, Shape]] = MappingProxyType({
    "regex": {
        "target": _TARGET, "pattern": text(1), "match": _MATCH,
        "flags": word("[dgimsuvy]*", "flags of a JavaScript pattern"),
    },
    "tool_order": {"before": _CALL, "after": _CALL},
    "tool_used": {"tool": text(1), "input_match": text(1), "min": whole(0), "max": whole(0)},
    "file_exists": {"path": text(1), "exists": boolean},
    "llm": {"criteria": text(1), "focus": _TARGET},
    "baseline": {"baseline_file": text(1), "criteria": text(1)},
})  # fmt: skip
_REQUIRED: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "regex": ("pattern",), "tool_order": ("before", "after"), "tool_used": ("tool",), "file_exists": ("path",),
    "llm": ("criteria",), "baseline": ("baseline_file", "criteria"),
})  # fmt: skip
_COMMON = {"type": anything, "name": text(1), "weight": positive, "arm": one_of("with-only", "both")}
_GRADERS: Mapping[str, Shape] = MappingProxyType({
    kind: table({**_COMMON, **fields}, ("name", *_REQUIRED[kind]), strict=True) for kind, fields in _FIELDS.items()
})  # fmt: skip
KEYS = frozenset({
    *_TOP, *_EXECUTION, *_CONTEXT, "context", "execution", "graders", "prompt", "type", "weight", "arm",
    *(key for fields in _FIELDS.values() for key in fields),
})  # fmt: skip
"""Every known key, for suggestions."""


def grader(value: object) -> Iterator[Fault]:
    """Check one grader by its type."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _FIELDS:
        yield ("type",) if isinstance(value, dict) else (), f"must be one of {', '.join(sorted(_FIELDS))}"
        return
    yield from _GRADERS[kind](value)


CASE = table(
    {
        **_TOP,
        "context": table(_CONTEXT, strict=True),
        "execution": table({**_EXECUTION, "prompt": text(1)}, strict=True),
        "graders": list_of(grader),
    },
    ("schema_version", "name"),
    strict=True,
)
"""A whole case.yaml."""
BODY_KEYS: Mapping[str, str] = MappingProxyType(
    {"regex": "pattern", "llm": "criteria", "baseline": "criteria"}
)
"""The key that the body of a grader in Markdown fills."""
