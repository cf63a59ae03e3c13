"""The brief command in the real client: the interview in a terminal, the gate, and every way it can end."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory, Play, TerminalFactory
from tests.client.model import Call, Request, Say, ScriptedModel, SubAgent, Together
from tests.client.script import Acting
from tests.client.session import Client
from tests.client.terminal import Terminal
from tests.door.samples import DETAILS
from tests.kit.model import (
    answered,
    ask,
    asked,
    bash,
    by_name,
    fenced,
    given,
    spawn,
    validated,
    verbs_of,
)
from tests.kit.names import COMMANDS, EXAMPLE, NAME, PROJECT

TYPED = f"{COMMANDS['brief']} Limit the rate of requests"
REVIEWER = "# Review a brief"
NEW = bash("ultra project new rate-limit --date 2026-01-31 --json")
PUT = f"ultra put brief --project {PROJECT} --draft"
GATE = f"ultra gate brief --project {PROJECT} --json"
STATS = "ultra stats brief slug=rate-limit mode=default interview_turns=5 review_iterations={rounds} brief_quality={quality} research_topics=1 auto_research=false auto_result=manual"
VAGUE = "- It is fast and works well."


def draft() -> str:
    """Return the example as it is before its review, with a criterion that nothing can decide."""
    text = (EXAMPLE / "brief.md").read_text().replace("research_status: complete", "research_status: pending")
    text = text.replace("brief_quality: complete\n", "").replace(
        "interview_turns: 7\nsource: interview\n", ""
    )
    for computed in ("created", "slug", "project_dir", "research_topics", "research_status"):
        text = re.sub(rf"^{computed}: .*\n", "", text, flags=re.MULTILINE)
    text = text[: text.index("## How to continue")]
    start, end = text.index("- `pytest tests"), text.index("## Non-Goals")
    return text[:start] + VAGUE + "\n\n" + text[end:]


def review(scores: Mapping[str, int] | None = None, verdict: str = "PROCEED") -> str:
    """Return a reviewer's answer, 5 where no score is given."""
    block: dict[str, object] = {
        name: {
            "score": (scores or {}).get(name, 5),
            detail: [f"{name}: '{VAGUE}'"] if name in (scores or {}) else [],
        }
        for name, detail in DETAILS.items()
    }
    return fenced({**block, "verdict": verdict}, f"The criterion is weak.\nVerdict: {verdict}")


WEAK = review({"testability": 2}, "REVISE")
INTENT = ask("Why is this wanted, and what happens without it?", "One script takes all down", "Costs")
GOAL = ask("What is there when it is done?", "A budget for every key", "A global limit")
CRITERIA = ask("You say fast: which number, measured how?", "p95 below 200 ms", "I don't know")
TOPIC = ask("Topic 'where to count': research it so?", "Research it so", "I know this", "Change it")
SHARPEN = ask(
    "'It works well' cannot be decided. What will you run?", "pytest tests/test_limit.py", "Enough, stop"
)
NEXT = ask("How shall it go on?", "Manual", "Auto")
FIRST = spawn("brief-reviewer", f"Review {PROJECT}/brief.md.draft")
AGAIN = spawn(
    "brief-reviewer",
    f"Review {PROJECT}/brief.md.draft\nInterview: {PROJECT}/logs/interview.jsonl\nDo not raise again what its answers"
    " settle.",
)


def note(asking: Call, section: str, answer: str) -> Call:
    """Keep a question with its answer."""
    question = asking.input["questions"][0]["question"]
    return given(
        f"ultra brief note --project {PROJECT} --section '{section}' --json", f"{question}\n{answer}"
    )


def later(request: Request) -> bool:
    """Tell a reviewer of a later round from that of the first."""
    return REVIEWER in request.system and "Interview: " in request.first_message


def interview(*turns: Call) -> tuple[Call | Together, ...]:
    """Return a story from the directory to the first verdict of the gate, then these turns."""
    return (
        NEW,
        INTENT,
        Together(note(INTENT, "Intent", "One script takes all down"), GOAL),
        Together(note(GOAL, "Goal", "A budget for every key"), CRITERIA),
        Together(note(CRITERIA, "Success Criteria", "p95 below 200 ms"), TOPIC),
        Together(note(TOPIC, "Research Plan", "Research it so"), bash("ultra guide brief draft")),
        given(f"{PUT} --json", draft()),
        FIRST,
        given(GATE, WEAK),
        *turns,
    )


