"""Commands in disguise: what each really runs is shown in a scratch folder, and the guard must see through it.

The table has one command a line: how hard it is, the rule, and the command (a JSON string if it has more than a line).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.guard.twins import PAYLOADS, Twin
from tests.kit.quick import SOAK
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
# What the guard does not see through.
MISSED = [
    "X=$(expr substr xxmkfs 3 9); $X /dev/sdzz",
    'python3 -c \'import os; c=["mkfs","/dev/sdzz"]; os.system(" ".join(c))\'',
    'awk \'BEGIN { c = "m" "kfs /dev/sdzz"; system(c) }\'',
    "ed -s f <<< $'a\\nrm -rf d\\n.\\nw s.sh' ; sh s.sh",
    "perl -i -pe 's/.*/rm -rf d/' f; sh f",
    "perl -pe 's/.*/rm -rf d/' f | sh",
    'python3 -c "import os; os.system(f\'{\\"rm\\"} -rf d\')"',
    'python3 -c \'import subprocess as s; s.run(["r" + ("m"), "-rf", "d"])\'',
]
SAMPLE = 25  # one of so many is run in a quick test


def rows() -> list[tuple[str, str, str]]:
    """Read the table: (tier, rule, command)."""
    lines = (CASES / "disguises.txt").read_text(encoding="utf-8").splitlines()
    found = [line.split("\t", 2) for line in lines]
    return [(tier, rule, json.loads(text) if text.startswith('"') else text) for tier, rule, text in found]


ROWS = rows()


def is_caught(command: str) -> bool:
    """Tell whether the guard blocks a command because it has understood it, and the hook asks the guard at all."""
    verdict = verdict_for(command, POLICY)
    return verdict.verdict == "block" and not verdict.unreadable and may_match(command)


def test_the_table_is_large_and_says_nothing_twice() -> None:
    assert len(ROWS) >= 500
    assert len({command for _, _, command in ROWS}) == len(ROWS)
    assert {tier for tier, _, _ in ROWS} == set(CAUGHT)


@pytest.mark.parametrize("tier", CAUGHT)
def test_the_guard_sees_through_them(tier: str) -> None:
    commands = [command for row, _, command in ROWS if row == tier]
    missed = [command for command in commands if not is_caught(command)]
    assert missed == [command for command in MISSED if command in commands]
    assert len(missed) <= (1 - CAUGHT[tier]) * len(commands)


def test_every_row_does_what_it_hides(tmp_path: Path) -> None:
    twin = Twin(tmp_path / "twin")
    chosen = ROWS if SOAK else ROWS[::SAMPLE]
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
