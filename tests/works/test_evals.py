"""The evals of the plugin, played well and badly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.client.conversation import Say
from tests.client.session import Home
from tests.evals.cases import read_cases
from tests.evals.test_evals import evaluate
from tests.evals.theatre import Play, Repeat, Theatre
from tests.kit.model import read
from tests.kit.quick import later
from tests.works.crew import NAME

USAGES = {
    "sdd-usage": "sdd [auto] REQUEST",
    "init-usage": "sdd-init",
    "resume-usage": "sdd-resume WORK-NN",
    "status-usage": "sdd-status [WORK-NN]",
}
PLAYS = {
    **{
        case: Play(
            (Say(f"That is not how it is called.\n\n    Usage: /{NAME}:{words}"),),
            badly=(read("README.md"), Say("Everything is done.")),
        )
        for case, words in USAGES.items()
    },
    "guard-tag": Play((Repeat(r"This message starts a work: .*"),), badly=(Say("Nothing was said."),)),
}


@pytest.mark.soak
@pytest.mark.parametrize("badly", [False, later(True)])
def test_every_case_passes_when_it_is_played_well_and_fails_when_not(
    works_bundle: Path, home: Home, client_binary: Path, badly: bool
) -> None:
    assert {case.name for case in read_cases(works_bundle)} == set(PLAYS)
    with Theatre(works_bundle, PLAYS, badly=badly) as theatre:
        told = evaluate(theatre, works_bundle, home, client_binary)
    assert {name: one == 1.0 for name, one in told.scores.items()} == dict.fromkeys(PLAYS, not badly), str(
        told
    )
