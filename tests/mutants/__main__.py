"""Print which small faults no test notices, and the share that tests notice by room."""

from __future__ import annotations

import argparse
import queue
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.kit.names import ROOT
from tests.kit.quick import work_in_memory
from tests.mutants.faults import Fault, sample
from tests.mutants.rooms import Room, equivalents, rooms
from tests.mutants.trial import Copy

# How much longer than without a fault tests may take, and seconds for what else the machine does.
LONGER, PATIENCE = 3, 60


def judge(room: Room, faults: list[Fault], copies: list[Copy], everything: bool) -> bool:
    """Try the faults of a room, print those that no test notices, and tell whether the others are enough."""
    fails, took = copies[0].run(room.noticing())
    if fails:
        sys.exit(f"mutants: the tests of {room.name} fail without a fault: {fails}")
    free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def tried(fault: Fault) -> str:
        copy = free.get()
        try:
            return copy.notices(fault, room.noticing(fault.path), LONGER * took + PATIENCE)
        finally:
            free.put(copy)

    noticed = 0
    with ThreadPoolExecutor(len(copies)) as pool:
        for fault, notice in zip(faults, pool.map(tried, faults), strict=True):
            noticed += bool(notice)
            if everything or not notice:
                print(f"{room.name}: {notice or 'not noticed'}\n{fault.diff}\n", flush=True)
    share = 100 * noticed // max(len(faults), 1)
    print(f"{room.name}: {noticed} of {len(faults)} noticed, {share} %; at least {room.killed} %", flush=True)
    return share >= room.killed


def main() -> int:
    """Try a sample of faults in each room."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--rooms", default="", help="names of rooms, with commas; all without it")
    parser.add_argument("--only", default="", help="part of the path of the modules that get faults")
    parser.add_argument("--sample", type=int, default=5, help="how many faults in each room; 0 for all")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="print the faults that tests notice, too")
    asked = parser.parse_args()
    named = [room for room in rooms() if room.name in asked.rooms.split(",") or not asked.rooms]
    print(f"mutants: {asked.sample or 'all'} in each room, seed {asked.seed}", flush=True)
    work_in_memory()
    copies = [Copy(ROOT) for _ in range(asked.workers)]
    enough = []
    try:
        for room in named:
            modules = [path for path in room.files() if asked.only in path.as_posix()]
            faults = sample(ROOT, modules, asked.sample, f"{asked.seed} {room.name}")
            unknown = [fault for fault in faults if not any(map(fault.is_like, equivalents()))]
            enough.append(judge(room, unknown, copies, asked.all))
    finally:
        for copy in copies:
            copy.remove()
    return 0 if enough and all(enough) else 1


if __name__ == "__main__":
    sys.exit(main())
