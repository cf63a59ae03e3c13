"""Research of the one topic of the brief."""

from __future__ import annotations

import json

from tests.client.conversation import Say
from tests.client.script import Acting
from tests.flagship.acting.material import text
from tests.flagship.acting.moves import (
    block,
    consult,
    data_folder,
    day_of,
    match,
    option,
    prompt,
    run,
)

DIMENSIONS = "1. What splits a text into words without punctuation? 2. What orders words of the same number?"
AGREES = {"official": "yes", "code": "partly"}
"""The documentation says the answer; the code is about something close."""


def research(told: str) -> Acting:
    """Answer the one topic: three agents, a computed confidence, the file."""
    project = option("--project", told)
    begun = yield from run(f"ultra research begin --project {project} --guide")
    (topic,) = [one for one in begun["topics"] if not one["answered"]]
    where = f"{topic['question']} Sources: this repository and the web, {begun['price']}."
    assert begun["second_model"] is False, "on this machine there is one: it would have to be asked for"
    asked = {"Question": topic["question"], "Dimensions": DIMENSIONS, "Needed for": topic["plan_steps"]}
    local, public = prompt(**asked, Start="tally.py"), prompt(**asked, Start="Python 3, re and collections")
    reports = yield from consult(
        {agent: local if agent.startswith("local-") else public for agent in topic["agents"]}, where
    )
    rows = [
        f"| {one['dimension']} | {agent} | {one['kind']} | {AGREES[one['kind']]} | {one['source']} |"
        for agent, said in reports.items()
        for one in json.loads(block(said).strip("`").removeprefix("json"))["findings"]
    ]
    evidence = "\n".join(["| dimension | agent | kind | agrees | source |", "|---|---|---|---|---|", *rows])
    number = topic["topic"]
    sure = yield from run(
        f"ultra confidence --dimensions 2 --project {project} --topic {number} --guide", evidence
    )
    assert (sure["enough"], sure["weak"]) == (True, []), sure
    each = dict(zip(("first", "second"), sure["dimensions"], strict=True))
    whole = {"confidence": sure["confidence"], "question": topic["question"]}
    put = yield from run(
        f"ultra put research --project {project} --topic {number} --slug {topic['slug']} --complete"
        f" --data {data_folder(told)}",
        text("research.md", day=day_of(project), **whole, **each),
    )
    following = match(r"to continue: (.+)", put["next"])
    answer = "A regular expression finds the words. Counter puts the most frequent first and keeps the order of equals."
    saying = (
        f"{put['path']}: {answer}\nConfidence {sure['confidence']}, which is enough. Second model: skipped, not"
        f" installed.\nNext: {following}"
    )
    yield Say(saying)
