"""A real repository, a run in it as the executor writes one down, and the hook as the client calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SESSION = "11111111-2222-3333-4444-555555555555"
PROJECT = ".claude/projects/2026-01-31-rate-limit"
PLAN = f"{PROJECT}/plan.md"


class Told:
    """What the hook said to the client."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def output(self) -> dict[str, str]:
        """The part of the answer that the client acts on."""
        assert (self.status, self.err) == (0, ""), (self.status, self.err)
        answer = json.loads(self.out)
        assert list(answer) == ["hookSpecificOutput"]
        output: dict[str, str] = answer["hookSpecificOutput"]
        assert output["hookEventName"] == "PreToolUse"
        return output

    @property
    def decision(self) -> str:
        """`deny`, `ask`, or nothing."""
        return self.output["permissionDecision"] if self.out else ""

    @property
    def reason(self) -> str:
        return self.output["permissionDecisionReason"]

    @property
    def silent(self) -> bool:
        """Whether the client acts as if there were no hook."""
        return (self.status, self.out, self.err) == (0, "", "")


class Scene:
    """A repository with one commit, a home beside it, and the hook of a bundle."""

    def __init__(self, bundle: Path, folder: Path) -> None:
        self.bundle = bundle
        self.folder = folder.resolve()
        self.repo = self.folder / "repo"
        self.home = self.folder / "home"
        for path in (self.repo / PROJECT, self.home):
            path.mkdir(parents=True)
        (self.repo / PLAN).write_text("# Plan\n")
        (self.repo / "src").mkdir()
        (self.repo / "src/a.py").write_text("a = 1\n")
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "src")
        self.git("commit", "--quiet", "--message=Begin")

    def git(self, *words: str, cwd: Path | None = None) -> None:
        identity = [
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.invalid",
            "-c",
            "protocol.file.allow=always",
        ]
        subprocess.run(
            ["git", *identity, *words], cwd=cwd or self.repo, check=True, timeout=30, capture_output=True
        )

    def worktree(self, name: str) -> Path:
        """Return a new worktree where waves put theirs."""
        path = self.repo / ".claude/worktrees" / name
        self.git("worktree", "add", "--quiet", "-b", name, str(path))
        return path

    def start_run(self, root: Path | None = None, session: str = SESSION, **changes: object) -> Path:
        """Write the lock of a run, as `ultra run start` does."""
        root = root or self.repo
        done = subprocess.run(
            ["git", "rev-parse", "--absolute-git-dir"], cwd=root, check=True, capture_output=True, text=True
        )
        lock = {
            "root": str(root),
            "plan": PLAN,
            "project": PROJECT,
            "session": None,
            "slug": "rate-limit",
            "progress": f"{PROJECT}/progress.json",
            "mode": "fg",
            "digest": "0" * 64,
            "owner": {"session": session, "pid": os.getpid(), "started": "1", "host": "here"},
            **changes,
        }
        path = Path(done.stdout.strip()) / "ultra/run.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(lock))
        return path

    def environment(self, **changes: str | None) -> dict[str, str]:
        env: dict[str, str | None] = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PWD": str(self.repo),
            "CLAUDE_PROJECT_DIR": str(self.repo),
            "CLAUDE_CODE_SESSION_ID": SESSION,
            **changes,
        }
        return {name: value for name, value in env.items() if value is not None}

    def call(
        self,
        tool: str,
        given: Mapping[str, Any],
        *,
        guard: str = "",
        cwd: Path | None = None,
        told_cwd: Path | None = None,
        env: Mapping[str, str | None] | None = None,
        python: str | Path = sys.executable,
        **payload: Any,
    ) -> Told:
        """Call the hook as the client does before a tool runs."""
        cwd = cwd or self.repo
        data = {
            "session_id": SESSION,
            "transcript_path": str(self.home / "t.jsonl"),
            "cwd": str(told_cwd or cwd),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": dict(given),
            "tool_use_id": "toolu_1",
            **payload,
        }
        changes: dict[str, str | None] = {"PWD": str(cwd), **(env or {})}
        if guard:
            changes["CLAUDE_PLUGIN_OPTION_GUARD"] = guard
        return self.start(json.dumps(data).encode(), cwd, self.environment(**changes), python)

    def start(
        self, stdin: bytes, cwd: Path, env: Mapping[str, str], python: str | Path = sys.executable
    ) -> Told:
        """Start the hook with any standard input."""
        hook = self.bundle / "runtime/ultra_runtime/hooks/guard.py"
        done = subprocess.run(
            [str(python), "-I", "-S", "-X", "utf8", str(hook)],
            input=stdin, cwd=cwd, env=dict(env), capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        text = subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )
        return Told(text)

    def bash(self, command: str, **more: Any) -> Told:
        return self.call("Bash", {"command": command, "description": "test"}, **more)

    def write(self, path: str | Path, tool: str = "Write", **more: Any) -> Told:
        key = "notebook_path" if tool == "NotebookEdit" else "file_path"
        return self.call(tool, {key: str(path), "content": "x"}, **more)
