"""Print which small faults no test notices, and the share that tests notice by room."""

from __future__ import annotations

import argparse
import queue
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tests.kit.names import ROOT
from tests.kit.quick import work_in_memory
from tests.mutants.faults import Fault, sample
from tests.mutants.rooms import Room, equivalents, rooms
from tests.mutants.trial import Copy

Result = TypeVar("Result")
# How much longer than without a fault tests may take, and seconds for what else the machine does.
LONGER, PATIENCE = 3, 60


class Trials:
    """Copies of the tree in which as many faults are tried at a time."""

    def __init__(self, workers: int) -> None:
        work_in_memory()
        self.copies: queue.Queue[Copy] = queue.Queue()
        for _ in range(workers):
            self.copies.put(Copy(ROOT))
        self.pool = ThreadPoolExecutor(workers)

    def use(self, action: Callable[[Copy], Result]) -> Result:
        """Do something with a copy that nobody else uses meanwhile."""
        copy = self.copies.get()
        try:
            return action(copy)
        finally:
            self.copies.put(copy)

    def judge(self, room: Room, faults: list[Fault], everything: bool) -> bool:
        """Try faults, print those that no test notices, and tell whether the others are enough."""
        fails, took = self.use(lambda copy: copy.run(room.noticing()))
        if fails:
            sys.exit(f"mutants: the tests of {room.name} fail without a fault: {fails}")
        limit = LONGER * took + PATIENCE

        def tried(fault: Fault) -> str:
            return self.use(lambda copy: copy.notices(fault, room.noticing(fault.path), limit))

        count: Counter[bool] = Counter()
        for fault, notice in zip(faults, self.pool.map(tried, faults), strict=True):
            count[bool(notice)] += 1
            if everything or not notice:
                print(f"{room.name}: {notice or 'not noticed'}\n{fault.diff}\n", flush=True)
        share = 100 * count[True] // max(len(faults), 1)
        words = f"{count[True]} of {len(faults)} noticed, {share} %; at least {room.killed} %"
        print(f"{room.name}: {words}", flush=True)
        return share >= room.killed

    def close(self) -> None:
        """Remove the copies."""
        self.pool.shutdown()
        while not self.copies.empty():
            self.copies.get().remove()


def main() -> int:
    """Try a sample of faults in each room."""
    asked = _arguments()
    named = [room for room in rooms() if room.name in asked.rooms.split(",") or not asked.rooms]
    known = equivalents()
    print(f"mutants: {asked.sample or 'all'} in each room, seed {asked.seed}", flush=True)
    trials = Trials(asked.workers)
    enough = []
    try:
        for room in named:
            modules = [path for path in room.files() if asked.only in path.as_posix()]
            faults = sample(ROOT, modules, asked.sample, f"{asked.seed} {room.name}")
            faults = [fault for fault in faults if not any(one.is_same(fault.change) for one in known)]
            enough.append(trials.judge(room, faults, asked.all))
    finally:
        trials.close()
    return 0 if enough and all(enough) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--rooms", default="", help="names of rooms, with commas; all without it")
    parser.add_argument("--only", default="", help="part of the path of the modules that get faults")
    parser.add_argument("--sample", type=int, default=5, help="how many faults in each room; 0 for all")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="print the faults that tests notice, too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
