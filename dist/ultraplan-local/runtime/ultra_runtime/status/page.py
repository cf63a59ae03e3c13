"""One page about a project: no network, no scripts, light and dark; text of artifacts is never markup."""

from __future__ import annotations

import time

from ultra_runtime.contract.stage_part import BAD, DONE, NOW, WAIT, WARN
from ultra_runtime.contract.stages import Next
from ultra_runtime.rendered import names, verb
from ultra_runtime.run.life.run_facts import RunFacts, StepFacts
from ultra_runtime.run.life.standing import MARKS as OF_RUN
from ultra_runtime.run.state.wave_state import CONFLICT, FAILED, LACKING, MERGED, PASSED, WAITING
from ultra_runtime.status.picture import escaped, pipeline, step_colour, table, tag, text, track
from ultra_runtime.status.style import STYLE
from ultra_runtime.tables.fields import plan_fields, review_fields
from ultra_runtime.tables.fields import progress_fields as fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Session
    from ultra_runtime.run.state.wave_state import WaveState
    from ultra_runtime.standing.project_standing import ProjectStanding

MARK = f'<meta name="generator" content="{verb("status")}"'
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
OF_SEVERITY = {
    review_fields.STATS_FINDINGS_BLOCKER: BAD,
    review_fields.STATS_FINDINGS_MAJOR: WARN,
    review_fields.STATS_FINDINGS_MINOR: NOW,
}
OF_WAVES = {WAITING: WAIT, PASSED: DONE, MERGED: DONE, LACKING: WARN, FAILED: BAD, CONFLICT: BAD}
STEPS, RULE = plan_fields.SESSIONS_STEPS, review_fields.DETAILS_RULE
MOST_ROWS = 500


def page(standing: ProjectStanding) -> str:
    """Return the whole page."""
    runs = standing.execution.runs if standing.execution else []
    waves = standing.execution.waves if standing.execution else None
    if waves:  # of many sessions only those that somebody has to look at
        runs = [run for run in runs if run.session not in waves.merged]
    name = standing.project.shown.rpartition("/")[2]
    body = [
        _header(standing, name),
        tag("div", pipeline(standing), class_="wide"),
        _coming(standing.coming),
        _summary(standing),
        _waves(standing) if waves else "",
        *(_run(run) for run in runs),
        "" if runs or waves else _planned(standing),
        *(_audit(run) for run in runs if run.drifts or run.findings),
        _findings(standing),
        "" if waves else _waves(standing),
        _research(standing),
        _issues(standing),
        _footer(),
    ]
    head = [
        '<meta charset="utf-8"/>',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"/>',
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
        '<meta name="color-scheme" content="light dark"/>',
        f"{MARK}/>",
        text("title", f"{name}: where it stands"),
        f"<style>{STYLE}</style>",
    ]
    inner = "\n".join(part for part in body if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n'
        + "\n".join(["<head>", *head, "</head>", "<body><main>", inner, "</main></body>", "</html>"])
        + "\n"
    )


def _header(standing: ProjectStanding, name: str) -> str:
    execution = standing.execution
    status = execution.run.status if execution and execution.run else ""
    if execution and execution.waves and execution.waves.state.unfinished:
        status = execution.waves.status
    pill = _pill(status.replace("_", " "), OF_RUN.get(status, WAIT)) if status else ""
    task = text("h1", standing.task or name)
    path = text("p", standing.project.shown, class_="path")
    return tag("header", path, task, tag("p", pill) if pill else "")


def _coming(coming: Next) -> str:
    command = tag("pre", text("code", coming.command)) if coming.command else ""
    reason = text("p", coming.reason[:1].upper() + coming.reason[1:] + ".")
    return _section("Next", reason, command, class_="next")


def _section(title: str, *inner: str, **attributes: object) -> str:
    return tag("section", text("h2", title), *inner, **attributes)


def _summary(standing: ProjectStanding) -> str:
    rows = [row for part in standing.parts for row in part.rows()]
    return tag("dl", *(text("dt", title) + text("dd", words) for title, words in rows if words))


def _run(run: RunFacts) -> str:
    when = f"Started {_moment(run.started_at)}, last change {_moment(run.updated_at)}, times in UTC."
    steps = run.own
    rows = [_step_row(step) for step in steps[:MOST_ROWS]]
    heads = ("Step", "What", "State", "Attempts", "Completed", "Took", "Commit")
    return _section(
        STEPS if run.session is None else f"Steps of session {run.session}",
        text("p", when, class_="quiet") if run.started_at else "",
        track(run) if steps else "",
        table(heads, rows) if rows else text("p", run.problem or "No steps are recorded."),
        _more(len(steps)),
    )


def _step_row(step: StepFacts) -> list[str]:
    told = "".join(text("div", words, class_="quiet") for words in (step.error, step.note) if words)
    return [
        escaped(step.number),
        text("span", step.title) + told,
        _pill(step.state.replace("_", " "), step_colour(step)),
        escaped(step.attempts or ""),
        text("span", _moment(step.completed_at)[:40], class_="tight"),
        text("span", _duration(step.seconds), class_="tight"),
        text("code", step.commit[:10], class_="tight") if step.commit else "",
    ]


def _planned(standing: ProjectStanding) -> str:
    steps = standing.plan.steps if standing.plan else []
    if not steps:
        return ""
    rows = [[escaped(number), text("span", title)] for number, title in steps[:MOST_ROWS]]
    return _section(STEPS, table(("Step", "What"), rows), _more(len(steps)))


