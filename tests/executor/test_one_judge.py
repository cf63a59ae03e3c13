"""One judge: every door says the same of a command or path, and what runs is what was scanned."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.executor.sample import PLAN, PROJECT, Repo, plan, step
from tests.guard.policy_tables import load

Make = Callable[..., Repo]
COMMANDS = [
    text for rule in load("commands.yaml") for kind in ("match", "pass") for text in rule["examples"][kind]
]
COMMANDS += [
    "echo KEY >> ~/.ssh/authorized_keys",
    f"echo x >> {PLAN}",
    f"rm -r {PROJECT}",
    "mv src ../out",
    "chmod 600 .env",
]
PATHS = [text for rule in load("paths.yaml") for kind in ("match", "pass") for text in rule["examples"][kind]]
PATHS += [PLAN, f"{PROJECT}/progress.json"]
RULES = {rule["id"]: rule["verdict"] for name in ("commands.yaml", "paths.yaml") for rule in load(name)}
RULES |= {"run_file": "block"}

# Calls the hook as the client does, and the judge of the executor, once for every line of standard input.
DOORS = """
import contextlib, io, json, os, sys, tempfile
sys.path.insert(0, sys.argv[1])
from ultra_runtime.guard import hook
from ultra_runtime.run.state.judging import judge_of, why_blocked
from ultra_runtime.run.state.run_place import find_run_place
from ultra_runtime.run.tree.workspace import find_workspace
place = find_run_place(find_workspace(), sys.argv[2], None, None)
for line in sys.stdin.read().splitlines():
    key, text = json.loads(line)
    call = {"session_id": "session-a", "cwd": os.getcwd(), "tool_name": "Bash" if key == "command" else "Write", "tool_input": {"command" if key == "command" else "file_path": text}}
    with tempfile.TemporaryFile() as given, contextlib.redirect_stdout(io.StringIO()) as out:
        given.write(json.dumps(call).encode())
        given.seek(0)
        os.dup2(given.fileno(), 0)
        assert hook.main() == 0
    said = json.loads(out.getvalue())["hookSpecificOutput"]["permissionDecisionReason"] if out.getvalue() else ""
    step = why_blocked(place, text) if key == "command" else judge_of(place).path(text).reason
    print(json.dumps([said, step]))
"""


def with_command(number: int, command: str) -> str:
    """Return a step whose Verify is that command, in a block of its own."""
    lines = "\n".join(f"  {line}".rstrip() for line in command.split("\n"))
    return step(number, verify="`true`").replace(
        "- **Verify:** `true`", f"- **Verify:**\n\n  ```bash\n{lines}\n  ```\n"
    )


def at_doors(repo: Repo, key: str, texts: list[str]) -> list[tuple[str, str]]:
    """Return what the hook says, and what a step says, of each text."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", DOORS, str(repo.bundle / "runtime"), PLAN], cwd=repo.folder, env=repo.env,
        input="".join(json.dumps([key, text]) + "\n" for text in texts), capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [(said, told) for said, told in map(json.loads, done.stdout.splitlines())]


