"""Nobody gets to completed but by doing the work, and honest runs are not refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.attacks.arena import Attack, fight
from tests.attacks.scripts import ATTACKS, HONEST
from tests.kit.quick import later

# The runs that `make test` plays: together they reach each line of the sources that any run reaches.
QUICK = Path(__file__).with_name("quick.txt").read_text().splitlines()


def rows(attacks: list[Attack]) -> list[object]:
    """Return attacks as rows of a table; `make soak` alone plays those that are not quick."""
    return [
        pytest.param(one, id=one.name) if one.name in QUICK else later(one, name=one.name) for one in attacks
    ]


@pytest.mark.parametrize("attack", rows(ATTACKS))
def test_an_attack_does_not_complete(attack: Attack, tmp_path: Path, bundle: Path, python: Path) -> None:
    fought = fight(attack, tmp_path, bundle, python)
    assert fought.faults, f"the attack did no harm: {fought.said}"
    assert not fought.claims, (fought.result, fought.audit, fought.faults, fought.said)
    assert re.search(attack.says, fought.said), fought.said


@pytest.mark.parametrize("attack", rows(HONEST))
def test_an_honest_run_completes(attack: Attack, tmp_path: Path, bundle: Path, python: Path) -> None:
    fought = fight(attack, tmp_path, bundle, python)
    assert not fought.faults, (fought.faults, fought.said)
    assert (fought.result, fought.audit) == ("completed", "pass"), fought.said
    assert re.search(attack.says, fought.said), fought.said


def test_every_attack_has_its_own_name() -> None:
    names = [attack.name for attack in (*ATTACKS, *HONEST)]
    assert len(set(names)) == len(names)
    assert set(QUICK) <= set(names)
