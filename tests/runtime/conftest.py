"""The session state that a run leaves in a project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.kit.files import write_tree

STATE: Mapping[str, object] = {
    "schema_version": 1,
    "project": ".claude/projects/one",
    "next_session_brief_path": ".claude/projects/one/sessions/session-2.md",
    "next_session_label": "Session 2: limits",
    "status": "stopped",
    "updated_at": "2026-01-31T12:00:00Z",
}
STATE_FILE = ".session-state.local.json"


@pytest.fixture
def add_state(repo: Path) -> Callable[..., Path]:
    """Return a function that writes the session state of a project, with its brief."""

    def add(project: str = "one", **changes: object) -> Path:
        brief = f".claude/projects/{project}/sessions/session-2.md"
        own = {"project": f".claude/projects/{project}", "next_session_brief_path": brief}
        state = {**STATE, **own, **changes}
        file = f".claude/projects/{project}/{STATE_FILE}"
        write_tree(repo, {brief: "# Session 2\n", file: state})
        return repo / file

    return add
