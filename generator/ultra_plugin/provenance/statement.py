"""The provenance of a release: which sources, tools and command produced which files, in the format of in-toto and SLSA."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ultra_plugin import __version__

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
BUILD_TYPE = "urn:ultra-suite:build:1"
SOURCES = "sources"
_TOOLS = ("click", "jinja2", "pyyaml", "build", "hatchling")


def statement(
    outputs: Mapping[str, str],
    sources: str,
    project: Path,
    command: Sequence[str],
    builder: str,
    when: datetime,
) -> bytes:
    """Return the statement about files (name -> SHA-256) that a command made from sources."""
    made: dict[str, Any] = {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(outputs.items())],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"command": list(command)},
                "internalParameters": {
                    "generator": __version__,
                    "python": platform.python_version(),
                    "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", ""),
                },
                "resolvedDependencies": [
                    {"name": SOURCES, "digest": {"sha256": sources}},
                    *_commit(project),
                    *_tools(),
                ],
            },
            "runDetails": {
                "builder": {"id": builder},
                "metadata": {"finishedOn": when.strftime("%Y-%m-%dT%H:%M:%SZ")},
            },
        },
    }
    return json.dumps(made, indent=2, ensure_ascii=False).encode() + b"\n"


def release_time(project: Path) -> datetime:
    """Return SOURCE_DATE_EPOCH, or the time of the commit, or the current time."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or _git(project, "log", "-1", "--format=%ct")
    return datetime.fromtimestamp(int(epoch), timezone.utc) if epoch else datetime.now(timezone.utc)


def _commit(project: Path) -> Iterator[dict[str, Any]]:
    """Yield the commit of the project, if it is a repository, and whether files differ from it."""
    if commit := _git(project, "rev-parse", "HEAD"):
        changed = bool(_git(project, "status", "--porcelain"))
        note = {"annotations": {"modified": True}} if changed else {}
        yield {"name": "commit", "digest": {"gitCommit": commit}, **note}


def _tools() -> Iterator[dict[str, str]]:
    for name in _TOOLS:
        try:
            yield {"name": name, "uri": f"pkg:pypi/{name}@{importlib.metadata.version(name)}"}
        except importlib.metadata.PackageNotFoundError:
            continue


def _git(project: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(project), *arguments], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