def answer_interview(screen: Terminal) -> None:
    """Type the command and answer the four questions of the interview."""
    screen.send(TYPED)
    for option in ("1. One script", "1. A budget", "1. p95 below", "1. Research it so"):
        screen.choose(option)


@pytest.mark.soak
def test_an_interview_a_gate_that_fails_is_asked_about_and_passes(
    terminal: TerminalFactory, scripted: ModelFactory, project: Path, bundle: Path
) -> None:
    model = scripted(
        *interview(
            SHARPEN,
            note(SHARPEN, "Success Criteria", "pytest tests/test_limit.py"),
            given(f"{PUT} --section 'Success Criteria' --json", "- `pytest tests/test_limit.py` passes.\n"),
            AGAIN,
            given(GATE, review()),
            NEXT,
            bash(STATS.format(rounds=2, quality="complete") + f" --data {project / 'data'} --json"),
        ),
        agents=[SubAgent(later, Say(review())), SubAgent(REVIEWER, Say(WEAK))],
    )
    screen = terminal(model, plugin_dirs=[bundle])
    answer_interview(screen)
    screen.choose("1. pytest tests")
    screen.choose("1. Manual")
    model.wait_until(lambda played: played.finished, 60)

    results = model.tool_results()
    assert not [result for result in results if result.is_error], results
    assert verbs_of(results) == [
        "project new", "AskUserQuestion", *["brief note", "AskUserQuestion"] * 3, "brief note", "guide brief", "put",
        "Agent", "gate brief", "AskUserQuestion", "brief note", "put", "Agent", "gate brief", "AskUserQuestion", "stats",
    ]  # fmt: skip
    notes = [answered(result) for result in results if "brief note" in str(result.call.input)]
    assert [one["questions"] for one in notes] == [1, 2, 3, 4, 5]
    assert (notes[0]["open"], notes[3]["open"]) == (["Goal", "Success Criteria", "Research Plan"], [])
    first, second = (answered(result) for result in results if "gate brief" in str(result.call.input))
    assert (first["passed"], first["round"], first["weakest"]) == (False, 1, "testability")
    assert VAGUE in first["detail"][0]
    assert first["interview_file"] == f"{PROJECT}/logs/interview.jsonl"
    assert (second["passed"], second["round"], second["brief_quality"]) == (True, 2, "complete")
    assert second["interview_turns"] == 5
    assert len(asked(model.main)) == len(set(asked(model.main))) == 6
    folder = project / PROJECT
    assert not (folder / "brief.md.draft").exists()
    text = (folder / "brief.md").read_text()
    assert VAGUE not in text
    for line in (
        "interview_turns: 5",
        "brief_quality: complete",
        "created: 2026-01-31",
        "research_topics: 1",
    ):
        assert f"\n{line}\n" in text
    topic = "- Topic 1: Which store that we already run can count requests of a key across both servers?\n"
    assert text.endswith(f"local --project {PROJECT}\n\n{topic}")
    assert validated(bundle, project, "brief", f"{PROJECT}/brief.md")["valid"]
    line = json.loads((project / "data/ultrabrief-stats.jsonl").read_text())
    assert (line["brief_quality"], line["review_iterations"], line["auto_result"]) == (
        "complete",
        2,
        "manual",
    )


@pytest.mark.soak
def test_in_the_terminal_a_report_comes_as_a_notification_and_the_client_asks_again(
    terminal: TerminalFactory, scripted: ModelFactory, project: Path, bundle: Path
) -> None:
    """It starts every agent in the background, and in the turn that the report begins the command allows nothing."""

    def story(told: str) -> Acting:
        assert "in the background anyway" in " ".join(told.split())
        yield NEW
        yield given(f"{PUT} --json", draft())
        (started,) = yield FIRST
        assert "working in the background" in started.text
        (heard,) = yield Say("I wait for the reviewer.")
        report = re.search(r"(?s)<result>(.*)</result>", heard.text)
        assert report, heard.text
        yield given(GATE, report[1])
        yield Say("The gate has spoken.")

    model = scripted(story, agents=[SubAgent(REVIEWER, Say(review()))])
    screen = terminal(model, plugin_dirs=[bundle])
    screen.send(TYPED)
    screen.choose("2. Yes, and don’t ask again for: ultra gate *", 60)
    screen.wait_for("The gate has spoken.", 60)
    assert answered(model.tool_results()[-1])["passed"] is True
    assert (project / PROJECT / "brief.md").exists()


