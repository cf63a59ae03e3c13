"""The tutorial shows what the verbs say, word for word."""

from __future__ import annotations

import re

from tests.works.conftest import Office
from tests.works.crew import DIRECT


def test_the_recorded_answers_are_what_the_verbs_say(office: Office) -> None:
    def say(*words: str, given: str = "") -> str:
        told = office.ultra.say(*words, given=given)
        assert (told.status, told.err) == (0, "")
        return re.sub(r"\b[0-9a-f]{10}\b", "COMMIT", told.out.rstrip("\n"))

    page = (office.ultra.bundle / "docs/TUTORIAL.md").read_text()
    shown = dict(re.findall(r"^```console\n\$ sdd (.*)\n((?:.*\n)*?)```$", page, re.MULTILINE))
    said = {
        "work init": say("work", "init"),
        "work new": say("work", "new", given="[new-feature] Greet by name"),
    }
    office.turn(DIRECT)
    said["work next WORK-01"] = say("work", "next", "WORK-01")
    said["work start WORK-01"] = say("work", "start", "WORK-01")

    def acts(agent: str, task: str) -> str | None:
        if agent != "verifier":
            return None
        for call in ("verify", "commit"):
            said[f"task {call} {task}"] = say("task", call, task)
        return DIRECT.answer("verifier+committer", task)

    assert office.finish(DIRECT, acts)["result"] == "completed"
    said["work status WORK-01"] = say("work", "status", "WORK-01")
    said["work status"] = say("work", "status")
    assert {call: text.rstrip("\n") for call, text in shown.items()} == said
