"""Three sessions of one plan weigh at most half of what they weighed at the release, and are completed as there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.executor.sample import PLAN, Repo
from tests.flagship.three_sessions import play, repository
from tests.flagship.weight import weighs_as_recorded


@pytest.mark.soak
def test_three_sessions_are_light_and_complete(tmp_path: Path, bundle: Path, python: Path) -> None:
    repo = repository(Repo(tmp_path / "repo", bundle, python))
    weights = play(repo, released=False)
    assert repo.subjects()[-6:] == [f"feat: part {number}" for number in range(1, 7)]
    for session in (1, 2, 3):
        assert repo.ultra(f"audit {PLAN} --session {session}")["status"] == "pass"
    weighs_as_recorded("three sessions", weights)
