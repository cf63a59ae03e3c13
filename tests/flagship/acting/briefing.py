"""The brief: an interview, a draft, a review that fails once, one more question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.client.conversation import Call, Say, Together
from tests.client.script import Acting
from tests.flagship.acting.material import TASK, text
from tests.flagship.acting.moves import (
    Reading,
    arguments,
    consult,
    data_folder,
    held,
    look,
    match,
    offered,
    prompt,
    run,
)
from tests.kit.model import given
from tests.kit.names import NAME

QUESTION = "What in the standard library splits a text into words without punctuation, and how are words with equal counts ordered?"


class Question(NamedTuple):
    """A question of the interview: the section it fills, its words, and each option with what it means."""

    section: str
    words: str
    options: Mapping[str, str]


INTERVIEW = (
    Question(
        "Intent",
        "Why is this wanted, and what happens without it?",
        {
            "An editor looks for words that she uses too often": "Today she uses a web page, but may not share the texts",
            "Out of curiosity": "Nobody misses it",
        },
    ),
    Question(
        "Goal",
        "What is there when it is done?",
        {
            "The option --top N shows the N most frequent words": "The program stays what it is without it",
            "A second program shows them": "tally.py stays untouched",
        },
    ),
    Question(
        "Success Criteria",
        "What will you run, see or measure to know it is done?",
        {
            "The output is correct and easy to read": "I look at it",
            "I don't know": "Then an assumption is written down",
        },
    ),
    Question(
        "Success Criteria",
        "What is 'easy to read' for --top 2 of rose.txt? And without --top it prints 8, as today?",
        {
            "A line 3 a and a line 3 rose; 8 as today": "The number, a space, the word",
            "A line a: 3 and a line rose: 3; 8 as today": "The word, a colon, the number",
        },
    ),
    Question(
        "Research Plan",
        f"New here is what counts as a word. The topic: {QUESTION} Needed for the function that counts; both sides,"
        " medium confidence, quick.",
        {
            "Research it so": "Two agents look here, one outside",
            "I know this": "No research on it",
            "Change it": "Another question",
        },
    ),
    Question(
        "Constraints",
        "What may not change or be used? Hard, or a wish?",
        {
            "Standard library only, no change without --top; both hard": "Nothing to install",
            "Packages are fine": "Then the plan looks for one",
        },
    ),
)
WRONG_N = {
    "One line that says what N has to be, exit status 2": "As other programs do",
    "Whatever Python says": "A traceback, exit status 1",
}
GO_ON = {
    "Manual": "Show the commands",
    "Auto": "Research and plan now; this session is busy until the plan is there, and agents are billed",
}


def choose(question: str, options: Mapping[str, str], first: Call | Say | None = None) -> Reading:
    """Ask the user, each option with what it means, and return what was chosen; `first` goes in the same message."""
    offers = [{"label": label, "description": means} for label, means in options.items()]
    words = {"question": question, "header": "Brief", "multiSelect": False, "options": offers}
    call = Call("AskUserQuestion", {"questions": [words]})
    *noted, result = yield Together(first, call) if first else call
    for one in noted:
        held(one)
    return match(r'"="([^"]+)"', result.text)


def note(project: str, section: str, question: str, answer: str) -> Call:
    """Keep an answer of the interview."""
    return given(
        f"ultra brief note --project {project} --section '{section}' --short --json", f"{question}\n{answer}"
    )


def brief(root: Path, told: str) -> Acting:
    """Interview, draft, a review that fails once, one more question, and the brief."""
    assert arguments(told) == TASK
    made = yield from run("ultra project new top-words --guide")
    project = made["path"]
    first: Call | Say = Say(f"The draft is reviewed by an agent: {made['price']}.")
    answers: list[str] = []
    for one in INTERVIEW:
        answers.append((yield from choose(one.words, one.options, first)))
        first = note(project, one.section, one.words, answers[-1])
    (noted,) = yield first
    assert held(noted).keys() == {"ok", "line"}
    put = match(r"(ultra put brief --project DIR --draft)", made["guide"]).replace("DIR", project)
    intent, goal = answers[:2]
    drafted = yield from run(put, text("brief.md", task=TASK, intent=intent, goal=goal, question=QUESTION))
    gate = f'{offered(drafted, "ultra gate brief")} --mode default --kept --data "{data_folder(told)}"'
    yield from consult({"brief-reviewer": prompt(Draft=drafted["path"])})
    ruled = yield from run(gate)
    asking = f"The reviewer asks: {ruled['failing'][0]['detail'][0]}"
    answer = yield from choose(asking, WRONG_N)
    held((yield note(project, "Success Criteria", asking, answer))[0])
    yield from run(f"{put} --section 'Success Criteria'", text("criteria.md"))
    asked = f"{ruled['interview_file']}\nDo not raise again what its answers settle."
    yield from consult({"brief-reviewer": prompt(Draft=drafted["path"], Interview=asked)}, again=" once more")
    ruled = yield from run(gate)
    assert ruled["passed"], ruled
    path = match(r"^(\S+) is in place", ruled["next"])
    topics, quality, rounds = ruled["research_topics"], ruled["brief_quality"], ruled["round"]
    written = Say(f"{path} is written: {rounds} rounds, {quality}, {topics} topic.")
    yield from choose("How shall it go on?", GO_ON, written)
    whole = yield from look(root, path)
    commands = re.findall(rf"(/{NAME}:\S+ --project \S+)", whole.partition("## How to continue")[2])
    yield Say("\n".join(commands))
