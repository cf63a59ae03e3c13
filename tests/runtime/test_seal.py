"""The key of the seals: one for all processes of a repository, however they begin."""

from __future__ import annotations

import multiprocessing
import stat
from pathlib import Path
from typing import Any

from ultra_runtime.files import seal

VALUES = {"a": 1}


def _seal(common: str, count: int) -> None:
    for number in range(count):
        folder = Path(common) / str(number)
        sealed = seal.sealed(str(folder), VALUES)
        assert seal.is_sealed(str(folder), sealed)
        (folder / f"{multiprocessing.current_process().pid}").write_text(sealed["seal"])


def test_processes_that_begin_at_once_make_one_key(tmp_path: Path) -> None:
    count = 40
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_seal, args=(str(tmp_path), count)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    for number in range(count):
        seals = {path.read_text() for path in (tmp_path / str(number)).glob("[0-9]*")}
        assert len(seals) == 1


def test_values_count_in_turn_up_to_the_first_that_does_not_follow(tmp_path: Path) -> None:
    """One that was changed, left out or put elsewhere, and one that was sealed alone or elsewhere."""
    common = str(tmp_path)
    rows: list[dict[str, Any]] = []
    for number in range(4):
        rows.append(seal.sealed(common, {"number": number}, rows[-1]["seal"] if rows else ""))
    assert seal.sealed_in_turn(common, rows) == 4
    for at, row in enumerate(rows):
        alone, elsewhere = (seal.sealed(str(folder), row) for folder in (tmp_path, tmp_path / "other"))
        for other in (
            {**row, "number": 9},
            {**row, "seal": ""},
            rows[at - 1],
            elsewhere,
            *[alone] * bool(at),
        ):
            assert seal.sealed_in_turn(common, [*rows[:at], other, *rows[at + 1 :]]) == at
        assert seal.sealed_in_turn(common, [*rows[:at], *rows[at + 1 :]]) == at


def test_without_a_key_nothing_is_sealed(tmp_path: Path) -> None:
    empty = {**VALUES, "seal": seal._seal(b"", VALUES, "")}
    assert not seal.is_sealed(str(tmp_path), empty)
    seal.sealed(str(tmp_path), VALUES)
    assert not seal.is_sealed(str(tmp_path), empty)


def test_an_empty_key_is_replaced(tmp_path: Path) -> None:
    before = seal.sealed(str(tmp_path), VALUES)
    (key,) = tmp_path.rglob("key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600, "whoever reads the key can forge a seal"
    key.write_bytes(b"")
    assert not seal.is_sealed(str(tmp_path), before)
    after = seal.sealed(str(tmp_path), VALUES)
    assert seal.is_sealed(str(tmp_path), after)
    assert after["seal"] != before["seal"]
    assert [path.name for path in key.parent.iterdir()] == ["key"]
