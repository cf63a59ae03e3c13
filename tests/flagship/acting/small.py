"""A small task: a plan from one sentence, the user's yes, and the run of it, in one session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.client.conversation import Call, Say
from tests.client.script import Acting
from tests.flagship.acting.executing import Executing, work_of
from tests.flagship.acting.material import text
from tests.flagship.acting.moves import Reading, arguments, data_folder, look, match, run
from tests.kit.model import ask
from tests.kit.names import COMMANDS

SENTENCE = "Say which file cannot be read, instead of a traceback"
RUN, CHANGE, LATER = "Run it", "Change it", "Not now"


class SmallTask:
    """Plan what was typed behind --task, and run it if the user says yes."""

    def __init__(self, root: Path, plan: str = "", can_ask: bool = True) -> None:
        self.root = root
        self.plan = plan or text("small.md")
        self.can_ask = can_ask

    def __call__(self, told: str) -> Acting:
        typed = arguments(told)
        sentence = match(r'--task "?([^"]+?)"?(?: --run)?$', typed)
        yield from self.plan_it(sentence, "--run" in typed, data_folder(told))

    def plan_it(self, sentence: str, at_once: bool, data: str) -> Acting:
        """Plan the sentence, take the plan past its gate, and go on."""
        begun = yield from run("ultra plan task unreadable-file", sentence)
        yield from look(self.root, "tally.py", "test_tally.py")
        assert "ultra put plan --project DIR --draft" in begun["guide"]
        draft = yield from run(f"ultra put plan --project {begun['project']} --draft", self.plan)
        assert draft["errors"] == [], draft
        ruled = yield from run(f"ultra gate plan --project {begun['project']} --task --data {data}")
        if not ruled["passed"]:
            yield Say(f"{ruled['too_large']}\n{ruled['next']}")
            return
        yield from self.go_on(ruled, begun["project"], at_once, data)

    def go_on(self, ruled: dict[str, Any], project: str, at_once: bool, data: str) -> Acting:
        """Show the steps, have the user say yes, and run them."""
        shown = "\n".join(ruled["steps"])
        if not at_once:
            if not self.can_ask:
                yield Say(f"{shown}\nNext: {ruled['run']}")
                return
            chosen = yield from self.asked(shown)
            if chosen != RUN:
                yield Say(f"Next: {ruled['run']}")
                return
        skill = {"skill": COMMANDS["execute"][1:], "args": f"--project {project}"}
        (prompt,) = yield Call("Skill", skill)
        assert not prompt.is_error, prompt
        yield from Executing(self.root, work_of("small", 1)).carry_out(project, data)

    def asked(self, shown: str) -> Reading:
        """Ask for the user's yes."""
        (result,) = yield ask(f"{shown}\nShall it be done?", RUN, CHANGE, LATER, header="Plan")
        return match(r'"="([^"]+)"', result.text)
