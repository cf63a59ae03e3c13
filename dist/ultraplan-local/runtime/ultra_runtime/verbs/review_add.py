"""Record a reviewer's answer: its findings get ids, and those whose evidence is not in the file are dropped.

The answer comes from standard input and ends in a json block; call `triage` first. It replaces an earlier
answer of the same reviewer. A success criterion that is not shown becomes a finding. With --kept the answer is the one
that the plugin has kept from this session; `all` adds those of every reviewer.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, Refusing, brief_answer
from ultra_runtime.contract.agent_output import answer_block
from ultra_runtime.contract.stages import need
from ultra_runtime.files.atomic import locked
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.kept_answers import drop_answers, kept_answer, need_answers
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.review.criteria import read_criteria, with_criteria
from ultra_runtime.review.findings import Kept, check_findings, keep, read_kept
from ultra_runtime.review.merge import count, merge, without
from ultra_runtime.review.scope import FINDINGS_FILE, asked, read_scope
from ultra_runtime.tables.agents import CONFORMANCE, REVIEWERS
from ultra_runtime.tables.fields import review_fields
from ultra_runtime.typed import Any, Sequence
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, listed, nearest, one_line

USAGE = "review add REVIEWER --project DIR [--kept] [--json]"
STAGE = "review"
HINT = (
    "have the reviewer fix its block, and give its whole answer on standard input, with that block at the end"
)
ALL = "all"


def run(args: Args) -> Answer:
    """Answer with how many findings were kept, and why the others were dropped."""
    need(review_fields.KIND)
    name = args.need("REVIEWER").rpartition(":")[2]
    if name not in (*REVIEWERS, ALL):
        raise args.usage.error(f"unknown reviewer: {one_line(name)}{nearest(name, REVIEWERS)}")
    if name == ALL and not args.flag("--kept"):
        raise args.usage.error(
            f"{ALL} needs --kept; without it, name the one reviewer whose answer is on standard input"
        )
    project = find_project(args.need("--project"))
    read_scope(project)
    if args.flag("--kept"):
        wanted = asked(read_scope(project)) if name == ALL else [name]
        need_answers(wanted)
        added = [_add(project, one, text) for one in wanted if (text := kept_answer(one))]
        drop_answers(wanted)
    else:
        added = [_add(project, name, as_text(read_given(None, HINT), HINT))]
    answer = _answer(project, added)
    return brief_answer(answer) if args.flag("--kept") else answer


def _add(project: Project, name: str, given: str) -> tuple[int, list[dict[str, Any]]]:
    """Keep the findings of one answer; return how many were kept, and the others with the reason."""
    answer = answer_block(name, given, HINT)
    with Refusing(HINT):
        criteria = read_criteria(project, answer) if name == CONFORMANCE else []
        with locked(project.path(LOGS)):
            held, dropped = check_findings(project, answer["findings"], name)
            held = merge(with_criteria(project, held, criteria))
            kept = read_kept(project)
            findings = merge([*without(kept.findings, name), *held])
            reviewers = [*dict.fromkeys([*kept.reviewers, name])]
            keep(project, Kept(reviewers, findings, criteria or kept.criteria))
    return len(held), dropped


def _answer(project: Project, added: Sequence[tuple[int, list[dict[str, Any]]]]) -> Answer:
    kept = read_kept(project)
    held, dropped = sum(number for number, _ in added), [one for _, rows in added for one in rows]
    missing = [one for one in asked(read_scope(project)) if one not in kept.reviewers]
    next_step = f"add the answers of {listed(missing)}" if missing else "give the findings to the coordinator"
    data = {
        "ok": True,
        "kept": held,
        "dropped": dropped,
        "counts": count(kept.findings),
        "missing": missing,
        "findings_file": project.show(LOGS, FINDINGS_FILE),
        "next": next_step,
    }
    lines = [
        f"{counted(held, 'finding')} kept",
        *(f"dropped: {one['finding']}: {one['why']}" for one in dropped),
        next_step,
    ]
    return Answer(data, "\n".join(lines))
