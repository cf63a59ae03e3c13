"""One page about a project: no network, no scripts, light and dark; text of artifacts is never markup."""

from __future__ import annotations

import os
import time

from ultra_runtime.contract.stage_part import BAD, DONE, NOW, WAIT, WARN
from ultra_runtime.contract.stages import Next, find_files
from ultra_runtime.files.run_files import LOGS, REPORT
from ultra_runtime.rendered import names, verb
from ultra_runtime.rendered import table as table_of
from ultra_runtime.run.life.run_facts import RunFacts, StepFacts
from ultra_runtime.run.life.standing import MARKS as OF_RUN
from ultra_runtime.run.state.wave_state import CONFLICT, FAILED, LACKING, MERGED, PASSED, WAITING
from ultra_runtime.status.links import Links, last_lines, log_of
from ultra_runtime.status.picture import escaped, pipeline, step_colour, table, tag, text, track
from ultra_runtime.status.style import STYLE
from ultra_runtime.tables.fields import plan_fields, review_fields
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.text.timestamp import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.project import Project
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


def page(standings: list[ProjectStanding], links: Links, script: str = "", nonce: str = "") -> str:
    """Return the whole page: one project, or several with a list of them first."""
    names_of = [standing.project.shown.rpartition("/")[2] for standing in standings]
    title = names_of[0] if len(standings) == 1 else f"{len(standings)} projects"
    body = [
        _projects(standings) if len(standings) != 1 else "",
        *(_project(standing, name, links) for standing, name in zip(standings, names_of)),
        _footer(),
    ]
    policy = POLICY + (f"; script-src 'nonce-{nonce}'; connect-src 'self'" if script else "")
    head = [
        '<meta charset="utf-8"/>',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>',
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
        '<meta name="color-scheme" content="light dark"/>',
        f"{MARK}/>",
        text("title", f"{title}: where it stands"),
        f"<style>{STYLE}</style>",
        f'<script nonce="{nonce}">{script}</script>' if script else "",
    ]
    inner = "\n".join(part for part in body if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n'
        + "\n".join(
            ["<head>", *filter(None, head), "</head>", "<body><main>", inner, "</main></body>", "</html>"]
        )
        + "\n"
    )


def _projects(standings: list[ProjectStanding]) -> str:
    """Return the list of the projects, each with what comes next."""
    rows = []
    for standing in standings:
        name = standing.project.shown.rpartition("/")[2]
        link = f'<a href="#{escaped(name)}">{escaped(standing.task or name)}</a>'
        rows.append([link, escaped(standing.coming.stage), escaped(standing.coming.reason)])
    if not rows:
        return tag("header", text("h1", "No projects yet"))
    return tag("header", text("h1", "Projects")) + _section(
        "All of them", table(("Project", "Stage", "Why"), rows, "The projects of this repository")
    )


def _project(standing: ProjectStanding, name: str, links: Links) -> str:
    runs = standing.execution.runs if standing.execution else []
    waves = standing.execution.waves if standing.execution else None
    if waves:  # of many sessions only those that somebody has to look at
        runs = [run for run in runs if run.session not in waves.merged]
    project = standing.project
    parts = [
        _header(standing, name),
        tag(
            "div",
            pipeline(standing),
            class_="wide",
            tabindex=0,
            role="group",
            aria_label=f"The stages of {name}",
        ),
        _coming(standing.coming),
        _files(project, links),
        _summary(standing),
        _waves(standing) if waves else "",
        *(_run(run, project, links) for run in runs),
        "" if runs or waves else _planned(standing),
        *(_audit(run) for run in runs if run.drifts or run.findings),
        _findings(standing, links),
        "" if waves else _waves(standing),
        _research(standing),
        _issues(standing),
    ]
    return tag("article", "\n".join(part for part in parts if part), id=name)


