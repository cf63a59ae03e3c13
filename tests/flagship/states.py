"""A project whose last run stopped halfway."""

from __future__ import annotations

import json
from pathlib import Path

RUN = ".claude/projects/2026-01-31-rate-limit"


def write_state(repository: Path, project: str = RUN, **changes: object) -> Path:
    """Leave the session state of a stopped run in a project."""
    folder = repository / project
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "brief.md").write_text("# Brief\n")
    state = {
        "schema_version": 1,
        "project": project,
        "next_session_brief_path": f"{project}/brief.md",
        "next_session_label": "Continue",
        "status": "stopped",
        "updated_at": "2026-01-31T12:00:00Z",
        **changes,
    }
    path = folder / ".session-state.local.json"
    path.write_text(json.dumps(state))
    return path