def batch(repo: Repo, verb: str, key: str, texts: list[str]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [repo.bundle / "bin/ultra", verb, "--batch"], cwd=repo.folder, env=repo.env, check=True, timeout=120,
        input="".join(json.dumps({key: text}) + "\n" for text in texts), capture_output=True, text=True,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


def agree(row: dict[str, Any], said: str, told: str) -> None:
    """Hold one answer of a check against the hook's and the executor's."""
    if row["verdict"] in ("block", "ask"):
        assert said.startswith(f"ultra guard, rule {row['rule']}: {row['reason']}. Instead: "), row
        assert told == (row["reason"] if row["verdict"] == "block" else ""), row
    else:
        assert (said, told) == ("", ""), row
    assert row["verdict"] == RULES.get(row["rule"], "allow"), row


def test_all_doors_agree_on_every_example(make: Make) -> None:
    repo = make(plan(*(with_command(number, text) for number, text in enumerate(COMMANDS, 1))))
    scanned = [one for one in repo.ultra(f"scan {PLAN}")["commands"] if one["field"] == "Verify"]
    assert [one["command"] for one in scanned] == [text.strip() for text in COMMANDS]
    refused = repo.refused(f"run start {PLAN}")
    assert "the command policy blocks Step 1, Verify: `rm -rf out`" in refused
    validated = repo.ultra(f"run validate {PLAN}")
    assert (validated["verdict"], len(validated["blocked"])) == ("FAIL", 20)
    issues = repo.ultra(f"run dry-run {PLAN}")["issues"]
    blocked = [number for number, one in enumerate(scanned, 1) if one["verdict"] == "block"]
    assert [
        int(issue.split(",")[0].removeprefix("BLOCKED: Step "))
        for issue in issues
        if issue.startswith("BLOCKED")
    ] == blocked

    # The same plan without what is blocked is started, and judged from inside the run.
    fine = [one["command"] for one in scanned if one["verdict"] != "block"]
    repo.write({PLAN: plan(*(with_command(number, text) for number, text in enumerate(fine, 1)))})
    assert repo.ultra(f"scan {PLAN}")["ok"]
    notes = repo.start()["notes"]
    warned = [one for one in scanned if one["verdict"] == "warn"]
    assert len([note for note in notes if any(one["reason"] in note for one in warned)]) == len(warned)
    checked = batch(repo, "check-command", "command", COMMANDS)
    for text, row, told, one in zip(
        COMMANDS, checked, at_doors(repo, "command", COMMANDS), scanned, strict=True
    ):
        agree(row, *told)
        assert (one["verdict"], one.get("rule", "")) == (row["verdict"], row["rule"]), text
    rules = {row["rule"] for row in checked}
    assert {rule["id"] for rule in load("commands.yaml")} | {
        "secret_keys",
        "run_file",
        "outside_repository",
    } <= rules

    paths = [text for text in PATHS if "\0" not in text]
    for row, told in zip(
        batch(repo, "check-path", "path", paths), at_doors(repo, "path", paths), strict=True
    ):
        agree(row, *told)


@pytest.mark.parametrize(
    "command",
    [
        "echo KEY >> ~/.ssh/authorized_keys",
        "rm ~/.ssh/config",
        "mv ../x .",
        "chmod 644 .env",
        ": > .git/config",
        f"rm {PLAN}",
    ],
)
@pytest.mark.parametrize("field", ["verify", "test_first", "verification"])
def test_a_command_of_a_plan_writes_nothing_that_the_hook_denies(
    make: Make, command: str, field: str
) -> None:
    if field == "verification":
        repo = make(plan(step(1), verification=command))
    elif field == "verify":
        repo = make(plan(step(1, verify=command)))
    else:
        repo = make(plan(step(1, test_first=f"`{command}`")))
    assert f"`{command}`" in repo.refused(f"run start {PLAN}")
    assert not repo.ultra(f"scan {PLAN}")["ok"]
    assert not (repo.folder.parent / ".ssh").exists()


def test_a_checkpoint_under_a_deeper_heading_is_scanned_and_used(make: Make) -> None:
    text = plan(step(1)).replace("- **Checkpoint:**", "#### Afterwards\n\n- **Checkpoint:**")
    repo = make(text)
    fields = [(one.get("step"), one["field"]) for one in repo.ultra(f"scan {PLAN}")["commands"]]
    assert fields == [(1, "Verify"), (1, "Checkpoint")]
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.subjects()[-1] == "feat: part 1"
    repo.write({PLAN: text.replace("feat: part 1", "$(rm -rf x)")})
    assert repo.ultra(f"scan {PLAN}")["blocked"] == 1
    assert any(
        issue.startswith("BLOCKED: Step 1, Checkpoint")
        for issue in repo.ultra(f"run dry-run {PLAN}")["issues"]
    )


@pytest.mark.soak
def test_what_runs_is_what_is_scanned_in_the_same_order(make: Make) -> None:
    def noted(word: str) -> str:
        return f"echo {word} >> {PROJECT}/logs/order.txt"

    steps = [
        step(number, verify=noted(f"verify{number}"), test_first=f"`{noted(f'test{number}')}`")
        for number in (1, 2)
    ]
    repo = make(plan(*steps, verification=noted("verification")))
    repo.write({f"{PROJECT}/logs/order.txt": "", ".claude/ultra.yaml": "proof: off\n"})
    scanned = [one for one in repo.ultra(f"scan {PLAN}")["commands"] if one["field"] != "Checkpoint"]
    labels = [f"Step {one['step']}, {one['field']}" if "step" in one else one["field"] for one in scanned]
    told = repo.ultra(f"run validate {PLAN}")["commands"]
    assert told == [f"{label}: {one['command']}" for label, one in zip(labels, scanned, strict=True)]
    repo.start()
    for number in (1, 2):
        repo.do_step(number, {f"src/part{number}.py": "x\n"})
    repo.ok("run finish")
    ran = repo.read(f"{PROJECT}/logs/order.txt").split()
    assert [noted(word) for word in ran] == [one["command"] for one in scanned]


def test_the_doors_can_disagree_in_this_test() -> None:
    row = {"verdict": "block", "rule": "env_file", "reason": "why"}
    with pytest.raises(AssertionError):
        agree(row, "", "")


@pytest.mark.soak
def test_the_executor_alone_judges_at_step_verify(make: Make, tmp_path: Path) -> None:
    """A link that appears after run start makes a harmless Verify a write outside the repository."""
    repo = make(plan(step(1, verify="echo x > out/x.txt")))
    repo.start()
    repo.ok("step begin 1")
    (tmp_path / "elsewhere").mkdir()
    (repo.folder / "out").symlink_to(tmp_path / "elsewhere")
    answer = repo.ultra("step verify 1")
    assert "Verify is blocked and was not run" in json.dumps(answer)
    assert not (tmp_path / "elsewhere/x.txt").exists()
    assert (answer["next"], answer["attempt"]) == ("escalate", 0), "it was no attempt"
    found = repo.ok("run finish")["findings"]
    assert any(one.startswith("step 1: Verify is blocked and was not run: ") for one in found), found


@pytest.mark.soak
@pytest.mark.parametrize("field", ["test_first", "verification"])
def test_other_commands_are_judged_again_when_they_are_run(make: Make, tmp_path: Path, field: str) -> None:
    command = "echo x > out/x.txt"
    repo = make(
        plan(step(1, test_first=f"`{command}`"))
        if field == "test_first"
        else plan(step(1), verification=command)
    )
    repo.write({".git/info/exclude": "out\n"})
    repo.start()
    if field == "verification":
        repo.do_step(1, {"src/part1.py": "one\n"})
    (tmp_path / "elsewhere").mkdir()
    (repo.folder / "out").symlink_to(tmp_path / "elsewhere")
    answer = repo.ultra("step begin 1" if field == "test_first" else "run finish")
    assert "is blocked and was not run: a file outside the repository (out/x.txt)" in json.dumps(answer)
    assert answer.get("result", "refused") in ("partial", "refused")
    assert not (tmp_path / "elsewhere/x.txt").exists()
