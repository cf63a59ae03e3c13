"""The review of what changed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.client.conversation import Say
from tests.client.script import Acting
from tests.flagship.acting.moves import (
    block,
    consult,
    data_folder,
    offered,
    option,
    prompt,
    run,
    slug_of,
)
from tests.kit.names import NAME


def review(told: str) -> Acting:
    """Review what changed: triage, five reviewers, a coordinator, the verdict."""
    scope = yield from run(f"ultra triage --project {option('--project', told)}")
    project = scope["project"]
    assert (scope["kept"], scope["removed"]) == ([], []), scope
    paths = prompt(Brief=scope["brief"], Diff=scope["diff"], Scope=scope["scope_file"])
    reviewers = re.findall(r"^- `(\S+-reviewer)`$", told, re.MULTILINE)
    said = yield from consult(dict.fromkeys(reviewers, paths), reviewing(scope))
    dropped, added = 0, {}
    for agent, words in said.items():
        name = agent.removeprefix(f"{NAME}:")
        added = yield from run(f"ultra review add {name} --project {project}", block(words))
        dropped += len(added["dropped"])
    assert added["missing"] == [], added
    paths = prompt(Findings=added["findings_file"], Brief=scope["brief"], Diff=scope["diff"])
    decided = yield from consult({"review-coordinator": paths})
    ruled = yield from run(f"ultra review verdict --project {project}", block(decided["review-coordinator"]))
    yield from run(f"ultra validate review {ruled['path']} --strict")
    numbers = " ".join(f"findings.{name}={count}" for name, count in ruled["counts"].items())
    read = len([one for one in scope["files"] if one["depth"] != "skipped"])
    counted = f"slug={slug_of(project)} files={read} {numbers} verdict={ruled['verdict']}"
    saying = reviewed(scope, said["conformance-reviewer"], ruled, dropped)
    yield from run(f'ultra stats review {counted} --data "{data_folder(told)}"')
    yield Say(saying)


def reviewing(scope: Mapping[str, Any]) -> str:
    """Say what is reviewed, how closely, and by how many agents."""
    depths = ", ".join(f"{count} {depth}" for depth, count in scope["counts"].items())
    return (
        f"{scope['project']}, {scope['scope_sha_start'][:10]} to {scope['scope_sha_end'][:10]}: {depths},"
        f" {scope['uncommitted']} uncommitted; {scope['earlier']['carried']} findings carried over."
        f" {scope['agents']} agents; {scope['billing']}."
    )


def reviewed(scope: Mapping[str, Any], conformance: str, ruled: Mapping[str, Any], dropped: int) -> str:
    """Say what the review came to, without softening it."""
    counts = ", ".join(f"{count} {name}" for name, count in ruled["counts"].items())
    grave = [
        f"{one['severity']} {one['at']} {one['message']} ({one['id'][:8]})"
        for one in ruled["findings"]
        if one["severity"] in ("BLOCKER", "MAJOR")
    ]
    criteria = json.loads(block(conformance).strip("`").removeprefix("json"))["criteria"]
    open_ones = [f"Not shown: {one['criterion']}" for one in criteria if one["state"] != "shown"]
    less = sum(count for depth, count in scope["counts"].items() if depth != "deep-reviewed")
    rest = f"Files skipped or skimmed: {less}. Findings dropped: {dropped}."
    following = offered(ruled, "--brief")
    lines = [f"Verdict: {ruled['verdict']} ({counts})", *grave, *open_ones, rest]
    return "\n".join([*lines, f"Review: {ruled['path']}", f"Next: {following}"])
