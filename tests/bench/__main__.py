"""Print every ratio that we hold ourselves to: python -m tests.bench [building|plans|runtime ...]."""

from __future__ import annotations

import sys

from tests.bench import building, plans, runtime

BENCHES = {"building": building.main, "plans": plans.main, "runtime": runtime.main}

if __name__ == "__main__":
    for name in sys.argv[1:] or BENCHES:
        BENCHES[name]()
