"""A change of the policy is one edit: the build knows it, and what it cannot resolve it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.guard.scene import PLAN, Scene
from tests.kit.names import LAUNCHER
from tests.kit.sources import change, copy_of_sources
from tests.plan.texts import plan, step
from ultra_plugin.errors import ProblemsFound
from ultra_plugin.pipeline import checked
from ultra_plugin.policy import load_policy
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import write

FAMILY = """\
  - id: cloud_destroy
    verdict: block
    title: taking down what runs in the cloud
    why: nothing brings it back
    instead: let the person do it
    logic:
      - use: always
        commands: [cloudwipe, g++wipe, Remove-Cloud, remove-cloud, wipe.cloud]
      - use: remove
        commands: [cloudrm]
      - use: disk_verb
        commands: [cloudctl]
      - use: downloads
        when: source
        gives: fetched
        commands: [cloudcat]
    examples: {match: [cloudwipe all], pass: [cloudrm x]}

"""
BLOCKED = [
    "cloudwipe",
    "sudo cloudwipe --all",
    "cd x && 'cloud'wipe y",
    "bash -c 'cloudwipe x'",
    "g++wipe x",
    "REMOVE-CLOUD x",
    "wipe.cloud x",
    "w*.cloud x",
    "cloudrm -rf x",
    "xargs cloudrm -r -f < list",
    "cloudcat cp x | sh",
    "echo x > deploy/prod.lock.yaml",
    "rm deploy/prod.lock.yaml",
    "mv deploy/prod.lock.yaml x",
]
ALLOWED = ["cloudrm x", "cloudcat cp x", "echo cloud wipe", "cloudctl list", "cat deploy/prod.lock.yaml"]
PROTECTED = """\
  - id: production_lock
    verdict: block
    title: the lock of production
    why: it decides what is live
    instead: leave it
    patterns: [deploy/*.lock.yaml]
    examples: {match: [deploy/prod.lock.yaml], pass: [deploy/prod.yaml]}

"""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Return a run below a plugin whose policy has one more family of commands and one more protected path."""
    folder = tmp_path_factory.mktemp("fork")
    tree = copy_of_sources(folder)
    change(tree / "policy/commands.yaml", "\nrules:\n", f"\nrules:\n{FAMILY}")
    change(tree / "policy/paths.yaml", "\nrules:\n", f"\nrules:\n{PROTECTED}")
    bundles, _ = checked(SourceTree(tree), "dist")
    write(bundles, folder / "out")
    made = Scene(next(path.parent for path in (folder / "out").glob("*/runtime")), folder / "scene")
    made.start_run()
    return made


@pytest.mark.parametrize("command", BLOCKED)
def test_the_hook_blocks_a_family_that_the_policy_alone_knows(scene: Scene, command: str) -> None:
    told = scene.bash(command)
    assert told.decision == "deny"
    rule = (
        "production_lock" if "deploy" in command else "pipe_to_shell" if "|" in command else "cloud_destroy"
    )
    assert f"rule {rule}: " in told.reason


@pytest.mark.parametrize("command", ALLOWED)
def test_the_hook_lets_the_rest_through(scene: Scene, command: str) -> None:
    assert scene.bash(command).silent


def test_a_protected_path_that_the_policy_alone_knows(scene: Scene) -> None:
    assert "rule production_lock" in scene.write("deploy/prod.lock.yaml").reason
    assert scene.write("deploy/prod.yaml").silent


def test_scan_says_what_the_hook_says(scene: Scene) -> None:
    text = plan(
        *(step(n).replace("`pytest -q`", f"`{command}`") for n, command in enumerate(BLOCKED + ALLOWED, 1))
    )
    (scene.repo / PLAN).write_text(text)
    done = subprocess.run(
        [sys.executable, scene.bundle / "bin/ultra", "scan", PLAN, "--json"], cwd=scene.repo, text=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(scene.home)}, capture_output=True, timeout=60,
    )  # fmt: skip
    found = [one for one in json.loads(done.stdout)["commands"] if one["field"] == "Verify"]
    assert [one["command"] for one in found] == BLOCKED + ALLOWED
    assert [one["verdict"] for one in found] == ["block"] * len(BLOCKED) + ["allow"] * len(ALLOWED)


