"""Record a question of the interview with its answer, and show what has been asked and what is still open.

On standard input, the first line is the question and the rest is the answer. --section names the section of the brief
that it is about, or several, separated by commas; without it the interview so far is shown. --anew first sets an
earlier interview aside. With --short the answer says only what is new: the required sections without a full answer, in
the order in which to ask, or else how much was asked; and a question that was asked before.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError, Refusing
from ultra_runtime.brief.interview import (
    AskedQuestion,
    keep_interview,
    open_sections,
    read_interview,
    set_aside,
)
from ultra_runtime.contract.model import load_contract
from ultra_runtime.files.atomic import locked
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.secret_scan import find_secrets
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.text.markdown import is_same_title
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import bare_words, counted, listed, nearest, one_line

USAGE = "brief note --project DIR [--section NAMES] [--anew] [--short] [--json]"
STAGE = "brief"

HINT = "give the question on one line and the answer below it on standard input"


def run(args: Args) -> Answer:
    """Answer with the state of the interview."""
    project = find_project(args.need("--project"))
    given = args.get("--section")
    if given is None:
        return _show(project)
    sections = [_section(args, name) for name in given.split(",")]
    question, answer = _read()
    with Refusing("fix this and retry; nothing was recorded"), locked(project.folder):
        if args.flag("--anew"):
            set_aside(project)
        interview = read_interview(project)
        same = [one for one in interview if bare_words(one.question) == bare_words(question)]
        interview.append(AskedQuestion(sections, question, answer))
        keep_interview(project, interview)
    noted = _answer(interview, bool(same))
    if not args.flag("--short"):
        return noted
    shown = ("open" if noted.data["open"] else "line", "repeated")
    told = {name: noted.data[name] for name in shown if noted.data[name]}
    return Answer({"ok": True, **told}, noted.text)


def _section(args: Args, name: str) -> str:
    known = [one.name for one in load_contract(brief_fields.KIND).sections]
    for one in known:
        if is_same_title(one, name.strip().lstrip("#").strip()):
            return one
    error = (
        f"the brief has no section {one_line(name)}{nearest(name, known)}; the sections are {listed(known)}"
    )
    raise args.usage.error(error)


def _read() -> tuple[str, str]:
    text = as_text(read_given(None, HINT), HINT).strip()
    question, _, answer = text.partition("\n")
    if not answer.strip():
        raise RefusedError("the question has no answer below it", HINT)
    if next(iter(find_secrets(text)), None):
        error = "the answer contains what looks like a secret; nothing was recorded"
        raise RefusedError(error, "record it again with the name of its variable instead")
    return question.strip(), answer.strip()


def _show(project: Project) -> Answer:
    interview = read_interview(project)
    state = _state(interview)
    lines = [f"{', '.join(one.sections)}: {one.question}\n  {one.answer}" for one in interview]
    data = {"ok": True, **state, "interview": [one.as_data() for one in interview], "next": _next(state)}
    return Answer(data, "\n".join([*lines, f"{counted(len(interview), 'question')}; {_next(state)}"]))


def _answer(interview: list[AskedQuestion], again: bool) -> Answer:
    state = _state(interview)
    next_step = _next(state)
    if again:
        next_step = f"this question was asked before: do not ask it again; {next_step}"
    data = {"ok": True, **state, "repeated": again, "next": next_step}
    return Answer(data, f"{counted(len(interview), 'question')}; {next_step}")


def _state(interview: list[AskedQuestion]) -> dict[str, Any]:
    asked: dict[str, int] = {}
    for one in interview:
        for name in one.sections:
            asked[name] = asked.get(name, 0) + 1
    return {
        "questions": len(interview),
        "asked": asked,
        "open": open_sections(interview),
        "line": f"{counted(len(interview), 'question')} about {counted(len(asked), 'section')}",
    }


def _next(state: dict[str, Any]) -> str:
    if state["open"]:
        return f"no full answer yet for {listed(state['open'])}"
    return "every required section has an answer: check that each is good enough"
