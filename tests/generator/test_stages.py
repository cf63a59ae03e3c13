"""Stages are data: one that does not resolve is refused, a new one works everywhere, a removed one leaves no trace."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.generator.sample import CONTRACT, PLUGIN, write_sample
from ultra_plugin.errors import ProblemsFound
from ultra_plugin.pipeline import checked
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import write

ROOT = Path(__file__).parent.parent.parent
NAME = "ultraplan-local"
FOLDER = "plugins/acme-plan"
ORDERED = PLUGIN.replace(
    "{command: acmebrief}", "{command: acmebrief, makes: work-order, next: review}"
).replace("{command: acmereview}", "{command: acmereview, makes: report}")
ORDER = CONTRACT.replace("works/order.json", "{project_dir}/order.json")
REPORT = """\
artifact: report
title: Report
handover: 2
prefix: REPORT
format: frontmatter
producer: review
consumer: brief
summary: What came of it.
places: [{path: "{project_dir}/report.md", when: always}]
modes: {write: {mode: strict, means: strictly}, read: {mode: strict, means: strictly}}
stability: {strength: strict, owner: Acme, risk: low}
failure_modes: The report is refused.
fields:
  topic: {type: text, means: What it is about., example: Hedges}
codes:
  REPORT_NOT_FOUND: {severity: error, means: There is none., remedy: Write one.}
"""
SOUND: dict[str, str | bytes | None] = {
    f"{FOLDER}/plugin.yaml": ORDERED,
    "contracts/work-order.yaml": ORDER,
    "contracts/report.yaml": REPORT,
    f"{FOLDER}/templates/report.md.j2": "# Report\n",
}


def problems(root: Path, changes: Mapping[str, str | bytes | None]) -> list[str]:
    tree = SourceTree(write_sample(root, {**SOUND, **changes}))
    try:
        checked(tree, "dist")
    except ProblemsFound as error:
        return [str(one).replace(f"{tree.root}/", "") for one in error.problems]
    return []


def test_the_stages_of_the_sample_resolve(tmp_path: Path) -> None:
    assert problems(tmp_path, {}) == []


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({f"{FOLDER}/commands/review.md.j2": None}, "plugin.yaml:6", "the stage 'review' has no command"),
        ({f"{FOLDER}/docs/commands/brief.md.j2": None}, "plugin.yaml:5", "the stage 'brief' has no page"),
        ({f"{FOLDER}/templates/report.md.j2": None}, "plugin.yaml:6", "the stage 'review' has no template"),
        ({"contracts/report.yaml": None}, "plugin.yaml:6", "makes 'report', which has no contract"),
        (
            {f"{FOLDER}/plugin.yaml": ORDERED.replace("next: review", "next: reviw")},
            "plugin.yaml:5",
            "is followed by 'reviw', which is not a stage (did you mean 'review'?)",
        ),
        (
            {f"{FOLDER}/plugin.yaml": ORDERED.replace("makes: report", "makes: report, next: brief")},
            "plugin.yaml:6",
            "is followed by 'brief', which is not the next one",
        ),
        ({"contracts/work-order.yaml": CONTRACT}, "plugin.yaml:5", "which has no place in a project"),
        (
            {"contracts/report.yaml": REPORT.replace("producer: review", "producer: brief")},
            "plugin.yaml:6",
            "whose producer is 'brief'",
        ),
        (
            {"contracts/report.yaml": REPORT.replace("report.md", "{part}.md")},
            "contracts/report.yaml:1",
            "`put` cannot fill in '{part}'",
        ),
        (
            {"contracts/report.yaml": REPORT.replace("report.md", "order.json")},
            "contracts/work-order.yaml:1",
            "'order.json' is also a place of 'report'",
        ),
    ],
)
def test_what_does_not_resolve_is_refused(
    tmp_path: Path, changes: dict[str, str | bytes | None], path: str, message: str
) -> None:
    found = [one for one in problems(tmp_path, changes) if message in one]
    assert len(found) == 1, problems(tmp_path / "again", changes)
    assert path in found[0]
    assert found[0].endswith(")")  # the remedy


class Fork:
    """A copy of the sources, and a repository in which its build is used."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "plugin_src"
        self.out = folder / "out"
        self.repo = folder / "repo"
        shutil.copytree(ROOT / "plugin_src", self.source, ignore=shutil.ignore_patterns("__pycache__"))
        self.plugin = self.source / "plugins" / NAME

    def change(self, path: str, *pairs: tuple[str, str]) -> None:
        file = self.source / path
        text = file.read_text()
        for old, new in pairs:
            assert old in text, (path, old)
            text = text.replace(old, new)
        file.write_text(text)

    def problems(self) -> list[str]:
        try:
            bundles, _ = checked(SourceTree(self.source), "dist")
        except ProblemsFound as error:
            return [str(one) for one in error.problems]
        write(bundles, self.out)
        return []

    def settle(self) -> None:
        """Make the repository, with one project."""
        self.repo.mkdir()
        for words in (["init", "-q"], ["config", "user.name", "A"], ["config", "user.email", "a@b.example"]):
            subprocess.run(["git", *words], cwd=self.repo, check=True, timeout=60)
        subprocess.run(
            ["git", "commit", "-q", "--allow-empty", "-m", "first"], cwd=self.repo, check=True, timeout=60
        )
        self.project = str(self.ultra("project", "new", "demo")[1]["path"])

    def ultra(self, *words: str, given: str = "") -> tuple[int, dict[str, Any]]:
        """Return exit status and answer of a verb."""
        done = subprocess.run(
            [self.out / NAME / "bin/ultra", *words, "--json"], cwd=self.repo, input=given, capture_output=True,
            text=True, check=False, timeout=60,
        )  # fmt: skip
        assert done.stderr == ""
        answer = json.loads(done.stdout)
        assert "internal error" not in str(answer), answer
        return done.returncode, answer