def test_what_the_model_and_the_reviewer_are_told(play: Play) -> None:
    model = play(
        TYPED,
        NEW,
        bash("ultra guide brief draft"),
        bash("ultra guide brief stop"),
        bash("ultra guide brief usage"),
        given(f"{PUT} --json", draft()),
        FIRST,
        given(GATE, WEAK),
        AGAIN,
        agents=[SubAgent(REVIEWER, Say(WEAK))],
    )
    told = model.main.text
    for rule in (
        "one question per call",
        "fix what needs no answer",
        "Ask nothing that the repository or an earlier answer tells you",
        "Change a settled one only after asking",
        "ask about each optional part at most once",
        "Only the gate writes `brief.md`",
        "its opening question", "follow-up on a thin answer", "sharpen a vague word", "quantify",
        "Ask about one at a time, with your proposal", 'One topic settled, or "no research" confirmed',
        "ask one question per `detail`",
        "unfamiliar technology, version upgrades, security decisions",
        "*I know this* (drop it)",
        "reduced confidence",
        f"Usage: {COMMANDS['brief']} [--quick] <task>",
        "Estimated cost (quick, standard, deep)",
    ):  # fmt: skip
        assert rule in " ".join(told.split()), rule
    assert "{{" not in told.split("# Write a brief")[1].split("# The draft of a brief")[0]
    assert re.search(rf'--data "/[^"$]+{NAME}[^"$]*"', told), "the folder for stats is filled in"
    assert "research_status: pending" not in told
    reviewers = model.agent(REVIEWER)
    assert reviewers.tools == ("Read", "Grep", "Glob")
    assert '"testability": {"score": 3, "weak_criteria"' in reviewers.system_prompt
    first, second = (result.call.input["prompt"] for result in by_name(model, "Agent"))
    assert ("Interview: " in first, "Interview: " in second) == (False, True)


def test_stop_in_the_review_shows_what_fails_and_gives_a_partial_brief(
    terminal: TerminalFactory, scripted: ModelFactory, project: Path, bundle: Path
) -> None:
    model = scripted(
        *interview(
            SHARPEN,
            bash("ultra guide brief stop"),
            ask(
                "testability is 2 of 5. Go on?",
                "One more question",
                "Accept as partial",
                "Leave the draft for later",
            ),
            bash(f"ultra gate brief --project {PROJECT} --accept-partial --json"),
            NEXT,
        ),
        agents=[SubAgent(REVIEWER, Say(WEAK))],
    )
    screen = terminal(model, plugin_dirs=[bundle])
    answer_interview(screen)
    screen.choose("2. Enough, stop")
    screen.choose("2. Accept as partial")
    screen.choose("1. Manual")
    model.wait_until(lambda played: played.finished, 60)
    assert "Do not end it silently" in model.main.text
    text = (project / PROJECT / "brief.md").read_text()
    assert "brief_quality: partial" in text
    assert "Testability, 2 of 5" in text
    assert not (project / PROJECT / "brief.md.draft").exists()
    assert validated(bundle, project, "brief", f"{PROJECT}/brief.md")["valid"]


@pytest.mark.soak
def test_the_old_brief_comes_back_when_the_draft_is_given_up(play: Play, project: Path) -> None:
    old = (EXAMPLE / "brief.md").read_text()
    (project / PROJECT).mkdir(parents=True)
    (project / PROJECT / "brief.md").write_text(old)
    model = play(
        TYPED,
        NEW,
        given(f"{PUT} --json", draft()),
        given(GATE, WEAK),
        given(GATE, review()),
        bash("ultra guide brief stop"),
        bash(f"ultra gate brief --project {PROJECT} --discard --json"),
        bash("ultra guide brief exists"),
    )
    taken, put, first, second, guide, gone, exists = model.tool_results()
    assert "is set aside until the gate ends" in exists.text
    assert "is kept as brief.md.prev" in answered(put)["next"]
    assert (answered(first)["round"], "no round was counted" in answered(second)["error"]) == (1, True)
    assert "*Back to the old brief*" in guide.text
    assert (answered(gone)["restored"], taken.is_error) == (True, True)
    assert (project / PROJECT / "brief.md").read_text() == old
    assert not (project / PROJECT / "brief.md.draft").exists()


