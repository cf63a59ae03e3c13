"""Which files the hooks of a settings file run."""

from __future__ import annotations

from typing import Any

import pytest

from ultra_runtime.guard.hooks_in_force import named_files

PLACES = {"CLAUDE_PROJECT_DIR": "/repo", "CLAUDE_PLUGIN_ROOT": "/plugin"}


def settings(**hook: Any) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", **hook}]}]}}


@pytest.mark.parametrize(
    ("hook", "files"),
    [
        ({"command": "python3 tools/check.py --all"}, ["tools/check.py"]),
        ({"command": "check.sh"}, ["check.sh"]),
        ({"command": '"$CLAUDE_PROJECT_DIR"/.claude/x.sh'}, ["/repo/.claude/x.sh"]),
        ({"command": "${CLAUDE_PLUGIN_ROOT}/bin/a && node b/c.js"}, ["/plugin/bin/a", "b/c.js"]),
        ({"command": "python3", "args": ["-I", "${CLAUDE_PLUGIN_ROOT}/h.py"]}, ["/plugin/h.py"]),
        ({"command": "if true; then ./a.sh; fi"}, ["./a.sh"]),
        ({"command": "$OTHER/x.sh"}, []),
        ({"command": "echo hello"}, []),
        ({"command": "echo 'open"}, []),
        ({}, []),
    ],
)
def test_named_files(hook: dict[str, Any], files: list[str]) -> None:
    assert named_files(settings(**hook), PLACES) == files


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"hooks": None},
        {"hooks": []},
        {"hooks": {"Stop": {}}},
        {"hooks": {"Stop": [1, {"hooks": 2}, {"hooks": [3]}]}},
    ],
)
def test_another_shape_names_nothing(odd: dict[str, Any]) -> None:
    assert named_files(odd, PLACES) == []
