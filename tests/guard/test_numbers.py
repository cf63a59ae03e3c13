"""Wherever a command takes a number, what is no number for Python is no reason to give up: the rest is still judged."""

from __future__ import annotations

import pytest

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.kit.table import each
from ultra_runtime.guard.follow.arithmetic import _NoNumber, _number

POLICY = policy()
# A digit for str.isdigit that int() refuses, one that int() takes and a shell does not, and spellings of each.
ODD = (
    "²", "２", "--5", "-²", "+", "0²", "9" * 30, "-" + "9" * 30, "08", "2#²", "²#1", "37#1", "1#1", "0x", "",
)  # fmt: skip
PLACES = (
    "printf 'a\\nb\\n' | head -n {} | sh", "printf 'a\\nb\\n' | tail -n {} | sh", "printf ab | cut -c {} | sh",
    "printf ab | cut -c 1-{} | sh", "printf ab | cut -d b -f {}- | sh", "echo {{1..{}}}", "echo {{{}..3..2}}", "echo {{1..9..{}}}",
    "x=abc; ${{x:{}}}", "x=abc; ${{x:1:{}}}", "a=(b c); ${{a[{}]}}", "a[{}]=b", "a=([{}]=b); $a", "set -- a b; ${{{}}}",
    "set -- a b; shift {}; $1", "chmod {} f", "printf '%{}d' 1 | sh", "printf '%x' {} | sh", "printf '%.{}s' ab | sh",
    "echo x >&{}", "echo x {}>&1", "timeout {} ls", "nice -n {} ls", "kill -{} 5", "echo $'\\u{}'", "echo $(({}))", "(( {} ))",
    "let x={}", "echo $[{}]", "seq {} | sh", "xargs -n {} ls", "xargs -P {} ls", "for ((i={}; i<2; i++)); do ls; done",
    "install -m {} a b", "mkdir -m {} d", "declare -a a[{}]=x", "read -n {} x", "${{@:{}}}",
    "printf 'ls' | dd bs={} | sh", "printf ls | head -c {} | sh", "sed -n {}p f | sh", "sed {}d f", "tr a {} | sh", "exec {}>f",
)  # fmt: skip


@each((place, odd) for place in PLACES for odd in ODD)
def test_a_number_that_is_none_hides_nothing(place: str, odd: str) -> None:
    command = place.format(odd)
    assert verdict_for(command, POLICY).rule in ("", "unreadable")
    assert verdict_for(f"reboot; {command}", POLICY).rule == "shutdown"
    after = verdict_for(f"{command}\nreboot", POLICY)
    assert after.rule in ("shutdown", "unreadable")


@each(
    [
        ("10", 10), ("010", 8), ("0", 0), ("0x1f", 31), ("0X1F", 31), ("2#101", 5), ("36#z", 35), ("2#3", None), ("2#", None),
        *((word, None) for word in ("37#1", "1#1", "0#1", "x#1", "#1", "16#_1", "0x", "08", "9" * 13)),
    ]
)  # fmt: skip
def test_a_number_has_the_base_that_the_shell_gives_it(word: str, value: int | None) -> None:
    if value is None:
        with pytest.raises(_NoNumber):
            _number(word)
    else:
        assert _number(word) == value
