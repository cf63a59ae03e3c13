"""What a session state says comes next, and which state is the newest, as a function of its fields."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from tests.kit.names import COMMANDS
from ultra_runtime.run.state.session_state import SessionState, States, is_unfinished, session_number

FOLDERS = ("", "sessions/", "p/sessions/", "p/other/", "p/my-sessions/", "/sessions/")
NAMES = ("session-1.md", "session-12.md", "session-.md", "session-x.md", "session-1.txt", "session-²", "session-².md",
         "session1.md", "1.md", "session-1.md.md", "session-1 .md", "plan.md")  # fmt: skip


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_number_of_a_session_is_that_of_a_spec_in_its_folder(folder: str) -> None:
    for name in NAMES:
        found = re.fullmatch(r"(?:.*/)?sessions/session-([0-9]+)\.md", folder + name)
        assert session_number(folder + name) == (found and found[1]), name


def state(**changes: str) -> SessionState:
    values = {"status": "in_progress", "next_session_label": "Continue", "next_session_brief_path": "p/plan.md",
              "updated_at": "2026-01-31T12:00:00Z", **changes}  # fmt: skip
    return SessionState("p", values, "", [])


EXECUTE, SPEC = f"{COMMANDS['execute']}", "p/sessions/session-2.md"
# Label and brief -> stage and command.
COMING = {
    ("Complete", "p/plan.md"): ("review", f"{COMMANDS['review']} --project p"),
    ("Complete", SPEC): ("review", f"{COMMANDS['review']} --project p"),
    ("Continue", "p/plan.md"): ("execute", f"{EXECUTE} --project p --resume"),
    ("Continue", SPEC): ("execute", f"{EXECUTE} --project p --resume --session 2"),
    ("Session 2: More", SPEC): ("execute", f"{EXECUTE} --project p --session 2"),
    ("By hand", "p/other plan.md"): ("execute", f"{EXECUTE} 'p/other plan.md'"),
}


def test_what_comes_next_follows_from_label_and_brief() -> None:
    for (label, brief), said in COMING.items():
        coming = state(next_session_label=label, next_session_brief_path=brief).coming()
        assert (coming.stage, coming.command) == said, label
    for status in ("completed", "in_progress", "partial", "failed", "stopped", "blocked"):
        for label in ("Complete", "Continue", "Session 2"):
            values = {"status": status, "next_session_label": label}
            assert is_unfinished(values) == (
                values != {"status": "completed", "next_session_label": "Complete"}
            )


@pytest.mark.parametrize("times", [[], [1], [1, 2], [2, 1, 2], [0, 0]])
def test_the_newest_states_are_all_that_have_the_latest_time(times: list[int]) -> None:
    states, many = States(), [SimpleNamespace(instant=one) for one in times]
    found: Any = many
    states.valid = found
    newest: list[Any] = list(states.newest)
    assert newest == [one for one in many if one.instant == max(times)]
