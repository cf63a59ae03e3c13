"""One page about a project: no network, no script, light and dark; nothing of an artifact is markup."""

from __future__ import annotations

import time

from ultra_runtime.rendered import names, verb
from ultra_runtime.status.lines import audit_words, plan_words, research_words, review_words, run_words
from ultra_runtime.status.markup import escaped, table, tag, text
from ultra_runtime.status.next_command import Next, next_command
from ultra_runtime.status.picture import BAD, DONE, NOW, OF_RUN, WAIT, WARN, pipeline, step_colour, track
from ultra_runtime.status.style import STYLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.status.project_facts import ProjectFacts
    from ultra_runtime.status.run_facts import RunFacts, StepFacts

MARK = f'<meta name="generator" content="{verb("status")}"'
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
OF_SEVERITY = {"BLOCKER": BAD, "MAJOR": WARN, "MINOR": NOW}
MOST_ROWS = 500


def page(facts: ProjectFacts) -> str:
    """Return the whole page."""
    coming = next_command(facts)
    name = facts.project.shown.rpartition("/")[2]
    body = [
        _header(facts, name),
        tag("div", pipeline(facts, coming), class_="wide"),
        _coming(coming),
        _summary(facts),
        *(_run(run) for run in facts.runs),
        "" if facts.runs else _planned(facts),
        *(_audit(run) for run in facts.runs if run.drifts or run.findings),
        _findings(facts),
        _waves(facts),
        _research(facts),
        _issues(facts),
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


def _header(facts: ProjectFacts, name: str) -> str:
    run = facts.run
    status = run.status if run else ""
    pill = _pill(status.replace("_", " "), OF_RUN.get(status, WAIT)) if status else ""
    task = text("h1", facts.task or name)
    return tag("header", text("p", facts.project.shown, class_="path"), task, tag("p", pill) if pill else "")


def _coming(coming: Next) -> str:
    command = tag("pre", text("code", coming.command)) if coming.command else ""
    return tag(
        "section",
        text("h2", "Next"),
        text("p", coming.reason[:1].upper() + coming.reason[1:] + "."),
        command,
        class_="next",
    )


def _summary(facts: ProjectFacts) -> str:
    rows = [
        ("Research", research_words(facts)),
        ("Plan", plan_words(facts)),
        *((_title(run), run_words(run)) for run in facts.runs),
        ("Audit", audit_words(facts.run)),
        ("Review", review_words(facts)),
    ]
    return tag("dl", *(text("dt", title) + text("dd", words) for title, words in rows if words))


def _title(run: RunFacts) -> str:
    return "Run" if run.session is None else f"Run of session {run.session}"


def _run(run: RunFacts) -> str:
    when = f"Started {_moment(run.started_at)}, last change {_moment(run.updated_at)}, times in UTC."
    steps = run.own
    rows = [_step_row(step) for step in steps[:MOST_ROWS]]
    heads = ("Step", "What", "State", "Attempts", "Completed", "Took", "Commit")
    return tag(
        "section",
        text("h2", "Steps" if run.session is None else f"Steps of session {run.session}"),
        text("p", when, class_="quiet") if run.started_at else "",
        track(run) if steps else "",
        table(heads, rows) if rows else text("p", run.problem or "No steps are on record."),
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


def _planned(facts: ProjectFacts) -> str:
    if not facts.steps:
        return ""
    rows = [[escaped(number), text("span", title)] for number, title in facts.steps[:MOST_ROWS]]
    return tag("section", text("h2", "Steps"), table(("Step", "What"), rows), _more(len(facts.steps)))


def _waves(facts: ProjectFacts) -> str:
    if not facts.waves:
        return ""
    runs = {run.session: run for run in facts.runs}
    sessions = {session["number"]: session for session in facts.sessions}
    waves = []
    for index, numbers in enumerate(facts.waves, 1):
        cards = [_session(sessions[number], runs.get(number), facts) for number in numbers]
        waves.append(
            tag("div", text("h3", f"Wave {index}"), tag("div", *cards, class_="cards"), class_="wave")
        )
    return tag("section", text("h2", "Waves"), tag("div", *waves, class_="waves"))


def _session(session: dict[str, object], run: RunFacts | None, facts: ProjectFacts) -> str:
    given = session["steps"]
    numbers: list[int] = given if isinstance(given, list) else []
    if run is not None:
        status, colour = run.status or "unreadable", OF_RUN.get(run.status, BAD)
    else:
        status, colour = _of_whole_run(facts, numbers)
    steps = ", ".join(map(str, numbers[:30])) or "none"
    return tag(
        "div",
        tag("strong", escaped(f"Session {session['number']}")),
        text("div", session["title"]),
        text("div", f"Steps {steps}", class_="quiet"),
        _pill(status.replace("_", " "), colour),
        class_="card",
    )


def _of_whole_run(facts: ProjectFacts, numbers: list[int]) -> tuple[str, str]:
    """Return how a session stands that was run as a part of the whole plan."""
    whole = next((run for run in facts.runs if run.session is None), None)
    states = [step.state for step in whole.steps if step.number in numbers] if whole else []
    if states and all(state in ("completed", "skipped") for state in states):
        return "completed", DONE
    if any(state in ("failed", "blocked") for state in states):
        return "failed", BAD
    return ("in progress", NOW) if any(state != "pending" for state in states) else ("pending", WAIT)


def _research(facts: ProjectFacts) -> str:
    if not facts.topics:
        return ""
    rows = [
        [escaped(number), text("span", title), _pill("answered" if done else "open", DONE if done else WAIT)]
        for number, title, done in facts.topics[:MOST_ROWS]
    ]
    return tag("section", text("h2", "Research"), table(("Topic", "Question", "State"), rows))


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
    verdict = _pill(run.audit, DONE if run.audit == "pass" else WARN) if run.audit else ""
    beside = tag("ul", *(text("li", finding) for finding in run.findings[:MOST_ROWS])) if run.findings else ""
    told = tag("p", verdict, " ", escaped(run.audit_source)) if verdict else ""
    differences = table(("Step", "Check", "Expected", "Found"), rows) if rows else ""
    return tag("section", text("h2", title), told, differences, beside)


def _findings(facts: ProjectFacts) -> str:
    if not facts.findings:
        return ""
    rows = [
        [
            _pill(finding.severity.lower() or "finding", OF_SEVERITY.get(finding.severity, WAIT)),
            text("code", finding.location),
            text("span", finding.message) + (text("div", finding.fix, class_="quiet") if finding.fix else ""),
            escaped(finding.rule),
        ]
        for finding in facts.findings[:MOST_ROWS]
    ]
    heads = ("Severity", "Where", "What", "Rule")
    return tag(
        "section", text("h2", "Findings of the review"), table(heads, rows), _more(len(facts.findings))
    )


def _issues(facts: ProjectFacts) -> str:
    if not facts.issues:
        return ""
    return tag(
        "section", text("h2", "To be mended"), tag("ul", *(text("li", issue) for issue in facts.issues))
    )


def _footer() -> str:
    name = names()
    now = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    return text("footer", f"Made {now} UTC by {name.plugin} {name.version}, {verb('status')}.")


def _more(count: int) -> str:
    return text("p", f"and {count - MOST_ROWS} more", class_="quiet") if count > MOST_ROWS else ""


def _pill(words: str, colour: str) -> str:
    return text("span", words, class_=f"pill {colour}")


def _moment(stamp: str) -> str:
    """Return a timestamp to the minute, as a person reads it."""
    return stamp[:16].replace("T", " ") if stamp[10:11] == "T" else stamp


def _duration(seconds: int | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds} s"
    minutes, hours = seconds // 60, seconds // 3600
    return f"{minutes} min" if hours < 1 else f"{hours} h {minutes % 60} min"