def test_a_directory_that_is_not_empty_is_the_users_to_decide(play: Play, project: Path) -> None:
    (project / PROJECT).mkdir(parents=True)
    (project / PROJECT / "brief.md").write_text("# Mine\n")
    guide = bash("ultra guide brief exists")
    model = play(TYPED, NEW, guide, bash("ultra project new rate-limit-2 --date 2026-01-31 --json"))
    assert "follow `ultra guide brief exists`" in " ".join(model.main.text.split())
    refused, made = (answered(result) for result in model.tool_results()[::2])
    assert (refused["ok"], "ask the user" in refused["next"]) == (False, True)
    assert "*Replace its brief*" in model.main.text
    assert made["path"] == f"{PROJECT}-2"
    assert (project / PROJECT / "brief.md").read_text() == "# Mine\n"


def test_without_somebody_to_answer_there_is_no_interview(
    client: Client, model: ScriptedModel, project: Path, bundle: Path
) -> None:
    client.ask(TYPED, model, cwd=project, plugin_dirs=[bundle])
    assert "AskUserQuestion" not in model.tools
    assert "a brief needs somebody to answer" in model.main.text
    assert not (project / ".claude").exists()


def test_auto_goes_on_with_research_in_the_same_conversation(play: Play, project: Path) -> None:
    skill = Call("Skill", {"skill": COMMANDS["research"].removeprefix("/"), "args": f"--project {PROJECT}"})
    model = play(TYPED, bash("ultra guide brief auto"), skill)
    guide, called = model.tool_results()
    assert "in the foreground" in guide.text
    assert "If `price` names a key, ask with AskUserQuestion" in " ".join(guide.text.split())
    assert not called.is_error, called.text
    assert "# Research a question" in model.main.text
    assert f"Arguments: `--project {PROJECT}`" in model.main.text


@pytest.mark.parametrize(
    "writing", ["ultra project new sneaky", given(f"{PUT} --json", "x").input["command"]]
)
def test_the_reviewer_cannot_write(play: Play, project: Path, writing: str) -> None:
    """It has no Bash; and an agent that has one is refused by the hook, whatever the command was granted."""
    sneaky = SubAgent(REVIEWER, bash(writing), Say(WEAK))
    history = SubAgent(
        "history of the repository", bash(writing), bash("git log --oneline"), Say("x"), Say("y")
    )
    model = play(TYPED, FIRST, spawn("local-history", "look"), agents=[sneaky, history])
    (by_reviewer,) = model.agent(REVIEWER).tool_results()
    by_history, looked = model.agent("history of the repository").tool_results()
    assert (by_reviewer.is_error, by_history.is_error, looked.is_error) == (True, True, False)
    assert "only reads, and" in by_history.text
    assert "Begin" in looked.text
    assert not (project / ".claude").exists()


def test_without_the_agent_tool_the_review_is_done_by_the_reviewers_own_text(
    client: Client, scripted: ModelFactory, project: Path, bundle: Path
) -> None:
    model = scripted(
        NEW,
        given(f"{PUT} --json", draft()),
        bash("ultra guide degraded"),
        bash("ultra guide agent brief-reviewer"),
        given(GATE, review()),
    )
    client.ask(TYPED, model, cwd=project, plugin_dirs=[bundle], extra=["--disallowedTools", "Agent,Task"])
    assert "Agent" not in model.tools
    _, _, guide, role, gate = model.tool_results()
    assert "Without the Agent tool, or when it fails twice, follow `ultra guide degraded`" in " ".join(
        model.main.text.split()
    )
    assert "must say that the run was degraded" in " ".join(guide.text.split())
    assert role.text.startswith(REVIEWER)
    assert answered(gate)["passed"] is True
    assert (project / PROJECT / "brief.md").exists()
