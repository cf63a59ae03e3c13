"""Run every hook of a plugin with a sample of its event, and check its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ultra_plugin.check.hooks import Hook, declared_hooks
from ultra_plugin.exercise.outcome import TIME_LIMIT, Outcome, Place

ALLOWED = (0, 2)
"""0: go on; 2: block. The client reports every other status as an error of the hook."""
_BASH = MappingProxyType(
    {"tool_name": "Bash", "tool_input": {"command": "echo hello"}, "tool_use_id": "toolu_1"}
)
SAMPLES: Mapping[str, Mapping[str, Any]] = MappingProxyType({
    "PreToolUse": _BASH,
    "PermissionRequest": _BASH,
    "PostToolUse": {**_BASH, "tool_response": {"stdout": "hello", "stderr": "", "interrupted": False}},
    "PostToolUseFailure": {**_BASH, "error": "exit status 1"},
    "UserPromptSubmit": {"prompt": "hello"},
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "other"},
    "PreCompact": {"trigger": "manual", "custom_instructions": ""},
    "PostCompact": {"trigger": "manual", "compact_summary": "hello"},
    "Notification": {"message": "hello", "notification_type": "idle_prompt"},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "done"},
    "SubagentStart": {"agent_id": "a1", "agent_type": "general-purpose"},
    "SubagentStop": {"stop_hook_active": False, "agent_id": "a1", "agent_type": "general-purpose"},
})  # fmt: skip
"""Event -> the fields that the client sends beside the common ones."""


def hook_outcomes(place: Place) -> Iterator[Outcome]:
    """Run each hook with a sample of its event."""
    for hook in declared_hooks(place.subject):
        what = f"hook {hook.event} {_shown(hook)}"
        sample = dict(SAMPLES.get(hook.event, {}))
        matcher = matcher_of(hook)
        if "tool_name" in sample and (name := re.match(r"\w+", matcher)):
            sample["tool_name"] = name.group()
        if reason := not_run(place, hook):
            yield place.outcome(what, reason, ran=False)
            continue
        status, said, errors = run_hook(place, hook, sample)
        yield place.outcome(what, fault(status, said, errors))


def not_run(place: Place, hook: Hook) -> str:
    """Return why a hook cannot be tried here, or empty text."""
    kind, command = hook.handler.get("type"), hook.handler.get("command")
    if kind != "command" or not isinstance(command, str):
        return f"a hook of type {kind} needs the client"
    is_shell = "args" not in hook.handler
    words = command.split() if is_shell else [command]
    program = next((word.strip("\"'") for word in words if "=" not in word), "")
    missing = place.missing(program) if re.fullmatch(r"[\w.-]+", program) else ""
    is_builtin = missing and is_shell and place.run(["bash", "-c", 'type -t "$0"', program], "")[0] == 0
    return "" if is_builtin else missing


def run_hook(place: Place, hook: Hook, fields: Mapping[str, Any]) -> tuple[int, str, str]:
    """Run one hook with an event on standard input."""
    event = {
        "session_id": "00000000-0000-4000-8000-000000000000",
        "transcript_path": str(place.home / "transcript.jsonl"),
        "cwd": str(place.project),
        "permission_mode": "default",
        "hook_event_name": hook.event,
        **fields,
    }
    handler = hook.handler
    command, arguments, limit = handler["command"], handler.get("args"), handler.get("timeout")
    if isinstance(arguments, list):
        call = [place.filled(str(word)) for word in (command, *arguments)]
    else:
        call = ["bash", "-c", place.filled(str(command))]
    seconds = float(limit) if isinstance(limit, int | float) and 0 < limit < TIME_LIMIT else TIME_LIMIT
    return place.run(call, json.dumps(event), seconds)


def fault(status: int, said: str, errors: str) -> str:
    """Return what is wrong with the answer of a hook, or empty text."""
    if status not in ALLOWED:
        last = errors.strip().splitlines()[-1:]
        return f"ended with status {status}{': ' + last[0] if last else ''}"
    if said.lstrip().startswith("{"):
        try:
            json.loads(said)
        except ValueError as error:
            return f"answered with JSON that does not parse: {error}"
    return ""


def matcher_of(hook: Hook) -> str:
    """Return the matcher of a hook; empty if it has none."""
    event, index = hook.where[-4:-2] if len(hook.where) >= 4 else (hook.event, 0)
    groups = hook.declaration.events.get(str(event))
    group = groups[index] if isinstance(groups, list) and isinstance(index, int) else {}
    matcher = group.get("matcher") if isinstance(group, dict) else None
    return matcher if isinstance(matcher, str) else ""


def _shown(hook: Hook) -> str:
    words = [str(hook.handler.get("command", hook.handler.get("type")))]
    arguments = hook.handler.get("args")
    words += map(str, arguments) if isinstance(arguments, list) else []
    return " ".join(words).replace("${CLAUDE_PLUGIN_ROOT}/", "")
