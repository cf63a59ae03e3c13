"""Print which small faults no test notices, and the share that tests notice by room."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.kit.names import ROOT
from tests.kit.quick import work_in_memory
from tests.mutants.faults import Fault, are_apart, sample
from tests.mutants.notes import Notes
from tests.mutants.rooms import Room, equivalents, rooms
from tests.mutants.swap import swapped_codes
from tests.mutants.trial import Copy

# How much longer than without a fault tests may take, and seconds for what else the machine does.
LONGER, PATIENCE = 3, 60


class Trials:
    """The tests of a room, tried with faults in some copies of the sources."""

    def __init__(self, room: Room, copies: list[Copy]) -> None:
        noted = copies[0].noted(room.noticing())
        if isinstance(noted, str):
            sys.exit(f"mutants: the tests of {room.name} fail without a fault: {noted}")
        self.notes, self.copies = Notes(**noted), copies

    def notices(self, faults: list[Fault]) -> list[str]:
        """Return how each fault is noticed: by a test that runs its line, else by one that starts another process."""
        found = [""] * len(faults)
        with ThreadPoolExecutor(len(self.copies)) as pool:
            shares = [range(turn, len(faults), len(self.copies)) for turn in range(len(self.copies))]
            near = [
                [(faults[at], *self.limited(self.notes.near(faults[at]))) for at in share] for share in shares
            ]
            for share, notices in zip(shares, pool.map(Copy.forked, self.copies, near), strict=True):
                for at, notice in zip(share, notices, strict=True):
                    found[at] = notice
        for at, fault in enumerate(faults):
            if not found[at] and not swapped_codes(fault.before, fault.after, fault.path):  # run at loading
                found[at] = self.copies[0].notices([fault], *self.limited(self.notes.in_process()))
        left = [at for at, notice in enumerate(found) if not notice]
        for at, notice in zip(left, self.far([faults[at] for at in left]), strict=True):
            found[at] = notice
        return found

    def limited(self, tests: list[str]) -> tuple[list[str], float]:
        """Return tests with the seconds that they may take."""
        return tests, LONGER * self.notes.time_of(tests) + PATIENCE

    def far(self, faults: list[Fault]) -> list[str]:
        """Return how tests in other processes notice faults; all at once, and halves of them if that is noticed."""
        if not faults:
            return []
        if len(faults) == 1 or are_apart(faults):
            notice = self.copies[0].notices(faults, *self.limited(self.notes.far(faults[0])))
            if len(faults) == 1 or not notice:
                return [notice] * len(faults)
        half = len(faults) // 2
        return self.far(faults[:half]) + self.far(faults[half:])


def judge(room: Room, faults: list[Fault], copies: list[Copy], everything: bool) -> bool:
    """Try the faults of a room, print those that no test notices, and tell whether the others are enough."""
    notices = Trials(room, copies).notices(faults)
    for fault, notice in zip(faults, notices, strict=True):
        if everything or not notice:
            print(f"{room.name}: {notice or 'not noticed'}\n{fault.diff}\n", flush=True)
    noticed = sum(map(bool, notices))
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
