"""Nobody gets to completed but by doing the work, and honest runs are not refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.attacks.arena import Attack, fight
from tests.attacks.scripts import ATTACKS, HONEST


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: one.name)
def test_an_attack_does_not_complete(attack: Attack, tmp_path: Path, bundle: Path, python: Path) -> None:
    fought = fight(attack, tmp_path, bundle, python)
    assert fought.faults, f"the attack did no harm: {fought.said}"
    assert not fought.claims, (fought.result, fought.audit, fought.faults, fought.said)
    assert re.search(attack.says, fought.said), fought.said


@pytest.mark.parametrize("attack", HONEST, ids=lambda one: one.name)
def test_an_honest_run_completes(attack: Attack, tmp_path: Path, bundle: Path, python: Path) -> None:
    fought = fight(attack, tmp_path, bundle, python)
    assert not fought.faults, (fought.faults, fought.said)
    assert (fought.result, fought.audit) == ("completed", "pass"), fought.said
    assert re.search(attack.says, fought.said), fought.said


def test_every_attack_has_its_own_name() -> None:
    names = [attack.name for attack in (*ATTACKS, *HONEST)]
    assert len(set(names)) == len(names)
