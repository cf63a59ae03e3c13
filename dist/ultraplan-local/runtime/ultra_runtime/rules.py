"""The rules that a contract names beyond its fields, each a function found in one table."""

from __future__ import annotations

import os

from ultra_runtime.place import find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ultra_runtime.contract import Report

    Rule = Callable[[Report, Mapping[str, Any], Mapping[str, int]], None]


def next_brief_exists(report: Report, values: Mapping[str, Any], lines: Mapping[str, int]) -> None:
    """Warn when the brief of the next session is not where the state says."""
    name = "next_session_brief_path"
    brief = values.get(name)
    if isinstance(brief, str) and brief and not find_brief(brief, os.path.dirname(report.path) or "."):
        report.add("BRIEF_MISSING", f"{name} names {brief}, which does not exist", lines.get(name), name)


def find_brief(brief: str, folder: str) -> str | None:
    """Return the brief's path, seen from the repository of that folder or from the folder itself."""
    for start in (find_root(folder), os.path.realpath(folder)):
        if start and os.path.isfile(os.path.join(start, brief)):
            return os.path.join(start, brief)
    return None


RULES: dict[str, Rule] = {
    "next_brief_exists": next_brief_exists,
}
