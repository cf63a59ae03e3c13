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
)


def review(told: str) -> Acting:
    """Review what changed: triage, the reviewers that it asks for, a coordinator, the verdict."""
    scope = yield from run(f"ultra triage --short --project {option('--project', told)}")
    project = scope["project"]
    assert "removed" not in scope, scope
    paths = prompt(Brief=scope["brief"], Diff=scope["diff"], Scope=scope["scope_file"])
    listed = re.findall(r"^- `(\S+-reviewer)`$", told, re.MULTILINE)
    reviewers = [one for one in listed if one.rpartition(":")[2] in scope["next"]]
    said = yield from consult(dict.fromkeys(reviewers, paths), reviewing(scope))
    added = yield from run(f"ultra review add all --project {project} --kept")
    assert "missing" not in added, added
    paths = prompt(Findings=added["findings_file"], Brief=scope["brief"], Diff=scope["diff"])
    yield from consult({"review-coordinator": paths})
    ruled = yield from run(f'ultra review verdict --project {project} --kept --data "{data_folder(told)}"')
    saying = reviewed(scope, said["conformance-reviewer"], ruled, len(added.get("dropped", ())))
    yield Say(saying)


def reviewing(scope: Mapping[str, Any]) -> str:
    """Say what is reviewed, how closely, and by how many agents."""
    depths = ", ".join(f"{count} {depth}" for depth, count in scope["counts"].items())
    return (
        f"{scope['project']}, {scope['range']}: {depths}{''.join(f'; {one}' for one in scope.get('skipped', ()))},"
        f" {scope.get('uncommitted', 0)} uncommitted; {scope.get('earlier', {}).get('carried', 0)} findings carried over."
        f" {scope['price']}."
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
