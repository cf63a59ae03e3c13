"""A real repository, a run in it as the executor writes one down, and the hook as the client calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.kit.calls import ISOLATED, Told, hook_file
from tests.kit.files import write_tree
from tests.kit.names import PROJECT
from tests.kit.repository import git, make_repository

SESSION = "11111111-2222-3333-4444-555555555555"
PLAN = f"{PROJECT}/plan.md"


class Ruled(Told):
    """What the hook said to the client."""

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
        decision = self.output["permissionDecision"] if self.out else ""
        assert decision in ("deny", "ask", "")
        return decision

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
        self.home.mkdir(parents=True)
        make_repository(self.repo, {"src/a.py": "a = 1\n"})
        write_tree(self.repo, {PLAN: "# Plan\n"})

    def git(self, *words: str | Path, cwd: Path | None = None) -> str:
        return git(cwd or self.repo, "-c", "protocol.file.allow=always", *words)

    def worktree(self, name: str) -> Path:
        """Return a new worktree where waves put theirs."""
        path = self.repo / ".claude/worktrees" / name
        self.git("worktree", "add", "--quiet", "-b", name, str(path))
        return path

    def start_run(self, root: Path | None = None, session: str = SESSION, **changes: object) -> Path:
        """Write the lock of a run, as `ultra run start` does."""
        root = root or self.repo
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
        path = Path(self.git("rev-parse", "--absolute-git-dir", cwd=root)) / "ultra/run.json"
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
    ) -> Ruled:
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
    ) -> Ruled:
        """Start the hook with any standard input."""
        done = subprocess.run(
            [python, *ISOLATED[1:], hook_file(self.bundle, "guard")],
            input=stdin, cwd=cwd, env=dict(env), capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        return Ruled(done)

    def bash(self, command: str, **more: Any) -> Ruled:
        return self.call("Bash", {"command": command, "description": "test"}, **more)

    def write(self, path: str | Path, tool: str = "Write", **more: Any) -> Ruled:
        key = "notebook_path" if tool == "NotebookEdit" else "file_path"
        return self.call(tool, {key: str(path), "content": "x"}, **more)
