"""Everything that the last release offered is still there, or is listed in differences.json with its reason."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.released.losses import losses
from tests.released.record import DIFFERENCES, read_baseline, read_differences
from tests.released.surface import Surface, read_surface

RELEASED = read_baseline()[1]


def test_nothing_is_lost_but_what_is_listed(bundle: Path) -> None:
    found = losses(RELEASED, read_surface(bundle))
    reasons = read_differences()
    assert [loss for loss in found if loss not in reasons] == []
    assert [loss for loss in reasons if loss not in found] == [], f"{DIFFERENCES} lists what did not change"
    assert all(reason.endswith(".") for reason in reasons.values())


def test_the_baseline_holds_something() -> None:
    counts = {part: len(RELEASED[part]) for part in RELEASED}
    assert counts["verbs"] > 30
    assert counts["codes"] > 70
    assert counts["schemas"] >= 8
    assert counts["hooks"] >= 5
    assert counts["files"] > 50
    assert {answer["status"] for answer in RELEASED["answers"].values()} >= {0, 1, 2}


# --- the test of the test ---------------------------------------------------------------------------------------


def _rewrite_verb(old: str, new: str) -> Callable[[Surface], Any]:
    def change(surface: Surface) -> None:
        lines = surface["verbs"]
        place = next(index for index, line in enumerate(lines) if old in line)
        lines[place] = lines[place].replace(old, new)

    return change


def _brief(surface: Surface) -> Any:
    return surface["schemas"]["brief.schema.json"]


FAULTS: dict[str, Callable[[Surface], Any]] = {
    "verb doctor: missing": lambda new: new["verbs"].remove("doctor [--json]"),
    "verb validate: --strict missing": _rewrite_verb("[--strict|--soft]", "[--soft]"),
    "verb validate: takes PATH, took KIND PATH": _rewrite_verb("validate KIND PATH", "validate PATH"),
    "verb doctor: --deep is required": _rewrite_verb("doctor [--json]", "doctor --deep N [--json]"),
    "verb doctor: --json takes a value": _rewrite_verb("doctor [--json]", "doctor [--json FILE]"),
    "verb confidence: --needed takes only high, low": _rewrite_verb("high|medium|low", "high|low"),
    "code BRIEF_NOT_FOUND: was error, is missing": lambda new: new["codes"].pop("BRIEF_NOT_FOUND"),
    "code BRIEF_NOT_FOUND: was error, is warning": lambda new: new["codes"].update(BRIEF_NOT_FOUND="warning"),
    "answer to an unknown verb: exits 1, exited 2": lambda new: new["answers"]["an unknown verb"].update(status=1),
    "answer to a result: no key version": lambda new: new["answers"]["a result"]["keys"].remove("version"),
    "command ultracontinue: --project missing": lambda new: new["commands"].update(ultracontinue=[]),
    "schema brief.schema.json: the artifact has no slug": lambda new: _brief(new)["properties"].pop("slug"),
    "schema brief.schema.json: the artifact requires source": lambda new: _brief(new)["required"].append("source"),
    "schema brief.schema.json: research_status refuses 'skipped'":
        lambda new: _brief(new)["properties"]["research_status"]["enum"].remove("skipped"),
    "schema brief.schema.json: slug: pattern is 'x', was '^[a-z0-9]+(-[a-z0-9]+)*$'":
        lambda new: _brief(new)["properties"]["slug"].update(pattern="x"),
    "hook PreCompact * pre_compact.py: missing": lambda new: new["hooks"].remove("PreCompact * pre_compact.py"),
    "file bin/LAUNCHER: missing": lambda new: new["files"].remove("bin/LAUNCHER"),
}  # fmt: skip


@pytest.mark.parametrize("loss", FAULTS)
def test_a_loss_is_seen(loss: str) -> None:
    new = copy.deepcopy(RELEASED)
    FAULTS[loss](new)
    assert losses(RELEASED, new) == [loss]


def test_additions_are_no_loss() -> None:
    new = json.loads(json.dumps(RELEASED))
    new["verbs"].append("brew TEA [--json]")
    _rewrite_verb("doctor [--json]", "doctor [FILE] [--deep] [--json]")(new)
    _rewrite_verb("high|medium|low", "high|medium|low|none")(new)
    _rewrite_verb("guide COMMAND [PHASE]", "guide [COMMAND] [PHASE]")(new)
    new["codes"]["BRIEF_MOOD"] = "error"
    _brief(new)["properties"]["mood"] = {"type": "string"}
    _brief(new)["properties"]["research_status"]["enum"].append("paused")
    _brief(new)["description"] = "Other words."
    new["hooks"].append("SessionEnd * bye.py")
    new["files"].append("docs/MORE.md")
    assert losses(RELEASED, new) == []
