"""A new stage is a contract with a fixture, a command, its page, a template and a row of plugin.yaml: no Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changes.conftest import PLUGIN, Fork
from tests.kit.calls import Ultra
from tests.kit.names import EXAMPLE, NAME, PROJECT
from tests.kit.quick import later

RETRO = """\
artifact: retro
title: Retrospective
handover: 90
prefix: RETRO
format: frontmatter
producer: retro
consumer: brief
summary: What the next project should do otherwise.
places: [{path: "{project_dir}/retro.md", when: always}]
modes: {write: {mode: strict, means: "strictly, by `{launcher} put`"}, read: {mode: soft, means: softly}}
stability: {strength: strict when written, owner: this plugin, risk: low}
failure_modes: A retrospective without a lesson is not written.
fields:
  type: {type: text, means: Says that this is a retrospective., values: {ultraretro: A retrospective.}}
  lesson: {type: text, means: What to do otherwise., example: Ask earlier}
stats:
  lessons: {type: integer, means: How many there are.}
codes:
  RETRO_NOT_FOUND: {severity: error, means: There is none., remedy: Write one first.}
  RETRO_READ_ERROR: {severity: error, means: It cannot be read., remedy: Make it readable.}
  RETRO_BAD_TYPE: {severity: error, means: A value has the wrong type., remedy: Correct it.}
  RETRO_MISSING_FIELD: {severity: error, means: A field is missing., remedy: Add it.}
  RETRO_BAD_VALUE: {severity: error, means: A value is not allowed., remedy: Use one that is.}
  RETRO_WRONG_TYPE: {severity: error, means: It is something else., remedy: Name a retrospective.}
"""
COMMAND = """\
---
description: Say what the next project should do otherwise
budget: {always_on: 30, on_invoke: 400}
---
# Retrospective

    Usage: {{ command('retro') }} --project DIR

Put it with `{{ verb('put') }} {{ contract.retro.artifact }} --project DIR`.
"""

TEXT = "---\ntype: ultraretro\nlesson: Ask earlier\n---\n\n# Lessons\n"
ROW = "  retro: {command: ultraretro-local, makes: retro%s}\n"
PIPELINES = {
    "review": {", makes: review}\n": ", makes: review, next: retro}\n" + ROW % ""},
    "plan": {", makes: plan, next: execute}\n": ", makes: plan, next: retro}\n" + ROW % ", next: execute"},
}
"""The stage before the new one -> the change of plugin.yaml."""
NEW = {
    "contracts/retro.yaml": RETRO,
    "contracts/fixtures/retro/valid.md": TEXT,
    f"{PLUGIN}/commands/retro.md.j2": COMMAND,
    f"{PLUGIN}/templates/retro.md.j2": "{{ contract.retro.skeleton() }}",
    f"{PLUGIN}/docs/commands/retro.md.j2": "# The retrospective\n\n{{ command_page('retro').usage() }}\n",
}


@pytest.mark.parametrize("before", ["review", later("plan")])
def test_a_new_stage_needs_no_python(fork: Fork, repo: Path, python: Path, before: str) -> None:
    fork.change(f"{PLUGIN}/plugin.yaml", PIPELINES[before])
    for path, text in NEW.items():
        fork.write(path, text)
    assert fork.changed == {f"{PLUGIN}/plugin.yaml", *NEW}
    bundle = fork.build()
    ultra = Ultra(bundle, repo, python)
    command = f"/{NAME}:ultraretro-local"

    kinds = ["brief", "research", "plan"] + (["review"] if before == "review" else [])
    for file in EXAMPLE.rglob("*.md"):
        inner = file.relative_to(EXAMPLE)
        if inner.parts[0].removesuffix(".md") in kinds:
            (repo / PROJECT / inner).parent.mkdir(parents=True, exist_ok=True)
            (repo / PROJECT / inner).write_bytes(file.read_bytes())
    if before == "review":
        review = repo / PROJECT / "review.md"
        review.write_bytes((fork.sources / "contracts/fixtures/review/valid-nothing-found.md").read_bytes())

    status = ultra("status").data
    assert (status["stage"], status["retro"]) == ("retro", "missing")
    assert status["next"] == f"{command} --project {PROJECT}"
    assert f"Next     {command} --project {PROJECT}" in ultra.say("status").out
    refused = ultra("put", "retro", "--project", PROJECT, given="---\ntype: ultraretro\n---\n")
    assert (refused.status, refused.data["errors"][0]["code"]) == (1, "RETRO_MISSING_FIELD")
    told = ultra("put", "retro", "--project", PROJECT, given=TEXT).data
    assert (told["ok"], told["path"]) == (True, f"{PROJECT}/retro.md")
    assert ultra("validate", "retro", f"{PROJECT}/retro.md").status == 0
    whole = ultra("validate", "project", PROJECT, "--parsed").data["parsed"]["artifacts"]
    assert [one["kind"] for one in whole if one["kind"] in (*kinds, "retro")] == [*kinds, "retro"]
    status = ultra("status").data
    if before == "review":
        assert told["next"] == "tell the user: the project is complete"
        assert (status["stage"], status["retro"]) == ("done", "there")
    else:
        following = f"/{NAME}:ultraexecute-local --project {PROJECT}"
        assert told["next"] == f"tell the user; to continue: {following}"
        assert (status["stage"], status["next"]) == ("execute", following)
    data = repo / "data"
    assert ultra("stats", "retro", "lessons=1", "--data", str(data)).data["written"] is True
    assert (data / "ultraretro-stats.jsonl").is_file()

    page = (bundle / "docs/PIPELINE.md").read_text()
    assert page.index(f"ultra{before}-local") < page.index(command)
    assert command in (bundle / "README.md").read_text()
    assert "Retrospective" in (bundle / "docs/HANDOVER-CONTRACTS.md").read_text()
    assert "lesson: Ask earlier" in (bundle / "templates/retro.md").read_text()
