"""Nothing hangs and nothing floods: what a command prints, leaves running or waits for has a bound."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.executor.sample import PLAN, PROJECT, Repo, Stand, plan, step
from tests.kit.names import COMMANDS
from ultra_runtime.answer import RefusedError
from ultra_runtime.files.git import SECONDS as GIT_SECONDS
from ultra_runtime.files.git import Git, find_git
from ultra_runtime.files.process import Done
from ultra_runtime.files.seal import sealed
from ultra_runtime.run.state.run_place import find_run_place
from ultra_runtime.run.tree.commit import SECONDS as COMMIT_SECONDS
from ultra_runtime.run.tree.snapshot import Snapshots
from ultra_runtime.run.tree.workspace import Workspace

Make = Callable[..., Repo]

MIB = 1024 * 1024


def begun(repo: Repo) -> None:
    repo.start("--go-on")
    repo.write({"src/part1.py": "one\n"})


def verified(repo: Repo) -> dict[str, object]:
    begun(repo)
    return repo.ok("step verify 1")


def hurry(repo: Repo, **limits: int) -> dict[str, Any]:
    """Shorten limits of the run, whose least values a test would have to wait for; return the old ones."""
    path = repo.folder / ".git/ultra/run.json"
    lock = json.loads(path.read_text())
    old: dict[str, Any] = lock["settings"]["limits"]
    lock["settings"]["limits"] = {**old, **limits}
    path.write_text(json.dumps(sealed(str(repo.folder / ".git"), lock)))
    return old


def log_of(repo: Repo) -> bytes:
    return (repo.folder / PROJECT / "logs/step-1-verify-1.log").read_bytes()


@pytest.mark.soak
def test_a_flood_keeps_its_head_and_its_tail(make: Make) -> None:
    repo = make(plan(step(1, verify="echo first; yes flood | head -c 9000000; echo last; false")))
    answer = verified(repo)
    log = log_of(repo)
    assert 2 * MIB < len(log) < 2 * MIB + 1000
    assert log.split(b"\n")[1] == b"first"
    assert b"\nlast\n" in log[-100:]
    assert b" bytes are left out here]" in log
    assert "last" in str(answer)


def test_up_to_the_bound_nothing_is_left_out(make: Make) -> None:
    repo = make(plan(step(1, verify=f"head -c {2 * MIB} /dev/zero | tr '\\0' x")))
    assert verified(repo)["passed"]
    assert log_of(repo).count(b"x") == 2 * MIB + 2  # the command itself, and "exit"
    assert b"left out" not in log_of(repo)


@pytest.mark.soak
def test_the_expected_text_is_found_in_what_is_left_out(make: Make) -> None:
    flood = "yes flood | head -c 4000000"
    repo = make(plan(step(1, verify=f"`{flood}; echo here it is; {flood}` -> expected: `here it is`")))
    assert verified(repo)["passed"]
    assert b"here it is" not in log_of(repo).partition(b"\n")[2]


def test_colours_do_not_reach_the_model(make: Make) -> None:
    repo = make(plan(step(1, verify="printf '\\033[31mError: red\\033[0m\\033]0;title\\007\\n'; false")))
    answer = verified(repo)
    assert "Error: red" in str(answer)
    assert "\\x1b" not in str(answer)
    assert "title" not in str(answer).replace("Make part", "")


@pytest.mark.soak
def test_a_command_that_leaves_a_process_with_its_output_is_not_waited_for(make: Make) -> None:
    repo = make(plan(step(1, verify="(trap '' HUP; sleep 300) & echo begun")))
    assert verified(repo)["passed"]


@pytest.mark.soak
def test_a_hook_of_git_that_leaves_a_process_is_not_waited_for(make: Make) -> None:
    repo = make(plan(step(1)))
    hook = repo.folder / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nsleep 20 &\necho $! > "$BESIDE/pid"\n')
    hook.chmod(0o755)
    assert verified(repo)["passed"]
    assert repo.ok("step commit 1")["ok"]
    pid = (repo.folder.parent / "pid").read_text().strip()
    told = repo.run(["sh", "-c", f"kill -0 {pid} && kill {pid}"])
    assert told.status == 0, "the process of the user's hook lives on, and nobody waited for it"


@pytest.mark.soak
def test_a_verify_that_closes_its_output_and_goes_on_ends_at_its_limit(make: Make) -> None:
    repo = make(plan(step(1, verify="exec >&- 2>&-; sleep 300")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    assert "timed out after 1 s" in str(repo.ok("step verify 1 --timeout 1"))


@pytest.mark.soak
def test_a_killed_attempt_counts(make: Make) -> None:
    repo = make(plan(step(1, verify="test -e again || { touch again; kill -9 $PPID; sleep 1; }")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    assert repo("step", "verify", "1").status == -9
    assert repo.progress()["steps"]["1"]["attempts"] == 1
    assert repo.ok("step verify 1")["attempt"] == 2


@pytest.mark.soak
def test_the_limits_of_the_project_end_its_commands(make: Make) -> None:
    repo = make(plan(step(1, verify="sleep 60", test_first="`sleep 61`")))
    repo.write({".claude/ultra.yaml": "limits:\n  command_seconds: 10\n  test_first_seconds: 11\n"})
    repo.start()
    old = hurry(repo, command_seconds=1, test_first_seconds=1)
    assert old == {"command_seconds": 10, "test_first_seconds": 11}
    assert repo.ok("step begin 1")["test_first"] == "sleep 61: it timed out"
    repo.write({"src/part1.py": "one\n"})
    (why,) = repo.ok("step verify 1")["why"]
    assert why == "Verify timed out after 1 s and was stopped with its child processes"


def test_git_is_given_up_before_the_client_gives_up_the_verb(bundle: Path) -> None:
    """Otherwise the client ends a call that waits for a filter, and nobody says why."""
    prompt = (bundle / "commands" / f"{COMMANDS['execute'].partition(':')[2]}.md").read_text()
    (most,) = re.findall(r"`timeout` (\d+)000\b", prompt)
    assert max(GIT_SECONDS, COMMIT_SECONDS) < int(most)


class Hasty(Git):
    """A git whose calls may take one second."""

    def done(
        self, *words: str, given: bytes = b"", env: Mapping[str, str] | None = None, seconds: float = 0
    ) -> Done:
        """Run a command and return how it ended."""
        return super().done(*words, given=given, env=env, seconds=1)


PIPES: dict[str, tuple[str, Callable[[Repo], object]]] = {
    "run start": (".git/info/exclude", lambda repo: None),
    "step begin 1": (".git/packed-refs", Repo.start),
    "step verify 1": ("src/.gitattributes", begun),
    "step commit 1": ("src/.gitignore", verified),
}


@pytest.mark.parametrize("call", PIPES)
def test_a_file_that_git_reads_and_that_is_a_pipe_is_named_at_once(stand: Stand, call: str) -> None:
    """Git waits for whoever writes into it."""
    name, reach = PIPES[call]
    repo = stand(reach, plan(step(1)))
    call, pipe = call.replace("start", f"start {PLAN}"), repo.folder / name
    pipe.parent.mkdir(parents=True, exist_ok=True)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    assert repo.refused(call) == f"{name} is a pipe, and git waits for it | remove it, then retry"
    pipe.unlink()
    assert repo.ok(call)


def test_a_clean_filter_that_sleeps_ends_a_snapshot_with_a_sentence(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.write({".git/info/attributes": "*.py filter=slow\n"})
    repo.git("config", "filter.slow.clean", "sleep 60; cat")
    repo.write({"src/hello.py": "other\n", "src/new.py": "new\n"})
    found = find_git(str(repo.folder))
    workspace = Workspace(Hasty(root=found.root, folder=found.folder, common=found.common, known={}))
    snapshots = Snapshots(workspace, find_run_place(workspace, str(repo.folder / PLAN), None, None))
    with pytest.raises(RefusedError) as refused:
        snapshots.take()
    assert refused.value.error == "the working tree cannot be recorded: git add failed: it timed out"
    assert "a filter of git (`git config --get-regexp filter`) may hang" in refused.value.next_step
