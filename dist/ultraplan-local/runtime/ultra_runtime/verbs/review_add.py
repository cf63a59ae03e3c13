"""Record a reviewer's answer: its findings get ids, and those whose evidence is not in the file are dropped.

The answer comes from standard input and ends in a json block; call `triage` first. It replaces an earlier
answer of the same reviewer. A success criterion that is not shown becomes a finding.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, Refusing
from ultra_runtime.contract.agent_output import answer_block
from ultra_runtime.contract.stages import need
from ultra_runtime.files.atomic import locked
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.project import find_project
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.review.criteria import read_criteria, with_criteria
from ultra_runtime.review.findings import Kept, check_findings, keep, read_kept
from ultra_runtime.review.merge import count, merge, without
from ultra_runtime.review.scope import FINDINGS_FILE, read_scope
from ultra_runtime.tables.agents import CONFORMANCE, REVIEWERS
from ultra_runtime.tables.fields import review_fields
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, listed, nearest, one_line

USAGE = "review add REVIEWER --project DIR [--json]"
STAGE = "review"
HINT = (
    "have the reviewer fix its block, and give its whole answer on standard input, with that block at the end"
)


def run(args: Args) -> Answer:
    """Answer with how many findings were kept, and why the others were dropped."""
    need(review_fields.KIND)
    name = args.need("REVIEWER").rpartition(":")[2]
    if name not in REVIEWERS:
        raise args.usage.error(f"unknown reviewer: {one_line(name)}{nearest(name, REVIEWERS)}")
    project = find_project(args.need("--project"))
    read_scope(project)
    answer = answer_block(name, as_text(read_given(None, HINT), HINT), HINT)
    with Refusing(HINT):
        criteria = read_criteria(project, answer) if name == CONFORMANCE else []
        with locked(project.path(LOGS)):
            held, dropped = check_findings(project, answer["findings"], name)
            held = merge(with_criteria(project, held, criteria))
            kept = read_kept(project)
            findings = merge([*without(kept.findings, name), *held])
            reviewers = [*dict.fromkeys([*kept.reviewers, name])]
            keep(project, Kept(reviewers, findings, criteria or kept.criteria))
    missing = [one for one in REVIEWERS if one not in reviewers]
    next_step = f"add the answers of {listed(missing)}" if missing else "give the findings to the coordinator"
    data = {
        "ok": True,
        "kept": len(held),
        "dropped": dropped,
        "counts": count(findings),
        "missing": missing,
        "findings_file": project.show(LOGS, FINDINGS_FILE),
        "next": next_step,
    }
    lines = [
        f"{counted(len(held), 'finding')} kept",
        *(f"dropped: {one['finding']}: {one['why']}" for one in dropped),
        next_step,
    ]
    return Answer(data, "\n".join(lines))
