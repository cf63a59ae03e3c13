"""A lock file of git that nobody holds is removed, one in use is not: on a clock that only this test moves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ultra_runtime.files import dead_lock
from ultra_runtime.files.dead_lock import (
    DEAD_SECONDS,
    LONGEST_LOOK,
    NAP,
    drop_dead_lock,
    exists_error,
    lock_named,
)

BEGUN = 1_000_000.0


class Clock:
    """Time that passes when somebody sleeps; a git may take the lock anew each time."""

    def __init__(self, lock: Path, renewed_until: float, gone_at: float = 1e9, ahead: float = 0) -> None:
        self.lock, self.now, self.slept = lock, BEGUN, 0
        self.until, self.gone_at, self.ahead = renewed_until, gone_at, ahead
        lock.touch()
        self.renew()

    def renew(self) -> None:
        os.utime(self.lock, (self.now + self.ahead, self.now + self.ahead))

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds
        self.slept += 1
        if self.now - BEGUN >= self.gone_at:
            self.lock.unlink(missing_ok=True)
        elif self.now - BEGUN <= self.until:
            self.renew()


@pytest.mark.parametrize("ahead", [0, 3600, -1])
@pytest.mark.parametrize("until", [0, 1, 10, LONGEST_LOOK - DEAD_SECONDS - 1, LONGEST_LOOK + 1])
def test_a_lock_is_removed_when_nobody_has_changed_it_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: float, ahead: float
) -> None:
    clock = Clock(tmp_path / "index.lock", until, ahead=ahead)
    monkeypatch.setattr(dead_lock, "time", clock)
    drop_dead_lock(str(clock.lock))
    took = clock.now - BEGUN
    assert clock.lock.exists() == (until > LONGEST_LOOK)
    if clock.lock.exists():
        assert LONGEST_LOOK <= took < LONGEST_LOOK + 2 * NAP
    else:
        patient = DEAD_SECONDS + min(ahead, 0)
        assert until + patient - NAP <= took <= until + patient + 2 * NAP


def test_a_lock_that_its_owner_removes_is_waited_for_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(tmp_path / "index.lock", 0, gone_at=1)
    monkeypatch.setattr(dead_lock, "time", clock)
    drop_dead_lock(str(clock.lock))
    assert 1 <= clock.now - BEGUN < 1 + 2 * NAP


@pytest.mark.parametrize("works", [True, False])
def test_a_lock_of_the_user_stays_while_a_git_works_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    clock = Clock(tmp_path / "index.lock", 0)
    monkeypatch.setattr(dead_lock, "time", clock)
    monkeypatch.setattr(dead_lock, "_git_works_in", lambda folder: works and folder == "here")
    drop_dead_lock(str(clock.lock), "here")
    assert clock.lock.exists() == works


def test_the_lock_in_the_way_is_the_one_that_git_names() -> None:
    said = os.fsdecode(exists_error("/r/.git/a 'b'.lock"))
    assert lock_named(f"fatal: {said}.\n\nAnother git process") == "/r/.git/a 'b'.lock"
    assert lock_named("fatal: Unable to create '/r/x.lock': Permission denied") == ""
    assert lock_named("fatal: not a repository") == ""