def _waves(standing: ProjectStanding) -> str:
    plan, execution = standing.plan, standing.execution
    if plan is None or execution is None or not plan.waves:
        return ""
    runs = {run.session: run for run in execution.runs if execution.is_of_plan(run)}
    sessions = {session.number: session for session in plan.sessions}
    seen, waves = execution.waves, []
    for index, numbers in enumerate(plan.waves, 1):
        cards = [
            _session_in_waves(sessions[number], seen.state)
            if seen and number in seen.state.sessions
            else _session(sessions[number], runs.get(number), runs.get(None))
            for number in numbers
        ]
        inner = tag("div", *cards, class_="cards")
        waves.append(tag("div", text("h3", f"Wave {index}"), inner, class_="wave"))
    return _section("Waves", tag("div", *waves, class_="waves"))


def _session(session: Session, run: RunFacts | None, whole: RunFacts | None) -> str:
    numbers = session.steps
    if run is not None:
        status, colour = run.status or "unreadable", OF_RUN.get(run.status, BAD)
    else:
        status, colour = _of_whole_run(whole, numbers)
    return _card(session, status, colour)


def _session_in_waves(session: Session, state: WaveState) -> str:
    """Return a session as the journal of its waves has it: where it stands, its attempts, its time and its money."""
    from ultra_runtime.run.life.wave_lines import stand_details

    one = state.sessions[session.number]
    why = one.why if one.state != MERGED else ""
    return _card(session, one.state, OF_WAVES.get(one.state, NOW), ", ".join(stand_details(state, one)), why)


def _card(session: Session, status: str, colour: str, *details: str) -> str:
    steps = ", ".join(map(str, session.steps[:30])) or "none"
    return tag(
        "div",
        tag("strong", escaped(f"Session {session.number}")),
        text("div", session.title),
        text("div", f"Steps {steps}", class_="quiet"),
        _pill(status.replace("_", " "), colour),
        *(text("div", one[:300], class_="quiet") for one in details if one),
        class_="card",
    )


def _of_whole_run(whole: RunFacts | None, numbers: tuple[int, ...]) -> tuple[str, str]:
    """Return the state of a session that was run as part of the whole plan."""
    states = {step.state for step in whole.steps if step.number in numbers} if whole else set()
    if states and states <= {fields.STEPS_STATUS_COMPLETED, fields.STEPS_STATUS_SKIPPED}:
        return fields.STATUS_COMPLETED, DONE
    if states & {fields.STEPS_STATUS_FAILED, fields.STEPS_STATUS_BLOCKED}:
        return fields.STATUS_FAILED, BAD
    if states - {fields.STEPS_STATUS_PENDING}:
        return fields.STATUS_IN_PROGRESS, NOW
    return fields.STATUS_PENDING, WAIT


def _research(standing: ProjectStanding) -> str:
    topics = standing.research.topics if standing.research else []
    if not topics:
        return ""
    rows = [
        [
            escaped(topic.number),
            text("span", topic.title),
            _pill("answered" if topic.fits else "open", DONE if topic.fits else WAIT),
        ]
        for topic in topics[:MOST_ROWS]
    ]
    return _section("Research", table(("Topic", "Question", "State"), rows))


def _audit(run: RunFacts) -> str:
    rows = [
        [
            escaped("" if drift.get("step") is None else drift.get("step")),
            text("code", drift.get("check", "")),
            escaped(drift.get("expected", "")),
            escaped(drift.get("actual", "")),
        ]
        for drift in run.drifts[:MOST_ROWS]
    ]
    title = "Audit" if run.session is None else f"Audit of session {run.session}"
    colour = DONE if run.audit == fields.MANIFEST_AUDIT_STATUS_PASS else WARN
    verdict = _pill(run.audit, colour) if run.audit else ""
    notes = tag("ul", *(text("li", finding) for finding in run.findings[:MOST_ROWS])) if run.findings else ""
    told = tag("p", verdict, " ", escaped(run.audit_source)) if verdict else ""
    differences = table(("Step", "Check", "Expected", "Found"), rows) if rows else ""
    return _section(title, told, differences, notes)


def _findings(standing: ProjectStanding) -> str:
    findings = standing.review.findings if standing.review else []
    if not findings:
        return ""
    rows = [
        [
            _pill(finding.severity.lower() or "finding", OF_SEVERITY.get(finding.severity, WAIT)),
            text("code", finding.location),
            text("span", finding.message) + (text("div", finding.fix, class_="quiet") if finding.fix else ""),
            escaped(finding.rule),
        ]
        for finding in findings[:MOST_ROWS]
    ]
    heads = ("Severity", "Where", "What", RULE)
    return _section("Findings of the review", table(heads, rows), _more(len(findings)))


def _issues(standing: ProjectStanding) -> str:
    if not standing.issues:
        return ""
    return _section("To fix", tag("ul", *(text("li", issue) for issue in standing.issues)))


def _footer() -> str:
    name = names()
    now = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    return text("footer", f"Made {now} UTC by {name.plugin} {name.version}, {verb('status')}.")


def _more(count: int) -> str:
    return text("p", f"and {count - MOST_ROWS} more", class_="quiet") if count > MOST_ROWS else ""


def _pill(words: str, colour: str) -> str:
    return text("span", words, class_=f"pill {colour}")


def _moment(stamp: str) -> str:
    """Return a timestamp to the minute, for people."""
    return stamp[:16].replace("T", " ") if stamp[10:11] == "T" else stamp


def _duration(seconds: int | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds} s"
    minutes, hours = seconds // 60, seconds // 3600
    return f"{minutes} min" if hours < 1 else f"{hours} h {minutes % 60} min"
