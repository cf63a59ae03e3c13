"""Where a project stands, in a few lines and as data."""

from __future__ import annotations

from ultra_runtime.rendered import verb
from ultra_runtime.status.next_command import Next, next_command
from ultra_runtime.status.project_facts import BROKEN, DRAFT, MISSING, THERE
from ultra_runtime.status.run_facts import GONE, RunFacts
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.status.project_facts import ProjectFacts

STATES = {MISSING: "not there yet", DRAFT: "a draft", BROKEN: "not valid", THERE: "there"}
MOST_ISSUES = 3


def lines_of(facts: ProjectFacts) -> list[str]:
    """Return the few lines that tell a person where a project stands."""
    coming = next_command(facts)
    rows = [
        ("Project", facts.project.shown),
        ("Task", facts.task),
        ("Brief", STATES[facts.brief]),
        ("Research", research_words(facts)),
        ("Plan", plan_words(facts)),
        *((f"Run {run.session}" if run.session is not None else "Run", run_words(run)) for run in facts.runs),
        ("Audit", audit_words(facts.run)),
        ("Review", review_words(facts)),
        *(("Problem", issue) for issue in facts.issues[:MOST_ISSUES]),
        ("Next", f"{coming.command}  ({coming.reason})" if coming.command else coming.reason),
    ]
    return [f"{title:8} {one_line(text, 500)}" for title, text in rows if text]


def data_of(facts: ProjectFacts) -> dict[str, Any]:
    """Return the same for a program."""
    coming, run = next_command(facts), facts.run
    data: dict[str, Any] = {
        "ok": True,
        "project": facts.project.shown,
        "task": facts.task,
        "brief": facts.brief,
        "research": {
            "answered": facts.answered,
            "topics": len(facts.topics),
            "status": facts.research_status,
        },
        "plan": {"state": facts.plan, "version": facts.plan_version, "steps": len(facts.steps)},
        "run": None,
        "review": {"state": facts.review, "verdict": facts.verdict, "findings": facts.counts},
    }
    if run is not None:
        at = run.current
        data["run"] = {
            "status": run.status, "over": run.over, "of": len(run.own), "step": at.number if at else None,
            "state": at.state if at else None, "attempts": at.attempts if at else None, "held_by": run.holder or None,
            "audit": run.audit or None, "drift_details": run.drifts,
        }  # fmt: skip
    if facts.issues:
        data["issues"] = facts.issues
    return {**data, "stage": coming.stage, "reason": coming.reason, "next": coming.command or coming.reason}


def list_lines(projects: list[ProjectFacts]) -> list[str]:
    """Return one line a project."""
    width = min(60, max(len(one_line(facts.project.shown)) for facts in projects))
    rows = [(one_line(facts.project.shown), next_command(facts)) for facts in projects]
    return [f"{shown:{width}}  {_where(coming)}" for shown, coming in rows]


def list_data(projects: list[ProjectFacts]) -> list[dict[str, Any]]:
    """Return the projects for a program."""
    rows = [(facts, next_command(facts)) for facts in projects]
    return [
        {
            "project": facts.project.shown,
            "stage": coming.stage,
            "reason": coming.reason,
            "next": coming.command or coming.reason,
        }
        for facts, coming in rows
    ]


def _where(coming: Next) -> str:
    return coming.reason if coming.stage == "done" else f"{coming.stage}: {one_line(coming.reason, 200)}"


def research_words(facts: ProjectFacts) -> str:
    """Return how far the research is."""
    status = f" ({facts.research_status})" if facts.research_status else ""
    if facts.topics:
        return f"{facts.answered} of {len(facts.topics)} topics answered{status}"
    files = len(facts.research_files)
    return f"{files} files, no topics in the brief" if files else f"no topics{status}"


def plan_words(facts: ProjectFacts) -> str:
    """Return what there is of a plan."""
    if facts.plan in (MISSING, DRAFT):
        return STATES[facts.plan]
    parts = [f"{len(facts.steps)} steps", f"version {facts.plan_version}" if facts.plan_version else ""]
    if facts.waves:
        parts.append(f"{len(facts.sessions)} sessions in {len(facts.waves)} waves")
    parts.append("not valid" if facts.plan == BROKEN else "")
    return ", ".join(part for part in parts if part)


def run_words(run: RunFacts) -> str:
    """Return how a run stands, with the step at hand."""
    if not run.status:
        return "its progress file cannot be read"
    status = run.status.replace("_", " ")
    held = f" ({'interrupted' if run.holder == GONE else run.holder})" if run.holder else ""
    at = run.current
    if at is None:
        return f"{status}{held}, all {len(run.own)} steps are over"
    tried = f" after {at.attempts} attempts" if at.attempts > 1 else ""
    title = f' "{one_line(at.title, 60)}"' if at.title else ""
    state = at.state.replace("_", " ")
    return f"{status}{held}, step {at.number} of {len(run.own)}{title} is {state}{tried}; {run.over} are over"


def audit_words(run: RunFacts | None) -> str:
    """Return what the audit says."""
    if run is None:
        return ""
    if not run.audit:
        return f"not yet: `{verb('run finish')}` makes it"
    count = f", {len(run.drifts)} differences" if run.drifts else ""
    return f"{run.audit}{count} ({run.audit_source})"


def review_words(facts: ProjectFacts) -> str:
    """Return what the review says."""
    if facts.review in (MISSING, DRAFT):
        return STATES[facts.review]
    counts = [f"{count} {name.lower()}" for name, count in facts.counts.items() if count]
    words = f"{facts.verdict or 'no verdict'}: {', '.join(counts) or 'no findings'}"
    return f"{words}, not valid" if facts.review == BROKEN else words
