"""The hook when something is wrong: bad input, missing modules, lost folders, any interpreter, any size."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guard.scene import PLAN, SESSION, Scene
from tests.interpreters import interpreters, sampled
from tests.kit.imports import SLOW
from ultra_runtime.guard.hook import SECONDS

REMOVE = "rm -rf src"


BAD_INPUT = [
    b"", b"{", b"[]", b"\xff\xfe", b"{}", b'{"tool_input": {}}', b'{"tool_input": {"command": 7}}', b"null",
]  # fmt: skip


@pytest.mark.parametrize("stdin", BAD_INPUT)
def test_bad_input_stops_a_run_and_nobody_else(scene: Scene, stdin: bytes) -> None:
    told = scene.start(stdin, scene.repo, scene.environment())
    if told.status:
        assert (told.status, told.out) == (1, "")
        assert "let through" in told.err
    scene.start_run()
    told = scene.start(stdin, scene.repo, scene.environment())
    assert (told.status, told.out) == (2, "")
    assert "was not run" in told.err
    assert "; the log is " in told.err


SLOW_CALL = """
import sys
sys.path.insert(0, sys.argv[1])
from ultra_runtime.guard import hook
hook.SECONDS = 0.3
sys.exit(hook.main())
"""


def test_a_verdict_that_takes_too_long_stops_a_run_and_nobody_else(scene: Scene) -> None:
    """The guard never gets its input here, so that it waits until its own clock rings."""
    reading, writing = os.pipe()
    call = [sys.executable, "-I", "-S", "-c", SLOW_CALL, str(scene.bundle / "runtime")]

    def told() -> tuple[int, str]:
        done = subprocess.run(
            call, stdin=reading, cwd=scene.repo, env=scene.environment(), capture_output=True, text=True, timeout=60,
            check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    status, said = told()
    assert (status, "let through: OutOfTime: no verdict after 0.3 seconds.\n" in said) == (1, True)
    scene.start_run()
    status, said = told()
    assert (status, "was not run: OutOfTime: no verdict after 0.3 seconds.\n" in said) == (2, True)
    os.close(reading)
    os.close(writing)


def test_the_guard_stops_long_before_the_client_does(scene: Scene) -> None:
    hooks = json.loads((scene.bundle / "hooks/hooks.json").read_text())["hooks"]["PreToolUse"]
    limits = [hook["timeout"] for entry in hooks for hook in entry["hooks"]]
    assert limits
    assert min(limits) >= 2 * SECONDS


def test_a_run_file_that_cannot_be_read_stops_the_call_and_says_what_to_do(scene: Scene) -> None:
    path = scene.start_run()
    path.write_text('{"root": ')
    told = scene.bash("ls")
    assert told.status == 2
    assert f"{path} cannot be read" in told.err
    assert "delete that file" in told.err


@pytest.mark.parametrize(
    "gone",
    [
        "tables/policy.py", "guard/judge.py", "guard/hook.py", "guard/follow/follower.py", "text/jsontext.py", "guard",
        "__init__.py",
    ],
)  # fmt: skip
def test_a_missing_module_stops_a_run_and_nobody_else(broken: Scene, gone: str) -> None:
    path = broken.bundle / "runtime/ultra_runtime" / gone
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    outside = broken.bash(REMOVE, guard="always")
    broken.start_run()
    inside = broken.bash(REMOVE)
    if gone == "__init__.py":  # Python takes a folder without one for a package all the same
        assert (outside.decision, inside.decision) == ("deny", "deny")
        return
    assert (outside.status, outside.out) == (1, "")
    assert "let through" in outside.err
    assert (inside.status, inside.out) == (2, "")
    assert "was not run" in inside.err
    assert broken.bash(REMOVE, guard="off").silent


def test_a_module_with_an_error_in_it_stops_the_run_of_a_worktree(broken: Scene) -> None:
    (broken.bundle / "runtime/ultra_runtime/guard/site.py").write_text("def broken(\n")
    tree = broken.worktree("session-1")
    broken.start_run(tree)
    assert broken.bash("ls", cwd=tree).status == 2
    assert broken.bash("ls", env={"CLAUDE_CODE_SESSION_ID": "other"}, session_id="other").status == 1
    assert broken.bash("ls").status == 1


def test_a_bundle_that_cannot_be_written_works(broken: Scene) -> None:
    for path in (broken.bundle, *broken.bundle.rglob("*")):
        path.chmod(path.stat().st_mode & 0o555)
    broken.start_run()
    assert broken.bash(REMOVE).decision == "deny"
    assert broken.bash("ls").silent


def test_a_folder_that_is_gone_is_still_a_place_in_its_run(scene: Scene) -> None:
    scene.start_run()
    gone = scene.repo / "gone"
    gone.mkdir()
    payload = {
        "session_id": SESSION,
        "cwd": str(gone),
        "tool_name": "Bash",
        "tool_input": {"command": REMOVE},
    }
    env = scene.environment(PWD=str(gone), CLAUDE_PROJECT_DIR=None)
    hook = scene.bundle / "runtime/ultra_runtime/hooks/guard.py"
    script = 'rmdir "$1" && exec "$2" -I -S "$3"'
    done = subprocess.run(
        ["/bin/sh", "-c", script, "sh", str(gone), sys.executable, str(hook)],
        input=json.dumps(payload), cwd=gone, env=env, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_no_repository_at_all(scene: Scene) -> None:
    nowhere = {"CLAUDE_PROJECT_DIR": None}
    assert scene.bash(REMOVE, cwd=scene.home, env=nowhere).silent
    assert scene.bash(REMOVE, cwd=scene.home, env=nowhere, guard="always").decision == "deny"
    assert scene.write(".env", cwd=scene.home, env=nowhere, guard="always").decision == "deny"


def test_text_of_any_size_is_answered(scene: Scene) -> None:
    scene.start_run()
    assert scene.call("Write", {"file_path": "src/big.txt", "content": "x" * 3_000_000}).silent
    assert scene.bash("echo " + "a " * 40_000 + "; rm -rf src").decision == "deny"


@pytest.mark.parametrize("python", sampled(), ids=lambda path: path.parent.parent.name)
def test_every_interpreter(scene: Scene, python: Path) -> None:
    assert scene.bash(REMOVE, python=python).silent
    scene.start_run()
    assert scene.bash(REMOVE, python=python).decision == "deny"
    assert scene.bash("git status", python=python).silent
    assert scene.write(scene.repo / PLAN, python=python).decision == "deny"
    assert scene.start(b"{", scene.repo, scene.environment(), python).status == 2


@pytest.mark.parametrize("run", [False, True])
@pytest.mark.parametrize("command", ["git status", "npm test", "pytest -q 2>&1 | tail -20", REMOVE])
def test_a_harmless_command_loads_nothing_slow(scene: Scene, command: str, run: bool) -> None:
    if run:
        scene.start_run()
    payload = {"session_id": SESSION, "cwd": str(scene.repo), "tool_input": {"command": command}}
    hook = scene.bundle / "runtime/ultra_runtime/hooks/guard.py"
    done = subprocess.run(
        [interpreters()[-1], "-I", "-S", "-X", "utf8", "-X", "importtime", hook],
        input=json.dumps(payload), cwd=scene.repo, env=scene.environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "ultra_runtime.guard.hook" in loaded
    reader = "ultra_runtime.guard.follow.follower"
    assert loaded & {*SLOW, "subprocess", reader} == ({reader} if run and command == REMOVE else set())


def test_it_never_answers_allow(scene: Scene) -> None:
    """The word is a verdict of the policy; as a decision it would switch the client's own rules off."""
    calls = [
        *(
            ("Bash", {"command": text})
            for text in ("ls", REMOVE, "git push --force", "ultra step begin 1 --mine a", "'")
        ),
        *(("Write", {"file_path": str(scene.repo / name)}) for name in ("src/a.py", ".env", PLAN)),
        *((tool, {"subagent_type": "a", "skill": "b"}) for tool in ("Agent", "Skill")),
    ]
    seen = set()
    for in_run in (False, True):
        if in_run:
            scene.start_run()
        for option in ("", "ask", "always", "off"):
            for attended in ("0", "1"):
                for tool, given in calls:
                    env = {"CLAUDE_CODE_SESSION_ATTENDED": attended}
                    seen.add(scene.call(tool, given, guard=option, env=env).decision)
    assert seen == {"", "ask", "deny"}
