"""`ultra check-command`, `ultra check-path`, and which verbs write, as real calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.guard.policy_tables import load, policy
from tests.kit.calls import Ultra
from tests.kit.imports import imports
from tests.kit.names import RUNTIME
from ultra_runtime.guard.first_look import may_match

PACKAGE = RUNTIME / "ultra_runtime"


@pytest.fixture
def ultra(bundle: Path, repo: Path, python: Path, tmp_path: Path) -> Ultra:
    """Return the launcher in a repository whose user has a home beside it."""
    ultra = Ultra(bundle, repo, python)
    ultra.env["HOME"] = str(tmp_path / "home")
    return ultra


def batch(ultra: Ultra, verb: str, *questions: object) -> list[dict[str, Any]]:
    """Ask a batch of questions; what is no object is passed as it is."""
    given = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in questions)
    told = ultra.say(verb, "--batch", given=given)
    assert (told.status, told.err) == (0, "")
    return [json.loads(line) for line in told.out.splitlines()]


def test_one_command(ultra: Ultra) -> None:
    told = ultra("check-command", "bash -c 'rm -rf x'")
    answer = told.data
    assert (told.status, answer["verdict"], answer["rule"]) == (0, "block", "recursive_force_delete")
    assert answer["reason"]
    assert answer["instead"]
    words = ultra.say("check-command", "git push -f").out
    assert words.startswith("warn (git_force_push): ")
    assert ultra.say("check-command", "ls").out == "allow\n"


def test_a_block_is_a_failure_for_who_asks_for_a_status(ultra: Ultra) -> None:
    for words, status in ((["rm -rf x"], 1), (["git push -f"], 0), (["ls"], 0)):
        assert ultra.say("check-command", "--exit-code", *words).status == status
    assert ultra.say("check-path", "--exit-code", "/etc/passwd").status == 1
    assert ultra.say("check-path", "--exit-code", "notes.md").status == 0
    for commands, status in ((["ls", "rm -rf x"], 1), (["ls"], 0)):
        given = "".join(json.dumps({"command": one}) + "\n" for one in commands)
        assert ultra.say("check-command", "--batch", "--exit-code", given=given).status == status


def test_many_commands(ultra: Ultra) -> None:
    asked = ["ls", "rm -rf x", "git reset --hard", "echo 'rm -rf x'", "echo 'unclosed", ""]
    found = batch(ultra, "check-command", *({"command": one} for one in asked))
    assert [one["verdict"] for one in found] == ["allow", "block", "warn", "allow", "block", "allow"]
    assert all({"verdict", "rule", "reason"} <= set(one) for one in found)
    assert found[0] == {"verdict": "allow", "rule": "", "reason": ""}


def test_a_line_that_is_no_question_is_answered_too(ultra: Ultra) -> None:
    found = batch(ultra, "check-command", "{", "[]", {"cmd": "ls"}, {"command": 7}, {"command": "ls"})
    assert ["error" in one for one in found] == [True, True, True, True, False]


@pytest.mark.parametrize("words", [[], ["--json"], ["a", "b"], ["--batches"]])
@pytest.mark.parametrize("verb", ["check-command", "check-path"])
def test_wrong_usage(ultra: Ultra, verb: str, words: list[str]) -> None:
    told = ultra.say(verb, *words)
    assert told.status == 2
    assert "Traceback" not in told.err


def test_one_path_is_seen_from_where_it_is_asked(ultra: Ultra) -> None:
    def rule(path: str) -> str:
        return str(ultra("check-path", path).data["rule"])

    assert rule("src/a.py") == ""
    assert rule("../repo-evil/a.py") == "outside_repository"
    assert rule("~/.ssh/config") == "secret_keys"
    assert rule(".git/hooks/pre-commit") == "hook_script"
    assert rule("") == "bad_path"


def test_many_paths_bring_their_surroundings(ultra: Ultra) -> None:
    around = {"cwd": "/work/repo/src", "repo_root": "/work/repo", "home": "/home/u"}
    asked = ["a.py", "../b.py", "../../repo-evil/x", "~/.aws/credentials", "/home/u/.bashrc", ".env", "a\0b"]
    found = batch(ultra, "check-path", *({"path": one, **around} for one in asked), {"path": 3}, {"cwd": "/"})
    rules = ["", "", "outside_repository", "secret_keys", "shell_startup", "env_file", "bad_path"]
    assert [one["rule"] for one in found[:-2]] == rules
    assert all("error" in one for one in found[-2:])


# -- which verbs write


def _reached(module: str) -> set[str]:
    """Return the modules of the runtime that a module imports, on whatever way."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = RUNTIME / (name.replace(".", "/") + ".py")
        if name not in seen and path.is_file():
            seen.add(name)
            waiting += imports(path, members=True)
    return seen


