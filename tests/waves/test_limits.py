"""How long a session waits for rate limits, and how often its process may be lost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ultra_runtime.tables.limits import RATE_LIMIT_MINUTES

from tests.waves.lives import cut_off
from tests.waves.sample import PLAN, Waves
from ultra_runtime.run.state.wave_state import SessionStand
from ultra_runtime.waves.attempts import MOST_LOST, SHORTEST_WAIT, log_of, take_end
from ultra_runtime.waves.supervisor import need_not_wait
from ultra_runtime.waves.wave_run import find_begun

Make = Callable[..., Waves]
LIMIT = RATE_LIMIT_MINUTES * 60


class Ended:
    """An engine whose attempts have ended."""

    def __init__(self, **end: object) -> None:
        self.end = {"status": 1, "late": False, "why": "", "seconds": 1, **end} if end else {}

    def state(self, _: object) -> Mapping[str, Any]:
        """Return how the attempt ended."""
        return self.end


def test_what_nobody_is_to_blame_for_is_tried_again_within_bounds(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = cut_off(make, "after lease 1")
    monkeypatch.chdir(repo.folder)

    def ends(engine: Ended, spoken: Mapping[str, object] | None = None, **values: int) -> tuple[str, str]:
        run = find_begun(PLAN, None)
        one = run.state.sessions[1]
        for name, value in {"waited": 0, "lost": 0, **values}.items():
            setattr(one, name, value)
        lines = [json.dumps(spoken), json.dumps({"type": "result", "is_error": True})] if spoken else []
        log = Path(log_of(run, 1, 1))
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("\n".join([*lines, ""]))
        assert take_end(run, one, engine)  # type: ignore[arg-type]
        return one.end["how"], one.end["why"]

    def limit(seconds: float) -> dict[str, object]:
        info = {"status": "rejected", "resetsAt": int(time.time() + seconds)}
        return {"type": "rate_limit_event", "rate_limit_info": info}

    failed = Ended(status=1)
    assert ends(failed, limit(LIMIT - 60))[0] == "rate limit"
    assert ends(failed, limit(LIMIT + 60)) == (
        "time limit", f"the client's rate limit was reached, and it resets in {RATE_LIMIT_MINUTES + 1} minutes",
    )  # fmt: skip
    # A limit that resets at once counts for a minute, so that it is not waited out for ever.
    assert ends(failed, limit(1), waited=LIMIT - SHORTEST_WAIT)[0] == "rate limit"
    assert ends(failed, limit(1), waited=LIMIT - SHORTEST_WAIT + 1)[0] == "time limit"

    # Whoever was ended before it could say what it used counts for its share, if its model has answered.
    for spoken, dollars in ((None, 0), ({"type": "system"}, 0), ({"type": "assistant"}, 4.5)):
        run = find_begun(PLAN, None)
        one = run.state.sessions[1]
        one.lease = {**one.lease, "dollars": 4.5}
        Path(log_of(run, 1, 1)).write_text(f"{json.dumps(spoken)}\n" if spoken else "")
        assert take_end(run, one, Ended(status=-9, late=True))  # type: ignore[arg-type]
        assert (one.end["dollars"], run.state.dollars >= dollars) == (dollars, True)

    assert ends(Ended()) == ("lost", "its process ended without a result")
    assert ends(Ended(status=-9)) == ("lost", "its process was killed by signal 9")
    assert ends(Ended(status=-9, late=True))[0] == "time limit"
    assert ends(Ended(status=-9), lost=MOST_LOST - 1)[0] == "lost"
    assert ends(Ended(status=-9), lost=MOST_LOST) == (
        "not started",
        f"its process was lost {MOST_LOST + 1} times",
    )


@pytest.mark.parametrize(
    ("ahead", "ready"), [(0, True), (-60, True), (1, False), (LIMIT, False), (LIMIT + 1, True)]
)
def test_a_clock_that_is_set_back_makes_no_session_wait_longer_than_a_limit_may_last(
    ahead: int, ready: bool
) -> None:
    one, now = SessionStand(1, "Part 1", 1, [1]), 1_800_000_000
    one.wait_until = now + ahead
    assert need_not_wait(one, now) is ready
