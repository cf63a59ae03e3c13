"""Commands in disguise: what each really runs is shown in a scratch folder, and the guard must see through it.

The table has one command a line: how hard it is, the rule, and the command (a JSON string if it has more than a line).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.guard.twins import PAYLOADS, Twin
from ultra_runtime.guard.first_look import may_match

POLICY = policy()
CASES = Path(__file__).parent / "cases"
PAYLOAD = dict(zip(("recursive_force_delete", "chmod_777", "disk_destruction"), PAYLOADS, strict=True))
CAUGHT = {"core": 0.99, "stretch": 0.6}
# An unknown program that has exactly the options of `rm -rf`, and one with the name of a blocked program.
BY_DESIGN = [
    "$X -f compose.yml -r",
    "./tools/halt --now",
]
SAMPLE = 25  # one of so many is run in a quick test


def rows() -> list[tuple[str, str, str]]:
    """Read the table: (tier, rule, command)."""
    lines = (CASES / "disguises.txt").read_text(encoding="utf-8").splitlines()
    found = [line.split("\t", 2) for line in lines]
    return [(tier, rule, json.loads(text) if text.startswith('"') else text) for tier, rule, text in found]


ROWS = rows()


def test_the_table_is_large_and_says_nothing_twice() -> None:
    assert len(ROWS) >= 500
    assert len({command for _, _, command in ROWS}) == len(ROWS)
    assert {tier for tier, _, _ in ROWS} == set(CAUGHT)


@pytest.mark.parametrize("tier", CAUGHT)
def test_the_guard_sees_through_them(tier: str) -> None:
    total: Counter[bool] = Counter()
    missed = []
    for _, rule, command in (row for row in ROWS if row[0] == tier):
        verdict = verdict_for(command, POLICY)
        caught = verdict.verdict == "block" and not verdict.unreadable and may_match(command)
        total[caught] += 1
        if not caught:
            missed.append(f"{rule}: {command!r}")
    assert total[True] >= CAUGHT[tier] * total.total(), "\n".join(missed)


def test_every_row_does_what_it_hides(tmp_path: Path) -> None:
    twin = Twin(tmp_path / "twin")
    chosen = ROWS if "ULTRA_SOAK" in os.environ else ROWS[::SAMPLE]
    assert not [command for _, rule, command in chosen if twin.does(command) != PAYLOAD[rule]]


def test_a_harmless_row_is_not_proved(tmp_path: Path) -> None:
    twin = Twin(tmp_path / "twin")
    assert [twin.does(command) for command in ("echo rm -rf d", "rm -r x", "X=ls; $X -rf d")] == ["", "", ""]


def tricky(name: str) -> list[str]:
    """Read commands, one a line; a line that starts with a double quote is a JSON string."""
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) if line.startswith('"') else line for line in lines]


def test_of_the_tricky_harmless_commands_only_these_are_blocked() -> None:
    commands = tricky("tricky.txt")
    assert len(commands) >= 100
    blocked = [command for command in commands if verdict_for(command, POLICY).verdict != "allow"]
    assert blocked == BY_DESIGN