def test_a_verb_that_says_that_it_only_reads_cannot_write(bundle: Path) -> None:
    """A verb that says nothing counts as writing; one that says so must not even load what writes."""
    reading: set[str] = set()
    writing: set[str] = set()
    for path in sorted((PACKAGE / "verbs").glob("[a-z]*.py")):
        says = "READ_ONLY = True\n" in path.read_text()
        (reading if says else writing).add(path.stem)
        if says:
            assert "ultra_runtime.files.atomic" not in _reached(f"ultra_runtime.verbs.{path.stem}"), path.stem
    assert {"put", "gate_brief", "brief_status", "project_new", "sessions_write"} <= writing
    assert {"scan", "validate", "guide", "check_command", "continue_"} <= reading
    names: dict[str, Any] = {}
    exec((bundle / "runtime/ultra_runtime/tables/names.py").read_text(), names)  # noqa: S102
    carried = {path.stem for path in (bundle / "runtime/ultra_runtime/verbs").iterdir()}
    assert {verb.replace(" ", "_").replace("-", "_") for verb in names["READING"]} == {
        name.rstrip("_") for name in reading & carried
    }


def test_the_reach_of_a_verb_is_seen() -> None:
    """Prove that the test above can fail."""
    assert "ultra_runtime.files.atomic" in _reached("ultra_runtime.verbs.put")


# -- words of the first look


NEEDS = {  # what has to stand behind a command before any rule that lists it can match
    "adds_package": "{verb} left-pad", "always": "-x | sh", "any_disk": "/dev/sda", "at_job": "now",
    "claims": "step begin 1 --mine x", "crontab": "-r", "decodes": "-d x | sh", "disk_verb": "erase /dev/sda", "downloads": "s3 cat api x | sh", "eval_expansion": "$X", "force_push": "push --force",
    "hard_reset": "reset --hard", "history_command": "-c", "history_file": "~/.bash_history", "history_unset": "HISTFILE",
    "jq_decodes": "@base64d x | sh", "kill_by_user": "-u bob", "kill_everything": "-9 -1", "launch": "load x",
    "listens": "host 80 | sh", "make_filesystem": "/dev/sda", "mode_option": "-m 777 x", "not_alone": "x | cat",
    "open_mode": "777 x",
    "openssl_decodes": "enc -d -a -in x | sh", "partition": "-a /dev/sda", "power_message": "PowerOff", "power_off": "now",
    "power_verb": "poweroff", "remove": "-rf x", "remove_windows": "-Recurse -Force x", "run_level": "0",
    "run_refs": "update-ref refs/ultra/x HEAD", "schedule_edit": "/etc/crontab", "timer": "--on-calendar=daily x",
}  # fmt: skip


def test_the_first_look_sees_every_command_of_the_policy() -> None:
    """A fork that adds a command to the policy must not have it waved through unread."""
    table = policy()
    missed = []
    for uses in (table.commands, table.sources):
        for name, logics in uses.items():
            for _, use in logics:
                verb = table.adders[name][0][0] if name in table.adders else ""
                command = f"{name} {NEEDS[use.partition('.')[2]].format(verb=verb)}"
                if not may_match(command):
                    missed.append(command)
    assert missed == []
    assert len(load("commands.yaml")) > 10
