"""Run the real client's validator on a plugin folder, with a separate home and without a network."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ultra_plugin.errors import Problem, Severity, UltraError

_NOWHERE = "http://127.0.0.1:9"
_TIME_LIMIT = 60


def client_problems(client: str, folder: Path) -> list[Problem]:
    """Return every error, warning and finding of `claude plugin validate`, with paths inside the folder."""
    folder = folder.resolve()
    report = _report(client, folder)
    parts = [part for part in (report.get("manifest"), *report.get("contents", ())) if part]
    found = [problem for part in parts for problem in _of_part(folder, part)]
    directory = report.get("directory") or {}
    found += [_of_finding(folder, finding) for finding in directory.get("findings", ())]
    return found


def _report(client: str, folder: Path) -> dict[str, Any]:
    command = [client, "plugin", "validate", "--strict", "--profile", "directory", "--json", str(folder)]
    with tempfile.TemporaryDirectory(prefix="ultra-client-") as home:
        env = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": home,
            "CLAUDE_CONFIG_DIR": home,
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "ANTHROPIC_BASE_URL": _NOWHERE,
            "ANTHROPIC_API_KEY": "none",
        }
        try:
            nothing = subprocess.DEVNULL
            done = subprocess.run(
                command,
                env=env,
                cwd=home,
                stdin=nothing,
                capture_output=True,
                timeout=_TIME_LIMIT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            sentence = f"the client could not be run: {error}; skip it with --client off"
            raise UltraError(f"{client}: {sentence}") from error
    try:
        report = json.loads(done.stdout)
    except ValueError:
        sentence = "does not report in JSON; use a newer client, or skip it with --client off"
        raise UltraError(f"{client}: {sentence}") from None
    if not isinstance(report, dict):
        raise UltraError(f"{client}: gave no report; skip it with --client off")
    return report


def _of_part(folder: Path, part: dict[str, Any]) -> Iterator[Problem]:
    path, remedy = _inside(folder, part.get("file")), "follow the client's message"
    severities: tuple[Severity, ...] = ("error", "warning")
    for severity in severities:
        for entry in part.get(f"{severity}s", ()):
            yield Problem(path, 0, f"client-{severity}", str(entry.get("message", "")), remedy, severity)


def _of_finding(folder: Path, finding: dict[str, Any]) -> Problem:
    path, remedy = _inside(folder, finding.get("file")), str(finding.get("fix") or "")
    message = f"{finding.get('code')}: {finding.get('message')}"
    return Problem(path, 0, "client-finding", message, remedy, "warning")


def _inside(folder: Path, file: object) -> str:
    text = str(file or ".claude-plugin/plugin.json")
    return os.path.relpath(text, folder) if os.path.isabs(text) else text
