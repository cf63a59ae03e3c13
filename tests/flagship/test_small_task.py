"""A small task in the real client: one sentence, a plan that code lets through, the user's yes, and the run of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.client.conversation import Call, Together
from tests.client.fixtures import ModelFactory, TerminalFactory
from tests.client.model import ScriptedModel
from tests.client.script import Acting
from tests.client.session import Client
from tests.flagship import acting
from tests.flagship.acting.moves import match
from tests.flagship.acting.small import RUN, SENTENCE, SmallTask
from tests.flagship.spelled import played
from tests.flagship.way import Way
from tests.flagship.weight import weigh
from tests.kit.files import write_tree
from tests.kit.model import ask
from tests.kit.names import COMMANDS, PIPELINE

TYPED = f'{COMMANDS["plan"]} --task "{SENTENCE}"'
MOST_CALLS, MOST_TOKENS, CHARACTERS_A_TOKEN = 12, 6000, 4
SUBJECT = "fix: say which file cannot be read"


@pytest.fixture
def way(client: Client, scripted: ModelFactory, project: Path, bundle: Path) -> Way:
    """Return the sample repository, with the rule that `ultra-install --permissions minimal` writes."""
    write_tree(project, acting.scenes("repository.md"))
    way = Way(client, scripted, project, bundle)
    way.commit("Count the words of a text")
    settings = {"permissions": {"allow": ["Bash(ultra:*)", "Write"]}}
    (client.home.config / "settings.json").write_text(json.dumps(settings))
    return way


def is_done(way: Way) -> None:
    """Compare the repository with the task: one commit, proved, nothing left to do."""
    assert (way.subjects()[-1], way.git("status", "--porcelain")) == (SUBJECT, "?? .claude/")
    assert way.tried("none.txt") == (1, "tally: none.txt: No such file or directory\n")
    assert way.ultra("audit", f"{way.project}/plan.md").startswith("pass")
    status = way.status()
    assert (status["stage"], status["next"]) == ("done", "the project is complete")
    assert status["task"] == SENTENCE


def in_the_budget(way: Way, model: ScriptedModel) -> None:
    """Compare what the protocol took with what a small task may take."""
    commands = [way.bundle / "commands" / f"{PIPELINE[stage]}.md" for stage in ("plan", "execute")]
    weight = weigh(commands, model.tool_results())
    assert weight.calls <= MOST_CALLS, weight
    assert weight.characters <= MOST_TOKENS * CHARACTERS_A_TOKEN, weight
    assert weight.agents == 0


def test_one_sentence_is_planned_and_run_at_once(way: Way) -> None:
    stage = way.claude(f"{TYPED} --run", SmallTask(way.folder))
    assert stage.verbs == [
        "plan task", "put plan", "gate plan", "Skill", "run start", "Write", "step verify", "run finish",
    ]  # fmt: skip
    assert [one["result"] for one in stage.answers("run finish")] == ["completed"]
    in_the_budget(way, stage.model)
    line = match(r"(Step 1/1 committed [0-9a-f]{7}: Say which file cannot be read)", "\n".join(stage.words))
    assert line.split()[3].rstrip(":") == way.git("rev-parse", "--short=7", "HEAD")
    assert "without a brief and without critics" in way.read("plan.md")
    assert "min_file_count: 1" in way.read("plan.md")
    is_done(way)


@pytest.mark.soak
def test_the_user_sees_the_steps_and_says_yes(way: Way, terminal: TerminalFactory) -> None:
    model = way.scripted(SmallTask(way.folder))
    screen = terminal(model, plugin_dirs=[way.bundle])
    screen.send(TYPED)
    seen = screen.choose(f"1. {RUN}", 60)
    assert "Verify: python3 -B tally.py none.txt" in " ".join(seen.split())
    told = screen.wait_for("Result: completed", 90)
    assert "Step 1/1 committed" in told
    screen.close()
    in_the_budget(way, model)
    is_done(way)


def test_without_anybody_to_ask_the_command_is_shown(way: Way) -> None:
    stage = way.claude(TYPED, SmallTask(way.folder, can_ask=False))
    assert stage.verbs == ["plan task", "put plan", "gate plan"]
    assert stage.said.endswith(f"Next: {COMMANDS['execute']} --project {way.project}")
    assert way.subjects()[-1] != SUBJECT


def test_a_task_that_is_too_large_is_said_to_be(way: Way) -> None:
    small = acting.text("small.md")
    head, step = (
        small[: small.index("### Step 1")],
        small[small.index("### Step 1") : small.index("## Verif")],
    )
    four = head + "".join(step.replace("### Step 1", f"### Step {number}") for number in range(1, 5))
    stage = way.claude(TYPED, SmallTask(way.folder, four))
    assert "the plan has 4 steps; a small task has at most 3" in stage.said
    assert COMMANDS["brief"] in stage.said
    assert not (way.place / "plan.md").exists()


@pytest.mark.soak
def test_the_brief_command_offers_it_first(way: Way, terminal: TerminalFactory) -> None:
    small, brief = "Do it as a small task", "Write a brief"

    def offer(told: str) -> Acting:
        assert f"*{small}*" in told.replace("\n", " ")
        (result,) = yield ask("One change, nothing to decide. How?", small, brief)
        assert match(r'"="([^"]+)"', result.text) == small
        skill = Call("Skill", {"skill": COMMANDS["plan"][1:], "args": f'--task "{SENTENCE}"'})
        (prompt,) = yield Together(skill)
        assert not prompt.is_error, prompt
        data = match(r"(?:DATA is `|--data \")([^`\"]+)", told)
        yield from SmallTask(way.folder).plan_it(SENTENCE, False, data)

    model = way.scripted(offer)
    screen = terminal(model, plugin_dirs=[way.bundle])
    screen.send(f"{COMMANDS['brief']} {SENTENCE}")
    screen.choose(f"1. {small}", 60)
    screen.choose(f"1. {RUN}", 60)
    screen.wait_for("Result: completed", 90)
    screen.close()
    assert "brief note" not in played(model.tool_results())
    is_done(way)
