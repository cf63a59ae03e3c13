"""Stages are data: one that does not resolve is refused. tests/changes adds and removes some."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.generator.sample import CONTRACT, PLUGIN, write_sample
from tests.kit.sources import faults
from ultra_plugin.pipeline import checked

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
    return faults(write_sample(root, {**SOUND, **changes}), lambda tree: checked(tree, "dist"))


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
