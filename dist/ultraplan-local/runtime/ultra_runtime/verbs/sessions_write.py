"""Write the session specs of a plan's Execution Strategy, each with its steps and manifests word for word.

They go to sessions/ in the project, or next to the plan. If a spec exists, its Context and Handoff State are kept and
everything else is rewritten. The earlier text of a spec that changes, and a spec of no session of this plan, are kept
under a number: session-2.2.md.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Issue, Report
from ultra_runtime.files.atomic import WriteError
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import current_folder, find_root, from_here, seen_from
from ultra_runtime.plan.check import note_problems
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.spec_text import CONTEXT, HANDOFF
from ultra_runtime.plan.values import PLAN, Plan
from ultra_runtime.planning.session_files import folder_of_specs, make_specs, spec_faults, write_specs
from ultra_runtime.rendered import launcher, verb
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.tables.limits import ISSUES_TOLD
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line

USAGE = "sessions write PATH [--project DIR] [--json]"
STAGE = "plan"

NEXT = f"complete {CONTEXT} and {HANDOFF} of each spec with `{verb('put')} session-spec --section`, then run the plan"


def run(args: Args) -> Answer:
    """Answer with the paths of the specs, or with the reason why none was written."""
    path = from_here(args.need("PATH"))
    plan = _plan(path)
    if isinstance(plan, Answer):
        return plan
    root = find_root(os.path.dirname(os.path.abspath(path))) or current_folder()
    try:
        target = folder_of_specs(path, args.get("--project"))
        specs = make_specs(plan, seen_from(root, path), target)
        issues = spec_faults(target, specs)
        if issues:
            return _refused("a spec of this plan would not follow its contract", issues)
        earlier = write_specs(target, specs)
    except (WriteError, OSError) as problem:
        raise RefusedError(f"the specs cannot be written: {problem}", "fix this and retry") from None
    shown = [seen_from(root, os.path.join(target, name)) for name in specs]
    data: dict[str, Any] = {
        "ok": True,
        "specs": shown,
        "waves": plan.summary()["waves"],
        progress_fields.LEGACY_PLAN: plan.legacy,
    }
    if earlier:
        data["earlier"] = [seen_from(root, os.path.join(target, name)) for name in earlier]
    lines = [*shown, *(f"earlier spec kept: {one_line(name)}" for name in earlier)]
    return Answer({**data, "next": NEXT}, "\n".join(lines))


def _plan(path: str) -> Plan | Answer:
    """Return the plan, or the refusal if its specs cannot be written."""
    report = Report(load_contract(PLAN), path)
    try:
        plan = read(read_regular(path), PLAN)
    except UnreadableError as problem:
        report.add("NOT_FOUND" if problem.missing else "READ_ERROR", str(problem))
        return _refused("the plan cannot be read", report.result().errors)
    note_problems(report, plan)
    if report.errors:
        return _refused("the plan is not valid", report.result().errors)
    if not plan.sessions:
        error = f"{one_line(path)} has no Execution Strategy, so one session runs all of it"
        raise RefusedError(error, "run the plan itself, or add ## Execution Strategy with its sessions")
    return plan


def _refused(error: str, issues: list[Issue]) -> Answer:
    next_step = "fix the plan and retry; nothing was written"
    data = {
        "ok": False,
        "error": error,
        "errors": [one.as_data() for one in issues[:ISSUES_TOLD]],
        "next": next_step,
    }
    return Answer(data, "\n".join([f"{launcher()}: {error}", *map(str, issues[:ISSUES_TOLD]), next_step]), 1)
