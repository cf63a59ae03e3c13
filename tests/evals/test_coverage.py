"""Which cases there are: one a command, one a guard, and nothing that a model has to judge."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.evals.cases import read_cases
from tests.evals.plays import COMMANDS, GUARDS, PLAYS
from tests.kit.names import PLUGIN_SOURCE

STAGES = yaml.safe_load((PLUGIN_SOURCE / "plugin.yaml").read_text())["pipeline"]
CARRIED = {
    # file of the hook: the cases that show it
    "guard": {
        "guard-commands",
        "guard-paths",
        "guard-run-files",
        "guard-run-agent",
        "guard-agents-write",
        "guard-worktree",
    },
    "agent_answer": {"guard-agent-answers"},
    "stop": {"guard-early-stop"},
    "session_start": {"guard-unfinished-run"},
    "pre_compact": {"guard-compaction"},
}
# A case does not get what a hook says to a message; tests/flagship/test_permissions.py shows this one in the client.
ELSEWHERE = {"user_message"}


def test_every_case_has_its_play(bundle: Path) -> None:
    assert {case.name for case in read_cases(bundle)} == set(PLAYS)


def test_every_command_has_a_case_of_wrong_use_and_a_case_of_work() -> None:
    for stage in STAGES:
        cases = {name for name in COMMANDS if name.startswith(f"{stage}-")}
        assert f"{stage}-usage" in cases
        assert len(cases) > 1, stage


def test_every_hook_has_a_case(bundle: Path) -> None:
    hooks = set(re.findall(r"/hooks/(\w+)\.py", (bundle / "hooks/hooks.json").read_text()))
    assert hooks == {*CARRIED, *ELSEWHERE}
    assert set().union(*CARRIED.values()) == set(GUARDS)


def test_every_command_is_played_badly_too() -> None:
    assert not [name for name, play in COMMANDS.items() if not play.badly]


def test_graders_are_deterministic(bundle: Path) -> None:
    for path in sorted((bundle / "evals").glob("*/case.yaml")):
        types = {grader["type"] for grader in yaml.safe_load(path.read_text())["graders"]}
        assert types <= {"regex", "tool_used", "tool_order", "file_exists"}, path