RETRO = """\
artifact: retro
title: Retrospective
handover: 9
prefix: RETRO
format: frontmatter
producer: retro
consumer: brief
summary: What the next project should do otherwise.
places: [{path: "{project_dir}/retro.md", when: always}]
modes: {write: {mode: strict, means: "strictly, by `ultra put`"}, read: {mode: soft, means: softly}}
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


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    return Fork(tmp_path)


def test_a_new_stage_needs_no_python(fork: Fork) -> None:
    fork.change(f"plugins/{NAME}/plugin.yaml", (", makes: review}", ", makes: review, next: retro}"))
    fork.change(
        f"plugins/{NAME}/plugin.yaml",
        ("  continue:", "  retro: {command: ultraretro-local, makes: retro}\n  continue:"),
    )
    (fork.source / "contracts/retro.yaml").write_text(RETRO)
    (fork.plugin / "commands/retro.md.j2").write_text(COMMAND)
    (fork.plugin / "templates/retro.md.j2").write_text("# Lessons\n\nOne lesson per line.\n")
    (fork.plugin / "docs/commands/retro.md.j2").write_text(
        "# The retrospective\n\n{{ command_page('retro').usage() }}\n"
    )
    assert fork.problems() == []
    fork.settle()
    review = (ROOT / "tests/contracts/review/valid-nothing-found.md").read_text()
    (fork.repo / fork.project / "review.md").write_text(review)
    status = fork.ultra("status")[1]
    command = f"/{NAME}:ultraretro-local --project {fork.project}"
    assert (status["stage"], status["next"], status["retro"]) == ("retro", command, "missing")
    refused, answer = fork.ultra(
        "put", "retro", "--project", fork.project, given="---\ntype: ultraretro\n---\n"
    )
    assert (refused, answer["errors"][0]["code"]) == (1, "RETRO_MISSING_FIELD")
    text = "---\ntype: ultraretro\nlesson: Ask earlier\n---\n\n# Lessons\n"
    told = fork.ultra("put", "retro", "--project", fork.project, given=text)
    assert told == (0, {**told[1], "ok": True, "path": f"{fork.project}/retro.md"})
    assert told[1]["next"] == "tell the user: the project is complete"
    assert fork.ultra("validate", "retro", f"{fork.project}/retro.md")[0] == 0
    whole = fork.ultra("validate", "project", fork.project)[1]
    assert [one["kind"] for one in whole["parsed"]["artifacts"]] == ["review", "retro"]
    status = fork.ultra("status")[1]
    assert (status["stage"], status["retro"]) == ("done", "there")
    data = fork.repo / "data"
    assert fork.ultra("stats", "retro", "lessons=1", "--data", str(data))[1] == {"ok": True, "written": True}
    assert (data / "ultraretro-stats.jsonl").is_file()
    assert f"/{NAME}:ultraretro-local" in (fork.out / NAME / "docs/PIPELINE.md").read_text()


VERBS = [
    (0, "status"), (0, "status --project DIR --html page.html"), (0, "continue"), (1, "validate project DIR"),
    (0, "doctor"), (1, "plan begin --project DIR"), (1, "audit DIR/plan.md"), (1, "run start DIR/plan.md"),
    (1, "run finish"), (1, "gate brief --project DIR"), (1, "gate plan --project DIR"), (1, "scan DIR/plan.md"),
    (0, "architecture DIR"), (1, "sessions write DIR/plan.md"), (0, "--help"), (0, "stats review"),
    (1, "research begin --project DIR"), (2, "validate review DIR/review.md"), (2, "put review --project DIR"),
    (1, "triage --project DIR"), (1, "review add correctness-reviewer --project DIR"),
    (1, "review verdict --project DIR"),
]  # fmt: skip


def test_a_removed_stage_leaves_every_other_verb_working(fork: Fork) -> None:
    fork.change(
        f"plugins/{NAME}/plugin.yaml",
        (", makes: progress, next: review}", ", makes: progress}"),
        ("  review: {command: ultrareview-local, makes: review}\n", ""),
    )
    own = [fork.source / "contracts/review.yaml"]
    own += [fork.plugin / f"{folder}/review.md.j2" for folder in ("commands", "docs/commands", "templates")]
    own += [path for path in (fork.plugin / "agents").glob("*review*") if "brief" not in path.name]
    own += [fork.source / f"outputs/{name}.yaml" for name in ("conformance", "coordination", "findings")]
    own += (fork.source / "fragments").glob("reviewer*")
    for path in own:
        path.unlink()
    for folder in (fork.plugin / "evals").glob("review-*"):
        shutil.rmtree(folder)
    named = {one.split(":")[0].rpartition(f"{fork.source}/")[2] for one in fork.problems()}
    assert named >= {f"plugins/{NAME}/docs/commands/{page}.md.j2" for page in ("continue", "execute")}
    for name in named:
        text = (fork.source / name).read_text()
        text = text.replace("command('review')", "command('plan')")
        (fork.source / name).write_text(text.replace("command_page('review')", "command_page('plan')"))
    assert fork.problems() == []
    fork.settle()
    for status, line in VERBS:
        told, answer = fork.ultra(*line.replace("DIR", fork.project).split())
        assert told == status, (line, answer)
        assert told == 0 or answer.get("errors") or answer["next"], line
    assert "review" not in fork.ultra("status")[1]
    assert "Review" not in (fork.repo / "page.html").read_text()
    progress = json.loads((ROOT / "tests/contracts/progress/valid.json").read_text())
    progress.update(status="completed")
    (fork.repo / fork.project / "progress.json").write_text(json.dumps(progress))
    answer = fork.ultra("status")[1]
    assert (answer["stage"], answer["next"]) == ("done", "the project is complete")
