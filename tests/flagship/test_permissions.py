"""How often the client asks during a run, in each set-up: the table of the INSTALL page is measured here."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client.conversation import Call, Say
from tests.client.fixtures import ModelFactory
from tests.client.session import Client
from tests.client.terminal import Terminal
from tests.executor.sample import PROJECT, Repo
from tests.flagship.acting.executing import Executing
from tests.flagship.acting.moves import Answering
from tests.flagship.greeting import EXECUTE, FILES, GREET, GREETING, HELLO, README
from tests.interpreters import interpreters
from tests.kit.quick import later
from ultra_plugin.install.archive import read
from ultra_plugin.install.settings import needed

WORK = {1: [{"src/greet.py": GREET}], 2: [{"src/hello.py": HELLO}], 3: [{"README.md": README}]}
START = {**FILES, "src/greet.py": '"""Greetings."""\n'}
WAITS = "I wait for your word."
ALLOWS = """
import json, sys
call = json.load(sys.stdin)
with open(sys.argv[1], "a") as asked:
    asked.write(call["tool_name"] + " " + json.dumps(call["tool_input"])[:80] + "\\n")
decision = {"behavior": "allow"}
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}))
"""
# Set-up -> how often the client asked in a run of three steps: without and with a pause in the middle.
MEASURED = {
    "no rule": (0, 1),
    "`--permissions minimal`": (0, 0),
    "`--permissions minimal`, and edits accepted (Shift+Tab)": (0, 0),
}


class Pausing(Executing):
    """Stop after the first step, and go on as the hook says when the user has said something."""

    def step(self, answer: dict[str, Any], saying: str) -> Answering:
        if answer["begun"]["step"] == 2:
            yield Say("Shall I go on?")
            (heard,) = yield Say(
                WAITS
            )  # once the client reminds of the run that is under way; then the turn ends
            skill, words = re.findall(r"with skill (\S+) and args `([^`]*)`", heard.text)[-1]
            (prompt,) = yield Call("Skill", {"skill": skill, "args": words})
            assert not prompt.is_error, prompt
            begun = yield from self.run(f"ultra run start {PROJECT}/plan.md --mode resume --go-on")
            assert begun["begun"]["step"] == 2, begun
        return (yield from super().step(answer, saying))


def asked(
    client: Client, scripted: ModelFactory, bundle: Path, folder: Path, setup: str, pause: bool
) -> list[str]:
    """Run the plan in the terminal and return what the client asked for."""
    repo = Repo(folder, bundle, interpreters()[-1].parent).create(GREETING, START)
    log, hook = folder.parent / "asked.txt", folder.parent / "allow.py"
    log.write_text("")
    hook.write_text(ALLOWS)
    ours = [{"type": "command", "command": shlex.join([sys.executable, str(hook), str(log)])}]
    rules = needed(read(bundle), bundle)
    allowed = [*rules] if "minimal" in setup else []
    settings = {"permissions": {"allow": allowed}, "hooks": {"PermissionRequest": [{"hooks": ours}]}}
    (client.home.config / "settings.json").write_text(json.dumps(settings))
    does = (Pausing if pause else Executing)(repo.folder, WORK)
    model = scripted(does)
    with Terminal(client, model, cwd=repo.folder, plugin_dirs=[bundle]) as terminal:
        if "accepted" in setup:
            terminal.keys("BTab")
            terminal.wait_for("accept edits on")
        terminal.send(f"{EXECUTE} --project {PROJECT}")
        if pause:
            terminal.wait_for(WAITS, 90)
            terminal.send("go on")
        terminal.wait_for("Result: completed", 120)
    return log.read_text().splitlines()


# A run with a pause is all of a run without one, and more.
QUICK = [("`--permissions minimal`", True)]
CASES = [(setup, pause) for setup in MEASURED for pause in (False, True)]


@pytest.mark.soak
@pytest.mark.parametrize(("setup", "pause"), [one if one in QUICK else later(*one) for one in CASES])
def test_the_client_asks_as_often_as_the_page_says(
    client: Client, scripted: ModelFactory, bundle: Path, tmp_path: Path, setup: str, pause: bool
) -> None:
    told = asked(client, scripted, bundle, tmp_path / "greet", setup, pause)
    assert len(told) == MEASURED[setup][pause], told


def test_the_page_has_the_table(bundle: Path) -> None:
    page = re.sub(r" +\|", " |", (bundle / "docs/INSTALL.md").read_text())
    for setup, (without, paused) in MEASURED.items():
        assert f"| {setup} | {without} | {paused} |" in page
