"""Who is reminded of an unfinished run, and how often: as a function of the client's event and what was told before."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ultra_runtime.run.life.reminder import (
    LARGEST_TRANSCRIPT,
    _note,
    _runs,
    _waits_for_agents,
    reminder,
    renewal,
)

AGENT = {"hook_event_name": "SubagentStop", "agent_type": "builder", "agent_id": "a1"}


def site_in(folder: Path, **lock: Any) -> Any:
    (folder / "progress.json").write_text('{"status": "in_progress", "steps": {"1": {"status": "pending"}}}')
    (folder / "git/ultra").mkdir(parents=True, exist_ok=True)
    given = {
        "slug": "p",
        "plan": "plan.md",
        "project": "p",
        "progress": "progress.json",
        "owner": {"session": "s"},
        **lock,
    }
    return SimpleNamespace(root=str(folder), git_dir=str(folder / "git"), lock=given)


def test_each_of_them_is_reminded_once_in_a_run(tmp_path: Path) -> None:
    (tmp_path / "talk").write_bytes(b"... ultra step begin 1 ...")
    agent = {**AGENT, "agent_transcript_path": str(tmp_path / "talk")}
    other = {**agent, "agent_id": "", "agent_type": "tester"}
    for site in (
        site_in(tmp_path),
        site_in(tmp_path, owner={"session": "t"}),
        site_in(tmp_path, mode="resume"),
    ):
        for payload in ({}, agent, other):
            told = reminder(site, payload)
            assert "step 1 of 1 is next" in told
            assert "Continue with `ultra step begin 1`" in told
        assert [reminder(site, payload) for payload in ({}, agent, other)] == ["", "", ""]


def test_nobody_else_is_reminded(tmp_path: Path) -> None:
    (tmp_path / "talk").write_bytes(b"... make test ...")
    waiting = [{"type": "subagent", "status": "running"}]
    for payload in ({"stop_hook_active": True}, {"background_tasks": waiting}, AGENT, {**AGENT, "agent_type": ""},
                    {**AGENT, "agent_transcript_path": str(tmp_path / "talk")}):  # fmt: skip
        assert reminder(site_in(tmp_path), payload) == "", payload
    assert reminder(
        site_in(tmp_path), {"background_tasks": [*waiting[1:], {"type": "shell", "status": "running"}]}
    )


def test_a_session_waits_for_agents_that_run_and_for_nothing_else() -> None:
    for kind, status in itertools.product(("subagent", "shell"), ("running", "done")):
        payload = {"background_tasks": ["x", {"type": kind, "status": status}]}
        assert _waits_for_agents(payload) == ((kind, status) == ("subagent", "running"))
    nothing: list[dict[str, Any]] = [{}, {"background_tasks": {}}, {"background_tasks": []}]
    assert not any(map(_waits_for_agents, nothing))


def test_without_a_record_there_is_no_reminder(tmp_path: Path) -> None:
    path = tmp_path / "reminded.json"
    assert [_note(str(path), "run", who) for who in ("a", "b", "a", "b")] == [True, True, False, False]
    assert [_note(str(path), "another run", who) for who in ("a", "a")] == [True, False]
    path.write_text('{"run": "run", "told": "a"}')
    assert _note(str(path), "run", "a") is True
    assert _note(str(tmp_path / "reminded.json/below"), "run", "a") is False


@pytest.mark.parametrize(("said", "runs"), [
    (b"ultra step verify 1", True), (b"ultra run finish", True), (b"ultra status", False), (b"", False),
    (b"x" * LARGEST_TRANSCRIPT + b"ultra step verify 1", False),
    (b"x" * (LARGEST_TRANSCRIPT - 11) + b"ultra step verify 1", True),
])  # fmt: skip
def test_an_agent_runs_when_it_called_a_verb_of_a_run(tmp_path: Path, said: bytes, runs: bool) -> None:
    (tmp_path / "talk").write_bytes(said)
    assert _runs(str(tmp_path / "talk")) is runs
    assert _runs(str(tmp_path / "missing")) is _runs(None) is _runs("a\0b") is False


def test_the_permissions_of_the_command_are_renewed_while_steps_are_left(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    assert "args `--project p --resume`" in renewal(site)
    (tmp_path / "progress.json").write_text(
        '{"status": "in_progress", "steps": {"1": {"status": "completed"}}}'
    )
    assert renewal(site) == ""
