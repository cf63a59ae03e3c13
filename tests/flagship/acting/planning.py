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
    consult,
    data_folder,
    look,
    option,
    prompt,
    run,
)


def plan(root: Path, told: str) -> Acting:
    """Make the plan from the brief, step by step, through self-check and critics."""
    begun = yield from run(f"ultra plan begin --project {option('--project', told)} --guide")
    assert (begun["reviewed"], {"assumptions", "exists"} & {*begun}) == (True, set()), begun
    yield from look(root, begun["path"], *begun.get("research", ()), saying=planning(begun))
    task = prompt(Task=f"{TASK}. It is an option of tally.py.", Brief=begun["path"], Begin="tally.py")
    yield from consult(dict.fromkeys(begun["explorers"], task))
    yield from look(root, "tally.py", "test_tally.py", "README.md")
    put = f"ultra put plan --project {begun['project']} --draft"
    steps = "\n".join(text(name) for name in ("plan.md", "plan-2.md", "plan-3.md"))
    draft = yield from run(put, f"{steps}\n## Verification\n\n{text('verification.md')}")
    assert draft["errors"] == [], draft
    ruled = yield from judged(told, begun, draft["path"])
    saying = (
        f"{ruled['path']} is written: {ruled['steps']} steps, 1 session.\n1. Find the most frequent words\n2. Show them"
        f" on the command line\n3. Say so in the README\nAssumed: words with equal counts keep the order of the text.\nNext:"
        f" {ruled['run']}"
    )
    yield Say(saying)


def plan_fixes(root: Path, told: str) -> Acting:
    """Make the plan from the review: every grave finding is a goal."""
    begun = yield from run(f"ultra plan begin --brief {option('--brief', told)} --guide")
    paths = begun["path"], "tally.py", "test_tally.py", f"{begun['project']}/brief.md"
    yield from look(root, *paths, saying=planning(begun))
    ids = [goal["id"] for goal in begun["goals"]]
    goals = prompt(Review=begun["path"], Goals=", ".join(ids))
    yield from consult(dict.fromkeys(begun["explorers"], goals))
    listed, short = "\n".join(f"  - {one}" for one in ids), " and ".join(one[:8] for one in ids)
    whole = text("fix.md", source_findings=listed, short_findings=short)
    draft = yield from run(f"ultra put plan --project {begun['project']} --draft", whole)
    assert draft["errors"] == [], draft
    ruled = yield from judged(told, begun, draft["path"])
    saying = (
        f"{ruled['path']} is written: 1 step, 1 session; it fixes {short}.\n1. Report an invalid N in one line\nNext:"
        f" {ruled['run']}"
    )
    yield Say(saying)


def planning(begun: Mapping[str, Any]) -> str:
    """Say what the plan is made from, by how many agents, and what is there already."""
    there = "".join(
        f" {name} stays until the gate lets the new one through." for name in begun.get("exists", ())
    )
    warned = "".join(f" {one}" for one in begun.get("warnings", ()))
    return f"A plan from {begun['path']}: {begun['price']}.{there}{warned}"


def judged(told: str, begun: Mapping[str, Any], draft: str) -> Answering:
    """Take the draft past the critics, whose answers the plugin has kept."""
    paths = prompt(Draft=draft, Brief=begun["path"])
    yield from consult({"plan-critic": paths, "scope-guardian": paths})
    ruled = yield from run(f"ultra gate plan --project {begun['project']} --kept --data {data_folder(told)}")
    assert (ruled["passed"], {"missing", "sessions"} & {*ruled}) == (True, set()), ruled
    return ruled