def test_check_command_and_check_path_say_what_the_hook_says(scene: Scene) -> None:
    commands = [command for command in BLOCKED + ALLOWED if "deploy" not in command]
    given = "".join(json.dumps({"command": command}) + "\n" for command in commands)
    told = [json.loads(line) for line in asked(scene, "check-command", "--batch", given=given)]
    assert [one["verdict"] for one in told] == ["block" if one in BLOCKED else "allow" for one in commands]
    (path,) = map(json.loads, asked(scene, "check-path", "deploy/prod.lock.yaml"))
    assert (path["verdict"], path["rule"]) == ("block", "production_lock")


def asked(scene: Scene, *words: str, given: str = "") -> list[str]:
    """Return the lines that a verb answers."""
    done = subprocess.run(
        [sys.executable, scene.bundle / "bin" / LAUNCHER, *words, "--json"], cwd=scene.repo, text=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(scene.home)}, input=given, capture_output=True, timeout=60,
    )  # fmt: skip
    return done.stdout.splitlines()


@pytest.mark.parametrize("page", ["GUARD", "TROUBLESHOOTING"])
def test_the_docs_list_the_new_rules(scene: Scene, page: str) -> None:
    text = (scene.bundle / f"docs/{page}.md").read_text()
    assert "taking down what runs in the cloud" in text or "`cloud_destroy`" in text
    assert "the lock of production" in text or "`production_lock`" in text


# -- what the build refuses


COMMANDS, RULES = "policy/commands.yaml", "runtime/ultra_runtime/guard/rules"
PACK = "policy/packs/git_discards.yaml"
FAULTS: dict[str, tuple[Callable[[Path], object], str, str, str]] = {
    "no-function": (
        lambda tree: change(tree / COMMANDS, "use: crontab", "use: crontabs"),
        COMMANDS,
        "rule 'cron_persistence': 'use: crontabs' names no function of guard/rules",
        "did you mean 'crontab'?",
    ),
    "wrong-parameters": (
        lambda tree: change(tree / COMMANDS, "use: disk_write", "use: crontab"),
        COMMANDS,
        "rule 'disk_destruction': 'use: crontab' takes 2 parameters, but 'when: write' gives 1",
        "use a function that takes 1",
    ),
    "no-event": (
        lambda tree: change(tree / COMMANDS, "when: assign", "when: assigned"),
        COMMANDS,
        "rule 'history_destruction': the guard has no event 'assigned'",
        "did you mean 'assign'?",
    ),
    "no-use": (
        lambda tree: change(
            tree / COMMANDS, "      - use: kill_by_user\n        commands", "      - commands"
        ),
        COMMANDS,
        "rule 'kill_all': 'when: command' needs 'use:'",
        "such as 'use: always'",
    ),
    "unused-function": (
        lambda tree: change(
            tree / RULES / "packages.py",
            "\ndef adds_package(",
            "\ndef other(call, policy): ...\n\n\ndef adds_package(",
        ),
        f"{RULES}/packages.py",
        "no rule of the policy uses the function 'other'",
        "name it in a rule's 'use:'",
    ),
    "needs-of-nothing": (
        lambda tree: change(tree / RULES / "history.py", '"history_file": (', '"history_files": ('),
        f"{RULES}/history.py",
        "NEEDS names 'history_files', which is not a function of this file",
        "did you mean 'history_file'?",
    ),
    "pack-without-calls": (
        lambda tree: change(
            tree / PACK, "    calls: [git clean -f, git clean --force]\n    unless", "    unless"
        ),
        PACK,
        "the rule 'git_clean' lists no calls",
        "add 'calls:'",
    ),
    "pack-with-a-known-rule": (
        lambda tree: change(tree / PACK, "- id: git_clean", "- id: shutdown"),
        PACK,
        "the rule 'shutdown' is also in",
        "rename one",
    ),
    "syntax": (
        lambda tree: change(tree / RULES / "packages.py", "\ndef adds_package(", "\ndef adds_package(("),
        f"{RULES}/packages.py",
        "is not Python",
        "fix the syntax",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_build_refuses_what_it_cannot_resolve(fault: str, tmp_path: Path) -> None:
    make, path, message, remedy = FAULTS[fault]
    tree = copy_of_sources(tmp_path)
    make(tree)
    with pytest.raises(ProblemsFound) as raised:
        load_policy(SourceTree(tree))
    problem = next(one for one in raised.value.problems if message in one.message)
    assert problem.path.endswith(path)
    assert problem.line > 0
    assert remedy in problem.remedy
