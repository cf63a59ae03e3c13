"""The plan, from a brief and from a review."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.client.conversation import Say
from tests.client.script import Acting
from tests.flagship.acting.material import TASK, text
from tests.flagship.acting.moves import (
    Answering,
    block,
    consult,
    data_folder,
    guide,
    look,
    offered,
    option,
    prompt,
    run,
    slug_of,
)


def plan(root: Path, told: str) -> Acting:
    """Make the plan from the brief, step by step, through self-check and critics."""
    begun = yield from run(f"ultra plan begin --project {option('--project', told)}")
    assert (begun["reviewed"], begun["assumptions"], begun["exists"]) == (True, [], []), begun
    yield from guide(offered(begun, "ultra guide plan"), planning(begun))
    yield from look(root, begun["path"], *begun["research"])
    task = prompt(Task=f"{TASK}. It is an option of tally.py.", Brief=begun["path"], Begin="tally.py")
    yield from consult(dict.fromkeys(begun["explorers"], task))
    yield from look(root, "tally.py", "test_tally.py", "README.md")
    yield from guide("ultra guide plan synthesis")
    put = f"ultra put plan --project {begun['project']} --draft"
    whole = f"{text('plan.md')}\n## Verification\n\n{text('verification.md')}"
    draft = yield from run(put, whole)
    for number in (2, 3):
        draft = yield from run(f"{put} --step {number}", text(f"plan-{number}.md"))
    assert draft["errors"] == [], draft
    ruled = yield from judged(begun, draft["path"])
    saying = (
        f"{ruled['path']} is written: {ruled['steps']} steps, 1 session.\n1. Find the most frequent words\n2. Show them"
        f" on the command line\n3. Say so in the README\nAssumed: words with equal counts keep the order of the text.\nNext:"
        f" {ruled['run']}"
    )
    yield from counted_plan(told, ruled, begun)
    yield Say(saying)


def plan_fixes(root: Path, told: str) -> Acting:
    """Make the plan from the review: every grave finding is a goal."""
    begun = yield from run(f"ultra plan begin --brief {option('--brief', told)}")
    yield from guide(offered(begun, "ultra guide plan"), planning(begun))
    yield from look(root, begun["path"], "tally.py", "test_tally.py", f"{begun['project']}/brief.md")
    ids = [goal["id"] for goal in begun["goals"]]
    goals = prompt(Review=begun["path"], Goals=", ".join(ids))
    yield from consult(dict.fromkeys(begun["explorers"], goals))
    yield from guide("ultra guide plan synthesis")
    listed, short = "\n".join(f"  - {one}" for one in ids), " and ".join(one[:8] for one in ids)
    whole = text("fix.md", source_findings=listed, short_findings=short)
    draft = yield from run(f"ultra put plan --project {begun['project']} --draft", whole)
    assert draft["errors"] == [], draft
    ruled = yield from judged(begun, draft["path"])
    saying = (
        f"{ruled['path']} is written: 1 step, 1 session; it fixes {short}.\n1. Report an invalid N in one line\nNext:"
        f" {ruled['run']}"
    )
    yield from counted_plan(told, ruled, begun)
    yield Say(saying)


def planning(begun: Mapping[str, Any]) -> str:
    """Say what the plan is made from, by how many agents, and what is there already."""
    there = "".join(f" {name} stays until the gate lets the new one through." for name in begun["exists"])
    warned = "".join(f" {one}" for one in begun["warnings"])
    return f"A plan from {begun['path']}, with at most {begun['agents']} agents; {begun['billing']}.{there}{warned}"


def judged(begun: Mapping[str, Any], draft: str) -> Answering:
    """Take the draft through the self-check and the critics."""
    gate = f"ultra gate plan --project {begun['project']}"
    checked = yield from run(f"{gate} --self-check")
    assert checked["next"] == "spawn the critics", checked
    paths = prompt(Draft=draft, Brief=begun["path"])
    said = yield from consult({"plan-critic": paths, "scope-guardian": paths})
    ruled = yield from run(gate, "\n".join(block(one) for one in said.values()))
    assert (ruled["passed"], ruled["sessions"]) == (True, False), ruled
    yield from run(f"ultra validate plan {ruled['path']} --strict")
    return ruled


def counted_plan(told: str, ruled: Mapping[str, Any], begun: Mapping[str, Any]) -> Answering:
    counted = f"slug={slug_of(begun['project'])} steps={ruled['steps']} sessions=1 source={begun['source']}"
    line = f"ultra stats plan {counted} self_check_rounds={ruled['self_check_rounds']}"
    return (yield from run(f'{line} --data "{data_folder(told)}"'))
