"""Prepare a repository for works: the folder works/, the settings of the router, and the permissions that it needs.

Without --permissions it only shows the permissions that are missing; with it they are merged into
.claude/settings.local.json. Calling it twice changes nothing.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.works.preparing import prepare

USAGE = "work init [--permissions] [--json]"


def run(args: Args) -> Answer:
    """Answer with what was made, what was there, and the permissions that are missing."""
    prepared = prepare(args.flag("--permissions"))
    data: dict[str, Any] = {"ok": True, "made": prepared.made, "kept": prepared.kept}
    if prepared.missing:
        data.update(missing=prepared.missing, file=prepared.settings)
    words = [f"made: {one}" for one in prepared.made] + [f"already there: {one}" for one in prepared.kept]
    words += [f"not permitted yet: {one}" for one in prepared.missing]
    return Answer(data, "\n".join(words))
