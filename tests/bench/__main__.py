"""Print every ratio that we hold ourselves to: python -m tests.bench [building|plans|runtime|guard|executor ...]."""

from __future__ import annotations

import sys

from tests.bench import building, executor, guard, plans, runtime

BENCHES = {
    "building": building.main,
    "plans": plans.main,
    "runtime": runtime.main,
    "guard": guard.main,
    "executor": executor.main,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or BENCHES:
        BENCHES[name]()
