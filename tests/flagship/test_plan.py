"""The plan command in the real client: from a brief, from a review, and every way the gate can end."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.client.fixtures import Play
from tests.client.model import Call, Say, ScriptedModel, SubAgent, Together
from tests.door.samples import DIMENSIONS
from tests.kit.model import answered, bash, fenced, given, spawn, validated
from tests.kit.names import COMMANDS, EXAMPLE, NAME, PROJECT
from ultra_runtime.brief.gate import with_digest

TYPED = COMMANDS["plan"]
BEGIN = f"ultra plan begin --project {PROJECT} --json"
PUT = f"ultra put plan --project {PROJECT} --draft"
CHECK = bash(f"ultra gate plan --project {PROJECT} --self-check --json")
GATE = f"ultra gate plan --project {PROJECT} --json"
EXPLORED = fenced({"facts": [{"claim": "There is a README.", "at": "README.md:1"}], "advice": [], "open": []})
LOOKING = ("Glob", "Grep", "Read")


@pytest.fixture
def planned(project: Path) -> Path:
    """Return a repository whose project has a brief and its research."""
    target = project / PROJECT
    target.mkdir(parents=True)
    (target / "brief.md").write_bytes(with_digest((EXAMPLE / "brief.md").read_bytes()))
    shutil.copytree(EXAMPLE / "research", target / "research")
    return project


def example() -> str:
    return (EXAMPLE / "plan.md").read_text()


def without_strategy() -> str:
    """Return the example as it is before its steps are shared among sessions."""
    text = example()
    return text[: text.index("## Execution Strategy")] + text[text.index("## Verification") :]


def step(number: int) -> str:
    """Return one step of the example."""
    found = re.search(rf"^### Step {number}:.*?(?=^##)", example(), re.MULTILINE | re.DOTALL)
    assert found
    return found.group().rstrip()


def flawed() -> str:
    """Return the example with a step that has no manifest."""
    whole = step(3)
    return without_strategy().replace(whole, whole[: whole.index("- **Manifest:**")].rstrip())


def critique(scores: Mapping[str, int] | None = None) -> str:
    """Return the block of plan-critic, 5 where no score is given."""
    low = scores or {}
    block: dict[str, object] = {
        name: {"score": low.get(name, 5), "issues": ["Step 1: say which"] if name in low else []}
        for name in DIMENSIONS
    }
    verdict = "REWORK" if low else "READY"
    return fenced({**block, "verdict": verdict}, f"Verdict: {verdict}")


ALIGNED = fenced(
    {"gaps": {"score": 5, "missing": []}, "creep": {"score": 5, "surplus": []}, "verdict": "ALIGNED"},
    "Verdict: ALIGNED",
)
CRITICS = Together(
    spawn("plan-critic", f"Criticise {PROJECT}/plan.md.draft; its brief is {PROJECT}/brief.md"),
    spawn("scope-guardian", f"Compare {PROJECT}/plan.md.draft with {PROJECT}/brief.md"),
)
EXPLORERS = Together(
    spawn("task-finder", f"Limit the rate of requests. Brief: {PROJECT}/brief.md"),
    spawn("test-strategist", f"Limit the rate of requests. Brief: {PROJECT}/brief.md"),
)


def cast(*critiques: str) -> list[SubAgent]:
    """Return the agents of a story; the critic says the same in every round."""
    return [
        SubAgent("# Find what the task builds on", Say(EXPLORED)),
        SubAgent("# Find the way to test", Say(EXPLORED)),
        SubAgent("# Trace dependencies", Say(EXPLORED)),
        SubAgent("# Criticise a plan", *(Say(text) for text in critiques or (critique(),))),
        SubAgent("# Guard the scope", Say(ALIGNED)),
    ]


def judged(*scores: Mapping[str, int]) -> list[Call]:
    """Return a call of the gate for each round."""
    return [given(GATE, f"{critique(one)}\n{ALIGNED}") for one in scores]


def answers(model: ScriptedModel, start: str) -> list[dict[str, Any]]:
    """Return what the verbs answered whose call begins so."""
    results = [
        one for one in model.tool_results() if str(one.call.input.get("command", "")).startswith(start)
    ]
    return [answered(one) for one in results]


def test_from_a_brief_to_a_plan_whose_self_check_fails_once(play: Play, planned: Path, bundle: Path) -> None:
    model = play(
        f"{TYPED} --project {PROJECT}",
        bash(BEGIN),
        bash("ultra guide plan orchestrator"),
        EXPLORERS,
        bash("ultra guide plan synthesis"),
        given(f"{PUT} --json", flawed()),
        CHECK,
        given(f"{PUT} --step 3 --json", step(3)),
        CHECK,
        CRITICS,
        *judged({}),
        bash(f"ultra validate plan {PROJECT}/plan.md --strict --json"),
        bash("ultra stats plan slug=rate-limit steps=4 sessions=1 self_check_rounds=2 source=brief --json"),
        agents=cast(),
    )

    assert "Only the gate writes `plan.md`." in model.main.text
    assert "Architecture notes are hints" in " ".join(model.main.text.split())
    assert 'commit_message_pattern: "^feat\\\\(api\\\\): limit"' in model.main.text
    assert not [result for result in model.tool_results() if result.is_error]
    (begun,) = answers(model, "ultra plan begin")
    assert (begun["source"], begun["explorers"]) == (
        "brief",
        [f"{NAME}:task-finder", f"{NAME}:test-strategist"],
    )
    assert begun["research"] == [f"{PROJECT}/research/01-where-to-count.md"]
    assert (begun["reviewed"], begun["agents"]) == (True, 8)
    assert [one.split(":")[0] for one in begun["warnings"]] == ["RESEARCH_NO_CONFIDENCE"]
    assert begun["price"].startswith("at most 8 agents (1 haiku, 4 sonnet, 3 opus), about ")
    assert begun["price"].endswith(begun["billing"])
    assert "what the plan is made from, `price`, `warnings`" in " ".join(model.main.text.split())
    first, second = answers(model, CHECK.input["command"])
    assert (first["passed"], [one["code"] for one in first["errors"]]) == (False, ["MANIFEST_MISSING"])
    assert (second["passed"], second["round"]) == (True, 2)
    (ruled,) = answers(model, GATE)
    assert (ruled["passed"], ruled["self_check_rounds"], ruled["path"]) == (True, 2, f"{PROJECT}/plan.md")
    assert ruled["run"] == f"{COMMANDS['execute']} --project {PROJECT}"
    assert (ruled["steps"], ruled["sessions"]) == (4, False)

    critic = model.agent("# Criticise a plan")
    assert tuple(sorted(critic.tools)) == LOOKING
    assert all(f"`{name}`" in critic.text for name in DIMENSIONS)
    assert "Below the bar for `manifest_quality` the plan fails" in critic.text
    assert (planned / PROJECT / "plan.md").read_text() == without_strategy()
    assert not (planned / PROJECT / "plan.md.draft").exists()
    assert validated(bundle, planned, "project", PROJECT)["valid"]


@pytest.mark.soak
def test_the_critics_are_spawned_side_by_side_under_their_full_names(play: Play, planned: Path) -> None:
    model = play(
        f"{TYPED} --project {PROJECT}",
        given(f"{PUT} --json", without_strategy()),
        CHECK,
        CRITICS,
        agents=cast(),
    )
    spawned = [one for one in model.tool_results() if one.call.name == "Agent"]
    assert [one.call.input["subagent_type"] for one in spawned] == [
        f"{NAME}:plan-critic",
        f"{NAME}:scope-guardian",
    ]
    assert ["READY" in spawned[0].text, "ALIGNED" in spawned[1].text] == [True, True]
    assert model.agent("# Guard the scope").requests
    assert not (planned / PROJECT / "plan.md").exists()


@pytest.mark.soak
def test_from_a_review_every_grave_finding_becomes_a_goal(play: Play, planned: Path, bundle: Path) -> None:
    shutil.copy(EXAMPLE / "review.md", planned / PROJECT)
    ids = re.findall(r"^  - ([0-9a-f]{40})$", (EXAMPLE / "review.md").read_text(), re.MULTILINE)[:4]
    listed = "\n".join(f"  - {one}" for one in ids)
    text = without_strategy().replace(
        'plan_version: "1.7"', f'plan_version: "1.7"\nsource_findings:\n{listed}'
    )
    model = play(
        f"{TYPED} --brief {PROJECT}/review.md --quick",
        bash(f"ultra plan begin --brief {PROJECT}/review.md --quick --json"),
        bash("ultra guide plan remediation"),
        Together(
            spawn("dependency-tracer", f"Fix {PROJECT}/review.md"),
            spawn("test-strategist", f"Fix {PROJECT}/review.md"),
        ),
        bash("ultra guide plan synthesis"),
        given(f"{PUT} --json", text),
        CHECK,
        CRITICS,
        given(f"ultra gate plan --project {PROJECT} --quick --json", f"{critique()}\n{ALIGNED}"),
        agents=cast(),
    )
    (begun,) = answers(model, "ultra plan begin")
    assert (begun["source"], begun["project"]) == ("review", PROJECT)
    assert [one["id"] for one in begun["goals"]] == ids
    assert "ultra guide plan remediation" in begun["next"]
    assert begun["explorers"] == [f"{NAME}:dependency-tracer", f"{NAME}:test-strategist"]
    assert "nothing else is a goal of this plan" in model.main.text
    plan = validated(bundle, planned, "plan", f"{PROJECT}/plan.md")
    assert (plan["valid"], plan["warnings"]) == (True, [])
    whole = validated(bundle, planned, "project", PROJECT)
    assert (whole["valid"], [one["code"] for one in whole["warnings"]]) == (True, ["RESEARCH_NO_CONFIDENCE"])


def test_steps_are_shared_among_sessions_and_their_specs_exported(
    play: Play, planned: Path, bundle: Path
) -> None:
    def session(title: str, steps: list[int], wave: int, touch: list[str], *needs: int) -> dict[str, object]:
        own = {"title": title, "steps": steps, "wave": wave, "depends_on": list(needs), "touch": touch}
        return {**own, "never_touch": [], "context": f"{title} itself.", "handoff": "It is there."}

    limit = ["app/limit.py", "tests/test_limit.py", "app/middleware.py", "tests/test_middleware.py"]
    sessions = [
        session("The limit", [1, 2], 1, limit),
        session("The documentation", [3], 1, ["docs/api.md"]),
        session("The cost", [4], 2, ["bench/limit.py", "bench/run.sh"], 1),
    ]
    shared = fenced({"split": True, "why": "They share no file.", "sessions": sessions})
    past = f"ultra put plan --project {PROJECT} --step 1 --json"
    model = play(
        f"{TYPED} --project {PROJECT} --export",
        given(f"{PUT} --json", without_strategy()),
        given(past, step(1)),
        CHECK,
        *judged({}),
        given(past, step(1)),
        bash("ultra guide plan sessions"),
        spawn("session-decomposer", f"Share the steps of {PROJECT}/plan.md"),
        given(f"ultra sessions put --project {PROJECT} --export --json", shared),
        agents=[SubAgent("# Divide the steps among sessions", Say(shared))],
    )
    assert ["error" in one for one in answers(model, past)] == [True, True]
    (put,) = answers(model, "ultra sessions put")
    assert (put["ok"], put["sessions"], len(put["specs"])) == (True, 3, 3)
    assert "### Session 2: The documentation" in (planned / PROJECT / "plan.md").read_text()
    first = planned / PROJECT / "sessions/session-1.md"
    assert "The limit itself." in first.read_text()
    assert validated(bundle, planned, "session-spec", str(first))["valid"]
    assert validated(bundle, planned, "project", PROJECT)["valid"]


@pytest.mark.soak
def test_a_brief_that_was_never_reviewed_is_reviewed_here_and_missing_research_is_told(
    play: Play, planned: Path
) -> None:
    brief = planned / PROJECT / "brief.md"
    shutil.copy(EXAMPLE / "brief.md", brief)  # it claims to be complete, and no gate has written that
    shutil.rmtree(planned / PROJECT / "research")
    scores = {
        "completeness": {"score": 5, "gaps": []},
        "consistency": {"score": 5, "issues": []},
        "testability": {"score": 3, "weak_criteria": ["no number"]},
        "scope_clarity": {"score": 5, "unclear_sections": []},
        "research_plan": {"score": 5, "invalid_topics": []},
        "verdict": "PROCEED_WITH_RISKS",
    }
    reviewed = fenced(scores, "Verdict: PROCEED_WITH_RISKS")
    model = play(
        f"{TYPED} --project {PROJECT}",
        bash(BEGIN),
        bash("ultra guide plan orchestrator"),
        spawn("brief-reviewer", f"Review {PROJECT}/brief.md"),
        agents=[SubAgent("# Review a brief", Say(reviewed))],
    )
    (begun,) = answers(model, "ultra plan begin")
    assert (begun["reviewed"], begun["agents"]) == (False, 9)
    assert [one.split(":")[0] for one in begun["warnings"]] == ["not reviewed", "RESEARCH_TOPIC_UNANSWERED"]
    assert "whether the brief was never reviewed" in " ".join(model.main.text.split())
    assert model.agent("# Review a brief").requests


def test_wrong_arguments_have_a_usage_and_a_brief_that_is_missing_a_sentence(
    play: Play, project: Path
) -> None:
    begins = bash("ultra plan begin --json"), bash("ultra plan begin --brief nowhere.md --json")
    model = play(TYPED, bash("ultra guide plan usage"), *begins)
    assert "For anything else show `ultra guide plan usage` and stop" in " ".join(model.main.text.split())
    assert f"Usage: {TYPED} --project DIR | --brief FILE [--fg] [--quick] [--export]" in model.main.text
    usage, missing = (answered(result) for result in model.tool_results()[1:])
    assert (usage["ok"], usage["error"]) == (False, "missing --project DIR or --brief FILE")
    assert (missing["ok"], missing["error"]) == (False, "nowhere.md: there is no such file")


def test_a_critic_that_wants_to_write_cannot(play: Play, planned: Path) -> None:
    write = bash(f"ultra put plan --project {PROJECT} --from README.md --json")
    edit = Call("Write", {"file_path": str(planned / "made.txt"), "content": "x"})
    agents = [SubAgent("# Criticise a plan", write, edit, Say(critique()))]
    model = play(f"{TYPED} --project {PROJECT}", spawn("plan-critic", "Criticise"), agents=agents)
    refused = model.agent("# Criticise a plan").tool_results()
    assert [result.is_error for result in refused] == [True, True]
    assert not (planned / "made.txt").exists()
    assert not (planned / PROJECT / "plan.md").exists()
