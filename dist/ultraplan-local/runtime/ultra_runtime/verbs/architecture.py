"""Find the architecture notes that another plugin left in a project, if any.

DIR is the project folder or its architecture folder. The overview is read only up to its first heading.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.contract.directory import discover
from ultra_runtime.contract.model import load_contract
from ultra_runtime.tables.fields import architecture_fields
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line

USAGE = "architecture DIR [--json]"
READ_ONLY = True
STAGE = "plan"


def run(args: Args) -> Answer:
    """Answer with the notes found; this never fails."""
    result = discover(load_contract(architecture_fields.KIND), args.need("DIR"))
    found = result.parsed or {}
    data = {"ok": True, **found, "warnings": [issue.as_data() for issue in result.warnings]}
    if found["found"]:
        lines = [f"{one_line(found['overview'], 500)}: {found['title'] or 'no heading'}"]
        lines += [one_line(found["gaps"], 500)] if found["gaps"] else []
    else:
        lines = ["No architecture notes here; the plan does not need them."]
    return Answer(data, "\n".join(lines + [f"warning {issue}" for issue in result.warnings]))