def _files(project: Project, links: Links) -> str:
    """Return links to the artifacts of a project, and to the report of its run."""
    found = [
        project.path(name) for kind in table_of("stages").FILES for name in find_files(project.folder, kind)
    ]
    found += [project.path(LOGS, REPORT)]
    shown = [
        links.file(path, os.path.relpath(path, project.folder)) for path in found if os.path.isfile(path)
    ]
    return (
        tag("nav", " ".join(tag("span", link) for link in shown), aria_label=f"Files of {project.shown}")
        if shown
        else ""
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


def _run(run: RunFacts, project: Project, links: Links) -> str:
    zone = time.strftime("%Z")
    when = f"Started {_moment(run.started_at)}, last change {_moment(run.updated_at)}, times in {zone}."
    steps = run.own
    rows = [_step_row(step, project, links) for step in steps[:MOST_ROWS]]
    heads = ("Step", "What", "State", "Attempts", "Completed", "Took", "Commit")
    return _section(
        STEPS if run.session is None else f"Steps of session {run.session}",
        text("p", when, class_="quiet") if run.started_at else "",
        track(run) if steps else "",
        table(heads, rows, "The steps of the run")
        if rows
        else text("p", run.problem or "No steps are recorded."),
        _more(len(steps)),
    )


def _step_row(step: StepFacts, project: Project, links: Links) -> list[str]:
    told = "".join(text("div", words, class_="quiet") for words in (step.error, step.note) if words)
    log = log_of(project, step)
    if log:
        told += tag("div", links.file(log, "log"), class_="quiet")
    if log and step.state in (
        fields.STEPS_STATUS_FAILED,
        fields.STEPS_STATUS_BLOCKED,
        fields.STEPS_STATUS_SKIPPED,
    ):
        printed = "\n".join(map(escaped, last_lines(log).split("\n")))
        told += tag("details", text("summary", "What it printed last"), tag("pre", printed, tabindex=0))
    return [
        escaped(step.number),
        text("span", step.title) + told,
        _pill(step.state.replace("_", " "), step_colour(step)),
        escaped(step.attempts or ""),
        text("span", _moment(step.completed_at)[:40], class_="tight"),
        text("span", _duration(step.seconds), class_="tight"),
        links.commit(step.commit) if step.commit else "",
    ]


def _planned(standing: ProjectStanding) -> str:
    steps = standing.plan.steps if standing.plan else []
    if not steps:
        return ""
    rows = [[escaped(number), text("span", title)] for number, title in steps[:MOST_ROWS]]
    return _section(STEPS, table(("Step", "What"), rows, "The steps of the plan"), _more(len(steps)))


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
    return _section("Research", table(("Topic", "Question", "State"), rows, "The research topics"))


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
    differences = table(("Step", "Check", "Expected", "Found"), rows, "What the audit found") if rows else ""
    return _section(title, told, differences, notes)


def _findings(standing: ProjectStanding, links: Links) -> str:
    findings = standing.review.findings if standing.review else []
    if not findings:
        return ""
    rows = [
        [
            _pill(finding.severity.lower() or "finding", OF_SEVERITY.get(finding.severity, WAIT)),
            tag("code", links.file(_place(standing.project, finding.location), finding.location)),
            text("span", finding.message) + (text("div", finding.fix, class_="quiet") if finding.fix else ""),
            escaped(finding.rule),
        ]
        for finding in findings[:MOST_ROWS]
    ]
    heads = ("Severity", "Where", "What", RULE)
    return _section(
        "Findings of the review", table(heads, rows, "The findings of the review"), _more(len(findings))
    )


def _issues(standing: ProjectStanding) -> str:
    if not standing.issues:
        return ""
    return _section("To fix", tag("ul", *(text("li", issue) for issue in standing.issues)))


def _footer() -> str:
    name = names()
    now = time.strftime("%Y-%m-%d %H:%M %Z")
    return text("footer", f"Made {now} by {name.plugin} {name.version}, {verb('status')}.")


def _more(count: int) -> str:
    return text("p", f"and {count - MOST_ROWS} more", class_="quiet") if count > MOST_ROWS else ""


def _pill(words: str, colour: str) -> str:
    return text("span", words, class_=f"pill {colour}")


def _place(project: Project, location: str) -> str:
    """Return the file of a finding, whose location may end in a line."""
    return os.path.join(project.root, location.partition(":")[0])


def _moment(stamp: str) -> str:
    """Return a timestamp to the minute in local time, for people; other text stays as it is."""
    found, epoch = instant(stamp), instant("1970-01-01T00:00:00Z") or 0
    if found is None:
        return stamp
    return time.strftime("%Y-%m-%d %H:%M", time.localtime((found - epoch) // 10**9))


def _duration(seconds: int | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds} s"
    minutes, hours = seconds // 60, seconds // 3600
    return f"{minutes} min" if hours < 1 else f"{hours} h {minutes % 60} min"
