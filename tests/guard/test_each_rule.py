"""What each rule says of every option, verb and name that decides: on both sides of its boundary."""

from __future__ import annotations

import yaml

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.guard.rows import CASES
from tests.kit.names import LAUNCHER
from tests.kit.table import each
from ultra_runtime.guard.first_look import may_match
from ultra_runtime.guard.rules import devices, history, system

POLICY = policy()
REFS = f"refs/{LAUNCHER}"
TABLE = yaml.safe_load((CASES / "rules.yaml").read_text())
MATCHES, PASSES = "matches", "passes"


def lines(side: str) -> list[tuple[str, str]]:
    """Return the commands on one side of every rule, each after the name of its rule."""
    rows = [(rule, line) for rule, sides in TABLE.items() for line in sides[side].splitlines()]
    return [(rule, line.replace("\\n", "\n").replace("{REFS}", REFS)) for rule, line in rows]


@each(lines(MATCHES))
def test_the_rule_matches(rule: str, command: str) -> None:
    assert verdict_for(command, POLICY).rule == rule
    assert may_match(command)


@each(lines(PASSES))
def test_no_rule_matches(rule: str, command: str) -> None:
    assert verdict_for(command, POLICY).rule == ""


@each((name, option) for name, found in devices._LISTS.items() for option in found)
def test_a_partition_tool_that_lists(name: str, option: str) -> None:
    flag = f"-{option}" if len(option) == 1 else f"--{option}"
    assert verdict_for(f"{name} -a {flag} /dev/sda", POLICY).rule == ""


@each((name, verb) for name, found in devices._DISK_VERBS.items() for verb in found if verb)
def test_a_verb_that_destroys(name: str, verb: str) -> None:
    assert verdict_for(f"{name} x {verb.upper()} /dev/sda", POLICY).rule == "disk_destruction"


@each(
    (name, text)
    for name in (*devices._NO_DISK, *devices._NO_DISK_BEGINNINGS)
    for text in ("echo x > /dev/{}", "tee -a /dev/{} < f")
)
def test_a_device_that_is_no_disk(name: str, text: str) -> None:
    assert verdict_for(text.format(name), POLICY).rule == ""
    assert verdict_for(text.format(f"q{name}"), POLICY).rule == "disk_destruction"


@each(sorted(system._POWER_TARGETS))
def test_a_target_that_ends_the_machine(name: str) -> None:
    assert verdict_for(f"systemctl isolate {name}", POLICY).rule == "shutdown"
    assert verdict_for(f"systemctl cat {name}", POLICY).rule == ""


@each(
    [
        *system._SCHEDULES,
        *(f"{one}/x" for one in system._LAUNCHED),
        *(f"{one}x.timer" for one in system._UNITS),
    ]
)
def test_a_place_of_a_scheduler(path: str) -> None:
    assert verdict_for(f"echo x > {path}", POLICY).rule == "cron_persistence"
    assert verdict_for(f"rm {path}", POLICY).rule == "cron_persistence"
    assert verdict_for(f"cat {path}", POLICY).rule == ""
    assert verdict_for(f"echo x > /other{path}", POLICY).rule == ""


@each(sorted(history.FILES))
def test_a_file_of_a_history(name: str) -> None:
    assert verdict_for(f"rm ~/{name}", POLICY).rule == "history_destruction"
    assert verdict_for(f"echo x > ~/{name}", POLICY).rule == "history_destruction"
    assert verdict_for(f"echo x >> ~/{name}", POLICY).rule == ""
    assert verdict_for(f"mv x ~/x{name}", POLICY).rule == ""
