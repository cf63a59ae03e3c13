"""Kill a run at random moments, as often as it takes: no step is lost, and none is committed twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, PROGRESS, Repo, plan, step
from tests.kit.quick import random_seed, times

Make = Callable[..., Repo]

SHARES = times(1, 4)
KILLS = times(5, 1000) // SHARES
DRIVER = Path(__file__).parent / "driver.py"
STEPS = 4


class Reader(threading.Thread):
    """Reads the progress file all the time, and remembers what was wrong with it."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self.path = path
        self.stop = False
        self.reads = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        from ultra_runtime.contract.model import load_contract
        from ultra_runtime.contract.validation import validate_data

        contract, seen, last = load_contract("progress"), set[str](), b""
        while not self.stop:
            time.sleep(0.004)
            try:
                data = self.path.read_bytes()
            except FileNotFoundError:
                if self.reads:
                    self.wrong.append("it was gone")
                continue
            self.reads += 1
            if data == last:
                continue
            last = data
            result = validate_data(contract, data, str(self.path))
            if result.errors:
                self.wrong.append(f"{result.errors[0]}: {data!r}")
                continue
            done = {
                number for number, one in json.loads(data)["steps"].items() if one["status"] == "completed"
            }
            if not done >= seen:
                self.wrong.append(f"{sorted(seen - done)} went back")
            seen |= done


def family(leader: int) -> list[int]:
    """Return the processes of a session."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader:
                found.append(int(name))
    return found


def strike(process: subprocess.Popen[bytes], how: str) -> None:
    """Kill the driver alone, with its verbs, or with everything that they started."""
    targets = {"driver": [process.pid], "all": family(process.pid)}.get(how)
    try:
        if targets is None:
            os.killpg(process.pid, signal.SIGKILL)
        for pid in targets or ():
            os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


@pytest.mark.parametrize("share", range(SHARES))
def test_killed_at_random_moments(tmp_path: Path, bundle: Path, python: Path, share: int) -> None:
    chance = random.Random(random_seed() + share)  # noqa: S311
    kills = rounds = 0
    while kills < KILLS:
        rounds += 1
        kills += one_run(Repo(tmp_path / f"repo{rounds}", bundle, python), chance, KILLS - kills)


def one_run(repo: Repo, chance: random.Random, most: int) -> int:
    """Run a plan to its end through kills, and return how many there were."""
    repo.create(plan(*(step(number) for number in range(1, STEPS + 1)), verification="true"))
    repo.write({"staged.txt": "staged\n", "README.md": "dirty\n"})
    repo.git("add", "staged.txt")
    staged = repo.staged()
    env = {name: value for name, value in repo.env.items() if not name.startswith("CLAUDE")}
    reader = Reader(repo.folder / PROGRESS)
    reader.start()
    kills = 0
    while True:
        command = [sys.executable, str(DRIVER), str(repo.command), PLAN]
        process = subprocess.Popen(
            command, cwd=repo.folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        try:
            limit = chance.uniform(0.05, 1.6) if kills < most else 120
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            assert kills < most, "it hangs"
            strike(process, chance.choice(["driver", "verbs", "all"]))
            process.communicate()
            kills += 1
            continue
        assert process.returncode == 0, (out, err)
        break
    reader.stop = True
    reader.join()
    assert reader.wrong == []
    assert reader.reads > 10
    assert repo.subjects() == ["first", *(f"feat: part {number}" for number in range(1, STEPS + 1))]
    assert repo.staged() == staged
    assert repo.git("status", "--porcelain", "-uno").split("\n") == [" M README.md", "A  staged.txt"]
    assert repo.ultra(f"audit {PLAN}")["status"] == "pass"
    assert repo.progress()["status"] == "completed"
    return kills
