"""Report a call: one line per action, ticks only on a terminal, or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from ultra_plugin.install.calls import Report
from ultra_plugin.install.inspecting import Standing
from ultra_plugin.install.plan import Line

_DONE = {
    "install": "installed",
    "upgrade": "upgraded",
    "downgrade": "downgraded",
    "replace": "replaced",
    "repair": "repaired",
    "remove": "removed",
    "add": "added",
    "keep": "kept",
    "leave": "left alone",
    "back up": "backed up",
}
_TICK, _CROSS = "\N{CHECK MARK} ", "\N{BALLOT X} "


def as_json(report: Report) -> str:
    """Return everything as one JSON object."""
    value = {
        "ok": not report.problems,
        "action": report.action,
        "dry_run": report.planned,
        "scope": report.place.scope,
        "config": str(report.place.config),
        "client": report.client,
        "actions": [line.as_dict() for line in report.lines],
        "plugins": [standing.as_dict() for standing in report.standings],
        "notes": report.notes,
        "problems": report.problems,
    }
    return json.dumps(value, indent=2, ensure_ascii=False)


def as_text(report: Report) -> str:
    """Return one line per action, finding and note."""
    if report.planned:
        return "\n".join([*planned(report.lines), *report.notes]) or "nothing to do"
    done = [f"{_mark(_TICK)}{_DONE[line.verb]} {line.what}: {line.path}" for line in report.lines]
    problems = [f"{_mark(_CROSS)}{problem}" for problem in report.problems]
    return "\n".join([*(done or _found(report)), *problems, *report.notes])


def _found(report: Report) -> list[str]:
    """Return the lines for a call that did nothing."""
    if report.action == "uninstall":
        return ["nothing is installed, so nothing was done"]
    if report.action == "status":
        return [line for one in report.standings for line in _standing(one)] or ["nothing is installed"]
    intact = [one for one in report.standings if not one.differences]
    if report.action == "verify":
        return [_intact(one) for one in intact if not one.added]
    return [f"{one.receipt.plugin} {one.receipt.version} is installed already" for one in intact]


def planned(lines: Sequence[Line]) -> list[str]:
    """Return the lines of a plan."""
    return [f"would {line.verb} {line.what}: {line.path}" for line in lines]


def _standing(one: Standing) -> list[str]:
    receipt = one.receipt
    since = f"since {receipt.installed_at}, from {receipt.origin}"
    head = f"{receipt.plugin} {receipt.version} ({receipt.scope}): {one.path}, {since}"
    extras = [f"the rule {rule}" for rule in receipt.granted.rules]
    extras += [f"the short name /{name}" for name in receipt.commands]
    extras += [f"your {path}" for path in one.added]
    details = [*(f"with {extra}" for extra in extras), *one.differences]
    return [head, *(f"  {line}" for line in (*details, *(f"kept for you: {path}" for path in receipt.kept)))]


def _intact(one: Standing) -> str:
    receipt = one.receipt
    files = f"all {len(receipt.files)} files are as installed"
    return f"{_mark(_TICK)}{receipt.plugin} {receipt.version}: {files}"


def _mark(mark: str) -> str:
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return mark if sys.stdout.isatty() and encoding == "utf8" else ""
