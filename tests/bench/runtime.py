"""Start-up of the bundled runtime against the bare interpreter's own."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from tests.bench.measure import median, show
from tests.kit.names import BUILT, LAUNCHER

STATE = {
    "schema_version": 1,
    "project": ".claude/projects/p",
    "next_session_brief_path": "brief.md",
    "next_session_label": "Continue",
    "status": "stopped",
    "updated_at": "2026-01-31T12:00:00Z",
}


def main() -> None:
    """Print the cost of each verb as a multiple of an interpreter that does nothing."""
    python = str(Path(sys.executable).resolve())
    with tempfile.TemporaryDirectory(prefix="ultra-bench-") as folder:
        project = Path(folder) / ".claude/projects/p"
        project.mkdir(parents=True)
        state = project / ".session-state.local.json"
        state.write_text(json.dumps(STATE))
        ultra = [python, "-I", "-S", "-X", "utf8", str(BUILT / "bin" / LAUNCHER)]
        calls = {
            "ultra continue": [*ultra, "continue", "--json"],
            "ultra validate session-state": [*ultra, "validate", "session-state", str(state), "--json"],
            "ultra guide": [*ultra, "guide", "continue", "none"],
            "bin/ultra, by its own first line": [str(BUILT / "bin" / LAUNCHER), "guide", "continue", "none"],
            "SessionStart hook": [
                python,
                "-I",
                "-S",
                str(BUILT / "runtime/ultra_runtime/hooks/session_start.py"),
            ],
        }
        bare = median([python, "-I", "-S", "-c", "pass"], Path(folder), 15)
        rows = [
            (name, f"{median(call, Path(folder), 15) / bare:.2f} x the bare interpreter")
            for name, call in calls.items()
        ]
    show("Start-up (python3 -I -S -c pass = 1)", rows)
