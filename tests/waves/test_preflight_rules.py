"""What must be true before waves start."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.files import write_tree
from tests.waves.rules import TEXT, Rules
from tests.waves.sample import PLAN, PROJECT, plan, session, step
from ultra_runtime.waves.preflight import (
    LONGEST_PATH,
    _billing,
    _in_the_way,
    _plan,
    _programs,
    _repository,
    dirty_paths,
)
from ultra_runtime.waves.session_tree import make_tree
from ultra_runtime.waves.wave_run import WaveRun, find_wave_run


@pytest.mark.parametrize(("files", "dirty"), [
    ({}, []),
    ({f"{PROJECT}/brief.md": "x", PLAN: "changed"}, []),
    ({"README.md": "changed"}, ["README.md"]),
    ({"new.txt": "x"}, ["new.txt"]),
    ({".claude/projects/2026-01-31-other/plan.md": "x"}, [".claude/projects/"]),
    ({".claude/worktrees/2026-01-31-greet/session-1/x": "x"}, []),
    ({".claude/worktrees/2026-01-31-other/x": "x"}, [".claude/worktrees/"]),
])  # fmt: skip
def test_everything_but_the_project_must_be_committed(
    fresh: WaveRun, files: dict[str, str], dirty: list[str]
) -> None:
    write_tree(Path(fresh.place.root), files)
    assert dirty_paths(fresh) == dirty
    assert any("the working tree is not clean" in one for one in _repository(fresh)) == bool(dirty)


@pytest.mark.parametrize(("value", "accepted", "asked"), [("k", False, 1), ("k", True, 0), ("", False, 0)])
def test_a_key_that_pays_is_asked_about_once(
    monkeypatch: pytest.MonkeyPatch, value: str, accepted: bool, asked: int
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", value)
    assert len([*_billing(accepted)]) == asked


@pytest.mark.parametrize(("sessions", "told"), [(1, 1), (2, 0)])
def test_waves_need_two_sessions(fresh: WaveRun, sessions: int, told: int) -> None:
    strategy = [
        session(number, str(number), 1, [f"src/part{number}.py"]) for number in range(1, sessions + 1)
    ]
    write_tree(Path(), {PLAN: plan(*(step(n) for n in range(1, sessions + 1)), strategy="\n".join(strategy))})
    assert len([*_plan(find_wave_run(PLAN))]) == told


def test_what_this_run_made_is_not_in_its_way(rules: Rules) -> None:
    make_tree(rules.run, rules.run.tree_of(1), rules.base, rules.run.branch_of(1), ready=False)
    assert [*_in_the_way(rules.run)] == []
    rules.git("worktree", "unlock", str(rules.tree()))
    (sentence,) = _in_the_way(rules.run)
    assert sentence.endswith("session-1 exists and no run of this plan made it: move it away")


@pytest.mark.parametrize(("verification", "programs"), [
    ("true", ["true"]), ("A=1 B=2 make test", ["make"]), ("./run.sh", []), ("bin/run", []), ("$X y", []), ("(cd x)", []),
    ("A=1", []),
])  # fmt: skip
def test_the_program_of_a_command_is_its_first_plain_word(
    fresh: WaveRun, verification: str, programs: list[str]
) -> None:
    write_tree(Path(), {PLAN: f"{TEXT}\n## Verification\n\n- `{verification}`\n- `{verification}`\n"})
    assert _programs(find_wave_run(PLAN)) == programs


@pytest.mark.parametrize("more", [0, 1])
def test_a_path_may_be_as_long_as_the_system_allows(fresh: WaveRun, more: int) -> None:
    room = LONGEST_PATH - len(fresh.tree_of(99)) - 1 + more
    folders = "/".join(["d" * 200] * (room // 201 - 1))
    name = f"{folders}/{'f' * 200}"
    name += f"/{'g' * (room - len(name) - 1)}"
    blob = fresh.git.line("rev-parse", "HEAD:README.md")
    fresh.git.ask("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    assert len([*_in_the_way(fresh)]) == more
