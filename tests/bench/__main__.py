"""Print how fast we are as ratios: python -m tests.bench [building|checking|suites|plans|runtime|release|guard|executor|waves|protocol ...]."""

from __future__ import annotations

import sys

from tests.bench import building, checking, executor, guard, plans, protocol, release, runtime, suites, waves

BENCHES = {
    "building": building.main,
    "checking": checking.main,
    "suites": suites.main,
    "plans": plans.main,
    "runtime": runtime.main,
    "release": release.main,
    "guard": guard.main,
    "executor": executor.main,
    "waves": waves.main,
    "protocol": protocol.main,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or BENCHES:
        BENCHES[name]()
