"""What the protocol of a session weighs: calls of verbs, characters that the model reads and writes, agents.

Characters are the text of the command, every call of a verb with its input, and every answer. An artifact that is put is
the work itself and does not count; neither do files that are read and written, nor what agents are told and answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.client.conversation import ToolResult
from tests.kit.names import LAUNCHER

PUT = f"{LAUNCHER} put "


class Weight(NamedTuple):
    """Calls, characters and agents of one session, or of several."""

    calls: int
    characters: int
    agents: int

    def as_row(self) -> dict[str, int]:
        """Return it as data."""
        return self._asdict()


def weigh(commands: Iterable[Path], results: Sequence[ToolResult]) -> Weight:
    """Weigh one session: the commands that were typed or called as skills, and what the model called."""
    prompts = sum(len(path.read_text().split("---\n", 2)[2]) for path in commands)
    called = [(str(one.call.input.get("command", "")), one.text) for one in results]
    verbs = [(call, answer) for call, answer in called if call.startswith(f"{LAUNCHER} ")]
    read = sum(len(answer) for _, answer in verbs)
    written = sum(len(call.partition("\n")[0] if call.startswith(PUT) else call) for call, _ in verbs)
    agents = [one for one in results if one.call.name == "Agent"]
    return Weight(len(verbs), prompts + read + written, len(agents))


def total(weights: Iterable[Weight]) -> Weight:
    """Add up several sessions."""
    rows = list(weights)
    return Weight(*(sum(column) for column in zip(*rows, strict=True))) if rows else Weight(0, 0, 0)


RECORDED = Path(__file__).parent / "weights"
RELEASE, NOW = RECORDED / "release.json", RECORDED / "now.json"
MOST_CALLS, MOST_CHARACTERS = 0.6, 0.5
"""What a way may weigh at most, beside the same way at the release that the record names."""
WITHIN = 0.03
"""Names of folders differ in length, so the characters of a way do a little."""


def recorded(path: Path, way: str) -> dict[str, Weight]:
    """Return the sessions of a recorded way."""
    ways = json.loads(path.read_text())["ways"] if path.exists() else {}
    return {session: Weight(**row) for session, row in ways.get(way, {}).items()}


def record(way: str, sessions: Mapping[str, Weight]) -> None:
    """Replace a way in the record of today."""
    ways = json.loads(NOW.read_text())["ways"] if NOW.exists() else {}
    ways[way] = {session: weight.as_row() for session, weight in sessions.items()}
    NOW.write_text(json.dumps({"ways": ways}, indent=1) + "\n")


def weighs_as_recorded(way: str, sessions: Mapping[str, Weight]) -> None:
    """Compare a way with its record, or replace that one; then compare it with the release."""
    if "ULTRA_RECORD" in os.environ:
        record(way, sessions)
    known = recorded(NOW, way)
    told = f"{way} weighs {sessions}; it was {known}: look at the difference, then `make tutorial`"
    assert [(one.calls, one.agents) for one in sessions.values()] == [
        (one.calls, one.agents) for one in known.values()
    ], told
    now, then = total(sessions.values()), total(known.values())
    assert abs(now.characters - then.characters) <= WITHIN * then.characters, told
    released = total(recorded(RELEASE, way).values())
    assert now.calls <= MOST_CALLS * released.calls, (now, released)
    assert now.characters <= MOST_CHARACTERS * released.characters, (now, released)
    assert now.agents <= released.agents, (now, released)
