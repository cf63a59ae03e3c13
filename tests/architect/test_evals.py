"""The evals of the plugin, played well and badly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architect.test_architecture import NAME
from tests.client.conversation import Say
from tests.client.session import Home
from tests.evals.cases import read_cases
from tests.evals.test_evals import evaluate
from tests.evals.theatre import Play, Theatre
from tests.kit.model import read
from tests.kit.quick import later

PLAYS = {
    "architect-usage": Play(
        (
            Say(
                f"A project is missing.\n\n    Usage: /{NAME}:ultra-cc-architect-local --project DIR [--quick]"
            ),
        ),
        badly=(read("README.md"), Say("The cache is decided.")),
    ),
    "architect-without-a-task": Play(
        (Say("There is no brief. Which decision do you mean?"),),
        badly=(Say("I have chosen a database."),),
    ),
}


@pytest.mark.soak
@pytest.mark.parametrize("badly", [False, later(True)])
def test_every_case_passes_when_it_is_played_well_and_fails_when_not(
    bundle: Path, home: Home, client_binary: Path, badly: bool
) -> None:
    plugin = bundle.parent / NAME
    assert {case.name for case in read_cases(plugin)} == set(PLAYS)
    with Theatre(plugin, PLAYS, badly=badly) as theatre:
        told = evaluate(theatre, plugin, home, client_binary)
    assert {name: one == 1.0 for name, one in told.scores.items()} == dict.fromkeys(PLAYS, not badly), str(
        told
    )
