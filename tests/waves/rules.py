"""Waves of one plan whose rules are called in this process, on a real repository."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.kit.files import write_tree
from tests.kit.repository import ENVIRONMENT, git, make_repository
from tests.waves.sample import PLAN, QUICK, plan, session, step
from ultra_runtime.run.state.wave_state import SessionStand
from ultra_runtime.waves.merging import integrate
from ultra_runtime.waves.wave_run import WaveRun, find_begun, find_wave_run
from ultra_runtime.waves.wave_start import WaveOptions, _write_begin

RESCUE = "refs/ultra/rescue/2026-01-31-greet"
WAVE = "refs/ultra/wave/2026-01-31-greet/wave-1"
FILES = {**QUICK, "src/old.py": "old\n", "src/part1.py": "old\n", "lib/part3.py": "old\n"}
TEXT = plan(
    step(1), step(2, on_failure="skip"), step(3, files=["lib/part3.py"]), step(4, files=["doc/part4"], on_failure="skip"),
    step(5, files=["etc/part5"]),
    strategy="\n".join([
        session(1, "1-2", 1, ["src/"]), session(2, "3", 1, ["lib/"]), session(3, "4", 1, ["doc/"]),
        session(4, "5", 2, ["etc/"], "Session 1, Session 2"),
    ]),
)  # fmt: skip


class Rules:
    """A run of waves whose first wave has begun, and the commits of its sessions."""

    def __init__(self, run: WaveRun, folder: Path) -> None:
        self.run, self.folder = run, folder
        self.base = run.git.head()
        run.note("wave", wave=1, base=self.base)

    def git(self, *words: str) -> str:
        return git(self.folder, *words)

    def one(self, number: int = 1) -> SessionStand:
        return self.run.state.sessions[number]

    def tree(self, number: int = 1) -> Path:
        return Path(self.run.tree_of(number))

    def commit(self, files: Mapping[str, str | None], onto: str = "", branch: int = 0, step: int = 1) -> str:
        """Return a commit that writes and removes files; the branch of a session is set to it."""
        beside = self.folder.parent / "beside"
        self.git("worktree", "add", "--quiet", "--force", "--detach", str(beside), onto or self.base)
        write_tree(beside, {path: text for path, text in files.items() if text is not None})
        for path in (path for path, text in files.items() if text is None):
            (beside / path).unlink()
        git(beside, "add", "--all")
        git(beside, "commit", "--quiet", "--allow-empty", f"--message=feat: part {step}")
        made = git(beside, "rev-parse", "HEAD")
        self.git("worktree", "remove", "--force", str(beside))
        if branch:
            self.git("update-ref", f"refs/heads/{self.run.branch_of(branch)}", made)
        return made

    def lease(self, number: int = 1, depth: int = 0, temporary: str = "") -> None:
        tree = str(self.tree(number))
        self.run.note(
            "lease", session=number, attempt=1, depth=depth, tree=tree, mark="", temporary=temporary
        )

    def passed(self, number: int, tip: str) -> None:
        self.run.note("audit", session=number, state="passed", tip=tip)

    def rescued(self) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname)", RESCUE).split()

    def journal(self, act: str) -> list[dict[str, Any]]:
        return [row for row in self.run.journal.rows() if row["act"] == act]


def not_begun(folder: Path, monkeypatch: pytest.MonkeyPatch) -> WaveRun:
    """Return waves that have not begun, in a repository of their own."""
    make_repository(folder, FILES)
    write_tree(folder, {PLAN: TEXT})
    monkeypatch.chdir(folder)
    for name in ("HOME", "GIT_CONFIG_NOSYSTEM"):
        monkeypatch.setenv(name, ENVIRONMENT[name])
    return find_wave_run(PLAN)


def begun(fresh: WaveRun) -> Rules:
    """Return waves that have begun, without any session at work."""
    _write_begin(fresh, WaveOptions(2, None, "", "auto", 1.0), by_hand=True)
    return Rules(find_begun(PLAN, None), Path(fresh.place.root))


def merged(rules: Rules) -> bool:
    return integrate(rules.run, 1, rules.run.state.of_wave(1))


def before_git(rules: Rules, monkeypatch: pytest.MonkeyPatch, words: str, act: str) -> None:
    """Let somebody do something right before a call of git that has these words."""
    program, real = rules.folder.parent / "programs/git", shutil.which("git")
    text = f'#!/bin/sh\ngit={real}\ncase "$* " in *"{words}"*) {act};; esac\nexec $git "$@"\n'
    write_tree(program.parent, {program.name: text})
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
